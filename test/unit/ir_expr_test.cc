#include <gtest/gtest.h>

#include "ir/expr.h"
#include "ir/program.h"

namespace hipvault::ir {
namespace {

ExprRef at(const std::string& tensor, std::vector<ExprRef> indices) {
  return load(tensor, ValueType::real, std::move(indices));
}

TEST(Expr, PrintsWithTheParenthesesItNeeds) {
  ExprRef a = index("A"), b = index("B"), c = index("C");
  EXPECT_EQ(text(apply(Op::mul, {apply(Op::add, {a, b}), c})), "(A + B) * C");
  EXPECT_EQ(text(apply(Op::add, {apply(Op::mul, {a, b}), c})), "A * B + C");
  EXPECT_EQ(text(apply(Op::sub, {a, apply(Op::sub, {b, c})})), "A - (B - C)");
  EXPECT_EQ(text(apply(Op::pow, {apply(Op::neg, {a}), integer(2)})), "(-A) ** 2");
  EXPECT_EQ(text(apply(Op::neg, {apply(Op::pow, {a, integer(2)})})), "-A ** 2");
  EXPECT_EQ(text(apply(Op::pow, {integer(-2), integer(2)})), "(-2) ** 2");
  EXPECT_EQ(text(apply(Op::lt, {apply(Op::bit_and, {a, b}), c})), "A & B < C");
  EXPECT_EQ(text(apply(Op::logical_not, {apply(Op::logical_and, {apply(Op::lt, {a, b}), boolean(true)})})),
            "not (A < B and true)");
  EXPECT_EQ(text(number(2)), "2.0");
  EXPECT_EQ(text(number(-1.5)), "-1.5");
  EXPECT_EQ(text(apply(Op::add, {load("x", ValueType::real, {a}, number(0)), number(1)})), "x[A] else 0.0 + 1.0");
  EXPECT_EQ(text(reduce(Reduction::sum, at("x", {a, b}), {"A", "B"})), "sum(x[A, B], A, B)");
  EXPECT_EQ(text(cast(DType::bf16, at("x", {a}))), "bf16(x[A])");
  EXPECT_EQ(text(size(cdiv(IntExpr::name("N"), IntExpr(8)))), "-(-size(N) // 8)");
}

TEST(Expr, TypesJoin) {
  EXPECT_EQ(apply(Op::add, {boolean(true), boolean(true)})->type, ValueType::integer);
  EXPECT_EQ(apply(Op::add, {integer(1), number(1)})->type, ValueType::real);
  EXPECT_EQ(apply(Op::div, {integer(1), integer(2)})->type, ValueType::real);
  EXPECT_EQ(apply(Op::floordiv, {integer(1), integer(2)})->type, ValueType::integer);
  EXPECT_EQ(apply(Op::select, {boolean(true), integer(1), number(2)})->type, ValueType::real);
  EXPECT_EQ(reduce(Reduction::sum, apply(Op::lt, {index("N"), integer(3)}), {"N"})->type, ValueType::integer);
  EXPECT_EQ(reduce(Reduction::argmax, at("x", {index("N")}), {"N"})->type, ValueType::integer);
}

TEST(Expr, FreeDimensionsLeaveOutTheBoundOnes) {
  ExprRef e = apply(Op::mul, {reduce(Reduction::sum, at("x", {index("M"), index("N")}), {"N"}), index("K")});
  EXPECT_EQ(e->free, (std::set<std::string>{"K", "M"}));
}

TEST(Expr, SubstitutesAllAtOnce) {
  ExprRef e = at("x", {index("A"), index("B")});
  EXPECT_EQ(text(substitute(e, {{"A", index("B")}, {"B", index("A")}})), "x[B, A]");
}

TEST(Expr, SubstitutionRenamesWhatItWouldCapture) {
  ExprRef e = reduce(Reduction::sum, at("x", {index("D"), index("E")}), {"D"});
  EXPECT_EQ(text(substitute(e, {{"E", index("D")}})), "sum(x[D__1, D], D__1)");
  EXPECT_EQ(text(substitute(e, {{"D", integer(0)}})), text(e)) << "a bound dimension is not free";
  EXPECT_EQ(base_dim("D__1"), "D");
}

TEST(Expr, EqualityIsStructural) {
  auto make = [](double value) { return apply(Op::add, {at("x", {index("N")}), number(value)}); };
  EXPECT_TRUE(equal(make(1), make(1)));
  EXPECT_FALSE(equal(make(1), make(2)));
  EXPECT_FALSE(equal(number(0.0), number(-0.0))) << "the two zeros differ";
}

Program rows() {
  Program p;
  p.name = "rows";
  p.dims = {{"B", IntExpr::name("B"), true}, {"N", IntExpr::name("N"), true}, {"H", *IntExpr::parse("N / 2"), false}};
  p.int_params = {{"k", 3}};
  p.require = {*IntExpr::parse("N <= 64")};
  p.tensors = {{"x", DType::f32, Role::input, {IntExpr::name("B"), IntExpr::name("N")}, {"B", "N"}},
               {"y", DType::f32, Role::output, {IntExpr::name("B"), IntExpr::name("N")}, {"B", "N"}}};
  ExprRef x = at("x", {index("B"), index("N")});
  ExprRef top = apply(Op::exp, {apply(Op::sub, {x, reduce(Reduction::max, x, {"N"})})});
  Stage stage;
  stage.value = apply(Op::div, {top, reduce(Reduction::sum, top, {"N"})});
  stage.outputs = {Output{"y", {"B", "N"}, ValueType::real, DType::f32, true}};
  p.stages = {stage};
  return p;
}

std::string refusal(const Sizes& given) {
  Result<Sizes> bound = bind_sizes(rows(), given);
  return bound ? "" : bound.error().message + " | " + bound.error().hint;
}

TEST(BindSizes, DerivesAndFillsIn) {
  Result<Sizes> bound = bind_sizes(rows(), {{"B", 2}, {"N", 10}});
  ASSERT_TRUE(bound);
  EXPECT_EQ(*bound, (Sizes{{"B", 2}, {"N", 10}, {"H", 5}, {"k", 3}}));
}

TEST(BindSizes, SaysWhatIsWrong) {
  EXPECT_EQ(refusal({{"B", 2}}), "the size N of op rows has no value | give a value to each of: B, N, k");
  EXPECT_EQ(refusal({{"B", 2}, {"N", 4}, {"Q", 1}}), "op rows has no size named Q | its sizes are: B, N, k");
  EXPECT_NE(refusal({{"B", 2}, {"N", 5}}).find("the size H: 5 is not a multiple of 2"), std::string::npos);
  EXPECT_NE(refusal({{"B", 2}, {"N", 66}}).find("requires N <= 64, which does not hold for N=66"), std::string::npos);
  EXPECT_NE(refusal({{"B", -1}, {"N", 4}}).find("the size B is -1, but a size cannot be negative"), std::string::npos);
  EXPECT_NE(refusal({{"B", 1}, {"N", 4}, {"H", 3}}).find("the size H is N / 2 = 2, but 3 was given"),
            std::string::npos);
}

TEST(Normalise, GivesEachReductionItsStage) {
  EXPECT_EQ(text(normalise(rows())),
            "op rows(x: f32[B, N], k: int = 3) -> y: f32[B, N]\n"
            "  dim H = N / 2\n"
            "  require N <= 64\n"
            "  x_max[B] = max(x, N)\n"
            "  y_sum[B] = sum(exp(x - x_max), N)\n"
            "  y[B, N] = exp(x - x_max) / y_sum\n");
}

TEST(Normalise, MergesAndTurnsMeansIntoSums) {
  Program p = rows();
  ExprRef x = at("x", {index("B"), index("N")});
  p.tensors[1].shape.clear();
  p.tensors[1].axis_dims.clear();
  p.stages[0].outputs[0].dims.clear();
  p.stages[0].value = apply(Op::add, {reduce(Reduction::mean, x, {"B", "N"}),
                                      reduce(Reduction::sum, reduce(Reduction::sum, x, {"N"}), {"B"})});
  std::string printed = text(normalise(p));
  EXPECT_NE(printed.find("x_sum = sum(x, B, N)\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("y = x_sum / (size(B) * size(N)) + x_sum\n"), std::string::npos) << printed;
}

TEST(Normalise, TakesABranchesConditionAlong) {
  // where(B > 0, sum(x[B - 1, N], N), 0): lifted without its condition it would read x[-1, N].
  Program p = rows();
  ExprRef before = at("x", {apply(Op::sub, {index("B"), integer(1)}), index("N")});
  p.tensors[1].shape = {IntExpr::name("B")};
  p.tensors[1].axis_dims = {"B"};
  p.stages[0].outputs[0].dims = {"B"};
  p.stages[0].value =
      apply(Op::select, {apply(Op::gt, {index("B"), integer(0)}), reduce(Reduction::sum, before, {"N"}), number(0)});
  std::string printed = text(normalise(p));
  EXPECT_NE(printed.find("y_sum[B] = sum(where(B > 0, x[B - 1, N], 0.0), N)"), std::string::npos) << printed;
}

}  // namespace
}  // namespace hipvault::ir
