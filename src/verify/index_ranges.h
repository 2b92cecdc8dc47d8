#pragma once
// What values an integer input may hold so that the op itself stays in range.
//
// `y[N, D] = table[token[N], D]` reads table out of range unless token lies in [0, size of table's first axis). A note
// such as `input token: integers(0, 32000)` says so for one case only; at the tail `V=71` the same note would make
// every input an error of the op. So the range is derived from the expressions: an integer tensor that stands at an
// index position, possibly under // % + * casts and selects or through an intermediate, gets the range that keeps the
// position valid. Positions with `else` restrict nothing. Rejected: drawing until the interpreter accepts, which finds
// nothing for large tensors.

#include <map>
#include <string>

#include "ir/program.h"

namespace hipvault::verify {

struct IndexRange {
  int64_t high = INT64_MAX;  // values are below it
  bool distinct = false;     // it decides where `=` writes: no value may repeat
  bool indexes() const { return high != INT64_MAX; }
};

// Integer tensors that index something, by name. Sizes must be complete.
std::map<std::string, IndexRange> index_ranges(const ir::Program& program, const Sizes& sizes);

}  // namespace hipvault::verify
