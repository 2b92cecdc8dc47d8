// What the judge makes cases from: secret sizes, cases for variants, rows with a twist, strided samples, and the text
// that users compile.

#include <gtest/gtest.h>

#include <cmath>

#include "support/judge_programs.h"
#include "verify/twists.h"
#include "verify/user_text.h"
#include "verify/variants.h"

namespace hipvault::verify {
namespace {

SizedCase case_of(const ir::Program& program, const Sizes& sizes) { return *make_case(program, "base", sizes); }

Plan plan_with(const ir::Program& program, const std::string& when) {
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  Variant special = plan.variants[0];
  special.name = "special";
  special.when = *IntExpr::parse(when);
  plan.variants[0].when = IntExpr(1);
  plan.variants.insert(plan.variants.begin(), special);
  return plan;
}

// ---- secret sizes

TEST(SecretSizes, LieBetweenBordersAndDifferFromSeedToSeed) {
  ir::Program program = test::affine_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  std::set<int64_t> seen;
  size_t hits = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    bool hit = false;
    for (const SizedCase& made : gap_cases(program, case_of(program, {{"M", 5}, {"N", 67}}), plan, 1e6, 200, random)) {
      EXPECT_LE(made.steps, 1e6);
      int64_t width = made.sizes.at("N");
      seen.insert(width);
      hit |= width > 520 && width < 1000;
    }
    hits += hit ? 1 : 0;
  }
  EXPECT_GT(seen.size(), 100u);
  EXPECT_GE(hits, 18u);  // of 20: a fault in 520 < N < 1000 is met almost always
}

// ---- variants

TEST(VariantSearch, FindsSizesStridesAndAlignments) {
  ir::Program program = test::affine_program();
  for (const char* when :
       {"N == 1234 and M == 11", "x.stride.0 % 2 == 1 and N % 8 == 0", "x.align < 16", "y.stride.1 != 1",
        "x.stride.0 == 0 and M > 1", "N % 96 == 0 and N >= 192", "x.stride.0 > 2147483648", "M * N == 4096",
        "x.stride.1 != 1 and y.stride.1 == 1 and N == 333"}) {
    Plan plan = plan_with(program, when);
    Random random(5);
    std::optional<SizedCase> found =
        find_case(program, plan, 0, {case_of(program, {{"M", 3}, {"N", 37}})}, 1e6, random);
    ASSERT_TRUE(found) << when;
    EXPECT_EQ(variant_for(program, plan, *found, Layout::contiguous), "special") << when;
    EXPECT_LE(found->steps, 1e6);
  }
}

TEST(VariantSearch, FindsTheVariantBehindAnother) {
  ir::Program program = test::affine_program();
  Plan plan = plan_with(program, "x.stride.0 <= 2147483647 and x.stride.1 == 1");
  Random random(5);
  std::optional<SizedCase> found = find_case(program, plan, 1, {case_of(program, {{"M", 3}, {"N", 37}})}, 1e6, random);
  ASSERT_TRUE(found);
  EXPECT_EQ(variant_for(program, plan, *found, Layout::contiguous), "only");
}

TEST(VariantSearch, FindsNothingWhereNothingIs) {
  ir::Program program = test::affine_program();
  Plan plan = plan_with(program, "N % 8 == 3 and N % 4 == 1");
  Random random(5);
  EXPECT_FALSE(find_case(program, plan, 0, {case_of(program, {{"M", 3}, {"N", 37}})}, 1e6, random));
}

// ---- twists

std::vector<double> twisted(Twist twist, int64_t rows, int64_t length) {
  HostTensor tensor = make_tensor("x", DType::f32, {rows, length});
  Random random(3);
  for (int64_t at = 0; at < rows * length; ++at) encode(DType::f32, tensor.bytes.data(), at, random.normal());
  twist_rows(tensor, twist, random);
  std::vector<double> values;
  for (int64_t at = 0; at < rows * length; ++at) values.push_back(decode(DType::f32, tensor.bytes.data(), at));
  return values;
}

TEST(Twists, AreWhatTheyAreCalled) {
  for (double value : twisted(Twist::negative, 4, 9)) EXPECT_LT(value, 0);
  for (double value : twisted(Twist::positive, 4, 9)) EXPECT_GT(value, 0);
  std::vector<double> dominant = twisted(Twist::one_dominant, 64, 9);
  std::set<int64_t> places;
  for (int64_t row = 0; row < 64; ++row) {
    auto begin = dominant.begin() + row * 9;
    places.insert(std::max_element(begin, begin + 9) - begin);
    EXPECT_EQ(std::count_if(begin, begin + 9, [](double value) { return value > 20; }), 1);
  }
  EXPECT_TRUE(places.contains(0) && places.contains(8));
  std::vector<double> constant = twisted(Twist::all_but_one, 1, 100);
  EXPECT_EQ(std::set<double>(constant.begin(), constant.end()).size(), 2u);
  double sum = 0, magnitude = 0;
  for (double value : twisted(Twist::alternating, 1, 100)) sum += value, magnitude += std::fabs(value);
  EXPECT_LT(std::fabs(sum), 0.05 * magnitude);
  std::vector<double> empty = twisted(Twist::empty_rows, 30, 4);
  EXPECT_GT(std::count(empty.begin(), empty.end(), -INFINITY), 0);
  EXPECT_LT(std::count(empty.begin(), empty.end(), -INFINITY), 120);
}

// ---- legal inputs

TEST(Inputs, ARangeWithoutValuesIsNoCase) {
  ir::Program program = test::gather_program();
  ir::Distribution noted;
  noted.kind = "integers";
  noted.numbers = {4, 4};
  program.inputs["token"] = {noted};
  Result<CaseInputs> made = make_inputs(program, case_of(program, {{"V", 11}, {"D", 7}, {"N", 9}}),
                                        all_draws(program)[0], Layout::contiguous, 1);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("token"), std::string::npos);
}

