#pragma once
// Every matrix instruction of every arch as data: shape, types, cycles, where each lane's values lie in the matrices,
// and by which arithmetic the sums are formed. The simulator executes from this table and the compiler's MatrixOp rows
// are made from it, so that tile layouts and simulator cannot disagree.
//
// Layouts. Lane l of M rows holds row l % M (of A; column l % N of B and C/D). Where the other coordinate's bits come
// from is spelled low to high, a character a bit: 'e' is the next bit of the element number, a digit that bit of the
// lane group l / M. After '/' come the bits of the block number. Example, A of v_mfma_f32_16x16x16_f16: "ee01", so
// lane 37, element 3 holds row 5 and k = 3 + 4*(37/16) = 11. D of v_mfma_f32_16x16x4_4b_f32: "ee01/ee": registers 4…7
// are block 1. Rejected: closed formulas in code, which the calculator prints too but no table can be checked against.
//
// Elements are numbered by (register, position in the register). A of sparse instructions is counted in the values that
// are stored: value e of a lane stands at k = 4*(e'/2) + index, e' being the stored coordinate.

#include <span>
#include <string>

#include "target/target.h"

namespace hipvault::target {

enum class MatrixFamily : uint8_t { mfma, smfmac, wmma, swmmac };
constexpr bool is_sparse(MatrixFamily f) { return f == MatrixFamily::smfmac || f == MatrixFamily::swmmac; }

// by_format: the instruction's cbsz (A) and blgp (B) choose among fp8, bf8, fp6, bf6, fp4.
enum class MatrixType : uint8_t {
  f64,
  f32,
  xf32,
  f16,
  bf16,
  fp8,
  bf8,
  fp8_fnuz,
  bf8_fnuz,
  fp6,
  bf6,
  fp4,
  i8,
  iu8,
  iu4,
  i32,
  by_format
};
constexpr int bits_of(MatrixType type) {  // by_format: 8, its widest
  constexpr int kBits[] = {64, 32, 32, 16, 16, 8, 8, 8, 8, 6, 6, 4, 8, 8, 4, 32, 8};
  return kBits[static_cast<int>(type)];
}

// How D = A*B + C is summed. AMD documents none of it; sources in doc/matrix-arithmetic.md.
enum class MatrixArithmetic : uint8_t {
  integer,          // modulo 2^32, or saturated with the clamp bit
  fma_chain,        // k ascending, one rounding a step
  flushed_pairs,    // sums of `chunk` rounded products in a tree, then C; denormals are zero at every step
  truncated_dot,    // `chunk` products aligned and cut, one sum, then C
  truncated_halves  // the same, even and odd products apart
};

struct MatrixInstruction {
  std::string mnemonic;  // as LLVM prints it
  std::string builtin;   // of clang
  MatrixFamily family = MatrixFamily::mfma;
  int m = 0, n = 0, k = 0, blocks = 1;
  MatrixType a = MatrixType::f32, b = MatrixType::f32, c = MatrixType::f32;
  int cycles = 0;  // of one SIMD per wave instruction
  int lanes = 64;
  MatrixArithmetic arithmetic = MatrixArithmetic::fma_chain;
  int chunk = 1;
  std::string layout_a, layout_b, layout_c;
  bool broadcasts_a = false;  // cbsz and abid
  bool permutes_b = false;    // blgp
  bool negates = false;       // neg, on f64
  bool scaled = false;        // two more operands, E8M0 block scales
};

struct MatrixPlace {
  int block = 0, row = 0, column = 0;
  bool operator==(const MatrixPlace&) const = default;
};
// Of A: (row i, column k), sparse A: k of the stored values; of B: (k, column j); of C and D: (i, j).
MatrixPlace place_a(const MatrixInstruction& op, int lane, int element);
MatrixPlace place_b(const MatrixInstruction& op, int lane, int element);
MatrixPlace place_c(const MatrixInstruction& op, int lane, int element);
int elements_a(const MatrixInstruction& op);  // that a lane holds
int elements_b(const MatrixInstruction& op);
int elements_c(const MatrixInstruction& op);

// False for lane groups that an instruction does not read: they differ from a lower group only in bits that the layout
// does not name.
bool is_read(const std::string& layout, int group);

// Modifiers. Block `block` of A comes from this one (cbsz, abid), lane `lane` of B from that one (blgp).
int source_block(int cbsz, int abid, int block);
int source_lane(int blgp, int lane);
// What cbsz of A and blgp of B select for by_format operands: 0…4.
MatrixType format_of(int selector);

// 8-bit operands of the by_format instructions lie in two runs of 16, narrower ones in one run of 32.
std::string layout_of_format(const MatrixInstruction& op, MatrixType type);

// All instructions of an arch, those for waves of 64 and of 32 lanes apart. Empty for an unknown arch.
std::span<const MatrixInstruction> matrix_instructions(const std::string& arch);
const MatrixInstruction* find_matrix_instruction(const std::string& arch, const std::string& mnemonic, int lanes);

// The compiler's row of a dense instruction with one block. Its k order is the plain one (the element bits are the low
// bits of k), which gives the same product as the hardware's because A and B share it.
MatrixOp to_matrix_op(const MatrixInstruction& op);
// `mnemonics` in order; unknown names are our own mistake (CHECK).
std::vector<MatrixOp> matrix_ops_of(const std::string& arch, std::span<const char* const> mnemonics);

}  // namespace hipvault::target
