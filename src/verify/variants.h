#pragma once
// Cases for the variants of a plan that ordinary cases do not reach.
//
// A plan's table may send `N == 4096 and x.align >= 16 and x.stride.1 == 1` to a kernel of its own. If no judged case
// satisfies that, a wrong kernel passes. So sizes, strides and offsets are searched for each variant: its condition is
// split into conjuncts (and "no earlier variant takes it"), and one dimension or one tensor's layout at a time is moved
// to the value that satisfies most of them, from several starts. Rejected: solving the conditions symbolically, which
// needs a solver for `%`, `//` and products that the language of conditions allows.
//
//   when "N % 8 == 0 and y.stride.0 % 2 == 1"  ->  N=64, y padded by one element

#include <optional>
#include <set>

#include "verify/cases.h"
#include "verify/layouts.h"

namespace hipvault::verify {

// What the plan takes for tensors as make_inputs lays them out: notes of the case under the contiguous layout.
// Empty if it refuses.
std::string variant_for(const ir::Program& program, const Plan& plan, const SizedCase& sized, Layout layout);

// A case (strides and offsets noted, name "variant NAME") that the plan sends to `variant`, with at most `max_steps`.
std::optional<SizedCase> find_case(const ir::Program& program, const Plan& plan, size_t variant,
                                   const std::vector<SizedCase>& starts, double max_steps, Random& random);

}  // namespace hipvault::verify
