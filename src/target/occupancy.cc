// Waves per SIMD: the least of what slots, registers and LDS allow. Registers of the CDNA file are given out per wave
// in granules, arch registers first (rounded to 4), accumulators behind them; LDS is given out per work-group in
// granules; a work-group is all on one CU. Example gfx942, 256 threads: 72 registers give 7 waves; 40 KiB of LDS give
// one group of 4 waves a CU, so 1.

#include <algorithm>

#include "target/target.h"

namespace hipvault::target {
namespace {

int64_t round_up(int64_t value, int64_t granule) { return (value + granule - 1) / granule * granule; }

int waves_by_registers(const Arch& arch, int vgprs, int agprs) {
  int64_t total = agprs > 0 ? round_up(vgprs, 4) + agprs : vgprs;
  if (total > arch.max_vgprs) return 0;
  total = std::max<int64_t>(round_up(total, arch.vgpr_granule), arch.vgpr_granule);
  return static_cast<int>(std::min<int64_t>(arch.vgpr_pool / total, arch.max_waves_per_simd));
}

}  // namespace

int occupancy(const Arch& arch, int vgprs, int agprs, int64_t lds_bytes, int64_t group_size) {
  if (group_size < 1 || group_size > arch.max_group_size || lds_bytes > arch.lds_bytes) return 0;
  int waves = waves_by_registers(arch, vgprs, agprs);
  int64_t waves_per_group = round_up(group_size, arch.wave_sizes[0]) / arch.wave_sizes[0];
  int64_t groups = static_cast<int64_t>(waves) * arch.simds_per_cu / waves_per_group;
  if (lds_bytes > 0) groups = std::min(groups, arch.lds_bytes / round_up(lds_bytes, arch.lds_granule));
  int64_t per_simd = round_up(groups * waves_per_group, arch.simds_per_cu) / arch.simds_per_cu;
  return static_cast<int>(std::min<int64_t>(waves, per_simd));
}

}  // namespace hipvault::target
