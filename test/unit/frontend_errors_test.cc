// Bad input: every refusal names the place and says what was expected and what was found.

#include <gtest/gtest.h>

#include "frontend/hv.h"

namespace hipvault::frontend {
namespace {

constexpr const char* kStandard =
    "fn softmax(x, N) = exp(x - max(x, N)) / sum(exp(x - max(x, N)), N)\n"
    "fn clamp(x, lo, hi) = minimum(maximum(x, lo), hi)\n";

struct Refusal {
  const char* text;     // of the file
  const char* message;  // somewhere in the rendered diagnostic
  int line, column;
};

Diagnostic refuse(const std::string& text) {
  Result<OpFileRef> file = parse_file(text, "ops/bad.hv", kStandard);
  if (!file) return file.error();
  Result<ir::Program> program = instantiate(*file, op_names(*file)[0], {}, DType::f8e4m3fnuz);
  if (!program) return program.error();
  ADD_FAILURE() << "accepted:\n" << text;
  return {};
}

void expect_all(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    Diagnostic error = refuse(refusal.text);
    EXPECT_NE(render(error).find(refusal.message), std::string::npos) << refusal.text << "\ngave\n" << render(error);
    EXPECT_EQ(error.place.line, refusal.line) << refusal.text << render(error);
    EXPECT_EQ(error.place.column, refusal.column) << refusal.text << render(error);
  }
}

TEST(Errors, Syntax) {
  expect_all({
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x +\n", "expected a value, but found the end of the line", 2, 10},
      {"op a(x: f32[N] -> y: f32[N]\n  y = x\n", "expected ',' or ')' in the parameters, but found '->'", 1, 16},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = (x\n  case s: N=1\n",
       "this '(' is not closed: expected ')' before 'case' in line 3", 2, 7},
      {"op a(x: f32[N]) -> y: f32\n  y = x\n", "expected '[' with the axes of the result y", 1, 26},
      {"op a(x: f32[N]) -> y: f32[N]\n  y x\n", "expected '=' in a statement, but found 'x'", 2, 5},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x $ 2\n", "unexpected character '$'", 2, 9},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = 3x\n", "a number cannot be followed by 'x'", 2, 7},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = 0 < x < 1\n", "comparisons do not chain", 2, 13},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x\n  nan: ignore\n",
       "expected propagate or undefined after nan:, but found ignore", 3, 8},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = scan(N, (0, 1), p -> p + x)\n",
       "scan has 2 initial states, 1 names and 1 bodies", 2, 25},
      {"ops a()\n", "expected 'op' or 'fn', but found 'ops'", 1, 1},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = 99999999999999999999\n", "does not fit into 64 bits", 2, 7},
  });
}

TEST(Errors, Names) {
  expect_all({
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x + z\n", "there is no value named z", 2, 11},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = sofmax(x, N)\n", "there is no function named sofmax; did you mean softmax?",
       2, 7},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x + M\n", "there is no dimension named M", 2, 11},
      {"op a(x: f33[N]) -> y: f32[N]\n  y = x\n", "there is no element type named f33; did you mean f32?", 1, 9},
      {"op a(x: f32[N]) -> y: f32[M]\n  y = x\n", "there is no dimension named M", 1, 27},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x\n  y = x\n", "y is already defined, and a name is assigned once", 3, 3},
      {"op a(x: f32[N]) -> y: f32[N]\n  x = x\n  y = x\n", "x is an input and cannot be assigned", 2, 3},
      {"op a(x: f32[N]) -> y: f32[N], z: f32[N]\n  y = x\n", "the result z is never assigned", 1, 31},
      {"op a(inout x: f32[N], w: f32[N]) -> y: f32[N]\n  y = w\n", "the inout tensor x is never assigned", 1, 12},
      {"op a(X: f32[N]) -> y: f32[N]\n  y = 1\n", "X begins with a capital, as dimensions do", 1, 6},
      {"op a(x: f32[N], x: f32[N]) -> y: f32[N]\n  y = x\n", "the name x is already taken", 1, 17},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = softmax\n", "softmax is a function: expected '(' after it", 2, 7},
      {"fn f(x) = x + y\nop a(x: f32[N]) -> y: f32[N]\n  y = f(x)\n", "there is no formal of f named y", 1, 15},
      {"fn f(x) = f(x)\nop a(x: f32[N]) -> y: f32[N]\n  y = f(x)\n", "the function f calls itself without end", 1, 11},
      {"op a(x: f32[N]) -> y: f32[N]\n  t = y\n  y = x + t\n", "the result y is read before it is defined", 2, 7},
  });
}

