// The interpreter against host loops, hand-computed values and published numbers; and its error bounds against honest
// float computations in several orders, which must stay inside.

#include "ir/interpret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "ir/interpret_scalar.h"

namespace hipvault::ir {
namespace {

ExprRef at(const std::string& tensor, std::vector<ExprRef> indices) {
  return load(tensor, ValueType::real, std::move(indices));
}
ExprRef x_bn() { return at("x", {index("B"), index("N")}); }

struct World {
  Program program;
  std::map<std::string, HostTensor> data;
  Bindings bindings;

  World(Sizes sizes) {
    program.name = "op";
    for (const auto& [name, value] : sizes) program.dims.push_back({name, IntExpr::name(name), true});
    bindings.sizes = std::move(sizes);
  }
  void tensor(const std::string& name, DType dtype, Role role, const std::vector<std::string>& dims) {
    Tensor t{name, dtype, role, {}, dims};
    std::vector<int64_t> shape;
    for (const std::string& dim : dims) t.shape.push_back(IntExpr::name(dim)), shape.push_back(bindings.sizes.at(dim));
    program.tensors.push_back(t);
    if (role != Role::output) bindings.tensors[name] = &(data[name] = make_tensor(name, dtype, shape));
  }
  void fill(const std::string& name, const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i)
      encode(data[name].dtype, data[name].bytes.data(), static_cast<int64_t>(i), values[i]);
  }
  void fill_normal(const std::string& name, uint64_t seed) {
    Random random(seed);
    for (int64_t i = 0; i < data[name].elements(); ++i)
      encode(data[name].dtype, data[name].bytes.data(), i, random.normal());
  }
  double get(const std::string& name, int64_t i) { return decode(data[name].dtype, data[name].bytes.data(), i); }
  Stage& map(const std::string& output, const std::vector<std::string>& dims, ExprRef value) {
    Stage stage;
    stage.value = std::move(value);
    const Tensor* t = program.tensor(output);
    Output out{output, dims, stage.value->type, std::nullopt, true};
    if (t != nullptr) out.dtype = t->dtype, out.type = type_of(t->dtype);
    stage.outputs = {out};
    program.stages.push_back(stage);
    return program.stages.back();
  }
  std::vector<double> all(const std::string& output, size_t budget = 64 << 20) {
    Interpreter interpreter(program, bindings, {}, budget);
    Result<HostTensor> result = interpreter.tensor(output);
    std::vector<double> values;
    if (!result) return ADD_FAILURE() << render(result.error()), values;
    for (int64_t i = 0; i < result->elements(); ++i) values.push_back(decode(result->dtype, result->bytes.data(), i));
    return values;
  }
  std::string refusal(const std::string& output) {
    Interpreter interpreter(program, bindings);
    Result<HostTensor> result = interpreter.tensor(output);
    return result ? "" : result.error().message;
  }
};

TEST(Interpret, PhiloxIsRandom123s) {
  // Random123's kat_vectors, philox4x32-10, key and counter zero: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  EXPECT_EQ(philox_word(0, 0), 0x6627e8d5u);
}

TEST(Interpret, SoftmaxOfARow) {
  World w({{"B", 3}, {"N", 37}});
  w.tensor("x", DType::f32, Role::input, {"B", "N"});
  w.tensor("y", DType::f32, Role::output, {"B", "N"});
  w.fill_normal("x", 5);
  ExprRef top = apply(Op::exp, {apply(Op::sub, {x_bn(), reduce(Reduction::max, x_bn(), {"N"})})});
  w.map("y", {"B", "N"}, apply(Op::div, {top, reduce(Reduction::sum, top, {"N"})}));
  std::vector<double> got = w.all("y");
  for (int64_t b = 0; b < 3; ++b) {
    double largest = -1e300, sum = 0;
    for (int64_t n = 0; n < 37; ++n) largest = std::max(largest, w.get("x", b * 37 + n));
    for (int64_t n = 0; n < 37; ++n) sum += std::exp(w.get("x", b * 37 + n) - largest);
    for (int64_t n = 0; n < 37; ++n)
      EXPECT_EQ(got[static_cast<size_t>(b * 37 + n)],
                static_cast<float>(std::exp(w.get("x", b * 37 + n) - largest) / sum));
  }
}

TEST(Interpret, AnythingFitsIntoLittleMemory) {
  World w({{"B", 5}, {"N", 64}});
  w.tensor("x", DType::f32, Role::input, {"B", "N"});
  w.tensor("y", DType::f32, Role::output, {"B", "N"});
  w.fill_normal("x", 6);
  Stage running;
  running.kind = Stage::Kind::cumulative;
  running.value = apply(Op::exp, {x_bn()});
  running.dim = "N";
  running.outputs = {Output{"c", {"B", "N"}, ValueType::real, std::nullopt, true}};
  w.program.stages.push_back(running);
  Stage scan;
  scan.kind = Stage::Kind::scan;
  scan.dim = "N";
  scan.states = {{"p",
                  {"B"},
                  number(0),
                  apply(Op::add, {apply(Op::mul, {number(0.5), state("p", ValueType::real, {index("B")})}),
                                  at("c", {index("B"), index("N")})})}};
  scan.outputs = {Output{"s", {"B", "N"}, ValueType::real, std::nullopt, true}};
  w.program.stages.push_back(scan);
  w.map("y", {"B", "N"}, apply(Op::add, {at("s", {index("B"), index("N")}), reduce(Reduction::sum, x_bn(), {"B"})}));
  std::vector<double> roomy = w.all("y"), tight = w.all("y", 600);
  EXPECT_EQ(roomy, tight);
  double c = 0, s = 0;
  for (int64_t n = 0; n < 64; ++n) {
    c += std::exp(w.get("x", 64 + n));
    s = 0.5 * s + c;
    double column = 0;
    for (int64_t b = 0; b < 5; ++b) column += w.get("x", b * 64 + n);
    EXPECT_NEAR(tight[static_cast<size_t>(64 + n)], s + column, 1e-5 * std::fabs(s));
  }
}

TEST(Interpret, StridesAndOffsets) {
  World w({{"M", 2}, {"N", 3}});
  w.tensor("x", DType::i8, Role::input, {"M", "N"});
  w.tensor("y", DType::i32, Role::output, {"N"});
  HostTensor& x = w.data["x"];
  x.bytes.assign(16, '\x55');
  x.strides = {1, 4};
  x.offset = 3;
  for (int64_t m = 0; m < 2; ++m)
    for (int64_t n = 0; n < 3; ++n) x.bytes[static_cast<size_t>(3 + m + 4 * n)] = static_cast<char>(10 * m + n);
  w.map("y", {"N"}, reduce(Reduction::sum, load("x", ValueType::integer, {index("M"), index("N")}), {"M"}));
  EXPECT_EQ(w.all("y"), (std::vector<double>{10, 12, 14}));
}

TEST(Interpret, WhereAndElseEvaluateOnlyWhatTheyTake) {
  World w({{"B", 1}, {"N", 4}});
  w.tensor("x", DType::f32, Role::input, {"B", "N"});
  w.tensor("y", DType::f32, Role::output, {"N"});
  w.fill("x", {1, 2, 3, 4});
  ExprRef before = at("x", {integer(0), apply(Op::sub, {index("N"), integer(1)})});
  w.map("y", {"N"}, apply(Op::select, {apply(Op::gt, {index("N"), integer(0)}), before, number(-1)}));
  EXPECT_EQ(w.all("y"), (std::vector<double>{-1, 1, 2, 3}));
  w.program.stages[0].value = before;
  EXPECT_NE(w.refusal("y").find("index -1 of axis 1 of x is outside 0 … 3 in the computation of y at N=0"),
            std::string::npos)
      << w.refusal("y");
  w.program.stages[0].value =
      load("x", ValueType::real, {integer(0), apply(Op::add, {index("N"), integer(2)})}, number(9));
  EXPECT_EQ(w.all("y"), (std::vector<double>{3, 4, 9, 9}));
}

TEST(Interpret, EmptyReductions) {
  World w({{"B", 2}, {"N", 0}});
  w.tensor("x", DType::f32, Role::input, {"B", "N"});
  w.tensor("y", DType::f32, Role::output, {"B"});
  auto first = [&](Reduction kind) {
    w.program.stages.clear();
    w.map("y", {"B"}, reduce(kind, x_bn(), {"N"}));
    return w.all("y")[0];
  };
  EXPECT_EQ(first(Reduction::sum), 0);
  EXPECT_EQ(first(Reduction::prod), 1);
  EXPECT_EQ(first(Reduction::max), -INFINITY);
  EXPECT_EQ(first(Reduction::min), INFINITY);
  w.program.stages.clear();
  w.map("y", {"B"}, reduce(Reduction::mean, x_bn(), {"N"}));
  EXPECT_NE(w.refusal("y").find("the mean of no values"), std::string::npos);
}

TEST(Interpret, IntegersAreExactOrRefused) {
  World w({{"N", 1}});
  w.tensor("x", DType::i64, Role::input, {"N"});
  w.tensor("y", DType::i64, Role::output, {"N"});
  auto with = [&](int64_t value, ExprRef e) {
    encode_int(DType::i64, w.data["x"].bytes.data(), 0, value);
    w.program.stages.clear();
    w.map("y", {"N"}, std::move(e));
  };
  ExprRef x = load("x", ValueType::integer, {index("N")});
  with(INT64_MAX - 1, apply(Op::add, {x, integer(1)}));
  Interpreter interpreter(w.program, w.bindings);
  EXPECT_EQ(interpreter.element("y", {0})->integer, INT64_MAX);
  with(INT64_MAX, apply(Op::add, {x, integer(1)}));
  EXPECT_NE(w.refusal("y").find("an integer overflow"), std::string::npos);
  with(-7, apply(Op::floordiv, {x, integer(2)}));
  EXPECT_EQ(w.all("y")[0], -4);
  with(-7, apply(Op::mod, {x, integer(2)}));
  EXPECT_EQ(w.all("y")[0], 1);
  with(1, apply(Op::floordiv, {x, integer(0)}));
  EXPECT_NE(w.refusal("y").find("an integer division by zero"), std::string::npos);
  with(300, cast(DType::i8, x));
  EXPECT_NE(w.refusal("y").find("300 does not fit into i8"), std::string::npos);
  with(3, cast(DType::i8, number(-2.9)));
  EXPECT_EQ(w.all("y")[0], -2) << "casts to integers truncate";
}

TEST(Interpret, SortIsStableAndNanIsTheLargest) {
  World w({{"N", 6}, {"K", 3}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.fill("x", {2, NAN, 1, 2, INFINITY, 1});
  Stage sort;
  sort.kind = Stage::Kind::sort;
  sort.value = at("x", {index("N")});
  sort.dim = "N";
  sort.outputs = {Output{"v", {"N"}, ValueType::real, std::nullopt, true},
                  Output{"i", {"N"}, ValueType::integer, std::nullopt, true}};
  w.program.stages = {sort};
  EXPECT_EQ(w.all("i"), (std::vector<double>{2, 5, 0, 3, 4, 1}));
  w.program.stages[0].descending = true;
  EXPECT_EQ(w.all("i"), (std::vector<double>{1, 4, 0, 3, 2, 5}));
  w.program.stages[0].kind = Stage::Kind::topk;
  w.program.stages[0].new_dim = "K";
  for (Output& output : w.program.stages[0].outputs) output.dims = {"K"};
  EXPECT_EQ(w.all("i"), (std::vector<double>{1, 4, 0}));
  EXPECT_EQ(w.all("v")[2], 2);
}

TEST(Interpret, CumulativeBothWays) {
  World w({{"N", 4}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.fill("x", {1, 2, 3, 4});
  Stage stage;
  stage.kind = Stage::Kind::cumulative;
  stage.value = at("x", {index("N")});
  stage.dim = "N";
  stage.outputs = {Output{"c", {"N"}, ValueType::real, std::nullopt, true}};
  w.program.stages = {stage};
  Stage& s = w.program.stages[0];
  EXPECT_EQ(w.all("c"), (std::vector<double>{1, 3, 6, 10}));
  s.reverse = true;
  EXPECT_EQ(w.all("c"), (std::vector<double>{10, 9, 7, 4}));
  s.exclusive = true;
  EXPECT_EQ(w.all("c"), (std::vector<double>{9, 7, 4, 0}));
  s.reverse = false, s.reduction = Reduction::prod;
  EXPECT_EQ(w.all("c"), (std::vector<double>{1, 1, 2, 6}));
  s.reduction = Reduction::max;
  EXPECT_EQ(w.all("c"), (std::vector<double>{-INFINITY, 1, 2, 3}));
}

TEST(Interpret, ScatterAddsAndRefusesDoubleAssignment) {
  World w({{"N", 5}, {"V", 3}, {"D", 2}});
  w.tensor("i", DType::i32, Role::input, {"N"});
  w.tensor("x", DType::f32, Role::input, {"N", "D"});
  w.tensor("t", DType::f32, Role::inout, {"V", "D"});
  for (int64_t n = 0; n < 5; ++n)
    encode_int(DType::i32, w.data["i"].bytes.data(), n, std::vector<int64_t>{0, 2, 0, -1, 2}[static_cast<size_t>(n)]);
  w.fill("x", {1, 10, 2, 20, 3, 30, 4, 40, 5, 50});
  w.fill("t", {100, 200, 300, 400, 500, 600});
  Stage scatter;
  scatter.kind = Stage::Kind::scatter;
  scatter.scatter_op = ScatterOp::add;
  ExprRef i = load("i", ValueType::integer, {index("N")});
  scatter.indices = {i, index("D")};
  scatter.value = at("x", {index("N"), index("D")});
  scatter.condition = apply(Op::ge, {i, integer(0)});
  scatter.over = {"N", "D"};
  scatter.outputs = {Output{"t", {"V", "D"}, ValueType::real, DType::f32, true}};
  w.program.stages = {scatter};
  EXPECT_EQ(w.all("t"), (std::vector<double>{104, 240, 300, 400, 507, 670}));
  EXPECT_EQ(w.all("t", 100), w.all("t")) << "without room for the list of places";
  w.program.stages[0].scatter_op = ScatterOp::max;
  EXPECT_EQ(w.all("t"), (std::vector<double>{100, 200, 300, 400, 500, 600}));
  w.program.stages[0].scatter_op = ScatterOp::assign;
  EXPECT_NE(w.refusal("t").find("'=' writes twice to one element of t"), std::string::npos);
  w.program.stages[0].scatter_op = ScatterOp::add;
  w.program.stages[0].condition = nullptr;
  EXPECT_NE(w.refusal("t").find("index -1 of axis 0 of t is outside 0 … 2"), std::string::npos);
}

// Honest kernels in float: whatever the order of the sum, they must stay inside the bound, and the bound must be tight
// enough to catch a kernel that keeps its sum in bfloat16.
TEST(ErrorBounds, HoldForSumsInAnyOrder) {
  constexpr int64_t kTerms = 3000;
  World w({{"B", 4}, {"N", kTerms}});
  w.tensor("x", DType::f32, Role::input, {"B", "N"});
  w.tensor("y", DType::f32, Role::output, {"B"});
  w.fill_normal("x", 7);
  w.map("y", {"B"}, reduce(Reduction::sum, apply(Op::exp, {apply(Op::mul, {x_bn(), number(0.5)})}), {"N"}));
  Interpreter interpreter(w.program, w.bindings);
  for (int64_t b = 0; b < 4; ++b) {
    Value value = *interpreter.element("y", {b});
    std::vector<float> terms;
    for (int64_t n = 0; n < kTerms; ++n)
      terms.push_back(std::exp(static_cast<float>(w.get("x", b * kTerms + n)) * 0.5f));
    float forward = 0, lanes[64] = {}, coarse = 0;
    for (float term : terms) forward += term, coarse = static_cast<float>(round_to(DType::bf16, coarse + term));
    for (size_t n = 0; n < terms.size(); ++n) lanes[n % 64] += terms[n];
    float tree = std::accumulate(lanes, lanes + 64, 0.0f);
    EXPECT_LE(std::fabs(forward - value.real), value.error);
    EXPECT_LE(std::fabs(tree - value.real), value.error);
    EXPECT_GT(std::fabs(coarse - value.real), value.error);
    EXPECT_LT(value.error, 1e-4 * value.real);
  }
}

TEST(ErrorBounds, HoldForFunctions) {
  struct Case {
    Op op;
    float (*f)(float);
  };
  const Case cases[] = {{Op::exp, std::exp},   {Op::log, std::log},     {Op::sqrt, std::sqrt},
                        {Op::tanh, std::tanh}, {Op::erf, std::erf},     {Op::sin, std::sin},
                        {Op::cos, std::cos},   {Op::log1p, std::log1p}, {Op::expm1, std::expm1}};
  World w({{"N", 500}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("y", DType::f32, Role::output, {"N"});
  Random random(3);
  std::vector<double> values;
  for (int n = 0; n < 500; ++n) values.push_back(std::exp(4 * random.uniform() - 3));
  w.fill("x", values);
  ExprRef inner = apply(Op::mul, {at("x", {index("N")}), number(1.0 / 3)});
  for (const Case& one : cases) {
    w.program.stages.clear();
    w.map("y", {"N"}, apply(one.op, {inner}));
    Interpreter interpreter(w.program, w.bindings);
    for (int64_t n = 0; n < 500; ++n) {
      Value value = *interpreter.element("y", {n});
      float honest = one.f(static_cast<float>(w.get("x", n)) * (1.0f / 3));
      EXPECT_LE(std::fabs(honest - value.real), value.error) << op_name(one.op) << " at " << w.get("x", n);
      EXPECT_LE(value.error, 2e-5 * (1 + std::fabs(value.real))) << op_name(one.op);
    }
  }
}

TEST(ErrorBounds, ExactThingsHaveNone) {
  World w({{"N", 3}});
  w.tensor("x", DType::bf16, Role::input, {"N"});
  w.tensor("y", DType::bf16, Role::output, {"N"});
  w.fill("x", {1.5, -2, INFINITY});
  w.map("y", {"N"}, apply(Op::maximum, {apply(Op::neg, {at("x", {index("N")})}), number(0)}));
  Interpreter interpreter(w.program, w.bindings);
  for (int64_t n = 0; n < 3; ++n) EXPECT_EQ(interpreter.element("y", {n})->error, 0);
}

// An honest kernel computes x / (1 + exp(-x)) in f32: at -89 exp(89) is infinity there, and the quotient zero.
TEST(ErrorBounds, HoldWhereF32Overflows) {
  World w({{"N", 64}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("y", DType::f32, Role::output, {"N"});
  std::vector<double> values;
  for (int n = 0; n < 64; ++n) values.push_back(-80 - n * 0.5);
  w.fill("x", values);
  ExprRef x = at("x", {index("N")}), e = apply(Op::exp, {apply(Op::neg, {x})});
  w.map("y", {"N"}, apply(Op::div, {x, apply(Op::add, {number(1), e})}));
  Interpreter interpreter(w.program, w.bindings);
  for (int64_t n = 0; n < 64; ++n) {
    Value value = *interpreter.element("y", {n});
    float v = static_cast<float>(w.get("x", n)), honest = v / (1 + std::exp(-v));
    EXPECT_LE(std::fabs(honest - value.real), value.error) << v;
    EXPECT_NEAR(value.real, v * std::exp(double{v}), 1e-6 * std::fabs(value.real) + 0x1p-149);
    if (v > -87) EXPECT_LT(value.error, 1e-5 * std::fabs(value.real) + 0x1p-125) << v;
  }
}

TEST(ErrorBounds, InfinityIsOnlyWhereF32HasIt) {
  World w({{"N", 3}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("y", DType::f32, Role::output, {"N"});
  w.fill("x", {80, 89, 200});
  ExprRef e = apply(Op::exp, {at("x", {index("N")})});
  auto values = [&](ExprRef expr) {
    w.program.stages.clear();
    w.map("y", {"N"}, std::move(expr));
    Interpreter interpreter(w.program, w.bindings);
    std::vector<Value> found;
    for (int64_t n = 0; n < 3; ++n) found.push_back(*interpreter.element("y", {n}));
    return found;
  };
  std::vector<Value> stored = values(e);  // what is stored is infinity for certain
  EXPECT_EQ(stored[1].real, INFINITY);
  EXPECT_EQ(stored[1].error, 0);
  std::vector<Value> back = values(apply(Op::log, {e}));  // log(inf) is inf, not 89
  EXPECT_LT(back[0].error, 1e-4);
  EXPECT_EQ(back[1].error, INFINITY);
  std::vector<Value> large = values(apply(Op::select, {apply(Op::gt, {e, number(1e9)}), number(1), number(0)}));
  for (const Value& value : large) EXPECT_EQ(value.error, 0) << "infinity is greater too";
  std::vector<Value> bounded = values(apply(Op::tanh, {e}));
  for (const Value& value : bounded) EXPECT_LT(value.error, 1e-5);
}

TEST(ErrorBounds, ConstantsAreRoundedToo) {
  const double constant = 1.5 + 0x1.fp-25;  // f32 has 1.5
  World w({{"N", 4000}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("y", DType::f64, Role::output, {"N"});
  Random random(12);
  std::vector<double> values;
  for (int n = 0; n < 4000; ++n) values.push_back(1 + random.uniform());
  w.fill("x", values);
  w.map("y", {"N"}, apply(Op::mul, {at("x", {index("N")}), number(constant)}));
  Interpreter interpreter(w.program, w.bindings);
  for (int64_t n = 0; n < 4000; ++n) {
    Value value = *interpreter.element("y", {n});
    float honest = static_cast<float>(w.get("x", n)) * static_cast<float>(constant);
    EXPECT_LE(std::fabs(honest - value.real), value.error);
    EXPECT_LT(value.error, 3 * 0x1p-24 * value.real);
  }
  w.program.stages.clear();
  w.map("y", {"N"}, apply(Op::maximum, {at("x", {index("N")}), number(0.25)}));
  Interpreter exact(w.program, w.bindings);
  EXPECT_EQ(exact.element("y", {0})->error, 0) << "0.25 is exact";
}

// The reference is off by roundings of its own when it computes in the kernel's type.
TEST(ErrorBounds, HoldForF64InAnyOrder) {
  World w({{"N", 20000}});
  for (const char* name : {"a", "b", "c"}) w.tensor(name, DType::f64, Role::input, {"N"});
  w.tensor("y", DType::f64, Role::output, {"N"});
  uint64_t seed = 4;
  for (const char* name : {"a", "b", "c"}) w.fill_normal(name, seed++);
  ExprRef a = at("a", {index("N")}), b = at("b", {index("N")}), c = at("c", {index("N")});
  w.map("y", {"N"}, apply(Op::mul, {apply(Op::mul, {a, b}), c}));
  ErrorModel model;
  model.unit_roundoff = 0x1p-53;
  Interpreter interpreter(w.program, w.bindings, model);
  for (int64_t n = 0; n < 20000; ++n) {
    Value value = *interpreter.element("y", {n});
    double honest = w.get("a", n) * (w.get("b", n) * w.get("c", n));
    EXPECT_LE(std::fabs(honest - value.real), value.error);
    EXPECT_LT(value.error, 6 * 0x1p-53 * std::fabs(value.real));
  }
}

// place = the first n with x[n] / 3 > 1/3: with x = 0 .3 .6 1 1.5 …, x[3] is on the border, so place 3 or 4.
TEST(Acceptable, TheFirstOfUncertainChoices) {
  World w({{"N", 8}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("t", DType::i32, Role::input, {"N"});
  w.tensor("place", DType::i64, Role::output, {});
  w.tensor("y", DType::i32, Role::output, {});
  w.fill("x", {0, 0.3, 0.6, 1, 1.5, 2, 3, 4});
  for (int64_t n = 0; n < 8; ++n) encode_int(DType::i32, w.data["t"].bytes.data(), n, 10 + n);
  ExprRef third = apply(Op::div, {at("x", {index("N")}), number(3)});
  ExprRef first = reduce(
      Reduction::min,
      apply(Op::select, {apply(Op::gt, {third, number(1.0 / 3)}), index("N"), size(IntExpr::name("N") - IntExpr(1))}),
      {"N"});
  w.map("place", {}, first);
  w.map("y", {}, load("t", ValueType::integer, {first}));
  Interpreter interpreter(w.program, w.bindings);
  for (int n = 0; n < 8; ++n) {
    EXPECT_EQ(*interpreter.acceptable("place", {}, n), n == 3 || n == 4) << n;
    EXPECT_EQ(*interpreter.acceptable("y", {}, 10 + n), n == 3 || n == 4) << n;
  }
  EXPECT_EQ(interpreter.element("place", {})->error, 1);
}

TEST(Acceptable, NearTiesOfPositionsOnly) {
  World w({{"N", 4}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("i", DType::i64, Role::output, {});
  w.fill("x", {1, 2, 2 + 1e-7, 0});
  ExprRef scaled = apply(Op::div, {at("x", {index("N")}), number(3)});
  w.map("i", {}, reduce(Reduction::argmax, scaled, {"N"}));
  Interpreter computed(w.program, w.bindings);
  // 2 + 1e-7 is stored as 2: a tie of equal floats that division could tell apart in neither order.
  EXPECT_TRUE(*computed.acceptable("i", {}, 1));
  EXPECT_TRUE(*computed.acceptable("i", {}, 2));
  EXPECT_FALSE(*computed.acceptable("i", {}, 0));
  EXPECT_FALSE(*computed.acceptable("i", {}, 4));
  EXPECT_FALSE(*computed.acceptable("i", {}, 1.5));
  w.program.stages.clear();
  w.map("i", {}, reduce(Reduction::argmax, at("x", {index("N")}), {"N"}));
  Interpreter exact(w.program, w.bindings);
  EXPECT_TRUE(*exact.acceptable("i", {}, 1));
  EXPECT_FALSE(*exact.acceptable("i", {}, 2)) << "exact ties go to the lower position";
}

TEST(Acceptable, RoundedValuesNearTheMiddle) {
  World w({{"N", 2}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("y", DType::i8, Role::output, {"N"});
  w.fill("x", {7.5, 8});
  // 7.5 * (1/3) * 3 is 7.5 within an error: 7 and 8 are both right. 8 is far from a middle.
  ExprRef e = apply(Op::mul, {apply(Op::div, {at("x", {index("N")}), number(3)}), number(3)});
  w.map("y", {"N"}, apply(Op::round, {e}));
  Interpreter interpreter(w.program, w.bindings);
  EXPECT_TRUE(*interpreter.acceptable("y", {0}, 7));
  EXPECT_TRUE(*interpreter.acceptable("y", {0}, 8));
  EXPECT_FALSE(*interpreter.acceptable("y", {0}, 6));
  EXPECT_TRUE(*interpreter.acceptable("y", {1}, 8));
  EXPECT_FALSE(*interpreter.acceptable("y", {1}, 7));
}

TEST(Interpret, UnknownOutputsAreNamed) {
  World w({{"N", 1}});
  w.tensor("x", DType::f32, Role::input, {"N"});
  w.tensor("y", DType::f32, Role::output, {"N"});
  w.map("y", {"N"}, at("x", {index("N")}));
  Interpreter interpreter(w.program, w.bindings);
  EXPECT_EQ(interpreter.element("z", {0}).error().message, "op op has no output named z");
  EXPECT_EQ(interpreter.element("y", {1}).error().message, "an element outside y");
  EXPECT_EQ(interpreter.element("y", {0})->real, 0);
}

}  // namespace
}  // namespace hipvault::ir
