#pragma once
// Schedules: the list of decisions that turns a tensor program into a plan and tile programs. Plain text, one decision
// a line, replayable; the token sequence that the policy emits.
//
//   sketch row_reduce
//   rows_per_group 4
//   vector 8
//
// A sketch recognises a pattern and owns the decisions after `sketch`. Decisions are made in order; which alternatives
// are legal may depend on the earlier ones. An illegal one is refused with a reason in words.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/program.h"
#include "record/plan.h"
#include "target/target.h"
#include "tile/program.h"

namespace hipvault::schedule {

struct Decision {
  std::string name, value;
  bool operator==(const Decision&) const = default;
};
using Schedule = std::vector<Decision>;

std::string text(const Schedule& schedule);
Result<Schedule> parse_schedule(const std::string& text, const std::string& file_name = "");

// What is scheduled: the op, the sizes to be fast at (kernels stay right for all sizes the plan's table accepts), the
// gpu.
struct Task {
  ir::Program program;  // as instantiated
  ir::Program normal;   // ir::normalise(program)
  Sizes sizes;          // all sizes, from ir::bind_sizes
  target::Gpu gpu;
};

struct Choice {
  std::string value;
  bool legal = true;
  std::string reason;  // why not
};
// The next decision after a prefix of decisions, with its alternatives; an empty name when the schedule is complete.
struct Question {
  std::string name;
  std::vector<Choice> choices;
  std::string preferred;  // what default_schedule answers; a legal choice whenever there is one
};

// The first question is always `sketch`. An error if the prefix itself is illegal, with the reason.
Result<Question> next_question(const Task& task, const Schedule& prefix);

// Everything that a complete schedule makes. Kernels are as built: run_passes has not been called.
struct Lowered {
  Schedule schedule;
  std::string family;  // the sketch's name
  Plan plan;
  std::vector<tile::Kernel> kernels;
  // What the plan's variants guarantee, per kernel name, for the passes.
  std::map<std::string, std::map<std::string, int64_t>> multiple_of, alignment;
  std::vector<std::string> promises;
  double compute_unit_roundoff = 0x1p-24;
};

// Fills decisions that are missing at the end with the sketch's defaults when `complete` is set; otherwise they are an
// error.
Result<Lowered> lower(const Task& task, const Schedule& schedule, bool complete = false);

// The sketch's default decisions for the task: what the naive user would get; the baseline `default_schedule`. An
// empty sketch takes the first that matches.
Result<Schedule> default_schedule(const Task& task, const std::string& sketch);

std::vector<std::string> sketch_names();

}  // namespace hipvault::schedule
