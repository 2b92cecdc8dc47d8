#pragma once
// What one execution of a candidate gives back, whatever the device: how it ended, what the checkers found, what was
// counted. Plain data; crosses process borders as JSON beside the raw output buffers.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace hipvault {

// One thing a checker saw. Repeats at the same pc are folded into `count`.
struct Finding {
  std::string kind;     // "out-of-bounds", "uninitialised-read", "race", "barrier-divergence", "misaligned", …
  std::string message;  // one sentence with the numbers: which buffer, how far outside, which lanes
  std::string kernel;
  std::string source;       // "kernel.hip:41" from the line table, "" if none
  std::string instruction;  // as LLVM prints it
  uint64_t pc = 0;          // byte offset in the kernel
  std::array<int64_t, 3> group{};
  int wave = 0;
  uint64_t lanes = 0;  // mask of the lanes concerned
  int64_t count = 1;
  // The other side of a race.
  std::string other_source;
  int other_wave = -1;
};

// How a run ended. Only `completed` has outputs that mean something.
enum class RunStatus {
  completed,
  not_modelled,    // an instruction or feature the simulator does not model; `message` names it
  step_budget,     // executed more instructions than allowed: taken as an endless loop
  deadline,        // wall clock
  fault,           // illegal access, trap, misuse that ends the run
  launch_refused,  // the plan has no variant for these sizes, or limits of the gpu are exceeded
  worker_died,     // the worker process was killed or crashed; `message` says how
};
const char* name(RunStatus status);
RunStatus run_status_by_name(const std::string& name);

// Counters of one launch. On the simulator they cover `groups_run` of `groups` work-groups.
struct LaunchProfile {
  std::string kernel;
  int64_t groups = 0, groups_run = 0, waves_run = 0;
  int64_t block = 0, lds_bytes = 0;
  int vgprs = 0, agprs = 0, sgprs = 0, scratch_bytes = 0;
  // Wave-instructions by class: valu, trans, valu64, mfma, salu, smem, vmem_load, vmem_store, atomic, lds, barrier,
  // branch, wait, other.
  std::map<std::string, int64_t> instructions;
  int64_t mfma_cycles = 0;                     // from the target's matrix table
  int64_t bytes_loaded = 0, bytes_stored = 0;  // by lanes, vector memory, counted per access
  int64_t lines_loaded = 0, lines_stored = 0;  // distinct 128-byte lines per wave access, summed
  int64_t unique_bytes_loaded = 0,
          unique_bytes_stored = 0;  // distinct 128-byte lines over the launch × 128; 0 if not counted
  int64_t lds_bytes_moved = 0, lds_conflict_cycles = 0;
  double seconds = 0;    // host time spent
  double device_us = 0;  // real devices: measured; simulator: 0
};

struct Run {
  RunStatus status = RunStatus::completed;
  std::string message;
  std::vector<Finding> findings;
  std::vector<LaunchProfile> launches;
  std::vector<double> samples_us;  // of the timed repetitions: all launches together, in the order they ran
  // Fidelity: mnemonics executed, by how their meaning is known: "exact", "approximate", "assumed".
  std::map<std::string, std::vector<std::string>> fidelity;
  double seconds = 0;
};

Json to_json(const Finding& finding);
Json to_json(const LaunchProfile& profile);
Json to_json(const Run& run);
Result<Run> run_from_json(const Json& json);

}  // namespace hipvault
