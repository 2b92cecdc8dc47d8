// sm_90: NVIDIA Hopper (H100, H200). Kernels for it are PTX; the simulated GPU does not execute them.

#include "target/arch_data.h"

namespace hipvault::target {

Arch make_sm_90() {
  Arch arch;
  arch.name = "sm_90";
  arch.triple = "nvptx64-nvidia-cuda";
  arch.simulated = false;
  arch.wave_sizes = {32};
  arch.lds_bytes = 48 * 1024;  // shared memory that needs no opt-in; 227 KiB with it [V]
  arch.lds_granule = 128;      // CUDA occupancy tables, compute capability 9.0 [R]
  arch.lds_banks = 32;         // CUDA programming guide [V]
  arch.max_group_size = 1024;  // [V]
  arch.max_waves_per_group = 32;
  arch.simds_per_cu = 4;         // sub-partitions of a multiprocessor [V]
  arch.max_waves_per_simd = 16;  // 64 warps a multiprocessor [V]
  arch.vgpr_pool = 512;          // 65536 registers a multiprocessor / 4 / 32 lanes [D]
  arch.vgpr_granule = 8;         // 256 registers a warp [R]
  arch.max_vgprs = 255;          // [V]
  arch.max_sgprs = 0;
  arch.cache_line_bytes = 128;  // [V]
  arch.ocp_float8 = true;
  arch.fp8 = DType::f8e4m3fn;
  arch.spelling.library = "nvptx";
  arch.spelling.thread = "__nvvm_read_ptx_sreg_tid_x()";
  arch.spelling.group = "__nvvm_read_ptx_sreg_ctaid_{}()";
  arch.spelling.uniform = "{}";  // the compiler finds out by itself
  arch.spelling.bounds = "launch_bounds({})";
  for (int bytes : {4, 8, 16}) arch.lds_read_phases.push_back({bytes, consecutive_groups(bytes / 4, 128 / bytes)});
  return checked(arch);
}

}  // namespace hipvault::target