TEST(Inputs, IntegersLieBelowTheUpperEnd) {
  ir::Program program = test::gather_program();
  ir::Distribution noted;
  noted.kind = "integers";
  noted.numbers = {2, 4};
  program.inputs["token"] = {noted};
  Result<CaseInputs> made = make_inputs(program, case_of(program, {{"V", 11}, {"D", 7}, {"N", 200}}),
                                        all_draws(program)[0], Layout::contiguous, 1);
  ASSERT_TRUE(made);
  std::set<int64_t> seen;
  for (int64_t at = 0; at < 200; ++at) seen.insert(decode_int(DType::i32, made->tensors[1].bytes.data(), at));
  EXPECT_EQ(seen, (std::set<int64_t>{2, 3}));
}

// ---- strided samples

TEST(LinearAt, InvertsPositionOf) {
  ir::Tensor tensor = test::tensor("y", DType::f32, Role::output, {"A", "B", "C"});
  for (Layout layout : {Layout::contiguous, Layout::padded, Layout::ragged, Layout::offset, Layout::transposed}) {
    HostTensor made = outline(tensor, {3, 1, 5}, layout);
    int64_t found = 0;
    for (int64_t position = 0; position <= element_span(made).second + 3; ++position) {
      int64_t linear = linear_at(made, position);
      if (linear < 0) continue;
      ++found;
      EXPECT_EQ(made.position_of(linear), position) << name(layout);
    }
    EXPECT_EQ(found, 15) << name(layout);
  }
}

// ---- what users compile

const std::string kHead =
    "#if defined(HIPVAULT_DEVICE_ONLY)\n#define __global__ __attribute__((global))\n#else\n"
    "#include <hip/hip_runtime.h>\n#endif\n";
const std::string kLauncher =
    "#if !defined(HIPVAULT_DEVICE_ONLY)\n#include <stddef.h>\nint run() { return 0; }\n#endif\n";

std::string refusal(const std::string& source) {
  Status status = same_for_users(source);
  return status ? "" : status.error().message;
}

TEST(UserText, TheUsualFormIsAccepted) {
  EXPECT_EQ(refusal(kHead + "// HIPVAULT_DEVICE_ONLY\n__global__ void k(float* x) { x[0] = '{'; }\n" + kLauncher), "");
}

TEST(UserText, OtherTextForUsersIsRefused) {
  std::string inside = "__global__ void k(float* x) {\n#if !defined(HIPVAULT_DEVICE_ONLY)\n  x[0] = 7;\n#endif\n}\n";
  EXPECT_NE(refusal(kHead + inside).find("inside of brackets"), std::string::npos) << refusal(kHead + inside);
  std::string macro = "#ifndef HIPVAULT_DEVICE_ONLY\n#define add sub\n#endif\n__global__ void k(float* x) {}\n";
  EXPECT_NE(refusal(kHead + macro).find("before the last kernel"), std::string::npos) << refusal(kHead + macro);
  std::string judged = "#ifdef HIPVAULT_DEVICE_ONLY\n__global__ void k(float* x) {}\n#endif\n";
  EXPECT_NE(refusal(kHead + judged).find("not compiled by users"), std::string::npos) << refusal(kHead + judged);
  std::string joined = "#if defined(HIPVAULT_DEVICE_ONLY) || 1\n#endif\n__global__ void k(float* x) {}\n";
  EXPECT_NE(refusal(kHead + joined).find("together with others"), std::string::npos) << refusal(kHead + joined);
  std::string value = "__global__ void k(float* x) { x[0] = HIPVAULT_DEVICE_ONLY; }\n";
  EXPECT_NE(refusal(kHead + value).find("outside of #if"), std::string::npos) << refusal(kHead + value);
  std::string late =
      "__global__ void k(float* x) {}\n#ifndef HIPVAULT_DEVICE_ONLY\n__device__ int f() { return 1; }\n#endif\n";
  EXPECT_NE(refusal(kHead + late).find("was not judged"), std::string::npos) << refusal(kHead + late);
}

}  // namespace
}  // namespace hipvault::verify
