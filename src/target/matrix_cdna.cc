// MFMA and SMFMAC of CDNA2 to CDNA4. Shapes, layouts and cycles: AMD matrix instruction calculator [V]; test/matrix
// compares all of it. gfx950's own forms are not in the calculator: cycles from LLVM's scheduling model [V], layouts
// continue CDNA3's pattern, consecutive k per lane [R]; f8f6f4 as in AMD's published kernels [V].

#include "target/matrix_rows.h"

namespace hipvault::target {
namespace {

using enum MatrixType;

struct Row {
  const char* mnemonic;
  const char* builtin;  // null: the mnemonic without "v_"
  int m, k, blocks;
  MatrixType a, b;
  int cycles;
};

const Row kCdna2[] = {
    {"v_mfma_f32_32x32x1f32", nullptr, 32, 1, 2, f32, f32, 64},
    {"v_mfma_f32_16x16x1f32", nullptr, 16, 1, 4, f32, f32, 32},
    {"v_mfma_f32_4x4x1f32", nullptr, 4, 1, 16, f32, f32, 8},
    {"v_mfma_f32_32x32x2f32", nullptr, 32, 2, 1, f32, f32, 64},
    {"v_mfma_f32_16x16x4f32", nullptr, 16, 4, 1, f32, f32, 32},
    {"v_mfma_f32_32x32x4f16", nullptr, 32, 4, 2, f16, f16, 64},
    {"v_mfma_f32_16x16x4f16", nullptr, 16, 4, 4, f16, f16, 32},
    {"v_mfma_f32_4x4x4f16", nullptr, 4, 4, 16, f16, f16, 8},
    {"v_mfma_f32_32x32x8f16", nullptr, 32, 8, 1, f16, f16, 64},
    {"v_mfma_f32_16x16x16f16", nullptr, 16, 16, 1, f16, f16, 32},
    {"v_mfma_i32_32x32x4i8", nullptr, 32, 4, 2, i8, i8, 64},
    {"v_mfma_i32_16x16x4i8", nullptr, 16, 4, 4, i8, i8, 32},
    {"v_mfma_i32_4x4x4i8", nullptr, 4, 4, 16, i8, i8, 8},
    {"v_mfma_i32_32x32x8i8", nullptr, 32, 8, 1, i8, i8, 64},
    {"v_mfma_i32_16x16x16i8", nullptr, 16, 16, 1, i8, i8, 32},
    {"v_mfma_f32_32x32x4bf16_1k", nullptr, 32, 4, 2, bf16, bf16, 64},
    {"v_mfma_f32_16x16x4bf16_1k", nullptr, 16, 4, 4, bf16, bf16, 32},
    {"v_mfma_f32_4x4x4bf16_1k", nullptr, 4, 4, 16, bf16, bf16, 8},
    {"v_mfma_f32_32x32x8bf16_1k", nullptr, 32, 8, 1, bf16, bf16, 64},
    {"v_mfma_f32_16x16x16bf16_1k", nullptr, 16, 16, 1, bf16, bf16, 32},
    {"v_mfma_f32_32x32x2bf16", nullptr, 32, 2, 2, bf16, bf16, 64},
    {"v_mfma_f32_16x16x2bf16", nullptr, 16, 2, 4, bf16, bf16, 32},
    {"v_mfma_f32_4x4x2bf16", nullptr, 4, 2, 16, bf16, bf16, 8},
    {"v_mfma_f32_32x32x4bf16", nullptr, 32, 4, 1, bf16, bf16, 64},
    {"v_mfma_f32_16x16x8bf16", nullptr, 16, 8, 1, bf16, bf16, 32},
    {"v_mfma_f64_16x16x4f64", nullptr, 16, 4, 1, f64, f64, 32},
    {"v_mfma_f64_4x4x4f64", nullptr, 4, 4, 4, f64, f64, 16},
};

const Row kXf32[] = {
    {"v_mfma_f32_16x16x8_xf32", nullptr, 16, 8, 1, xf32, xf32, 16},
    {"v_mfma_f32_32x32x4_xf32", nullptr, 32, 4, 1, xf32, xf32, 32},
};

const Row kCdna3[] = {
    {"v_mfma_f32_32x32x1_2b_f32", "mfma_f32_32x32x1f32", 32, 1, 2, f32, f32, 64},
    {"v_mfma_f32_16x16x1_4b_f32", "mfma_f32_16x16x1f32", 16, 1, 4, f32, f32, 32},
    {"v_mfma_f32_4x4x1_16b_f32", "mfma_f32_4x4x1f32", 4, 1, 16, f32, f32, 8},
    {"v_mfma_f32_32x32x2_f32", "mfma_f32_32x32x2f32", 32, 2, 1, f32, f32, 64},
    {"v_mfma_f32_16x16x4_f32", "mfma_f32_16x16x4f32", 16, 4, 1, f32, f32, 32},
    {"v_mfma_f32_32x32x4_2b_f16", "mfma_f32_32x32x4f16", 32, 4, 2, f16, f16, 64},
    {"v_mfma_f32_16x16x4_4b_f16", "mfma_f32_16x16x4f16", 16, 4, 4, f16, f16, 32},
    {"v_mfma_f32_4x4x4_16b_f16", "mfma_f32_4x4x4f16", 4, 4, 16, f16, f16, 8},
    {"v_mfma_f32_32x32x8_f16", "mfma_f32_32x32x8f16", 32, 8, 1, f16, f16, 32},
    {"v_mfma_f32_16x16x16_f16", "mfma_f32_16x16x16f16", 16, 16, 1, f16, f16, 16},
    {"v_mfma_i32_32x32x4_2b_i8", "mfma_i32_32x32x4i8", 32, 4, 2, i8, i8, 64},
    {"v_mfma_i32_16x16x4_4b_i8", "mfma_i32_16x16x4i8", 16, 4, 4, i8, i8, 32},
    {"v_mfma_i32_4x4x4_16b_i8", "mfma_i32_4x4x4i8", 4, 4, 16, i8, i8, 8},
    {"v_mfma_i32_32x32x16_i8", nullptr, 32, 16, 1, i8, i8, 32},
    {"v_mfma_i32_16x16x32_i8", nullptr, 16, 32, 1, i8, i8, 16},
    {"v_mfma_f32_32x32x4_2b_bf16", "mfma_f32_32x32x4bf16_1k", 32, 4, 2, bf16, bf16, 64},
    {"v_mfma_f32_16x16x4_4b_bf16", "mfma_f32_16x16x4bf16_1k", 16, 4, 4, bf16, bf16, 32},
    {"v_mfma_f32_4x4x4_16b_bf16", "mfma_f32_4x4x4bf16_1k", 4, 4, 16, bf16, bf16, 8},
    {"v_mfma_f32_32x32x8_bf16", "mfma_f32_32x32x8bf16_1k", 32, 8, 1, bf16, bf16, 32},
    {"v_mfma_f32_16x16x16_bf16", "mfma_f32_16x16x16bf16_1k", 16, 16, 1, bf16, bf16, 16},
    {"v_mfma_f64_16x16x4_f64", "mfma_f64_16x16x4f64", 16, 4, 1, f64, f64, 32},
    {"v_mfma_f64_4x4x4_4b_f64", "mfma_f64_4x4x4f64", 4, 4, 4, f64, f64, 16},
    {"v_mfma_f32_16x16x32_bf8_bf8", nullptr, 16, 32, 1, bf8, bf8, 16},
    {"v_mfma_f32_16x16x32_bf8_fp8", nullptr, 16, 32, 1, bf8, fp8, 16},
    {"v_mfma_f32_16x16x32_fp8_bf8", nullptr, 16, 32, 1, fp8, bf8, 16},
    {"v_mfma_f32_16x16x32_fp8_fp8", nullptr, 16, 32, 1, fp8, fp8, 16},
    {"v_mfma_f32_32x32x16_bf8_bf8", nullptr, 32, 16, 1, bf8, bf8, 32},
    {"v_mfma_f32_32x32x16_bf8_fp8", nullptr, 32, 16, 1, bf8, fp8, 32},
    {"v_mfma_f32_32x32x16_fp8_bf8", nullptr, 32, 16, 1, fp8, bf8, 32},
    {"v_mfma_f32_32x32x16_fp8_fp8", nullptr, 32, 16, 1, fp8, fp8, 32},
    {"v_smfmac_f32_16x16x32_f16", nullptr, 16, 32, 1, f16, f16, 16},
    {"v_smfmac_f32_32x32x16_f16", nullptr, 32, 16, 1, f16, f16, 32},
    {"v_smfmac_f32_16x16x32_bf16", nullptr, 16, 32, 1, bf16, bf16, 16},
    {"v_smfmac_f32_32x32x16_bf16", nullptr, 32, 16, 1, bf16, bf16, 32},
    {"v_smfmac_i32_16x16x64_i8", nullptr, 16, 64, 1, i8, i8, 16},
    {"v_smfmac_i32_32x32x32_i8", nullptr, 32, 32, 1, i8, i8, 32},
    {"v_smfmac_f32_16x16x64_bf8_bf8", nullptr, 16, 64, 1, bf8, bf8, 16},
    {"v_smfmac_f32_16x16x64_bf8_fp8", nullptr, 16, 64, 1, bf8, fp8, 16},
    {"v_smfmac_f32_16x16x64_fp8_bf8", nullptr, 16, 64, 1, fp8, bf8, 16},
    {"v_smfmac_f32_16x16x64_fp8_fp8", nullptr, 16, 64, 1, fp8, fp8, 16},
    {"v_smfmac_f32_32x32x32_bf8_bf8", nullptr, 32, 32, 1, bf8, bf8, 32},
    {"v_smfmac_f32_32x32x32_bf8_fp8", nullptr, 32, 32, 1, bf8, fp8, 32},
    {"v_smfmac_f32_32x32x32_fp8_bf8", nullptr, 32, 32, 1, fp8, bf8, 32},
    {"v_smfmac_f32_32x32x32_fp8_fp8", nullptr, 32, 32, 1, fp8, fp8, 32},
};

const Row kCdna4[] = {
    {"v_mfma_f32_16x16x32_f16", nullptr, 16, 32, 1, f16, f16, 16},
    {"v_mfma_f32_32x32x16_f16", nullptr, 32, 16, 1, f16, f16, 32},
    {"v_mfma_f32_16x16x32_bf16", nullptr, 16, 32, 1, bf16, bf16, 16},
    {"v_mfma_f32_32x32x16_bf16", nullptr, 32, 16, 1, bf16, bf16, 32},
    {"v_mfma_i32_16x16x64_i8", nullptr, 16, 64, 1, i8, i8, 16},
    {"v_mfma_i32_32x32x32_i8", nullptr, 32, 32, 1, i8, i8, 32},
    {"v_mfma_f32_16x16x128_f8f6f4", "mfma_scale_f32_16x16x128_f8f6f4", 16, 128, 1, by_format, by_format, 32},
    {"v_mfma_f32_32x32x64_f8f6f4", "mfma_scale_f32_32x32x64_f8f6f4", 32, 64, 1, by_format, by_format, 64},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", nullptr, 16, 128, 1, by_format, by_format, 32},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", nullptr, 32, 64, 1, by_format, by_format, 64},
    {"v_smfmac_f32_16x16x64_f16", nullptr, 16, 64, 1, f16, f16, 16},
    {"v_smfmac_f32_32x32x32_f16", nullptr, 32, 32, 1, f16, f16, 32},
    {"v_smfmac_f32_16x16x64_bf16", nullptr, 16, 64, 1, bf16, bf16, 16},
    {"v_smfmac_f32_32x32x32_bf16", nullptr, 32, 32, 1, bf16, bf16, 32},
    {"v_smfmac_i32_16x16x128_i8", nullptr, 16, 128, 1, i8, i8, 16},
    {"v_smfmac_i32_32x32x64_i8", nullptr, 32, 64, 1, i8, i8, 32},
    {"v_smfmac_f32_16x16x128_bf8_bf8", nullptr, 16, 128, 1, bf8, bf8, 16},
    {"v_smfmac_f32_16x16x128_bf8_fp8", nullptr, 16, 128, 1, bf8, fp8, 16},
    {"v_smfmac_f32_16x16x128_fp8_bf8", nullptr, 16, 128, 1, fp8, bf8, 16},
    {"v_smfmac_f32_16x16x128_fp8_fp8", nullptr, 16, 128, 1, fp8, fp8, 16},
    {"v_smfmac_f32_32x32x64_bf8_bf8", nullptr, 32, 64, 1, bf8, bf8, 32},
    {"v_smfmac_f32_32x32x64_bf8_fp8", nullptr, 32, 64, 1, bf8, fp8, 32},
    {"v_smfmac_f32_32x32x64_fp8_bf8", nullptr, 32, 64, 1, fp8, bf8, 32},
    {"v_smfmac_f32_32x32x64_fp8_fp8", nullptr, 32, 64, 1, fp8, fp8, 32},
};

int log2_of(int value) {
  int bits = 0;
  while ((1 << bits) < value) ++bits;
  return bits;
}

// A of M x k and b blocks over 64 lanes: the low bits of the lane group choose the block, the high ones the high part
// of k, the elements its low part.
std::string operand_layout(int m, int k, int blocks) {
  int groups = log2_of(64 / m), block_bits = log2_of(blocks);
  std::string layout(static_cast<size_t>(log2_of(k) - (groups - block_bits)), 'e');
  for (int bit = block_bits; bit < groups; ++bit) layout += static_cast<char>('0' + bit);
  if (blocks > 1) layout += '/';
  for (int bit = 0; bit < block_bits; ++bit) layout += static_cast<char>('0' + bit);
  return layout;
}

std::string result_layout(const Row& row) {
  if (row.a == f64) return row.m == 16 ? "01ee" : "23/01";
  if (row.m == 4) return "ee/0123";
  std::string rows = row.m == 16 ? "ee01" : "ee0ee";
  return row.blocks == 1 ? rows : rows + "/" + std::string(static_cast<size_t>(log2_of(row.blocks)), 'e');
}

MatrixInstruction instruction_of(const Row& row) {
  MatrixInstruction op;
  op.mnemonic = row.mnemonic;
  op.builtin = std::string("__builtin_amdgcn_") + (row.builtin ? row.builtin : row.mnemonic + 2);
  bool sparse = op.mnemonic.starts_with("v_smfmac");
  op.family = sparse ? MatrixFamily::smfmac : MatrixFamily::mfma;
  op.m = op.n = row.m;
  op.k = row.k;
  op.blocks = row.blocks;
  op.a = row.a;
  op.b = row.b;
  op.c = row.a == f64 ? f64 : row.a == i8 ? i32 : f32;
  op.cycles = row.cycles;
  op.layout_a = operand_layout(row.m, sparse ? row.k / 2 : row.k, row.blocks);
  op.layout_b = operand_layout(row.m, row.k, row.blocks);
  op.layout_c = result_layout(row);
  op.broadcasts_a = row.blocks > 1 && row.a != f64;
  op.scaled = op.mnemonic.find("_scale_") != std::string::npos;
  if (row.a == by_format) op.layout_a = op.layout_b = layout_of_format(op, by_format);
  return op;
}

template <size_t N>
void append(std::vector<MatrixInstruction>& out, const Row (&rows)[N]) {
  for (const Row& row : rows) out.push_back(instruction_of(row));
}

// CDNA3's summation; CDNA4's is not known and taken to be the same [A].
void sum_as_cdna3(MatrixInstruction& op) {
  using enum MatrixArithmetic;
  if (op.a == i8) {
    op.arithmetic = integer;
  } else if (op.a == f32 || op.a == f64) {
    op.arithmetic = fma_chain;
  } else if (bits_of(op.a) <= 8) {
    op.arithmetic = truncated_halves;
    op.chunk = 16;
  } else {
    op.arithmetic = truncated_dot;
    op.chunk = op.a == xf32 ? 4 : 8;
  }
}

}  // namespace

