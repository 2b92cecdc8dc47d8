// gfx90a: CDNA2 (MI210, MI250, MI250X; each die of the latter two is its own device).

#include "target/arch_data.h"
#include "target/matrix.h"

namespace hipvault::target {
namespace {

// What tiles use; all of them are in matrix_cdna.cc. Mnemonics are printed without "_" before the type on this arch.
const char* const kTileOps[] = {
    "v_mfma_f32_16x16x16f16",    "v_mfma_f32_32x32x8f16", "v_mfma_f32_16x16x16bf16_1k",
    "v_mfma_f32_32x32x8bf16_1k", "v_mfma_i32_16x16x16i8", "v_mfma_i32_32x32x8i8",
    "v_mfma_f32_16x16x4f32",     "v_mfma_f32_32x32x2f32", "v_mfma_f64_16x16x4f64",
};

}  // namespace

Arch make_gfx90a() {
  Arch arch = make_gfx942();  // LDS phases were measured on gfx942 only; the banks are the same here [A]
  arch.name = "gfx90a";
  arch.elf_mach = 0x3f;         // LLVM AMDGPUUsage [V]
  arch.cache_line_bytes = 128;  // L2 line; the L1's is 64 [V]
  arch.fp8 = DType::f8e4m3fn;   // no fp8 in hardware: the common format of the others, by software [A]
  arch.hazard_rules = HazardRules::cdna2;
  arch.release_is_a_wait = true;  // LLVM AMDGPUUsage, memory model gfx90a, release at agent scope [V]
  arch.matrix_ops = matrix_ops_of(arch.name, kTileOps);
  return checked(arch);
}

}  // namespace hipvault::target
