#pragma once
// What a finished job says of itself: one record, from which report.json, report.html and the terminal's lines are
// made, so that they cannot disagree. Times of the simulator are predictions and are called so everywhere.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/timing.h"
#include "record/verdict.h"

namespace hipvault::report {

// One trial of the search, as a point of the curve.
struct Point {
  int64_t number = 0;
  std::string agent, family, reached;
  std::optional<double> time_us;
};

struct FunnelRow {
  std::string family;
  int64_t proposed = 0, legal = 0, compiled = 0, correct = 0, timed = 0;
};

struct KernelUse {
  std::string kernel;
  int vgprs = 0, agprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0, occupancy = 0, max_occupancy = 0,
      group_size = 0;
  int64_t lds_bytes = 0, lds_limit = 0, scratch_bytes = 0;
};

struct Roofline {
  double bytes = 0, flops = 0;
  double bandwidth = 0;       // achievable, bytes/s
  double peak_bandwidth = 0;  // data sheet
  double peak_flops = 0;      // of the matrix type; 0: none
};

struct Report {
  std::string op, op_text, case_name, gpu, gpu_title, arch, device, toolchain, generator;
  std::map<std::string, std::string> types;
  std::map<std::string, int64_t> sizes;
  std::string verdict;  // "pass", an outcome, or "none" if nothing could be judged
  std::string message;  // why there is no winner
  std::optional<Verdict> evidence;
  std::string kernel;  // path of the HIP file; "": none
  std::string schedule, source, agent;
  std::optional<Timing> timing;
  std::optional<Baseline> baseline;
  std::vector<FunnelRow> families;
  FunnelRow total;
  int64_t twins = 0;
  std::vector<std::pair<std::string, int64_t>> reasons;
  std::vector<Point> points;
  std::vector<KernelUse> kernels;
  Roofline roofline;
  int64_t attempt = 0, campaign = 0;
  double search_seconds = 0, seconds = 0;

  // Baseline over winner; none unless both have passed and have a time.
  std::optional<double> speedup() const;
};

// The object that `optimize --json` prints.
Json summary_json(const Report& report);
// report.json: the summary and everything else.
Json full_json(const Report& report);
// A self-contained page, light and dark.
std::string html(const Report& report);
// Lines for a terminal.
std::string summary_text(const Report& report);

// "pass", "pass (quick)", "wrong_value", …: for people. A quick pass never reads like a full one.
std::string verdict_text(const Verdict& verdict);
std::string verdict_text(const Report& report);

// Findings of all cases, each once.
std::vector<Finding> all_findings(const Verdict& verdict);

}  // namespace hipvault::report
