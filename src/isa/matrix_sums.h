#pragma once
// The arithmetics of matrix instructions. `d` holds C and becomes D.
//
// Operands stay where their registers have them: element e of lane l at 64*e + l. Every layout there is puts a row of
// [k][m], [k][n] or [m][n] into consecutive lanes of one element, so that a table of row starts is all that a sum has
// to know; copying the operands into plain matrices first took longer than multiplying them.
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

template <class T>
struct MatrixSum {
  MatrixShape shape;
  const T *a = nullptr, *b = nullptr;
  T* d = nullptr;
  // Row starts: of A [block][k], of B [block][k_b], of D [block][m].
  const uint16_t *row_a = nullptr, *row_b = nullptr, *row_d = nullptr;
  const uint8_t* partner = nullptr;  // sparse A: at a value's place, the row of B that it meets; null: row k
};

// What the truncated sums need besides.
struct Exponents {
  const int32_t* a = nullptr;  // at the place of each value, not below the smallest normal one of its type
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
