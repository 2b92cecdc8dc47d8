#pragma once
// The arithmetics of matrix instructions, on plain matrices. `d` holds C and becomes D.
//
// exact: as the arch's hardware is known or assumed to sum. fast: a chain of fused multiply-adds, for every type.

#include <cstdint>

#include "target/matrix.h"

namespace hipvault::isa {

constexpr int kMatrixCapacity = 2048;  // values of the largest operand
constexpr int kExponentOfZero = -1000;
constexpr int kExponentOfSpecial = 3000;  // infinities and NaN

struct MatrixShape {
  int m = 0, n = 0;
  int k = 0;    // summed values of one result; for sparse A its stored ones
  int k_b = 0;  // rows of B
  int blocks = 1;
};

template <class T, class Acc = T>
struct MatrixSum {
  MatrixShape shape;
  const T* a = nullptr;            // [block][k][m]
  const T* b = nullptr;            // [block][k_b][n]
  Acc* d = nullptr;                // [block][m][n]
  const uint8_t* row_b = nullptr;  // sparse A: [k][m], the row of B that a stored value meets; null: row k
};

// What the truncated sums need besides.
struct Exponents {
  const int32_t* a = nullptr;  // of each value of A and B, not below the smallest normal one of its type
  const int32_t* b = nullptr;
  int lowest_a = 0, lowest_b = 0;
  // Block scales as powers of two, [k / 32][m] and [k / 32][n]; kExponentOfSpecial: NaN. Null: none.
  const int32_t* scale_a = nullptr;
  const int32_t* scale_b = nullptr;
};

void sum_integers(const MatrixSum<int32_t>& sum, bool saturate);
void sum_fma_chain(const MatrixSum<float>& sum);
void sum_fma_chain(const MatrixSum<double>& sum);
// Operands have no denormals any more.
void sum_flushed_pairs(const MatrixSum<float>& sum, int chunk);
void sum_truncated(const MatrixSum<float>& sum, const Exponents& exponents, int chunk, bool halves);
// The same, value by value: where the vector form meets something special, and in tests.
void sum_truncated_by_value(const MatrixSum<float>& sum, const Exponents& exponents, int chunk, bool halves);

// The exponent that Exponents wants: floor(log2 |x|), at least `lowest`.
void fill_exponents(const float* values, int count, int lowest, int32_t* out);

}  // namespace hipvault::isa
