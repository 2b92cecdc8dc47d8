// Every matrix instruction of every arch, in every mode and with its modifiers, against a triple loop on the host.

#include <gtest/gtest.h>

#include "support/matrix_product.h"

namespace hipvault::isa {
namespace {

using target::MatrixInstruction;
using target::MatrixType;

struct Row {
  std::string arch;
  const MatrixInstruction* op;
};
std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const target::Arch& arch : target::simulated_archs())
    for (const MatrixInstruction& op : target::matrix_instructions(arch.name)) rows.push_back({arch.name, &op});
  return rows;
}

class MatrixProducts : public testing::TestWithParam<Row> {
 protected:
  // `change` sets modifiers; both modes must give the same, because the sums are exact.
  void expect(const std::function<void(Modifiers&)>& change, const std::string& what) {
    SCOPED_TRACE(GetParam().arch + " " + GetParam().op->mnemonic + " " + what);
    for (bool fast : {false, true}) {
      test::MatrixRun run(GetParam().arch, GetParam().op->mnemonic, GetParam().op->lanes);
      run.wave().fast_matrix = fast;
      run.wave().wave32 = GetParam().op->lanes == 32;
      change(run.modifiers());
      run.fill_places();
      test::expect_product(run, ++seed_);
    }
  }
  unsigned seed_ = 7;
};

// The modifiers that an instruction has, one change after the other.
std::vector<std::pair<std::string, std::function<void(Modifiers&)>>> changes_of(const MatrixInstruction& op) {
  std::vector<std::pair<std::string, std::function<void(Modifiers&)>>> changes;
  auto add = [&](const std::string& name, int value, std::function<void(Modifiers&)> change) {
    changes.push_back({name + " " + std::to_string(value), std::move(change)});
  };
  for (int cbsz = 1; op.broadcasts_a && 1 << cbsz <= op.blocks; ++cbsz)
    for (int abid = 0; abid < 1 << cbsz; ++abid) add("abid", abid, [=](Modifiers& m) { m.cbsz = cbsz, m.abid = abid; });
  for (int neg = 1; op.negates && neg < 8; ++neg) add("neg", neg, [=](Modifiers& m) { m.neg = neg; });
  bool swmmac = op.family == target::MatrixFamily::swmmac, wmma = op.family == target::MatrixFamily::wmma || swmmac;
  for (int bits : wmma ? std::vector<int>{1, 2, 4, 8, 16, 32, 42, 63} : std::vector<int>{})
    add("neg_lo and neg_hi", bits, [=](Modifiers& m) { m.neg_lo = bits & 7, m.neg_hi = bits >> 3; });
  for (int set = 1; is_sparse(op.family) && set < 16 / elements_a(op); ++set)
    add("index set", set, [=](Modifiers& m) { (swmmac ? m.index_key : m.abid) = set; });
  for (int pair = 0; op.a == MatrixType::by_format && pair < 25; ++pair)
    add("formats and bytes of scales", pair, [=](Modifiers& m) {
      m.cbsz = pair / 5, m.blgp = pair % 5;
      m.op_sel = m.cbsz & 3, m.op_sel_hi = m.blgp & 3;
    });
  return changes;
}

TEST_P(MatrixProducts, PlainAndWithEachModifier) {
  expect([](Modifiers&) {}, "");
  for (const auto& [name, change] : changes_of(*GetParam().op)) expect(change, name);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixProducts, testing::ValuesIn(all_rows()),
                         [](const testing::TestParamInfo<Row>& info) {
                           return info.param.arch + "_" + info.param.op->mnemonic + "_w" +
                                  std::to_string(info.param.op->lanes);
                         });

TEST(MatrixInstructions, AreAllThere) {
  EXPECT_EQ(target::matrix_instructions("gfx90a").size(), 27u);
  EXPECT_EQ(target::matrix_instructions("gfx942").size(), 46u);
  EXPECT_EQ(target::matrix_instructions("gfx1201").size(), 44u);
}

