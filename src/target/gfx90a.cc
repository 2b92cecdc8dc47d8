// gfx90a: CDNA2 (MI210, MI250, MI250X; each die of the latter two is its own device).

#include "target/arch_data.h"

namespace hipvault::target {
namespace {

// Shapes and cycles: AMD matrix instruction calculator [V]. Mnemonics are printed without "_" before the type on this
// arch.
const MatrixRow kRows[] = {
    {"v_mfma_f32_16x16x16f16", "__builtin_amdgcn_mfma_f32_16x16x16f16", 16, 16, 16, DType::f16, DType::f16, DType::f32,
     32, ResultRows::quads16},
    {"v_mfma_f32_32x32x8f16", "__builtin_amdgcn_mfma_f32_32x32x8f16", 32, 32, 8, DType::f16, DType::f16, DType::f32, 64,
     ResultRows::quads32},
    {"v_mfma_f32_16x16x16bf16_1k", "__builtin_amdgcn_mfma_f32_16x16x16bf16_1k", 16, 16, 16, DType::bf16, DType::bf16,
     DType::f32, 32, ResultRows::quads16},
    {"v_mfma_f32_32x32x8bf16_1k", "__builtin_amdgcn_mfma_f32_32x32x8bf16_1k", 32, 32, 8, DType::bf16, DType::bf16,
     DType::f32, 64, ResultRows::quads32},
    {"v_mfma_i32_16x16x16i8", "__builtin_amdgcn_mfma_i32_16x16x16i8", 16, 16, 16, DType::i8, DType::i8, DType::i32, 32,
     ResultRows::quads16},
    {"v_mfma_i32_32x32x8i8", "__builtin_amdgcn_mfma_i32_32x32x8i8", 32, 32, 8, DType::i8, DType::i8, DType::i32, 64,
     ResultRows::quads32},
    {"v_mfma_f32_16x16x4f32", "__builtin_amdgcn_mfma_f32_16x16x4f32", 16, 16, 4, DType::f32, DType::f32, DType::f32, 32,
     ResultRows::quads16},
    {"v_mfma_f32_32x32x2f32", "__builtin_amdgcn_mfma_f32_32x32x2f32", 32, 32, 2, DType::f32, DType::f32, DType::f32, 64,
     ResultRows::quads32},
    {"v_mfma_f64_16x16x4f64", "__builtin_amdgcn_mfma_f64_16x16x4f64", 16, 16, 4, DType::f64, DType::f64, DType::f64, 32,
     ResultRows::strided},
};

}  // namespace

Arch make_gfx90a() {
  Arch arch = make_gfx942();  // LDS phases were measured on gfx942 only; the banks are the same here [A]
  arch.name = "gfx90a";
  arch.elf_mach = 0x3f;         // LLVM AMDGPUUsage [V]
  arch.cache_line_bytes = 128;  // L2 line; the L1's is 64 [V]
  arch.fp8 = DType::f8e4m3fn;   // no fp8 in hardware: the common format of the others, by software [A]
  arch.matrix_ops.clear();
  for (const MatrixRow& row : kRows) arch.matrix_ops.push_back(make_matrix_op(row, 64));
  return checked(arch);
}

}  // namespace hipvault::target
