// Inputs, layouts, sizes: what the judge feeds to candidates.

#include "verify/inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "support/judge_programs.h"
#include "verify/index_ranges.h"
#include "verify/safetensors.h"
#include "verify/sampling.h"

namespace hipvault::verify {
namespace {

using test::at;

SizedCase case_of(const ir::Program& program, const Sizes& sizes) { return *make_case(program, "t", sizes); }

TEST(Cases, BordersNeverRepeatAndCoverBothSidesOfTheWave) {
  ir::Program program = test::softmax_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  plan.variants[0].when = *IntExpr::parse("N >= 300");
  Random random(1);
  std::set<std::string> names;
  std::set<Sizes> sizes;
  for (const SizedCase& made : border_cases(program, case_of(program, {{"M", 3}, {"N", 37}}), plan, 2e6, random)) {
    EXPECT_TRUE(sizes.insert(made.sizes).second) << made.name;
    names.insert(made.name);
    EXPECT_LE(made.steps, 2e6);
  }
  for (const char* wanted : {"all ones", "tail N=1", "tail N=63", "tail N=65", "tail N=1009", "empty M=0", "tail N=299",
                             "tail N=300", "tail N=301"}) {
    EXPECT_TRUE(names.contains(wanted)) << wanted;
  }
}

TEST(Cases, RequireDecidesWhatIsACase) {
  ir::Program program = test::softmax_program();
  program.require = {*IntExpr::parse("N % 4 == 0")};
  Random random(1);
  std::vector<SizedCase> cases = border_cases(program, case_of(program, {{"M", 3}, {"N", 36}}), {}, 2e6, random);
  EXPECT_GT(cases.size(), 5u);
  for (const SizedCase& made : cases) EXPECT_EQ(made.sizes.at("N") % 4, 0) << made.name;
}

TEST(Cases, StepsOfARowSumAreItsElements) {
  // One load with its two indices an element.
  double steps = estimate_steps(test::row_sum_program(), {{"M", 4}, {"N", 1000}});
  EXPECT_NEAR(steps, 4 * 1000 * 3, 0.01 * 4 * 1000 * 3);
}

TEST(Cases, StepsOfSoftmaxGrowWithTheElementsNotTheirSquare) {
  double narrow = estimate_steps(test::softmax_program(), {{"M", 4}, {"N", 1000}});
  double wide = estimate_steps(test::softmax_program(), {{"M", 4}, {"N", 4000}});
  EXPECT_NEAR(wide / narrow, 4, 0.01);
}

TEST(IndexRanges, ComeFromWhereATensorIsUsed) {
  EXPECT_EQ(index_ranges(test::gather_program(), {{"V", 11}, {"D", 7}, {"N", 9}}).at("token").high, 11);
}

TEST(IndexRanges, DivisionAndModuloOfAPagedCache) {
  // c[slot // P, slot % P, D] = x[N, D]: slot < NP * P, all different.
  ir::Program program = test::gather_program();
  ir::ExprRef slot = at("slot", {"N"}, ir::ValueType::integer), page = ir::size(IntExpr::name("P"));
  ir::Stage stage;
  stage.kind = ir::Stage::Kind::scatter;
  stage.outputs = {{"c", {}, ir::ValueType::real, DType::f32, true}};
  stage.indices = {ir::apply(ir::Op::floordiv, {slot, page}), ir::apply(ir::Op::mod, {slot, page}), ir::index("D")};
  stage.value = at("x", {"N", "D"});
  stage.over = {"N", "D"};
  program.tensors = {test::tensor("c", DType::f32, Role::inout, {"NP", "P", "D"}),
                     test::tensor("x", DType::f32, Role::input, {"N", "D"}),
                     test::tensor("slot", DType::i64, Role::input, {"N"})};
  program.stages = {stage};
  IndexRange range = index_ranges(program, {{"NP", 5}, {"P", 3}, {"D", 7}, {"N", 11}}).at("slot");
  EXPECT_EQ(range.high, 15);
  EXPECT_TRUE(range.distinct);
}

TEST(IndexRanges, AConditionThatHoldsThemFreesThem) {
  ir::ExprRef x = at("x", {"N"}, ir::ValueType::integer);
  ir::Stage stage;
  stage.kind = ir::Stage::Kind::scatter;
  stage.scatter_op = ir::ScatterOp::add;
  stage.outputs = {{"count", {"K"}, ir::ValueType::integer, DType::i32, true}};
  stage.indices = {x};
  stage.condition = ir::apply(ir::Op::lt, {x, ir::size(IntExpr::name("K"))});
  stage.value = ir::integer(1);
  stage.over = {"N"};
  ir::Program program = test::program(
      "histogram", {"N", "K"},
      {test::tensor("x", DType::i32, Role::input, {"N"}), test::tensor("count", DType::i32, Role::output, {"K"})},
      {stage}, {});
  EXPECT_FALSE(index_ranges(program, {{"N", 9}, {"K", 4}})["x"].indexes());
}

TEST(Inputs, IndicesStayInRangeAtEverySize) {
  ir::Program program = test::gather_program();
  ir::Distribution noted;
  noted.kind = "integers";
  noted.numbers = {0, 32000};
  program.inputs["token"] = {noted};
  for (int64_t rows : {1, 2, 71}) {
    for (const Draw& draw : all_draws(program)) {
      Result<CaseInputs> inputs =
          make_inputs(program, case_of(program, {{"V", rows}, {"D", 2}, {"N", 500}}), draw, Layout::contiguous, 5);
      ASSERT_TRUE(inputs) << inputs.error().message;
      for (int64_t linear = 0; linear < 500; ++linear) {
        int64_t value = decode_int(DType::i32, inputs->tensors[1].bytes.data(), linear);
        EXPECT_TRUE(value >= 0 && value < rows) << draw.name << " " << value;
      }
    }
  }
}

TEST(Inputs, DependOnTheSeedAndOnNothingElse) {
  ir::Program program = test::softmax_program();
  SizedCase sized = case_of(program, {{"M", 3}, {"N", 37}});
  Draw draw = all_draws(program)[0];
  CaseInputs one = *make_inputs(program, sized, draw, Layout::contiguous, 1),
             again = *make_inputs(program, sized, draw, Layout::contiguous, 1);
  CaseInputs other = *make_inputs(program, sized, draw, Layout::contiguous, 2);
  EXPECT_EQ(one.tensors[0].bytes, again.tensors[0].bytes);
  EXPECT_NE(one.tensors[0].bytes, other.tensors[0].bytes);
}

TEST(Inputs, NormalHasItsMoments) {
  ir::Program program = test::softmax_program();
  ir::Distribution noted;
  noted.kind = "normal";
  noted.numbers = {3, 0.5};
  program.inputs["x"] = {noted};
  CaseInputs inputs =
      *make_inputs(program, case_of(program, {{"M", 100}, {"N", 100}}), all_draws(program)[0], Layout::contiguous, 9);
  double sum = 0, squares = 0;
  for (int64_t linear = 0; linear < 10000; ++linear) {
    double value = decode(DType::f32, inputs.tensors[0].bytes.data(), linear);
    sum += value;
    squares += (value - 3) * (value - 3);
  }
  EXPECT_NEAR(sum / 10000, 3, 0.03);  // six standard deviations of the mean
  EXPECT_NEAR(std::sqrt(squares / 10000), 0.5, 0.03);
}

TEST(Inputs, LargeTensorsRepeatWithAPrimePeriodOnly) {
  ir::Program program = test::affine_program();
  CaseInputs inputs =
      *make_inputs(program, case_of(program, {{"M", 2050}, {"N", 4096}}), all_draws(program)[0], Layout::contiguous, 9);
  const char* data = inputs.tensors[0].bytes.data();
  for (int64_t row = 1; row < 2050; ++row) {
    ASSERT_NE(decode(DType::f32, data, 0), decode(DType::f32, data, row * 4096)) << row;
  }
}

TEST(Inputs, SpecialsStandAtBothEnds) {
  ir::Program program = test::softmax_program();
  std::vector<Draw> draws = all_draws(program);
  auto special =
      std::find_if(draws.begin(), draws.end(), [](const Draw& draw) { return draw.twist == Twist::infinities; });
  ASSERT_NE(special, draws.end());
  CaseInputs inputs = *make_inputs(program, case_of(program, {{"M", 3}, {"N", 37}}), *special, Layout::contiguous, 9);
  EXPECT_TRUE(std::isinf(decode(DType::f32, inputs.tensors[0].bytes.data(), 0)));
  EXPECT_TRUE(std::isinf(decode(DType::f32, inputs.tensors[0].bytes.data(), 3 * 37 - 1)));
}

TEST(Inputs, NoSpecialsWhereTheOpLeavesNanUndefined) {
  ir::Program program = test::softmax_program();
  program.policy.nan_propagates = false;
  for (const Draw& draw : all_draws(program)) EXPECT_NE(draw.twist, Twist::specials);
}

TEST(Layouts, EveryLayoutHoldsTheSameValuesInsideItsValidRange) {
  ir::Program program = test::softmax_program();
  SizedCase sized = case_of(program, {{"M", 3}, {"N", 5}});
  Draw draw = all_draws(program)[0];
  HostTensor plain = make_inputs(program, sized, draw, Layout::contiguous, 4)->tensors[0];
  for (Layout layout : all_layouts()) {
    HostTensor made = make_inputs(program, sized, draw, layout, 4)->tensors[0];
    BufferRequest request = buffer_request(made, Role::input, true);
    std::set<int64_t> positions;
    for (int64_t linear = 0; linear < 15; ++linear) {
      int64_t position = made.position_of(linear);
      positions.insert(position);
      EXPECT_GE(4 * position, request.valid_begin);
      EXPECT_LE(4 * position + 4, request.valid_end);
      if (layout != Layout::expanded) {
        EXPECT_EQ(decode(DType::f32, made.bytes.data(), position), decode(DType::f32, plain.bytes.data(), linear))
            << name(layout);
      }
    }
    EXPECT_EQ(positions.size(), layout == Layout::expanded ? 5u : 15u) << name(layout);
    EXPECT_EQ(request.first_byte, 4 * made.offset);
  }
}

TEST(Layouts, OffsetLowersTheAlignment) {
  ir::Tensor tensor = test::tensor("x", DType::f16, Role::input, {"M", "N"});
  Sizes sizes;
  add_layout_names(allocate(tensor, {4, 8}, Layout::offset, 0), sizes);
  EXPECT_EQ(sizes.at("x.align"), 2);
  EXPECT_EQ(sizes.at("x.stride.0"), 8);
  add_layout_names(allocate(tensor, {4, 8}, Layout::contiguous, 0), sizes);
  EXPECT_EQ(sizes.at("x.align"), 256);
}

TEST(Layouts, AWriteIntoAGapIsSeen) {
  HostTensor padded = allocate(test::tensor("y", DType::f32, Role::output, {"M", "N"}), {2, 3}, Layout::ragged, 0x5b);
  std::string after = padded.bytes;
  after[4 * 4] ^= 1;  // element [1, 0]: row stride 4
  EXPECT_FALSE(gaps_changed(padded, padded.bytes, after));
  after[4 * 3] ^= 1;  // the gap after row 0
  EXPECT_TRUE(gaps_changed(padded, padded.bytes, after));
}

TEST(Layouts, NotedStridesMustFitTheRank) {
  Result<HostTensor> made = allocate_noted(test::tensor("x", DType::f32, Role::input, {"M", "N"}), {2, 3}, {1}, 0, 0);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "x has 2 axes but 1 strides are noted");
}

TEST(Sampling, TakesCornersAndBothSidesOfPowers) {
  Random random(3);
  std::vector<int64_t> elements = sample_elements({1000, 70000}, 4096, random);
  std::set<int64_t> chosen(elements.begin(), elements.end());
  EXPECT_GE(chosen.size(), 4096u);
  EXPECT_EQ(chosen.size(), elements.size());
  EXPECT_TRUE(chosen.contains(0));
  EXPECT_TRUE(chosen.contains(1000 * 70000 - 1));
  std::set<int64_t> columns;
  for (int64_t element : elements) columns.insert(element % 70000);
  for (int64_t column : {65536, 65535, 32768, 32767, 69999, 69998}) EXPECT_TRUE(columns.contains(column)) << column;
}

TEST(Sampling, SmallResultsAreTakenWhole) {
  Random random(3);
  EXPECT_EQ(sample_elements({3, 5}, 4096, random).size(), 15u);
  EXPECT_EQ(sample_elements({}, 4096, random), std::vector<int64_t>{0});
  EXPECT_TRUE(sample_elements({3, 0}, 4096, random).empty());
}

TEST(Safetensors, ReadsATensorAndNamesTheKnownOnes) {
  std::string header = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
              path = testing::TempDir() + "/judge.safetensors";
  uint64_t length = header.size();
  float values[2] = {1.5f, -2};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<char*>(&length), 8);
  file << header;
  file.write(reinterpret_cast<char*>(values), 8);
  file.close();
  Result<HostTensor> x = read_safetensor(path, "x");
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_EQ(decode(DType::f32, x->bytes.data(), 1), -2);
  Result<HostTensor> missing = read_safetensor(path, "y");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().hint, "it holds: x");
}

}  // namespace
}  // namespace hipvault::verify
