// gfx950: CDNA4 (MI350X, MI355X). CDNA3's matrix instructions plus forms of twice the K.

#include "target/arch_data.h"
#include "target/matrix.h"

namespace hipvault::target {
namespace {

// What tiles use beyond CDNA3's. The scaled f8f6f4 forms are not listed yet: no dtype of ours is below 8 bits.
const char* const kDoubled[] = {
    "v_mfma_f32_16x16x32_f16",  "v_mfma_f32_32x32x16_f16", "v_mfma_f32_16x16x32_bf16",
    "v_mfma_f32_32x32x16_bf16", "v_mfma_i32_16x16x64_i8",  "v_mfma_i32_32x32x32_i8",
};

// fp8 is OCP here while the instruction names stay; all of CDNA3's instructions for tiles are there.
std::vector<MatrixOp> tile_ops(const std::vector<MatrixOp>& of_cdna3) {
  std::vector<const char*> names;
  for (const MatrixOp& op : of_cdna3) names.push_back(op.mnemonic.c_str());
  names.insert(names.end(), std::begin(kDoubled), std::end(kDoubled));
  return matrix_ops_of("gfx950", names);
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
  arch.ocp_float8 = true;
  arch.hazard_rules = HazardRules::cdna4;
  arch.matrix_ops = tile_ops(arch.matrix_ops);
  arch.lds_read_phases = lds_phases();
  return checked(arch);
}

}  // namespace hipvault::target