TEST(MatrixInstructions, IntegersWrapAndSaturate) {
  test::MatrixRun run("gfx1201", "v_wmma_i32_16x16x16_iu8", 32);
  run.modifiers().neg_lo = 3;
  auto fill = [&](int c) {
    run.clear();
    for (int k = 0; k < 16; ++k) {
      run.put_a(0, 0, k, 0x7f);
      run.put_b(0, k, 0, 0x7f);
    }
    run.put_c(0, 0, 0, static_cast<uint32_t>(c));
  };
  fill(INT32_MAX - 5);
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(static_cast<int32_t>(run.d(0, 0, 0)), static_cast<int32_t>(uint32_t{INT32_MAX} - 5 + 16 * 127 * 127));
  fill(INT32_MAX - 5);
  run.instruction().clamp = true;
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(static_cast<int32_t>(run.d(0, 0, 0)), INT32_MAX);
}

// Fifteen products of 1.5 * 2^-25, then 1. A chain adds them all: 1 + 22.5 * 2^-25, to nearest 1 + 6 * 2^-23. CDNA3
// sums eight at a time: 12 * 2^-25, then 1 and seven products that are cut off at 2^-24: 1 + 3 * 2^-23.
TEST(MatrixInstructions, FastModeSumsInAnotherWay) {
  for (bool fast : {false, true}) {
    test::MatrixRun run("gfx942", "v_mfma_f32_16x16x16_f16", 64);
    run.wave().fast_matrix = fast;
    for (int k = 0; k < 16; ++k) {
      run.put_a(0, 0, k, k == 15 ? 0x3c00 : 0x0c00);
      run.put_b(0, k, 0, k == 15 ? 0x3c00 : 0x0a00);
    }
    ASSERT_EQ(run.execute(), "");
    EXPECT_EQ(run.d(0, 0, 0), fast ? 0x3f800006u : 0x3f800003u);
  }
}

// B of v_mfma_f32_16x16x1_4b_f32 is one register: with blgp 5, every block reads lanes 16…31.
TEST(MatrixInstructions, LanePatternsOfB) {
  for (int blgp = 0; blgp < 8; ++blgp) {
    test::MatrixRun run("gfx90a", "v_mfma_f32_16x16x1f32", 64);
    run.modifiers().blgp = blgp;
    for (int block = 0; block < 4; ++block)
      for (int i = 0; i < 16; ++i) {
        run.put_a(block, i, 0, std::bit_cast<uint32_t>(1.0f));
        run.put_b(block, 0, i, std::bit_cast<uint32_t>(static_cast<float>(16 * block + i)));
      }
    ASSERT_EQ(run.execute(), "");
    static constexpr int kSource[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                          {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
    for (int block = 0; block < 4; ++block)
      for (int j = 0; j < 16; ++j)
        EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(run.d(block, 3, j))), 16 * kSource[blgp][block] + j);
  }
}

// A scale of 255 is NaN, and an infinite product is one.
TEST(MatrixInstructions, SpecialValuesOfScaledForms) {
  for (bool fast : {false, true}) {
    test::MatrixRun run("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4", 64);
    run.wave().fast_matrix = fast;
    run.modifiers().op_sel_hi = 0;
    for (int lane = 0; lane < 64; ++lane) run.scale_a()[lane] = run.scale_b()[lane] = 127;
    run.scale_a()[16 + 3] = 255;  // row 3, k = 32…63
    ASSERT_EQ(run.execute(), "");
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(static_cast<uint32_t>(run.d(0, 3, 5)))));
    EXPECT_EQ(run.d(0, 4, 5), 0u);
  }
}

TEST(MatrixInstructions, OperandsThatDoNotFitAreNamed) {
  test::MatrixRun run("gfx950", "v_mfma_f32_16x16x128_f8f6f4", 64);
  run.modifiers().cbsz = 6;
  EXPECT_EQ(bind_matrix(run.instruction(), 64), "its cbsz or blgp names no format");
  test::MatrixRun narrow("gfx942", "v_mfma_f32_16x16x16_f16", 64);
  EXPECT_EQ(bind_matrix(narrow.instruction(), 32), "it has no form for waves of 32 lanes");
  EXPECT_NE(bind_matrix(narrow.instruction(), 64), "");
  EXPECT_EQ(find_matrix_operation("v_mfma_f32_16x16x8_xf32", *target::find_arch("gfx950")), nullptr);
}

}  // namespace
}  // namespace hipvault::isa
