// WMMA and SWMMAC of RDNA4, for waves of 32 and of 64 lanes. Shapes, layouts and cycles: AMD matrix instruction
// calculator [V]. The summation is not documented: a chain of fused multiply-adds in f32, rounded to the result's type
// at the end [A].

#include "target/matrix_rows.h"

namespace hipvault::target {
namespace {

using enum MatrixType;

struct Row {
  const char* mnemonic;
  int k;
  MatrixType a, b, c;
  int cycles;
  // A and B of waves of 32 lanes, then of 64. Dense operands share one layout.
  const char *a32, *b32, *a64, *b64;
};

const Row kRows[] = {
    {"v_wmma_f32_16x16x16_f16", 16, f16, f16, f32, 16, "ee0e", "ee0e", "ee01", "ee01"},
    {"v_wmma_f32_16x16x16_bf16", 16, bf16, bf16, f32, 16, "ee0e", "ee0e", "ee01", "ee01"},
    {"v_wmma_f16_16x16x16_f16", 16, f16, f16, f16, 16, "ee0e", "ee0e", "ee01", "ee01"},
    {"v_wmma_bf16_16x16x16_bf16", 16, bf16, bf16, bf16, 16, "ee0e", "ee0e", "ee01", "ee01"},
    {"v_wmma_i32_16x16x16_iu8", 16, iu8, iu8, i32, 8, "eee0", "eee0", "ee10", "ee10"},
    {"v_wmma_i32_16x16x16_iu4", 16, iu4, iu4, i32, 8, "eee0", "eee0", "eee0", "eee0"},
    {"v_wmma_i32_16x16x32_iu4", 32, iu4, iu4, i32, 8, "eeee0", "eeee0", "eee10", "eee10"},
    {"v_wmma_f32_16x16x16_fp8_fp8", 16, fp8, fp8, f32, 8, "eee0", "eee0", "ee10", "ee10"},
    {"v_wmma_f32_16x16x16_fp8_bf8", 16, fp8, bf8, f32, 8, "eee0", "eee0", "ee10", "ee10"},
    {"v_wmma_f32_16x16x16_bf8_fp8", 16, bf8, fp8, f32, 8, "eee0", "eee0", "ee10", "ee10"},
    {"v_wmma_f32_16x16x16_bf8_bf8", 16, bf8, bf8, f32, 8, "eee0", "eee0", "ee10", "ee10"},
    {"v_swmmac_f32_16x16x32_f16", 32, f16, f16, f32, 16, "ee0e", "eee0e", "ee01", "eee01"},
    {"v_swmmac_f32_16x16x32_bf16", 32, bf16, bf16, f32, 16, "ee0e", "eee0e", "ee01", "eee01"},
    {"v_swmmac_f16_16x16x32_f16", 32, f16, f16, f16, 16, "ee0e", "eee0e", "ee01", "eee01"},
    {"v_swmmac_bf16_16x16x32_bf16", 32, bf16, bf16, bf16, 16, "ee0e", "eee0e", "ee01", "eee01"},
    {"v_swmmac_i32_16x16x32_iu8", 32, iu8, iu8, i32, 8, "eee0", "eeee0", "ee10", "eee10"},
    {"v_swmmac_i32_16x16x32_iu4", 32, iu4, iu4, i32, 8, "eee0", "eeee0", "eee0", "eee10"},
    {"v_swmmac_i32_16x16x64_iu4", 64, iu4, iu4, i32, 8, "eeee0", "eeeee0", "eee10", "eeee10"},
    {"v_swmmac_f32_16x16x32_fp8_fp8", 32, fp8, fp8, f32, 8, "eee0", "eeee0", "ee10", "eee10"},
    {"v_swmmac_f32_16x16x32_fp8_bf8", 32, fp8, bf8, f32, 8, "eee0", "eeee0", "ee10", "eee10"},
    {"v_swmmac_f32_16x16x32_bf8_fp8", 32, bf8, fp8, f32, 8, "eee0", "eeee0", "ee10", "eee10"},
    {"v_swmmac_f32_16x16x32_bf8_bf8", 32, bf8, bf8, f32, 8, "eee0", "eeee0", "ee10", "eee10"},
};

MatrixInstruction instruction_of(const Row& row, int lanes) {
  MatrixInstruction op;
  op.mnemonic = row.mnemonic;
  bool sparse = op.mnemonic.starts_with("v_swmmac");
  op.builtin = std::string("__builtin_amdgcn_") + (row.mnemonic + 2) + (lanes == 32 ? "_w32" : "_w64") +
               (sparse ? "" : "_gfx12");
  op.family = sparse ? MatrixFamily::swmmac : MatrixFamily::wmma;
  op.m = op.n = 16;
  op.k = row.k;
  op.a = row.a;
  op.b = row.b;
  op.c = row.c;
  op.cycles = row.cycles;
  op.lanes = lanes;
  op.arithmetic = row.c == i32 ? MatrixArithmetic::integer : MatrixArithmetic::fma_chain;
  op.layout_a = lanes == 32 ? row.a32 : row.a64;
  op.layout_b = lanes == 32 ? row.b32 : row.b64;
  op.layout_c = lanes == 32 ? "eee0" : "ee10";
  return op;
}

}  // namespace

std::vector<MatrixInstruction> gfx1201_matrix_rows() {
  std::vector<MatrixInstruction> out;
  for (int lanes : {32, 64})
    for (const Row& row : kRows) out.push_back(instruction_of(row, lanes));
  return out;
}

}  // namespace hipvault::target
