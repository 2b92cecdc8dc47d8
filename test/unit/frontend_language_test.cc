// The language piece by piece: small texts evaluated and compared with values computed by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "frontend/hv.h"
#include "ir/interpret.h"
#include "ir/verify.h"

namespace hipvault::frontend {
namespace {

constexpr const char* kStandard = "fn softmax(x, N) = exp(x - max(x, N)) / sum(exp(x - max(x, N)), N)\n";

ir::Program program_of(const std::string& text) {
  Result<OpFileRef> file = parse_file(text, "ops/t.hv", kStandard);
  if (!file) return ADD_FAILURE() << render(file.error()), ir::Program{};
  Result<ir::Program> program = instantiate(*file, "", {}, DType::f8e4m3fnuz);
  if (!program) return ADD_FAILURE() << render(program.error()), ir::Program{};
  Status lawful = ir::verify(*program);
  EXPECT_TRUE(lawful) << render(lawful.error());
  return *program;
}

// Inputs hold 1, 2, 3, … in order.
std::vector<double> run(const ir::Program& program, const Sizes& given, const std::string& output) {
  Result<Sizes> sizes = ir::bind_sizes(program, given);
  if (!sizes) return ADD_FAILURE() << render(sizes.error()), std::vector<double>{};
  ir::Bindings bindings;
  bindings.sizes = *sizes;
  std::map<std::string, HostTensor> data;
  for (const ir::Tensor& tensor : program.tensors) {
    std::vector<int64_t> shape;
    for (const IntExpr& extent : tensor.shape) shape.push_back(*extent.evaluate(*sizes));
    HostTensor& host = data[tensor.name] = make_tensor(tensor.name, tensor.dtype, shape);
    for (int64_t i = 0; i < host.elements(); ++i) {
      if (is_float(tensor.dtype)) encode(tensor.dtype, host.bytes.data(), i, static_cast<double>(i + 1));
      if (!is_float(tensor.dtype)) encode_int(tensor.dtype, host.bytes.data(), i, i + 1);
    }
    bindings.tensors[tensor.name] = &host;
  }
  ir::Interpreter interpreter(program, bindings);
  Result<HostTensor> result = interpreter.tensor(output);
  std::vector<double> values;
  if (!result) return ADD_FAILURE() << render(result.error()), values;
  for (int64_t i = 0; i < result->elements(); ++i) values.push_back(decode(result->dtype, result->bytes.data(), i));
  return values;
}

std::vector<double> row(const std::string& right, int64_t n = 4) {
  return run(program_of("op t(x: f32[N]) -> y: f32[N]\n  y = " + right + "\n"), {{"N", n}}, "y");
}
double constant(const std::string& right) {
  return run(program_of("op t(x: f32[N]) -> y: f64[]\n  y = " + right + "\n"), {{"N", 4}}, "y")[0];
}

using Values = std::vector<double>;

TEST(Language, Precedence) {
  EXPECT_EQ(constant("2 + 3 * 4 ** 2"), 50);
  EXPECT_EQ(constant("-2 ** 2"), -4);
  EXPECT_EQ(constant("2 ** -1.0"), 0.5);
  EXPECT_EQ(constant("2 ** 3 ** 2"), 512);
  EXPECT_EQ(constant("7 // 2 * 2 + 7 % 2"), 7);
  EXPECT_EQ(constant("-7 // 2"), -4);
  EXPECT_EQ(constant("7 / 2"), 3.5);
  EXPECT_EQ(constant("1 << 2 + 1"), 8);
  EXPECT_EQ(constant("6 & 3 | 8 ^ 1"), 11);
  EXPECT_EQ(constant("where(not 1 < 2 or 2 < 3 and 3 == 3, 1, 0)"), 1);
  EXPECT_EQ(constant("10 - 3 - 2"), 5);
  EXPECT_EQ(constant("where(isnan(nan) and isinf(-inf) and true, 1, 0)"), 1);
  EXPECT_DOUBLE_EQ(constant("cos(pi)"), -1);
  EXPECT_EQ(constant("cdiv(size(N) + 1, 2)"), 3);
  EXPECT_EQ(constant("f16(2049)"), 2048) << "ties to even";
  EXPECT_EQ(constant("i32(-1.5)"), -1) << "truncation";
}

TEST(Language, AtShiftsFlipsAndRotates) {
  EXPECT_EQ(row("at(x, N = size(N) - 1 - N)"), (Values{4, 3, 2, 1}));
  EXPECT_EQ(row("at(x, N = (N + 1) % size(N))"), (Values{2, 3, 4, 1}));
  EXPECT_EQ(row("at(x * N, N = N - 1) else -1"), (Values{-1, 0, 2, 6}));
  EXPECT_EQ(row("at(cumsum(x, N), N = N - 1) else 0"), (Values{0, 1, 3, 6}));
}

TEST(Language, AtReplacesAllAtOnceAndCapturesNothing) {
  ir::Program transpose = program_of("op t(x: f32[A,B]) -> y: f32[A,B]\n  require A == B\n  y = at(x, A = B, B = A)\n");
  EXPECT_EQ(run(transpose, {{"A", 2}, {"B", 2}}, "y"), (Values{1, 3, 2, 4}));
  // The sum runs over its own D while the other index follows the outer one.
  ir::Program capture = program_of("op t(x: f32[D,E]) -> y: f32[D]\n  require D == E\n  y = at(sum(x, D), E = D)\n");
  EXPECT_EQ(run(capture, {{"D", 2}, {"E", 2}}, "y"), (Values{4, 6}));
  std::string text = ir::text(capture);
  EXPECT_NE(text.find("dim D__1 = D"), std::string::npos) << text;
  EXPECT_EQ(ir::text(program_of(text)), text);
}

TEST(Language, ScansAndFolds) {
  EXPECT_EQ(row("scan(N, 0, p -> 2 * p + x)"), (Values{1, 4, 11, 26}));
  ir::Program both =
      program_of("op t(x: f32[N]) -> a: f32[N], b: f32[N]\n  a, b = scan(N, (0, 1), (p, q) -> (p + q, p))\n");
  EXPECT_EQ(run(both, {{"N", 6}}, "a"), (Values{1, 1, 2, 3, 5, 8})) << "all states of a step see the step before";
  EXPECT_EQ(run(both, {{"N", 6}}, "b"), (Values{0, 1, 1, 2, 3, 5}));
  EXPECT_EQ(constant("fold(N, 100, p -> p - x)"), 90);
  // A state with a dimension that only its body has, and a reduction over it.
  ir::Program dims =
      program_of("op t(x: f32[N], k: f32[D]) -> y: f32[N,D]\n  y = scan(N, 0, p -> k * x - sum(p, D))\n");
  EXPECT_EQ(run(dims, {{"N", 2}, {"D", 2}}, "y"), (Values{1, 2, -1, 1}));
}

TEST(Language, LiftsWhatIsNoExpression) {
  EXPECT_EQ(constant("sum(cumsum(x, N), N)"), 20);
  EXPECT_EQ(constant("max(sort(-x, N) * N, N)"), 0);
  EXPECT_EQ(row("cummin(where(N == 2, -5, x), N)"), (Values{1, 1, -5, -5}));
  EXPECT_EQ(row("cumsum(x, N, reverse, exclusive)"), (Values{9, 7, 4, 0}));
  ir::Program top = program_of("op t(x: f32[N], k: int = 2) -> y: f32[]\n  dim K = k\n  y = sum(topk(x, N, K), K)\n");
  EXPECT_EQ(run(top, {{"N", 5}}, "y"), (Values{9}));
}

TEST(Language, GathersAndScatters) {
  ir::Program gather = program_of("op t(x: f32[N], i: i32[M]) -> y: f32[M]\n  y = x[i] else -1\n");
  EXPECT_EQ(run(gather, {{"N", 3}, {"M", 4}}, "y"), (Values{2, 3, -1, -1}));
  ir::Program scatter = program_of("op t(x: f32[N]) -> y: f32[M = N // 2 + 1]\n  y[N // 2] += x if N != 1\n");
  EXPECT_EQ(run(scatter, {{"N", 4}}, "y"), (Values{1, 7, 0}));
  ir::Program update = program_of("op t(inout x: f32[N]) -> y: f32[N]\n  x = x * 2\n  y = x\n");
  EXPECT_EQ(run(update, {{"N", 2}}, "x"), (Values{2, 4}));
  EXPECT_EQ(run(update, {{"N", 2}}, "y"), (Values{1, 2})) << "reads see the values from before the op";
}

TEST(Language, ResultsRoundWhenTheyAreRead) {
  ir::Program p = program_of("op t(x: f32[N]) -> h: bf16[N], y: f32[N]\n  h = x + 256\n  y = h\n");
  EXPECT_EQ(run(p, {{"N", 3}}, "y"), (Values{256, 258, 260})) << "bf16 has 8 bits: 257 and 259 are ties";
}

TEST(Language, NotesArriveInTheProgram) {
  ir::Program p = program_of(
      "op t<T: f16 f32>(x: T[M,N], i: i64[M], on: bool = true, e: float = 1e-5, k: int)\n"
      "    -> y: T[M,N]\n"
      "  y = where(on, x * k, e)  # a comment\n"
      "  case a: M=2, N=?, k=3, T=f32, e=-0.5, on=false, x.stride=(1,\n 2), x.offset=7\n"
      "  input x: normal(0, 1) | special(nan, -inf, 0) | file(\"x.safetensors\")\n"
      "  input i: integers(0, N - 1)\n"
      "  nan: undefined\n  order: fixed\n  accumulate: f32\n");
  ASSERT_EQ(p.cases.size(), 1u);
  const ir::Case& one = p.cases[0];
  EXPECT_EQ(one.sizes, (std::map<std::string, int64_t>{{"M", 2}, {"k", 3}}));
  EXPECT_EQ(one.open, std::vector<std::string>{"N"});
  EXPECT_EQ(one.types.at("T"), DType::f32);
  EXPECT_EQ(one.scalars, (std::map<std::string, double>{{"e", -0.5}, {"on", 0}}));
  EXPECT_EQ(one.strides.at("x"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(one.offsets.at("x"), 7);
  ASSERT_EQ(p.inputs.at("x").size(), 3u);
  EXPECT_TRUE(std::isnan(p.inputs.at("x")[1].numbers[0]));
  EXPECT_EQ(p.inputs.at("x")[2].file, "x.safetensors");
  EXPECT_EQ(*ir::distribution_numbers(p.inputs.at("i")[0], {{"N", 10}}), (Values{0, 9}));
  EXPECT_FALSE(p.policy.nan_propagates);
  EXPECT_TRUE(p.policy.order_fixed);
  EXPECT_EQ(p.policy.accumulate, DType::f32);
  std::string text = ir::text(p);
  EXPECT_EQ(ir::text(program_of(text)), text);
}

// Random programs: printed, read back and printed again they are the same; both evaluate to the same numbers, and so
// does the normal form.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string all = "op t(x: f32[A,B], z: f32[B,C], i: i32[A]) -> y: f32[A,C]\n";
    all += "  s[A,B] = " + value("AB", 3) + "\n";
    have_stage_ = true;
    return all + "  y = " + value("AC", 4) + "\n";
  }

 private:
  bool may(const std::string& dims, const std::string& needed) {
    for (char c : needed)
      if (dims.find(c) == std::string::npos) return false;
    return true;
  }
  std::string leaf(const std::string& dims) {
    std::vector<std::string> all = {"1", "0.5", "-2", "size(B)"};
    for (char c : dims) all.push_back(std::string(1, c));
    if (may(dims, "AB")) all.insert(all.end(), {"x", "x[A, (B + 1) % size(B)]", "x[A, B + 1] else 3"});
    if (may(dims, "BC")) all.push_back("z");
    if (may(dims, "A")) all.push_back("i");
    if (have_stage_ && may(dims, "AB")) all.push_back("s");
    return all[random_.below(all.size())];
  }
  std::string value(const std::string& dims, int depth) {
    if (depth == 0 || random_.below(6) == 0) return leaf(dims);
    auto sub = [&] { return "(" + value(dims, depth - 1) + ")"; };
    switch (random_.below(9)) {
      case 0:
        return sub() + " + " + sub();
      case 1:
        return sub() + " - " + sub();
      case 2:
        return sub() + " * " + sub();
      case 3:
        return "-" + sub();
      case 4:
        return "where(" + sub() + " < " + sub() + " and not " + sub() + " == 0, " + sub() + ", " + sub() + ")";
      case 5:
        return "maximum(" + sub() + ", tanh(" + sub() + "))";
      case 6:
        return "at(" + value(dims, depth - 1) + " + 0 * A, A = size(A) - 1 - A)";
      default:
        return reduction(dims, depth);
    }
  }
  std::string reduction(const std::string& dims, int depth) {
    const char* kinds[] = {"sum", "max", "min", "mean", "argmax"};
    std::string inner = dims.find('B') == std::string::npos ? dims + "B" : dims;
    return std::string(kinds[random_.below(5)]) + "((" + value(inner, depth - 1) + ") + B * 0, B)";
  }

  Random random_;
  bool have_stage_ = false;
};

TEST(Language, RandomProgramsReadBack) {
  Sizes sizes = {{"A", 3}, {"B", 2}, {"C", 2}};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string text = RandomProgram(seed).text();
    ir::Program program = program_of(text);
    std::string printed = ir::text(program);
    ir::Program again = program_of(printed);
    EXPECT_EQ(ir::text(again), printed) << text;
    ir::Program normal = ir::normalise(program);
    Status lawful = ir::verify(normal);
    ASSERT_TRUE(lawful) << render(lawful.error()) << text;
    std::vector<double> first = run(program, sizes, "y"), second = run(again, sizes, "y"),
                        third = run(normal, sizes, "y");
    ASSERT_EQ(first.size(), 6u);
    for (size_t n = 0; n < first.size(); ++n) {
      EXPECT_TRUE(first[n] == second[n] || (std::isnan(first[n]) && std::isnan(second[n]))) << text;
      EXPECT_TRUE(first[n] == third[n] || (std::isnan(first[n]) && std::isnan(third[n]))) << text << ir::text(normal);
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace hipvault::frontend
