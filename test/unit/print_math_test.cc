// The device library's elementary functions on the simulator against the host's double precision, over many values of
// every magnitude. Bounds are in units in the last place of f32.

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "record/dtype.h"
#include "support/printed_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

constexpr size_t kCount = 16384;

struct Function {
  const char* name;
  double (*exact)(double);
  double low, high;  // where the bound is asserted
  double ulps;
};
const Function kFunctions[] = {
    {"exp", std::exp, -104, 89, 2},
    {"exp2", std::exp2, -150, 129, 2},
    {"expm1", std::expm1, -20, 89, 3},
    {"log", std::log, 0, 3e38, 2},
    {"log2", std::log2, 0, 3e38, 2},
    {"log1p", std::log1p, -1, 3e38, 3},
    {"sqrt", std::sqrt, 0, 3e38, 1},
    {"sin", std::sin, -3e38, 3e38, 2},
    {"cos", std::cos, -3e38, 3e38, 2},
    {"tan", std::tan, -1e6, 1e6, 4},
    {"tanh", std::tanh, -20, 20, 3},
    {"erf", std::erf, -5, 5, 3},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0, 3e38, 2},
};

// Half uniform over a window around 1, half over all exponents between the bounds.
std::vector<float> values_between(double low, double high) {
  Random random(7);
  std::vector<float> values;
  while (values.size() < kCount) {
    double v = values.size() % 2 ? (random.uniform() * 8 - 4)
                                 : std::ldexp(1 + random.uniform(), static_cast<int>(random.between(-140, 126))) *
                                       (random.below(2) ? 1 : -1);
    if (v >= low && v <= high) values.push_back(static_cast<float>(v));
    if (std::fabs(low) < 200)
      values.push_back(static_cast<float>(low + (std::min(high, 200.0) - low) * random.uniform()));
  }
  values.resize(kCount);
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0x1p-149f};
  std::copy(std::begin(special), std::end(special), values.begin());
  return values;
}

double ulps_between(float got, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got))
    return rounded == got ? 0 : std::fabs(exact) > 3.4028e38 && std::isinf(rounded) ? 1 : INFINITY;
  int exponent = 0;
  std::frexp(exact, &exponent);
  double spacing = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::fabs(got - exact) / spacing;
}

TEST(PrintMath, FunctionsStayWithinTheirBounds) {
  std::string text;
  for (const Function& function : kFunctions)
    text += std::string("extern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void f_") +
            function.name +
            "(const float* x, float* y) {\n  const int at = __builtin_amdgcn_workgroup_id_x() * 256 + "
            "__builtin_amdgcn_workitem_id_x();\n  y[at] = hv::" +
            function.name + "(x[at]);\n}\n";
  std::string code = test::compile_printed(text);
  for (const Function& function : kFunctions) {
    std::vector<float> in = values_between(function.low, function.high);
    test::SimRun run(code, std::string("f_") + function.name);
    const hipvault::Run& result = run.input(in).output<float>(kCount).launch(kCount / 256, 256);
    ASSERT_EQ(result.status, RunStatus::completed) << function.name << ": " << result.message;
    std::vector<float> out = run.values<float>(1);
    double worst = 0;
    float where = 0, got = 0;
    for (size_t k = 0; k < kCount; ++k) {
      double error = ulps_between(out[k], function.exact(in[k]));
      if (error > worst) worst = error, where = in[k], got = out[k];
    }
    EXPECT_LE(worst, function.ulps) << function.name << "(" << where << ") = " << got << ", exactly "
                                    << function.exact(where);
  }
}

// In f64, against the host's long double, whose 64 bits of mantissa make it exact here.
struct WideFunction {
  const char* name;
  const char* call;  // of x and y
  long double (*exact)(long double, long double);
  double low, high;  // of x; y lies between -4 and 4
  double ulps;
};
const WideFunction kWideFunctions[] = {
    {"exp", "exp(x)", [](long double x, long double) { return expl(x); }, -700, 700, 2},
    {"exp2", "exp2(x)", [](long double x, long double) { return exp2l(x); }, -1000, 1000, 2},
    {"expm1", "expm1(x)", [](long double x, long double) { return expm1l(x); }, -30, 700, 4},
    {"log", "log(x)", [](long double x, long double) { return logl(x); }, 1e-300, 1e300, 3},
    {"log2", "log2(x)", [](long double x, long double) { return log2l(x); }, 1e-300, 1e300, 4},
    {"log1p", "log1p(x)", [](long double x, long double) { return log1pl(x); }, -0.999, 1e300, 4},
    {"sin", "sin(x)", [](long double x, long double) { return sinl(x); }, -100, 100, 4},
    {"cos", "cos(x)", [](long double x, long double) { return cosl(x); }, -100, 100, 4},
    {"tanh", "tanh(x)", [](long double x, long double) { return tanhl(x); }, -30, 30, 4},
    {"erf", "erf(x)", [](long double x, long double) { return erfl(x); }, -7, 7, 4},
    {"rsqrt", "rsqrt(x)", [](long double x, long double) { return 1 / sqrtl(x); }, 1e-300, 1e300, 2},
    {"atan2", "atan2(y, x)", [](long double x, long double y) { return atan2l(y, x); }, -4, 4, 3},
    {"pow", "pow(x, y)", [](long double x, long double y) { return powl(x, y); }, 1e-3, 100, 3},
};

