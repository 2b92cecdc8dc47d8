#pragma once
// What the arch files share: how operand maps of AMD's matrix instructions are spelled, and the check of a finished
// arch.
//
// On CDNA (mfma, wave64) and RDNA4 (wmma, wave32) a lane holds one row of A (one column of B) and a run of consecutive
// k:
//
//   A[i = l % M][k = run * (l / M) + e]     B[k the same][j = l % M]     run = K / (lanes / M)
//
// which as bits is: the low lane bits are i, the high lane bits are the high bits of k, the element bits its low bits.
// The result D has its column in the low lane bits; where the rows go is one of the three patterns below. AMD publishes
// these layouts through its matrix instruction calculator; a k order other than AMD's would give the same product as
// long as A and B agree, so only D's pattern is a hard fact.
//
// Confidence tags behind numbers in this folder: [V] vendor document or source, [M] measured, [D] derived by
// arithmetic, [A] assumed, [R] recalled from papers or manuals.

#include <string>

#include "target/target.h"

namespace hipvault::target {

enum class ResultRows {
  quads16,  // 16x16, 32-bit: row = 4*(l/16) + r
  quads32,  // 32x32, 32-bit: row = 8*(r/4) + 4*(l/32) + r%4
  strided,  // 16x16 f64:     row = 4*r + l/16
  halves,   // wmma, wave32:  row = 8*(l/16) + r
};

struct MatrixRow {
  const char* mnemonic;
  const char* builtin;
  int m, n, k;
  DType a, b, c;
  int cycles;
  ResultRows rows;
};

// The full row, maps included, for waves of `lanes` lanes.
MatrixOp make_matrix_op(const MatrixRow& row, int lanes);

// Lane groups for LDS phases: `count` runs of `length` consecutive lanes from 0 on.
std::vector<std::vector<int>> consecutive_groups(int count, int length);

// What is wrong with the row, or "": sizes and every map must be a bijection of (lane, element) onto the operand.
std::string problem_of(const MatrixOp& op, int lanes);

// Returns `arch` after checking every matrix row and every LDS phase list; an inconsistent one is our own mistake
// (CHECK).
Arch checked(Arch arch);

Arch make_gfx90a();
Arch make_gfx942();
Arch make_gfx950();
Arch make_gfx1201();
Gpu make_mi250x();
Gpu make_mi300a();
Gpu make_mi300x();
Gpu make_mi308x();
Gpu make_mi355x();
Gpu make_r9700();

}  // namespace hipvault::target
