#pragma once
// The judge at the size that will be timed, where a kernel may be wrong although every small size is right.
//
// A simulator cannot execute 16 M rows for every candidate. With one launch, chosen work-groups run and what they wrote
// is compared: at least `sampled_elements`. Work-groups of a plan with several launches depend on each other through
// the workspace, and those of a scatter with atomics on each other's sums, so such plans run whole when that fits the
// budget; beyond it they are judged at sizes shrunk until it does (same variant, same kernels), and the case says so in
// its name. Rejected: choosing work-groups launch by launch, which would need to know who reads whose workspace.

#include "verify/run_case.h"

namespace hipvault::verify {

struct TimedBudget {
  double host_seconds = 10;  // of device time, whole runs
  int64_t tensor_bytes = int64_t{3} << 29;
};

// Errors as judge_case.
Result<CaseVerdict> judge_timed(const CaseContext& context, const SizedCase& sized, const Draw& draw, Layout layout,
                                const TimedBudget& budget = {});

}  // namespace hipvault::verify
