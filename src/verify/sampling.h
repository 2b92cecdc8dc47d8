#pragma once
// Which elements of a large result are compared.
//
// Errors of kernels sit at borders: corners, both sides of tile and split borders (powers of two), the tail, and
// anywhere by bad luck. The reference of one element of softmax costs a whole row, so elements are picked in groups
// that share their leading indices: some leading tuples, and in each of them many positions of the last axis.

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"

namespace hipvault::verify {

// Row-major linear ids, ascending, distinct: at least min(wanted, elements). All of them if elements <= wanted.
std::vector<int64_t> sample_elements(const std::vector<int64_t>& shape, int64_t wanted, Random& random);

// Thins a list to at most `wanted`: keeps runs at its borders and random ones between, grouped by the last axis as
// above.
std::vector<int64_t> thin_elements(const std::vector<int64_t>& shape, const std::vector<int64_t>& elements,
                                   int64_t wanted, Random& random);

}  // namespace hipvault::verify
