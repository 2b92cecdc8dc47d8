#include <gtest/gtest.h>

#include "record/int_expr.h"
#include "record/plan.h"
#include "record/run_request.h"
#include "record/verdict.h"

namespace hipvault {
namespace {

int64_t evaluate(const std::string& text, const Sizes& sizes = {}) {
  Result<IntExpr> expr = IntExpr::parse(text);
  EXPECT_TRUE(expr.has_value()) << text;
  Result<int64_t> value = expr->evaluate(sizes);
  EXPECT_TRUE(value.has_value()) << text << ": " << value.error().message;
  return value.value_or(-999);
}

TEST(IntExpr, FollowsTheOperatorsOfTheLanguage) {
  EXPECT_EQ(7, evaluate("1 + 2 * 3"));
  EXPECT_EQ(-4, evaluate("-7 // 2"));
  EXPECT_EQ(1, evaluate("-7 % 2"));
  EXPECT_EQ(4, evaluate("cdiv(7, 2)"));
  EXPECT_EQ(3, evaluate("10 - 4 - 3"));
  EXPECT_EQ(1, evaluate("N % 8 == 0 and x.stride.1 == 1", {{"N", 16}, {"x.stride.1", 1}}));
  EXPECT_EQ(0, evaluate("not N", {{"N", 16}}));
  EXPECT_EQ(0, evaluate("N > 0 and 8 // N > 1", {{"N", 0}}));  // the guard protects the division
}

TEST(IntExpr, PrintsTextThatParsesBackToTheSame) {
  for (const char* text : {"(a + b) * c", "a - (b - c)", "a // (b * c)", "-(a + b)", "not (a and b) or c",
                           "min(a, max(b, 3)) % 2", "a <= b", "(a // b) // c"}) {
    Result<IntExpr> expr = IntExpr::parse(text);
    ASSERT_TRUE(expr.has_value()) << text;
    Result<IntExpr> again = IntExpr::parse(expr->text());
    ASSERT_TRUE(again.has_value()) << expr->text();
    Sizes sizes = {{"a", 29}, {"b", 5}, {"c", 3}};
    EXPECT_EQ(*expr->evaluate(sizes), *again->evaluate(sizes)) << text << " printed as " << expr->text();
  }
}

TEST(IntExpr, SaysWhatIsWrong) {
  EXPECT_NE(std::string::npos, IntExpr::parse("a +").error().message.find("a number, a name or '('"));
  EXPECT_NE(std::string::npos, IntExpr::parse("a b").error().message.find("expected the end"));
  EXPECT_NE(std::string::npos, IntExpr::parse("N")->evaluate({}).error().message.find("the size N has no value"));
  EXPECT_NE(std::string::npos,
            IntExpr::parse("K / 128")->evaluate({{"K", 100}}).error().message.find("not a multiple"));
  std::string deep = std::string(100000, '(') + "1" + std::string(100000, ')');
  EXPECT_NE(std::string::npos, IntExpr::parse(deep).error().message.find("nested less deeply"));
  EXPECT_NE(std::string::npos, IntExpr::parse(std::string(100000, '-') + "1").error().message.find("nested less"));
  EXPECT_EQ("size.overflow", IntExpr::parse("N * N")->evaluate({{"N", int64_t{1} << 40}}).error().code);
}

Plan split_plan() {
  Plan plan;
  plan.op = "softmax";
  plan.arch = "gfx942";
  IntExpr b = IntExpr::name("B"), n = IntExpr::name("N");
  plan.buffers = {{"x", DType::f32, Role::input, {b, n}}, {"y", DType::f32, Role::output, {b, n}}};
  plan.sizes = {"B", "N"};
  Variant variant;
  variant.name = "split";
  variant.when = *IntExpr::parse("N >= 64 and x.stride.1 == 1");
  variant.workspace = {
      {"part", b * IntExpr(4), 0, 1, true}, {"early", IntExpr(100), 0, 0, false}, {"late", IntExpr(50), 1, 1, false}};
  Launch first{"a", {cdiv(n, 64), b, IntExpr(1)}, IntExpr(128), IntExpr(0), {}};
  first.args = {{KernelArg::Kind::buffer, "x", {}, DType::i32},
                {KernelArg::Kind::workspace, "part", {}, DType::i32},
                {KernelArg::Kind::integer, "", n, DType::i32}};
  variant.launches = {first, Launch{"b",
                                    {b, IntExpr(1), IntExpr(1)},
                                    IntExpr(64),
                                    IntExpr(256),
                                    {{KernelArg::Kind::buffer, "y", {}, DType::i32}}}};
  plan.variants = {variant};
  return plan;
}

TEST(Plan, ResolvesNumbersAndSharesWorkspaceOfDisjointLifetimes) {
  Result<ResolvedPlan> resolved = resolve(split_plan(), {{"B", 3}, {"N", 130}, {"x.stride.1", 1}});
  ASSERT_TRUE(resolved.has_value()) << resolved.error().message;
  EXPECT_EQ("split", resolved->variant);
  EXPECT_EQ(3, resolved->launches[0].grid[0]);  // cdiv(130, 64)
  EXPECT_EQ(3, resolved->launches[0].grid[1]);
  EXPECT_EQ(130, resolved->launches[0].args[2].value);
  EXPECT_EQ(256 + 100, resolved->workspace_bytes);  // part at 0, early and late both at 256
  EXPECT_EQ((std::vector<std::pair<int64_t, int64_t>>{{0, 12}}), resolved->launches[0].clear);
  EXPECT_TRUE(resolved->launches[1].clear.empty());
}

TEST(Plan, RefusesSizesWithTheCondition) {
  Result<ResolvedPlan> resolved = resolve(split_plan(), {{"B", 3}, {"N", 63}, {"x.stride.1", 1}});
  ASSERT_FALSE(resolved.has_value());
  EXPECT_NE(std::string::npos, resolved.error().message.find("split needs N >= 64 and x.stride.1 == 1"));
}

TEST(Plan, JsonRoundTripIsExact) {
  Json json = to_json(split_plan());
  Result<Plan> again = plan_from_json(json);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(json.dump(), to_json(*again).dump());
}

TEST(Plan, ReadingNamesTheProblem) {
  Json json = to_json(split_plan());
  json["variants"][0]["launches"][0]["args"][0]["buffer"] = "z";
  EXPECT_NE(std::string::npos, plan_from_json(json).error().message.find("kernel a takes \"z\""));
  json = to_json(split_plan());
  json["buffers"][0]["dtype"] = "float";
  EXPECT_NE(std::string::npos, plan_from_json(json).error().message.find("unknown dtype \"float\""));
  json = to_json(split_plan());
  json["variants"][0]["launches"][0]["grid"][0] = "cdiv(N";
  EXPECT_EQ("plan.expression", plan_from_json(json).error().code);
  EXPECT_FALSE(plan_from_json(Json::parse("[1, 2]")).has_value());
}

RunRequest request() {
  RunRequest request;
  request.gpu = "mi300x";
  request.code_objects = {
      std::string("\x7f"
                  "ELF\0x",
                  6)};
  request.plan = *resolve(split_plan(), {{"B", 3}, {"N", 130}, {"x.stride.1", 1}});
  request.buffers = {{"x", "abc", 1, 0, 3, false, true, false}, {"y", "", 0, 0, 0, true, false, true}};
  request.scalars = {1.5};
  request.only_groups = {0, 7};
  request.step_budget = 99;
  return request;
}

TEST(RunRequest, BytesRoundTrip) {
  std::string bytes = to_bytes(request());
  Result<RunRequest> again = run_request_from_bytes(bytes);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(bytes, to_bytes(*again));
  EXPECT_EQ("abc", again->buffers[0].data);
  EXPECT_EQ(1.5, again->scalars[0]);
  EXPECT_TRUE(again->buffers[1].read_back);
}

TEST(RunRequest, TruncatedOrWildBytesAreRefused) {
  std::string bytes = to_bytes(request());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(run_request_from_bytes(bytes.substr(0, size)).has_value()) << size;
  std::string wild = bytes;
  wild[8 + 7] = '\x7f';  // the length of the first string becomes huge
  EXPECT_FALSE(run_request_from_bytes(wild).has_value());
}

TEST(RunResult, BytesRoundTrip) {
  RunResult result;
  result.run.status = RunStatus::step_budget;
  result.run.findings.push_back(
      {"race", "two waves", "k", "kernel.hip:3", "ds_write_b32", 12, {1, 2, 3}, 4, ~0ull, 5, "kernel.hip:9", 1});
  LaunchProfile profile;
  profile.kernel = "k";
  profile.instructions["valu"] = 10;
  profile.bytes_loaded = 1 << 20;
  result.run.launches = {profile};
  result.buffers = {"", "abc"};
  result.written = {{}, {{0, 2}, {4, 8}}};
  Result<RunResult> again = run_result_from_bytes(to_bytes(result));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(to_bytes(result), to_bytes(*again));
  EXPECT_EQ(~0ull, again->run.findings[0].lanes);
}

TEST(Verdict, JsonKeepsInfinitiesAndOutcomes) {
  Verdict verdict;
  verdict.outcome = Outcome::wrong_value;
  CaseVerdict one;
  one.name = "small";
  one.outcome = Outcome::wrong_value;
  one.max_error = __builtin_inf();
  one.elements = 17;
  verdict.cases = {one};
  Result<Verdict> again = verdict_from_json(to_json(verdict));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(to_json(verdict).dump(), to_json(*again).dump());
  EXPECT_EQ(__builtin_inf(), again->cases[0].max_error);
}

}  // namespace
}  // namespace hipvault
