// gfx950: CDNA4 (MI350X, MI355X). CDNA3's matrix instructions plus forms of twice the K.

#include "target/arch_data.h"

namespace hipvault::target {
namespace {

// Cycles: AMD matrix instruction calculator and LLVM's scheduling model [V]. Layouts of the doubled forms, consecutive
// k per lane, are recalled and consistent with HipKittens' code [R]. The scaled f8f6f4 forms are not listed yet.
const MatrixRow kDoubled[] = {
    {"v_mfma_f32_16x16x32_f16", "__builtin_amdgcn_mfma_f32_16x16x32_f16", 16, 16, 32, DType::f16, DType::f16,
     DType::f32, 16, ResultRows::quads16},
    {"v_mfma_f32_32x32x16_f16", "__builtin_amdgcn_mfma_f32_32x32x16_f16", 32, 32, 16, DType::f16, DType::f16,
     DType::f32, 32, ResultRows::quads32},
    {"v_mfma_f32_16x16x32_bf16", "__builtin_amdgcn_mfma_f32_16x16x32_bf16", 16, 16, 32, DType::bf16, DType::bf16,
     DType::f32, 16, ResultRows::quads16},
    {"v_mfma_f32_32x32x16_bf16", "__builtin_amdgcn_mfma_f32_32x32x16_bf16", 32, 32, 16, DType::bf16, DType::bf16,
     DType::f32, 32, ResultRows::quads32},
    {"v_mfma_i32_16x16x64_i8", "__builtin_amdgcn_mfma_i32_16x16x64_i8", 16, 16, 64, DType::i8, DType::i8, DType::i32,
     16, ResultRows::quads16},
    {"v_mfma_i32_32x32x32_i8", "__builtin_amdgcn_mfma_i32_32x32x32_i8", 32, 32, 32, DType::i8, DType::i8, DType::i32,
     32, ResultRows::quads32},
};

// fp8 is OCP here while the instruction names stay; f64 runs at half CDNA3's rate [V].
MatrixOp on_cdna4(MatrixOp op) {
  for (DType* type : {&op.a, &op.b}) {
    if (*type == DType::f8e4m3fnuz) *type = DType::f8e4m3fn;
    if (*type == DType::f8e5m2fnuz) *type = DType::f8e5m2;
  }
  if (op.c == DType::f64) op.cycles = 64;
  return op;
}

std::vector<int> lanes_of(std::initializer_list<std::pair<int, int>> ranges, int offset) {
  std::vector<int> lanes;
  for (const std::pair<int, int>& range : ranges) {
    for (int lane = range.first; lane <= range.second; ++lane) lanes.push_back(lane + offset);
  }
  return lanes;
}

// Measured (AMD shark "empirical LDS") [M].
std::vector<Arch::LdsPhases> lds_phases() {
  std::vector<std::vector<int>> wide;
  for (int half : {0, 32}) {
    wide.push_back(lanes_of({{0, 3}, {12, 15}, {20, 27}}, half));
    wide.push_back(lanes_of({{4, 11}, {16, 19}, {28, 31}}, half));
  }
  return {{4, consecutive_groups(1, 64)}, {8, consecutive_groups(2, 32)}, {16, wide}};
}

}  // namespace

Arch make_gfx950() {
  Arch arch = make_gfx942();
  arch.name = "gfx950";
  arch.elf_mach = 0x4f;         // LLVM AMDGPUUsage [V]
  arch.lds_bytes = 160 * 1024;  // [V]
  arch.lds_granule = 1280;      // LLVM, GRANULATED_LDS_SIZE [V]
  arch.lds_banks = 64;          // for reads; writes use 32 [M]
  arch.fp8 = DType::f8e4m3fn;   // OCP [M]
  for (MatrixOp& op : arch.matrix_ops) op = on_cdna4(op);
  for (const MatrixRow& row : kDoubled) arch.matrix_ops.push_back(make_matrix_op(row, 64));
  arch.lds_read_phases = lds_phases();
  return checked(arch);
}

}  // namespace hipvault::target
