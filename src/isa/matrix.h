#pragma once
// Matrix instructions (MFMA) as data: shape, types, and where each lane's values lie in the matrices. The formulas are
// those that AMD's matrix calculator prints; a test compares them with the maps in target/, which come from elsewhere.
//
// With G = 64/M lane groups, b blocks and KG = G/b groups along k: lane l holds row (column) l%M of block (l/M)%b, and
// k from (l/M)/b*K/KG on. Example v_mfma_f32_16x16x16_f16: lane 17 holds A[1][4…7].

#include <cstdint>
#include <span>

namespace hipvault::isa {

enum class MatrixType : uint8_t { half, bfloat, single, wide, fp8, bf8, byte };

struct MatrixShape {
  const char* mnemonic;
  int m, k, blocks;  // n = m
  MatrixType a, b;
};

std::span<const MatrixShape> matrix_shapes();

struct MatrixPlace {
  int block = 0, row = 0, column = 0;
};
// Element e of lane l: of A (row i, column k); B is the same with its column as row. D: (row, column) of value r of
// lane l.
MatrixPlace matrix_place_a(const MatrixShape& shape, int lane, int element);
MatrixPlace matrix_place_d(const MatrixShape& shape, int lane, int value);

// Registers of the operands of a shape (an index of matrix_shapes).
struct MatrixWidths {
  int a = 0, b = 0, d = 0;  // registers
};
MatrixWidths matrix_widths(int shape);

}  // namespace hipvault::isa