TEST(Errors, Dimensions) {
  expect_all({
      {"op a(x: f32[M,N]) -> y: f32[M]\n  y = x\n", "the right side uses the dimension N, which y does not have", 2, 3},
      {"op a(x: f32[N], w: f32[M]) -> y: f32[N]\n  y = sum(x, M)\n",
       "sum reduces M, which its operand does not use (its dimensions: N)", 2, 14},
      {"op a(x: f32[N]) -> y: f32[]\n  y = max(x, 0)\n", "the larger or smaller of two values is maximum(a, b)", 2, 14},
      {"op a(x: f32[N,N]) -> y: f32[N]\n  y = x\n", "must be read with brackets", 2, 7},
      {"op a(x: f32[M,N]) -> y: f32[M]\n  y = x[M]\n", "x has 2 axes, but 1 indices are given", 2, 7},
      {"op a(x: f32[N]) -> y: f32[N]\n  s = x * 2\n  y = s[N]\n", "s was defined without brackets", 3, 7},
      {"op a(x: f32[N], w: f32[M]) -> y: f32[N]\n  y = at(x, M = 0)\n",
       "at() replaces M, which this expression does not use", 2, 10},
      {"op a(x: f32[A = B], y: f32[B = A]) -> z: f32[A]\n  z = x\n", "is defined in terms of itself", 1, 4},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = scan(N, x, p -> p + 1)\n",
       "the initial state uses N, the dimension that is scanned", 2, 15},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = scan(N, 0, p -> cumsum(p + x, N))\n",
       "cumsum cannot be used on the state of a scan", 2, 23},
      {"op a(x: f32[N]) -> y: f32[N]\n  x[N] += 1\n  y = x\n",
       "indexed assignment goes to results and inout tensors only", 2, 3},
  });
}

TEST(Errors, Types) {
  expect_all({
      {"op a(x: f32[N]) -> y: f32[N]\n  y = where(x, 1, 2)\n", "where needs truth values, but this is a real number", 2,
       13},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x & 1\n", "& needs integers, but this is a real number", 2, 7},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = x[x]\n", "an index must be an integer, but this is a real number", 2, 9},
      {"op a(x: f32[N]) -> y: bool[N]\n  y = x\n", "y is bool, but this is a number", 2, 3},
      {"op a(x: f32[N]) -> y: bool[]\n  y = any(x, N)\n", "any needs a truth value", 2, 11},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = clamp(x, 1)\n", "clamp takes 3 arguments (x, lo, hi), but 2 are given", 2,
       7},
      {"op a(x: f32[N]) -> y: f32[N]\n  y = exp(x, 2)\n", "exp takes 1 argument, but 2 are given", 2, 7},
  });
}

TEST(Errors, Notes) {
  const std::string head = "op a<T: f32 f16>(x: T[M,N], k: int = 2, e: float = 1) -> y: T[M,N]\n  y = x * k * e\n  ";
  auto message = [&](const std::string& note) { return render(refuse(head + note + "\n")); };
  EXPECT_NE(message("case s: M=1").find("the case s gives no value for N"), std::string::npos);
  EXPECT_NE(message("case s: M=1, N=2, Q=3").find("there is no size or parameter named Q"), std::string::npos);
  EXPECT_NE(message("case s: M=1, N=2, T=bf16").find("T cannot be bf16"), std::string::npos);
  EXPECT_NE(message("case s: M=1, N=2, x.stride=(1)").find("x has 2 axes, but 1 strides are given"), std::string::npos);
  EXPECT_NE(message("case s: M=1, N=2, x.stripe=(1)").find("expected x.stride or x.offset, but found x.stripe"),
            std::string::npos);
  EXPECT_NE(message("case s: M=-1, N=2").find("the size M cannot be negative"), std::string::npos);
  EXPECT_NE(message("input x: gauss(0, 1)").find("there is no distribution named gauss"), std::string::npos);
  EXPECT_NE(message("input x: normal(0)").find("normal takes 2 numbers, but 1 are given"), std::string::npos);
  EXPECT_NE(message("input z: normal(0, 1)").find("there is no input named z"), std::string::npos);
  EXPECT_NE(message("accumulate: f31").find("there is no element type named f31"), std::string::npos);
}

TEST(Errors, TheCaretPointsAndTheHintHelps) {
  EXPECT_EQ(render(refuse("op a(x: f32[N]) -> y: f32[N]\n  y = x + wheight\n  # comment\n")),
            "ops/bad.hv:2:11: error: there is no value named wheight [hv.unknown]\n"
            "    y = x + wheight\n"
            "            ^^^^^^^\n"
            "hint: known here: x");
}

TEST(Errors, AnErrorInAFunctionNamesItsCalls) {
  std::string text = render(refuse("fn f(x, N) = sum(x, N)\nop a(x: f32[N], w: f32[M]) -> y: f32[]\n  y = f(x, M)\n"));
  EXPECT_NE(text.find("ops/bad.hv:1:21: error: sum reduces M"), std::string::npos) << text;
  EXPECT_NE(text.find("while expanding f (ops/bad.hv:3)"), std::string::npos) << text;
}

TEST(Errors, UnknownOpsAndTypeVariables) {
  OpFileRef file = *parse_file("op a<T: f32>(x: T[N]) -> y: T[N]\n  y = x\nop b(x: f32[N]) -> y: f32[N]\n  y = x\n",
                               "ops/two.hv", kStandard);
  EXPECT_EQ(instantiate(file, "c", {}, DType::f8e4m3fnuz).error().message, "ops/two.hv has no op named c");
  EXPECT_EQ(instantiate(file, "", {}, DType::f8e4m3fnuz).error().hint, "name one of: a, b");
  EXPECT_EQ(instantiate(file, "a", {{"U", DType::f32}}, DType::f8e4m3fnuz).error().message,
            "there is no type variable named U");
  EXPECT_EQ(instantiate(file, "a", {{"T", DType::f16}}, DType::f8e4m3fnuz).error().message, "T cannot be f16");
}

}  // namespace
}  // namespace hipvault::frontend
