// gfx1201: RDNA4 (Radeon AI PRO R9700, RX 9070 XT). Wave32 by default; matrix rows and LDS phases are for wave32.

#include "target/arch_data.h"
#include "target/matrix.h"

namespace hipvault::target {
namespace {

constexpr DType kFp8 = DType::f8e4m3fn;  // OCP [M]

// What tiles use; all of them are in matrix_rdna4.cc.
const char* const kTileOps[] = {
    "v_wmma_f32_16x16x16_f16",     "v_wmma_f32_16x16x16_bf16",    "v_wmma_f32_16x16x16_fp8_fp8",
    "v_wmma_f32_16x16x16_fp8_bf8", "v_wmma_f32_16x16x16_bf8_fp8", "v_wmma_f32_16x16x16_bf8_bf8",
    "v_wmma_i32_16x16x16_iu8",
};

}  // namespace

Arch make_gfx1201() {
  Arch arch;
  arch.name = "gfx1201";
  arch.triple = "amdgcn-amd-amdhsa";
  arch.wave_sizes = {32, 64};
  arch.elf_mach = 0x4e;        // LLVM AMDGPUUsage [V]
  arch.lds_bytes = 64 * 1024;  // of one work-group; a WGP has 128 KiB [V]
  arch.lds_granule = 512;      // LLVM [V]
  arch.lds_banks = 32;         // per CU [M]
  arch.max_group_size = 1024;
  arch.max_waves_per_group = 32;
  arch.simds_per_cu = 2;
  arch.max_waves_per_simd = 16;  // LLVM [V]
  arch.vgpr_pool = 1536;         // wave32; half of it for wave64 [V]
  arch.vgpr_granule = 24;        // wave32; 12 for wave64 [V]
  arch.max_vgprs = 256;
  arch.max_sgprs = 106;         // 128 per wave, fixed; s106 and s107 are VCC [V]
  arch.cache_line_bytes = 128;  // [V]
  arch.fp8 = kFp8;
  arch.ocp_float8 = true;
  arch.group_ids_in_ttmp = true;    // LLVM AMDGPUUsage, gfx12 [V]
  arch.mode_clamp_bits = false;     // RDNA4 ISA, MODE [V]
  arch.split_wait_counters = true;  // RDNA4 ISA, s_wait_loadcnt and the like [V]
  arch.keeps_high_half = true;      // RDNA4 ISA, 16-bit operands [V]
  arch.matrix_ops = matrix_ops_of(arch.name, kTileOps);
  arch.lds_read_phases = {
      {4, consecutive_groups(1, 32)}, {8, consecutive_groups(2, 16)}, {16, consecutive_groups(4, 8)}};
  return checked(arch);
}

}  // namespace hipvault::target