std::vector<MatrixInstruction> gfx90a_matrix_rows() {
  using enum MatrixArithmetic;
  std::vector<MatrixInstruction> out;
  append(out, kCdna2);
  for (MatrixInstruction& op : out) {
    bool one_k = op.mnemonic.ends_with("_1k") || op.a == f16;
    op.permutes_b = op.a != f64;
    op.negates = false;
    op.arithmetic = op.a == i8 ? integer : op.a == f32 || op.a == f64 ? fma_chain : flushed_pairs;
    if (op.arithmetic == flushed_pairs) op.chunk = one_k ? 4 : 2;
  }
  return out;
}

std::vector<MatrixInstruction> gfx942_matrix_rows() {
  std::vector<MatrixInstruction> out;
  append(out, kXf32);
  append(out, kCdna3);
  for (MatrixInstruction& op : out) {
    sum_as_cdna3(op);
    for (MatrixType* type : {&op.a, &op.b}) {
      if (*type == fp8) *type = fp8_fnuz;
      if (*type == bf8) *type = bf8_fnuz;
    }
    op.permutes_b = op.a == f32 || op.blocks > 1;
    op.negates = op.a == f64;
    if (op.negates) op.permutes_b = false;
  }
  return out;
}

std::vector<MatrixInstruction> gfx950_matrix_rows() {
  std::vector<MatrixInstruction> out;
  append(out, kCdna3);
  append(out, kCdna4);
  for (MatrixInstruction& op : out) {
    sum_as_cdna3(op);
    op.permutes_b = op.a == f32 || (op.blocks > 1 && op.a != f64);
    op.negates = op.a == f64;
    if (op.a == f64 && op.m == 16) op.cycles = 64;  // half CDNA3's rate [V]
  }
  return out;
}

}  // namespace hipvault::target