TEST(PrintMath, WideFunctionsStayWithinTheirBounds) {
  std::string text;
  for (const WideFunction& function : kWideFunctions)
    text += std::string("extern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void w_") +
            function.name +
            "(const double* xs, const double* ys, double* z) {\n  const int at = __builtin_amdgcn_workgroup_id_x() * "
            "256 + __builtin_amdgcn_workitem_id_x();\n  const double x = xs[at], y = ys[at];\n  z[at] = hv::" +
            function.call + " + 0.0 * y;\n}\n";
  std::string code = test::compile_printed(text);
  constexpr size_t kFew = 4096;
  for (const WideFunction& function : kWideFunctions) {
    Random random(17);
    std::vector<double> x, y;
    while (x.size() < kFew) {
      double wide = std::ldexp(1 + random.uniform(), static_cast<int>(random.between(-60, 60)));
      if (random.below(2)) wide = -wide;
      double even = function.low + (std::min(function.high, 1000.0) - function.low) * random.uniform();
      double v = x.size() % 2 ? even : wide;
      if (v >= function.low && v <= function.high) x.push_back(v), y.push_back(random.uniform() * 8 - 4);
    }
    test::SimRun run(code, std::string("w_") + function.name);
    const hipvault::Run& result = run.input(x).input(y).output<double>(kFew).launch(kFew / 256, 256);
    ASSERT_EQ(result.status, RunStatus::completed) << function.name << ": " << result.message;
    std::vector<double> out = run.values<double>(2);
    double worst = 0, where = 0;
    for (size_t k = 0; k < kFew; ++k) {
      long double exact = function.exact(x[k], y[k]);
      int exponent = 0;
      std::frexp(static_cast<double>(exact), &exponent);
      double error = static_cast<double>(fabsl(out[k] - exact)) / std::ldexp(1.0, std::max(exponent - 53, -1074));
      if (!(error <= worst)) worst = error, where = x[k];
    }
    EXPECT_LE(worst, function.ulps) << function.name << " near " << where;
  }
}

TEST(PrintMath, SmallFloatsConvertAsTheHostDoes) {
  std::vector<DType> types = {DType::bf16,       DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2,
                              DType::f8e5m2fnuz, DType::f4,       DType::e8m0};
  std::string text;
  for (DType dtype : types) {
    std::string n = name(dtype),
                at = "const int at = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();\n";
    text += "extern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void t_" + n +
            "(const float* x, float* y, int* z) {\n" + at + "  z[at] = hv::to_" + n + "(x[at]);\n  y[at] = hv::from_" +
            n + "(z[at]);\n}\n";
  }
  std::string code = test::compile_printed(text);
  for (DType dtype : types) {
    std::vector<float> in;
    Random random(3);
    for (size_t k = 0; k < kCount; ++k)
      in.push_back(static_cast<float>(
          std::ldexp(1 + random.below(64) / 64.0, static_cast<int>(random.between(-20, 20))) * (k % 2 ? 1 : -1)));
    const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 240.0f, 248.0f, 449.0f, 0x1p-149f, 0x1.8p-127f};
    std::copy(std::begin(special), std::end(special), in.begin());
    test::SimRun run(code, std::string("t_") + name(dtype));
    ASSERT_EQ(run.input(in).output<float>(kCount).output<int>(kCount).launch(kCount / 256, 256).status,
              RunStatus::completed);
    std::vector<float> back = run.values<float>(1);
    int wrong = 0;
    for (size_t k = 0; k < kCount && wrong < 3; ++k) {
      uint8_t bytes[4] = {};
      encode(dtype, bytes, 0, in[k]);
      double expected = decode(dtype, bytes, 0);
      bool same = std::isnan(expected) ? std::isnan(back[k]) : expected == back[k];
      if (!same)
        ++wrong,
            ADD_FAILURE() << name(dtype) << " of " << in[k] << " came back as " << back[k] << ", expected " << expected;
    }
  }
}

}  // namespace
}  // namespace hipvault
