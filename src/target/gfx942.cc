// gfx942: CDNA3 (MI300X, MI300A, MI308X, MI325X).

#include "target/arch_data.h"
#include "target/matrix.h"

namespace hipvault::target {
namespace {

constexpr DType kFp8 = DType::f8e4m3fnuz;  // hardware fp8 is FNUZ: max 240, bias 8, no -0 [M]

// What tiles use; all of them are in matrix_cdna.cc. Check: MI300X peak f16 = 2*16*16*16 * 4 SIMDs * 304 CUs * 2.1 GHz
// / 16 cycles = 1307 TFLOPS, as in the data sheet. xf32 and the blocked 4x4 forms are not listed: no dtype of ours is
// xf32, and blocks would need a third coordinate.
const char* const kTileOps[] = {
    "v_mfma_f32_16x16x16_f16",     "v_mfma_f32_32x32x8_f16",      "v_mfma_f32_16x16x16_bf16",
    "v_mfma_f32_32x32x8_bf16",     "v_mfma_f32_16x16x32_fp8_fp8", "v_mfma_f32_16x16x32_fp8_bf8",
    "v_mfma_f32_16x16x32_bf8_fp8", "v_mfma_f32_16x16x32_bf8_bf8", "v_mfma_f32_32x32x16_fp8_fp8",
    "v_mfma_f32_32x32x16_fp8_bf8", "v_mfma_f32_32x32x16_bf8_fp8", "v_mfma_f32_32x32x16_bf8_bf8",
    "v_mfma_i32_16x16x32_i8",      "v_mfma_i32_32x32x16_i8",      "v_mfma_f32_16x16x4_f32",
    "v_mfma_f32_32x32x2_f32",      "v_mfma_f64_16x16x4_f64",
};

// Measured groups of lanes that are served together (AMD shark "empirical LDS", agrees with HipKittens) [M].
std::vector<Arch::LdsPhases> lds_phases() {
  static constexpr int kPairs[4][2] = {{0, 20}, {4, 16}, {8, 28}, {12, 24}};  // first lanes of the two runs of four
  std::vector<std::vector<int>> wide;
  for (int half : {0, 32}) {
    for (const int (&pair)[2] : kPairs) {
      std::vector<int> group;
      for (int first : pair) {
        for (int lane = 0; lane < 4; ++lane) group.push_back(half + first + lane);
      }
      wide.push_back(group);
    }
  }
  return {{4, consecutive_groups(2, 32)}, {8, consecutive_groups(4, 16)}, {16, wide}};
}

}  // namespace

Arch make_gfx942() {
  Arch arch;
  arch.name = "gfx942";
  arch.triple = "amdgcn-amd-amdhsa";
  arch.wave_sizes = {64};
  arch.elf_mach = 0x4c;        // LLVM AMDGPUUsage, EF_AMDGPU_MACH_AMDGCN_GFX942 [V]
  arch.lds_bytes = 64 * 1024;  // AMD "GPU hardware specifications" [V]
  arch.lds_granule = 512;      // LLVM AMDGPUUsage, GRANULATED_LDS_SIZE [V]
  arch.lds_banks = 32;         // CDNA3 ISA, 128 B/clk [V]
  arch.max_group_size = 1024;
  arch.max_waves_per_group = 16;
  arch.simds_per_cu = 4;
  arch.max_waves_per_simd = 8;  // LLVM, rocprofiler-compute [V]; one guide's 10 holds for gfx908 and older
  arch.vgpr_pool = 512;         // unified arch + acc registers [V]
  arch.vgpr_granule = 8;        // LLVM [V]
  arch.max_vgprs = 512;         // 256 arch + 256 acc [V]
  arch.max_sgprs = 102;         // LLVM [V]
  arch.cache_line_bytes = 128;  // L1 and L2 [V]
  arch.fp8 = kFp8;
  arch.hazard_rules = HazardRules::cdna3;
  arch.matrix_ops = matrix_ops_of(arch.name, kTileOps);
  arch.lds_read_phases = lds_phases();
  return checked(arch);
}

}  // namespace hipvault::target
