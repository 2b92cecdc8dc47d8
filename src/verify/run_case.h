#pragma once
// One judged case: runs the candidate on one set of inputs, once or several times under different poisons and wave
// orders, and compares what comes back.
//
// What is looked at, in this order: did it run; did an input change; did a checker find a fault; are gaps between
// elements untouched; is every compared element written, NaN where it must be, and inside its tolerance; do the runs
// agree.
//
// A run of chosen work-groups only can be judged for what they wrote. That no element was left out is then judged by
// number: groups chosen all over the grid must together write about their share of the result.

#include <map>
#include <set>

#include "verify/judge.h"
#include "verify/reference.h"

namespace hipvault::verify {

struct CaseContext {
  const ir::Program& program;
  const Candidate& candidate;
  device::Device& device;
  const JudgeOptions& options;
  uint64_t seed = 0;
  std::map<std::string, std::set<std::string>>* fidelity = nullptr;  // collects Run::fidelity; may be null
};

struct RunScope {
  double* executed = nullptr;        // out: wave-instructions of the last run
  int runs = 1;                      // 2: different poison and wave order
  std::vector<int64_t> only_groups;  // of a plan with one launch; empty: all
  int64_t grid_groups = 0;           // with only_groups: how many there are in all
  int64_t max_elements = 1 << 20, sampled_elements = 4096;
  double deadline_s = 60;
};

// Errors: the op's own inputs are wrong (code "ir.…"), or the device cannot run anything.
Result<CaseVerdict> judge_case(const CaseContext& context, const std::string& name, Reference& reference, double steps,
                               const RunScope& scope);

// The request of run number `run`, for tensors whose results were poisoned for it.
RunRequest make_request(const CaseContext& context, const CaseInputs& inputs, const std::vector<HostTensor>& tensors,
                        const ResolvedPlan& plan, double steps, int run);

// Whether the checkers' finding fails a candidate. Others are notes for its author.
bool is_fatal(const Finding& finding);

// Position of each plan buffer in Program::tensors, or why the plan does not describe this op.
Result<std::vector<size_t>> match_buffers(const ir::Program& program, const Plan& plan);

}  // namespace hipvault::verify
