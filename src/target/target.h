#pragma once
// Targets are data. An arch is an ISA (gfx942); a gpu is a product of it (mi300x = gfx942 + CUs, XCDs, clocks, memory).
// Generic code asks for features and numbers, never for a name. One file an arch, one a gpu; list.cc names them all.
//
// Sources of the numbers stand beside them in the files (AMD manuals, LLVM, measurements), with their confidence.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/dtype.h"

namespace hipvault::target {

// One matrix instruction: shape, types, cycles, and the map from (lane, element) to matrix coordinates. A is MxK, B is
// KxN, C and D are MxN. The element index counts a lane's values of the operand in order of (register, position in the
// register). Maps are given by bits, low to high: which coordinate bit each lane bit and each element bit sets; this is
// the linear layout of tile/ in plain data. Example, A of 16x16x16 f16: lane bits {i0 i1 i2 i3 k2 k3}, element bits {k0
// k1}.
struct OperandMap {
  // Pairs (row, column) added (xor) per set bit. For A: (i, k); B: (k, j); C/D: (i, j).
  std::vector<std::pair<int, int>> lane_bits;
  std::vector<std::pair<int, int>> element_bits;
};
struct MatrixOp {
  std::string mnemonic;  // "v_mfma_f32_16x16x16_f16"
  std::string builtin;   // "__builtin_amdgcn_mfma_f32_16x16x16f16"
  int m = 0, n = 0, k = 0;
  DType a = DType::f16, b = DType::f16, c = DType::f32;
  int cycles = 0;  // of one SIMD per wave instruction
  OperandMap map_a, map_b, map_c;
};

// Which software hazards the hardware leaves to the program (sim/hazards.h).
enum class HazardRules : uint8_t { none, cdna2, cdna3, cdna4 };

// How a printed kernel says what C++ has no words for. "{}" stands for an axis, a value, the work-items of a group.
struct Spelling {
  std::string library = "amdgcn";  // which intrinsics src/hiplib uses
  std::string thread = "__builtin_amdgcn_workitem_id_x()";
  std::string group = "__builtin_amdgcn_workgroup_id_{}()";
  std::string uniform = "__builtin_amdgcn_readfirstlane({})";  // a value that is the same in all lanes
  std::string bounds = "amdgpu_flat_work_group_size({0}, {0})";
};

struct Arch {
  std::string name;       // "gfx942"
  std::string triple;     // "amdgcn-amd-amdhsa"
  bool simulated = true;  // the simulated GPU executes it
  Spelling spelling;
  std::vector<int> wave_sizes;  // the first is the default
  int elf_mach = 0;             // low byte of e_flags
  int lds_bytes = 0, lds_granule = 0, lds_banks = 0;
  int max_group_size = 1024, max_waves_per_group = 16;
  int simds_per_cu = 4, max_waves_per_simd = 8;
  int vgpr_pool = 512, vgpr_granule = 8, max_vgprs = 512;  // per lane per SIMD, arch and acc together
  int max_sgprs = 102;
  int cache_line_bytes = 128;
  // What the simulator asks when it binds and launches.
  bool ocp_float8 = false;           // fp8 and bf8 instructions use the OCP formats, else FNUZ
  bool group_ids_in_ttmp = false;    // ttmp9 = x, ttmp7 = y | z << 16; else scalar registers behind the user's
  bool mode_clamp_bits = true;       // MODE[8] dx10_clamp and MODE[9] ieee; archs without act as if both were set
  bool split_wait_counters = false;  // stores, LDS and scalar memory have counters of their own; FLAT keeps its order
  HazardRules hazard_rules = HazardRules::none;
  bool release_is_a_wait = false;  // the device shares one L2: stores that were waited for are visible to all of it
  bool keeps_high_half = false;    // 16-bit results leave the other half of their register
  DType fp8 = DType::f8e4m3fnuz;   // what the op language's `f8` means here
  std::vector<MatrixOp> matrix_ops;
  // LDS: lanes that are served together, per access width in bytes; conflicts only arise inside a group.
  struct LdsPhases {
    int bytes;
    std::vector<std::vector<int>> groups;
  };
  std::vector<LdsPhases> lds_read_phases;
};

struct Gpu {
  std::string name;  // "mi300x"
  std::string arch;
  std::string title;  // "AMD Instinct MI300X"
  int cus = 0, xcds = 1;
  double clock_mhz = 0;
  double peak_bandwidth = 0;                                     // bytes/s, data sheet
  double achievable_read = 0, achievable_copy = 0;               // bytes/s, what the best stream kernels reach
  double l2_bandwidth = 0, last_level_bandwidth = 0;             // bytes/s
  int64_t l2_bytes = 0, last_level_bytes = 0, memory_bytes = 0;  // l2 per XCD
  double launch_us = 0;                                          // what an empty kernel costs
  double memory_latency_ns = 0;
};

std::span<const Arch> all_archs();
std::span<const Arch> simulated_archs();  // those at the beginning of the list that the simulated GPU executes
std::span<const Gpu> all_gpus();
const Arch* find_arch(const std::string& name);
const Arch& arch_of(const Gpu& gpu);
// Accepts a gpu's name or an arch's (then its default product). The error lists what is known.
Result<Gpu> find_gpu(const std::string& name);

// Waves per SIMD for a kernel, from its registers, LDS and group size.
int occupancy(const Arch& arch, int vgprs, int agprs, int64_t lds_bytes, int64_t group_size);

}  // namespace hipvault::target
