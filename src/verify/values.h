#pragma once
// Fills one tensor with values of one distribution.

#include "base/random.h"
#include "verify/index_ranges.h"
#include "verify/inputs.h"

namespace hipvault::verify {

struct FillRule {
  ir::Distribution distribution;
  IndexRange range;  // integer tensors
  Twist twist = Twist::none;
};

// What the op file notes for the tensor under this draw, or the default of its dtype: normal(0,1), integers(0,16),
// integers(0,2) for bool, powers of two from 1/16 to 16 for e8m0.
// Error: a number of the note cannot be evaluated for these sizes.
Result<FillRule> rule_for(const ir::Program& program, const ir::Tensor& tensor, const Draw& draw,
                          const IndexRange& range, const Sizes& sizes);

// Whether NaN and infinities may stand in this input: floats wide enough to hold them whose note does not restrict
// them.
bool takes_specials(const ir::Program& program, const ir::Tensor& tensor);

// Writes every element of `tensor`. Tensors beyond 4 Mi elements repeat a block of prime length, whose period no row
// stride matches. Error: no legal value exists, or the file does not fit.
Status fill_values(HostTensor& tensor, const FillRule& rule, Random& random);

}  // namespace hipvault::verify
