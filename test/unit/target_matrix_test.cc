// The maps of the matrix table against AMD's published layouts, written here as the closed formulas of its calculator.

#include <gtest/gtest.h>

#include <functional>

#include "target/arch_data.h"

namespace hipvault::target {
namespace {

using Place = std::pair<int, int>;

Place place(const OperandMap& map, int lane, int element) {
  Place at{0, 0};
  for (size_t bit = 0; bit < map.lane_bits.size(); ++bit) {
    if (lane >> bit & 1) at = {at.first ^ map.lane_bits[bit].first, at.second ^ map.lane_bits[bit].second};
  }
  for (size_t bit = 0; bit < map.element_bits.size(); ++bit) {
    if (element >> bit & 1) at = {at.first ^ map.element_bits[bit].first, at.second ^ map.element_bits[bit].second};
  }
  return at;
}

const MatrixOp& matrix_op(const char* arch, const std::string& mnemonic) {
  for (const MatrixOp& op : find_arch(arch)->matrix_ops) {
    if (op.mnemonic == mnemonic) return op;
  }
  ADD_FAILURE() << arch << " has no " << mnemonic;
  return find_arch(arch)->matrix_ops[0];
}

using Formula = std::function<Place(int lane, int element)>;

void expect_map(const OperandMap& map, int lanes, int elements, const Formula& formula, const std::string& what) {
  ASSERT_EQ(1 << map.element_bits.size(), elements) << what;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int e = 0; e < elements; ++e)
      ASSERT_EQ(place(map, lane, e), formula(lane, e)) << what << " " << lane << " " << e;
  }
}

Place quads16(int l, int r) { return {4 * (l / 16) + r, l % 16}; }
Place quads32(int l, int r) { return {8 * (r / 4) + 4 * (l / 32) + r % 4, l % 32}; }

TEST(MatrixMaps, MatchTheCalculatorOnGfx942) {
  struct Row {
    const char* mnemonic;
    int run, tile;  // consecutive k a lane; M = N
  };
  const Row rows[] = {{"v_mfma_f32_16x16x16_f16", 4, 16},     {"v_mfma_f32_16x16x16_bf16", 4, 16},
                      {"v_mfma_f32_32x32x8_f16", 4, 32},      {"v_mfma_f32_32x32x8_bf16", 4, 32},
                      {"v_mfma_f32_16x16x32_fp8_bf8", 8, 16}, {"v_mfma_f32_32x32x16_bf8_bf8", 8, 32},
                      {"v_mfma_i32_16x16x32_i8", 8, 16},      {"v_mfma_i32_32x32x16_i8", 8, 32},
                      {"v_mfma_f32_16x16x4_f32", 1, 16},      {"v_mfma_f32_32x32x2_f32", 1, 32}};
  for (const Row& row : rows) {
    const MatrixOp& op = matrix_op("gfx942", row.mnemonic);
    auto i = [&](int l) { return l % row.tile; };
    auto k = [&](int l, int e) { return row.run * (l / row.tile) + e; };
    expect_map(op.map_a, 64, row.run, [&](int l, int e) { return Place{i(l), k(l, e)}; }, op.mnemonic + " A");
    expect_map(op.map_b, 64, row.run, [&](int l, int e) { return Place{k(l, e), i(l)}; }, op.mnemonic + " B");
    expect_map(op.map_c, 64, row.tile * row.tile / 64, row.tile == 16 ? quads16 : quads32, op.mnemonic + " C");
  }
}

TEST(MatrixMaps, F64HasStridedRows) {
  const MatrixOp& op = matrix_op("gfx942", "v_mfma_f64_16x16x4_f64");
  expect_map(op.map_a, 64, 1, [](int l, int) { return Place{l % 16, l / 16}; }, "A");
  expect_map(op.map_c, 64, 4, [](int l, int r) { return Place{4 * r + l / 16, l % 16}; }, "C");
}

TEST(MatrixMaps, WmmaOfRdna4IsForWave32) {
  const MatrixOp& op = matrix_op("gfx1201", "v_wmma_f32_16x16x16_fp8_fp8");
  expect_map(op.map_a, 32, 8, [](int l, int e) { return Place{l % 16, 8 * (l / 16) + e}; }, "A");
  expect_map(op.map_c, 32, 8, [](int l, int r) { return Place{8 * (l / 16) + r, l % 16}; }, "C");
}

// 2*M*N*K flops in `cycles` on every SIMD of a CU: the per-CU rates of AMD's data sheets.
TEST(MatrixCycles, GiveThePublishedPeakRates) {
  struct Peak {
    const char *arch, *mnemonic;
    int flops_per_clock_and_cu;
  };
  const Peak peaks[] = {{"gfx90a", "v_mfma_f32_32x32x8f16", 1024},    {"gfx90a", "v_mfma_f64_16x16x4f64", 256},
                        {"gfx942", "v_mfma_f32_16x16x16_bf16", 2048}, {"gfx942", "v_mfma_f32_32x32x16_fp8_fp8", 4096},
                        {"gfx942", "v_mfma_i32_16x16x32_i8", 4096},   {"gfx942", "v_mfma_f32_32x32x2_f32", 256},
                        {"gfx942", "v_mfma_f64_16x16x4_f64", 256},    {"gfx950", "v_mfma_f32_16x16x32_f16", 4096},
                        {"gfx950", "v_mfma_f64_16x16x4_f64", 128},    {"gfx950", "v_mfma_i32_32x32x32_i8", 8192},
                        {"gfx1201", "v_wmma_f32_16x16x16_f16", 1024}, {"gfx1201", "v_wmma_i32_16x16x16_iu8", 2048}};
  for (const Peak& peak : peaks) {
    const MatrixOp& op = matrix_op(peak.arch, peak.mnemonic);
    EXPECT_EQ(2 * op.m * op.n * op.k * find_arch(peak.arch)->simds_per_cu / op.cycles, peak.flops_per_clock_and_cu)
        << op.mnemonic;
  }
}

TEST(MatrixRows, AnInconsistentMapIsNamed) {
  MatrixOp op = matrix_op("gfx942", "v_mfma_f32_16x16x16_f16");
  EXPECT_EQ(problem_of(op, 64), "");
  MatrixOp twice = op;
  twice.map_a.element_bits[1] = twice.map_a.element_bits[0];
  EXPECT_EQ(problem_of(twice, 64), "A: two places hold the same element");
  MatrixOp outside = op;
  outside.map_b.lane_bits[3] = {0, 16};
  EXPECT_EQ(problem_of(outside, 64), "B: the map leaves the operand");
  MatrixOp short_map = op;
  short_map.map_c.element_bits.pop_back();
  EXPECT_EQ(problem_of(short_map, 64), "C: lanes x elements is not rows x columns");
  EXPECT_NE(problem_of(op, 32), "");
}

TEST(MatrixRowsDeathTest, AnArchWithSuchARowDoesNotStart) {
  Arch arch = *find_arch("gfx942");
  arch.matrix_ops[0].map_a.lane_bits[0] = arch.matrix_ops[0].map_a.lane_bits[1];
  EXPECT_DEATH(checked(arch), "v_mfma_f32_16x16x16_f16: A: two places hold the same element");
}

}  // namespace
}  // namespace hipvault::target
