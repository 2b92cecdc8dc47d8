#pragma once
// Smaller sizes that exercise the same kernels.
//
// A plan chooses among kernels by size: the one that will be timed at N = 65,536 is not the one that runs at N = 33. So
// that its kernels are judged where every element can be compared, sizes are halved, axis by axis, as long as the plan
// still takes the same variant.

#include "verify/cases.h"

namespace hipvault::verify {

// The variant a plan takes for contiguous, 256-byte aligned tensors; empty if it refuses.
std::string variant_at(const ir::Program& program, const Plan& plan, const Sizes& sizes);

// `from` with free dimensions halved until the steps are at most `max_steps`, as far as the variant allows (none if
// even the smallest sizes of the variant are above it by more than 64 times). Axes that only separate independent
// results go first.
std::vector<SizedCase> shrink(const ir::Program& program, const Plan& plan, const SizedCase& from, double max_steps);

}  // namespace hipvault::verify
