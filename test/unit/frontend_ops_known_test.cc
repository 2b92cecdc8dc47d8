// Ops of the library on numbers whose answer is known by hand or in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// One output of an op, or an empty list after a test failure.
std::vector<double> answer(const Question& question, const std::string& output) {
  Result<std::map<std::string, Array>> results = evaluate(question);
  if (!results) {
    ADD_FAILURE() << render(results.error());
    return {};
  }
  return results->at(output).values();
}

// The message of the error that an op must end with.
std::string refusal(const Question& question) {
  Result<std::map<std::string, Array>> results = evaluate(question);
  return results ? "no error" : results.error().message;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(got[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
    }
  }
}

TEST(OpLibraryKnown, SoftmaxOfLogarithmsIsTheirShare) {
  const Question question{
      "softmax", "softmax", {}, {{"B", 2}, {"N", 3}}, {}, {{"x", {0, std::log(2), std::log(3), 5, 5, 5}}}};
  expect_near(answer(question, "y"), {1.0 / 6, 2.0 / 6, 3.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-7);
}

TEST(OpLibraryKnown, SoftmaxRoundsToTheResultType) {
  const Question question{"softmax", "softmax", {{"T", DType::bf16}}, {{"B", 1}, {"N", 3}}, {}, {{"x", {1, 1, 1}}}};
  expect_near(answer(question, "y"), {0.333984375, 0.333984375, 0.333984375}, 0);  // bf16 0x3eab
}

TEST(OpLibraryKnown, SoftmaxOfMaskedRows) {
  const Question question{"softmax", "softmax",
                          {},        {{"B", 3}, {"N", 2}},
                          {},        {{"x", {-kInfinity, 7, -kInfinity, -kInfinity, kInfinity, 0}}}};
  expect_near(answer(question, "y"), {0, 1, kNan, kNan, kNan, kNan}, 0);
}

TEST(OpLibraryKnown, GeluAtOne) {
  const Sizes one = {{"M", 1}, {"N", 3}};
  const std::map<std::string, std::vector<double>> inputs = {{"x", {0, 1, -1}}, {"b", {0, 0, 0}}};
  // Phi(1) = 0.8413447460685429, from tables of the normal distribution.
  expect_near(answer({"bias_gelu", "bias_gelu", {}, one, {}, inputs}, "y"),
              {0, 0.8413447460685429, -0.1586552539314571}, 6e-8);
  expect_near(answer({"bias_gelu", "bias_gelu_tanh", {}, one, {}, inputs}, "y"),
              {0, 0.8411919906082768, -0.1588080093917232}, 6e-8);
}

TEST(OpLibraryKnown, LayerNormOfFourNumbers) {
  const double s = std::sqrt(1.25);
  const Question question{"layer_norm", "layer_norm",
                          {},           {{"B", 1}, {"N", 4}},
                          {{"eps", 0}}, {{"x", {1, 2, 3, 4}}, {"w", {1, 1, 2, 1}}, {"b", {0, 0, 0, 10}}}};
  expect_near(answer(question, "y"), {-1.5 / s, -0.5 / s, 1 / s, 1.5 / s + 10}, 1e-6);
}

TEST(OpLibraryKnown, CrossEntropyOfEqualLogitsIsLogV) {
  const Question question{"cross_entropy",
                          "cross_entropy",
                          {},
                          {{"B", 2}, {"V", 5}},
                          {},
                          {{"x", std::vector<double>(10, 3)}, {"label", {4, -100}}}};
  expect_near(answer(question, "loss"), {std::log(5.0), 0}, 2e-7);
}

TEST(OpLibraryKnown, ArgmaxPrefersTheFirstNanThenTheLowestPosition) {
  const Question question{
      "argmax", "argmax",
      {},       {{"B", 3}, {"N", 4}},
      {},       {{"x", {1, 5, 5, 0, 9, kNan, kNan, kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity}}}};
  expect_near(answer(question, "i"), {1, 1, 0}, 0);
  expect_near(answer(question, "v"), {5, kNan, -kInfinity}, 0);
}

TEST(OpLibraryKnown, CumsumOfOnes) {
  const Question question{
      "cumsum", "cumsum", {{"T", DType::i32}}, {{"B", 1}, {"N", 6}}, {}, {{"x", {1, 2, 3, 4, 5, 6}}}};
  expect_near(answer(question, "y"), {1, 3, 6, 10, 15, 21}, 0);
  expect_near(answer({"cumsum", "offsets", {}, {{"E", 4}}, {}, {{"counts", {3, 0, 2, 7}}}}, "start"), {0, 3, 3, 5}, 0);
  expect_near(answer({"cumsum", "reward_to_go", {}, {{"B", 1}, {"L", 3}}, {}, {{"r", {1, 2, 4}}}}, "y"), {7, 6, 4}, 0);
}

TEST(OpLibraryKnown, TopkKeepsTiesInOrder) {
  const Question question{
      "topk", "topk", {}, {{"B", 1}, {"N", 6}, {"k", 4}}, {}, {{"x", {2, kNan, 7, 2, kInfinity, 7}}}};
  expect_near(answer(question, "i"), {1, 4, 2, 5}, 0);
  expect_near(answer(question, "v"), {kNan, kInfinity, 7, 7}, 0);
}

TEST(OpLibraryKnown, SamplingACertainToken) {
  const Question certain{
      "top_p", "top_p", {}, {{"B", 3}, {"V", 4}, {"seed", 9}}, {}, {{"x", {0, 0, 90, 0, 90, 0, 0, 0, 0, 0, 0, 90}}}};
  expect_near(answer(certain, "token"), {2, 0, 3}, 0);
}

// Four equally likely tokens and p = 1/2: the first two are exactly enough, and each is drawn at times.
TEST(OpLibraryKnown, SamplingStopsAtTheMassThatReachesP) {
  const Question question{
      "top_p", "top_p", {}, {{"B", 64}, {"V", 4}}, {{"p", 0.5}}, {{"x", std::vector<double>(256, 0)}}};
  int first = 0, second = 0;
  for (double token : answer(question, "token")) token == 0 ? ++first : token == 1 ? ++second : 0;
  EXPECT_EQ(first + second, 64);
  EXPECT_GT(std::min(first, second), 10);
}

// An element whose random number is p itself stays.
TEST(OpLibraryKnown, DropoutKeepsTheElementThatEqualsP) {
  const double p = (philox(5, 0) >> 8) * 0x1p-24;
  const Question question{"dropout", "dropout", {}, {{"M", 1}, {"N", 1}, {"seed", 5}}, {{"p", p}}, {{"x", {1}}}};
  expect_near(answer(question, "mask"), {1}, 0);
}

TEST(OpLibraryKnown, RandomWordsArePhilox) {
  const Question question{"dropout", "random_fill", {}, {{"seed", 0}, {"n", 1}}, {}, {}};
  expect_near(answer(question, "word"), {0x6627e8d5}, 0);  // Random123's known answer
  expect_near(answer(question, "real"), {0x6627e8 * 0x1p-24}, 0);
}

TEST(OpLibraryKnown, MatmulOfRankOneMatrices) {
  // a = (m+1) everywhere in row m, b = (n+1) everywhere in column n: c = K (m+1)(n+1).
  const std::vector<double> rows = {1, 1, 1, 2, 2, 2}, columns = {1, 2, 1, 2, 1, 2};
  const Question question{"matmul", "matmul", {}, {{"M", 2}, {"N", 2}, {"K", 3}}, {}, {{"a", rows}, {"b", columns}}};
  expect_near(answer(question, "c"), {3, 6, 6, 12}, 0);
}

TEST(OpLibraryKnown, MatmulOverNothingIsZero) {
  const Question question{"matmul", "matmul", {}, {{"M", 2}, {"N", 1}, {"K", 0}}, {}, {{"a", {}}, {"b", {}}}};
  expect_near(answer(question, "c"), {0, 0}, 0);
}

// Nibbles of 0x76543210 are 0 … 7 from the lowest; the zero point is 8.
TEST(OpLibraryKnown, PackedWeightsComeLowestNibbleFirst) {
  for (int64_t k = 0; k < 8; ++k) {
    std::vector<double> x(8, 0);
    x[static_cast<size_t>(k)] = 1;
    const Question question{"w4a16", "w4a16_packed",
                            {},      {{"M", 1}, {"N", 1}, {"K", 8}, {"group", 8}},
                            {},      {{"x", x}, {"w", {0x76543210}}, {"scale", {0.5}}}};
    expect_near(answer(question, "y"), {0.5 * (static_cast<double>(k) - 8)}, 0);
  }
}

TEST(OpLibraryKnown, ConvolutionOfOnesCountsTheWindow) {
  const Question question{"conv2d", "conv2d",
                          {},       {{"N", 1}, {"C", 1}, {"H", 3}, {"W", 4}, {"F", 1}, {"R", 3}, {"S", 3}, {"pad", 1}},
                          {},       {{"x", std::vector<double>(12, 1)}, {"w", std::vector<double>(9, 1)}, {"b", {0}}}};
  expect_near(answer(question, "y"), {4, 6, 6, 4, 6, 9, 9, 6, 4, 6, 6, 4}, 0);
}

TEST(OpLibraryKnown, TransposedConvolutionPaintsItsFilter) {
  const Question question{
      "conv2d", "transposed_conv2d",
      {},       {{"N", 1}, {"C", 1}, {"H", 1}, {"W", 2}, {"F", 1}, {"R", 2}, {"S", 2}, {"st", 2}, {"pad", 0}},
      {},       {{"x", {1, 10}}, {"w", {1, 2, 3, 4}}}};
  expect_near(answer(question, "y"), {1, 2, 10, 20, 3, 4, 30, 40}, 0);
}

TEST(OpLibraryKnown, MaxPoolingIgnoresItsPadding) {
  const Question question{"max_pool2d", "max_pool2d",
                          {},           {{"N", 1}, {"C", 1}, {"H", 3}, {"W", 3}},
                          {},           {{"x", {-1, -2, -3, -4, -5, -6, -7, -8, kNan}}}};
  expect_near(answer(question, "y"), {-1, -2, -4, kNan}, 0);
}

// With equal keys every visible value weighs the same: causal attention is a running mean.
TEST(OpLibraryKnown, AttentionOverEqualKeysIsARunningMean) {
  const Question question{"attention",
                          "attention",
                          {{"T", DType::f32}},
                          {{"B", 1}, {"G", 1}, {"R", 1}, {"S", 3}, {"C", 3}, {"D", 1}},
                          {},
                          {{"q", {1, 2, 3}}, {"k", {1, 1, 1}}, {"v", {3, 5, 10}}}};
  expect_near(answer(question, "o"), {3, 4, 6}, 1e-6);
}

TEST(OpLibraryKnown, PagedAttentionOfOneTokenIsItsValue) {
  const Question question{
      "paged_attention",
      "paged_attention",
      {{"T", DType::f32}},
      {{"B", 1}, {"H", 2}, {"G", 1}, {"D", 1}, {"NP", 2}, {"P", 2}, {"MP", 3}},
      {},
      {{"q", {1, 2}}, {"kc", {1, 2, 3, kNan}}, {"vc", {10, 20, 30, kNan}}, {"page", {1, -1, 99}}, {"len", {1}}}};
  expect_near(answer(question, "o"), {30, 30}, 0);
}

// Without decay or correction the state stays: o = s0 q / sqrt(D).
TEST(OpLibraryKnown, DeltaRuleWithoutCorrectionKeepsItsState) {
  const Question question{
      "delta",
      "delta",
      {{"T", DType::f32}},
      {{"B", 1}, {"H", 1}, {"L", 2}, {"D", 1}, {"E", 2}},
      {},
      {{"q", {2, 3}}, {"k", {5, 5}}, {"v", {1, 1, 1, 1}}, {"b", {0, 0}}, {"g", {0, 0}}, {"s0", {1, -1}}}};
  expect_near(answer(question, "o"), {2, -2, 3, -3}, 0);
  expect_near(answer(question, "last"), {1, -1}, 0);
}

// Full correction along a unit key: the state's answer to that key becomes v.
TEST(OpLibraryKnown, DeltaRuleLearnsItsValue) {
  const Question question{"delta",
                          "delta",
                          {{"T", DType::f32}},
                          {{"B", 1}, {"H", 1}, {"L", 1}, {"D", 1}, {"E", 1}},
                          {},
                          {{"q", {1}}, {"k", {1}}, {"v", {7}}, {"b", {1}}, {"g", {-3}}, {"s0", {1000}}}};
  expect_near(answer(question, "o"), {7}, 1e-5);
}

// The first step of Adam moves by lr against the sign of the gradient, whatever its size.
TEST(OpLibraryKnown, AdamsFirstStepHasTheLengthOfTheRate) {
  const Question question{"adam",
                          "adam",
                          {},
                          {{"N", 3}},
                          {{"lr", 0.25}, {"eps", 0}, {"decay", 0}},
                          {{"p", {1, 1, 1}}, {"m", {0, 0, 0}}, {"v", {0, 0, 0}}, {"g", {5, -0.001, 1e6}}}};
  expect_near(answer(question, "p"), {0.75, 1.25, 0.75}, 1e-6);
  expect_near(answer(question, "m"), {0.5, -0.0001, 1e5}, 1e-2);
}

TEST(OpLibraryKnown, CastsRoundToNearestEven) {
  const Question question{"quantize", "round_trip", {},
                          {{"N", 4}}, {},           {{"x", {1 + 0x1p-9, 1 + 0x1p-8, 1 + 3 * 0x1p-8, 70000}}}};
  // bf16 keeps 7 fraction bits: 2^-9 is dropped, 2^-8 ties to even (1), 3 * 2^-8 ties to 1 + 2^-6; 70000 has 2^16 +
  // 4464.
  expect_near(answer(question, "y"), {0x1p-9, 0x1p-8, -0x1p-8, 70000 - 70144}, 0);
  expect_near({answer(question, "z")[3]}, {kInfinity}, 0);  // 210000 is beyond half precision
}

TEST(OpLibraryKnown, QuantisedRowsMeetTheLimit) {
  const Question question{
      "quantize", "quantize_i8", {{"T", DType::f32}}, {{"B", 1}, {"N", 4}}, {}, {{"x", {127, -127, 2.5, 3.5}}}};
  expect_near(answer(question, "q"), {127, -127, 2, 4}, 0);
}

TEST(OpLibraryKnown, SegmentsWithoutElementsKeepTheIdentity) {
  const Question question{
      "scatter_add", "segment_range", {}, {{"N", 3}, {"segments", 2}}, {}, {{"x", {4, -2, 3}}, {"segment", {1, 1, 1}}}};
  expect_near(answer(question, "hi"), {-kInfinity, 4}, 0);
  expect_near(answer(question, "lo"), {kInfinity, -2}, 0);
}

// ---- errors of an op's inputs
// ------------------------------------------------------------------------------------------

TEST(OpLibraryErrors, AnIndexOutsideIsAnErrorOfTheInputs) {
  const Question question{
      "embedding", "gather_columns", {}, {{"B", 1}, {"N", 3}, {"K", 1}}, {}, {{"x", {1, 2, 3}}, {"i", {3}}}};
  EXPECT_NE(refusal(question).find("3"), std::string::npos) << refusal(question);
  EXPECT_NE(refusal(question).find("x"), std::string::npos) << refusal(question);
}

TEST(OpLibraryErrors, TwoAssignmentsToOneElement) {
  const Question question{
      "scatter_add", "scatter_rows", {}, {{"N", 2}, {"D", 1}}, {}, {{"x", {1, 2}}, {"place", {1, 1}}}};
  EXPECT_NE(refusal(question).find("twice"), std::string::npos) << refusal(question);
}

TEST(OpLibraryErrors, MeanOverNothingIsRefused) {
  const Question question{"reduce", "column_mean", {}, {{"M", 0}, {"N", 2}}, {}, {{"x", {}}}};
  EXPECT_NE(refusal(question).find("mean"), std::string::npos) << refusal(question);
}

TEST(OpLibraryErrors, ArgmaxOverNothingIsRefused) {
  const Question question{"argmax", "argmax", {}, {{"B", 1}, {"N", 0}}, {}, {{"x", {}}}};
  EXPECT_NE(refusal(question).find("argmax"), std::string::npos) << refusal(question);
}

TEST(OpLibraryErrors, SizesThatDoNotDivideAreRefused) {
  const Question question{"swiglu", "swiglu_packed", {}, {{"M", 1}, {"W", 3}}, {}, {{"x", {1, 2, 3}}}};
  EXPECT_NE(refusal(question).find("W"), std::string::npos) << refusal(question);
}

TEST(OpLibraryErrors, ARequirementThatDoesNotHoldIsNamed) {
  const Question question{"topk", "topk", {}, {{"B", 1}, {"N", 2}, {"k", 3}}, {}, {{"x", {1, 2}}}};
  EXPECT_NE(refusal(question).find("k <= N"), std::string::npos) << refusal(question);
}

TEST(OpLibraryErrors, AMissingSizeIsNamed) {
  const Question question{"reduce", "reduce", {}, {{"B", 1}}, {}, {{"x", {1}}}};
  EXPECT_NE(refusal(question).find("N"), std::string::npos) << refusal(question);
}

}  // namespace
}  // namespace hipvault::host_ops
