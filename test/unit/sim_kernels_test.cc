// Kernels of many kinds, compiled by clang at -O3, against host loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

std::vector<float> normal(size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(random.normal());
  return v;
}

const std::string& row_kernels() {
  static const std::string code = compile_kernels(R"(
    __device__ float wave_sum(float x) {
      for (int d = 32; d > 0; d >>= 1) x += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(((TID & 63) ^ d) * 4, __builtin_bit_cast(int, x)));
      return x;
    }
    __device__ float wave_max(float x) {
      for (int d = 32; d > 0; d >>= 1) x = __builtin_fmaxf(x, __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(((TID & 63) ^ d) * 4, __builtin_bit_cast(int, x))));
      return x;
    }
    extern "C" __global__ void softmax(const float* x, float* y, int n) {
      __shared__ float part[4];
      const float* row = x + (long)BID * n;
      float m = -__builtin_inff();
      for (int i = TID; i < n; i += 256) m = __builtin_fmaxf(m, row[i]);
      m = wave_max(m);
      if ((TID & 63) == 0) part[TID >> 6] = m;
      SYNC();
      m = __builtin_fmaxf(__builtin_fmaxf(part[0], part[1]), __builtin_fmaxf(part[2], part[3]));
      SYNC();
      float s = 0;
      for (int i = TID; i < n; i += 256) s += __builtin_exp2f((row[i] - m) * 1.44269504f);
      s = wave_sum(s);
      if ((TID & 63) == 0) part[TID >> 6] = s;
      SYNC();
      s = part[0] + part[1] + part[2] + part[3];
      for (int i = TID; i < n; i += 256) y[(long)BID * n + i] = __builtin_exp2f((row[i] - m) * 1.44269504f) / s;
    }
    extern "C" __global__ void layernorm(const float* x, float* y, int n) {
      __shared__ float part[8];
      const float* row = x + (long)BID * n;
      float s = 0, q = 0;
      for (int i = TID; i < n; i += 256) { s += row[i]; q += row[i] * row[i]; }
      s = wave_sum(s); q = wave_sum(q);
      if ((TID & 63) == 0) { part[TID >> 6] = s; part[4 + (TID >> 6)] = q; }
      SYNC();
      float mean = (part[0] + part[1] + part[2] + part[3]) / n, var = (part[4] + part[5] + part[6] + part[7]) / n - mean * mean;
      float r = 1.0f / __builtin_sqrtf(var + 1e-5f);
      for (int i = TID; i < n; i += 256) y[(long)BID * n + i] = (row[i] - mean) * r;
    }
    extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
      __shared__ float ta[16][16], tb[16][16];
      int tx = TID & 15, ty = TID >> 4, row = (int)__builtin_amdgcn_workgroup_id_y() * 16 + ty, col = BID * 16 + tx;
      float sum = 0;
      for (int t = 0; t < k; t += 16) {
        ta[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : 0;
        tb[ty][tx] = col < n && t + ty < k ? b[(t + ty) * n + col] : 0;
        SYNC();
        for (int i = 0; i < 16; ++i) sum += ta[ty][i] * tb[i][tx];
        SYNC();
      }
      if (row < m && col < n) c[row * n + col] = sum;
    }
    extern "C" __global__ void scan(const int* x, int* y) {
      __shared__ int t[256];
      t[TID] = x[GID(256)];
      SYNC();
      for (int d = 1; d < 256; d *= 2) {
        int v = TID >= d ? t[TID - d] : 0;
        SYNC();
        t[TID] += v;
        SYNC();
      }
      y[GID(256)] = t[TID];
    }
    extern "C" __global__ void bitonic(const float* x, float* y) {
      __shared__ float t[256];
      t[TID] = x[GID(256)];
      SYNC();
      for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
          int o = TID ^ j;
          if (o > TID) {
            float a = t[TID], b = t[o];
            if ((a > b) == ((TID & k) == 0)) { t[TID] = b; t[o] = a; }
          }
          SYNC();
        }
      y[GID(256)] = t[TID];
    }
    extern "C" __global__ void histogram(const int* x, unsigned* h, int n) {
      __shared__ unsigned t[32];
      if (TID < 32) t[TID] = 0;
      SYNC();
      int i = GID(256);
      if (i < n) __hip_atomic_fetch_add(&t[x[i] & 31], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
      SYNC();
      if (TID < 32) __hip_atomic_fetch_add(&h[TID], t[TID], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    extern "C" __global__ void scatter_add(const int* index, const float* x, float* y, int n) {
      int i = GID(256);
      if (i < n) __hip_atomic_fetch_add(&y[index[i]], x[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    extern "C" __global__ void last_block_sum(const float* x, float* part, unsigned* count, float* out, int groups) {
      __shared__ float t[4];
      __shared__ bool last;
      float s = wave_sum(x[GID(256)]);
      if ((TID & 63) == 0) t[TID >> 6] = s;
      SYNC();
      if (TID == 0) {
        part[BID] = t[0] + t[1] + t[2] + t[3];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
        last = __hip_atomic_fetch_add(count, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == groups - 1u;
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
      }
      SYNC();
      if (last && TID == 0) { float total = 0; for (int i = 0; i < groups; ++i) total += part[i]; *out = total; }
    }
  )");
  return code;
}

TEST(SimRunsKernels, Softmax) {
  int rows = 20, n = 1000;
  std::vector<float> x = normal(static_cast<size_t>(rows * n), 1);
  SimRun run(row_kernels(), "softmax");
  run.input(x).output<float>(x.size()).value(n);
  ASSERT_EQ(summary(run.launch(rows, 256)), "completed");
  std::vector<float> y = run.values<float>(1);
  for (int r = 0; r < rows; ++r) {
    const float* row = &x[static_cast<size_t>(r * n)];
    double m = *std::max_element(row, row + n), s = 0;
    for (int i = 0; i < n; ++i) s += std::exp(row[i] - m);
    for (int i = 0; i < n; ++i)
      ASSERT_NEAR(y[static_cast<size_t>(r * n + i)], std::exp(row[i] - m) / s, 1e-7 + 4e-6 * std::exp(row[i] - m) / s)
          << r << " " << i;
  }
}

TEST(SimRunsKernels, LayerNorm) {
  int rows = 5, n = 777;
  std::vector<float> x = normal(static_cast<size_t>(rows * n), 2);
  SimRun run(row_kernels(), "layernorm");
  run.input(x).output<float>(x.size()).value(n);
  ASSERT_EQ(summary(run.launch(rows, 256)), "completed");
  std::vector<float> y = run.values<float>(1);
  for (int r = 0; r < rows; ++r) {
    double s = 0, q = 0;
    for (int i = 0; i < n; ++i)
      s += x[static_cast<size_t>(r * n + i)], q += std::pow(x[static_cast<size_t>(r * n + i)], 2);
    double mean = s / n, scale = 1 / std::sqrt(q / n - mean * mean + 1e-5);
    for (int i = 0; i < n; ++i)
      ASSERT_NEAR(y[static_cast<size_t>(r * n + i)], (x[static_cast<size_t>(r * n + i)] - mean) * scale, 2e-5);
  }
}

TEST(SimRunsKernels, MatmulWithPartialTiles) {
  int m = 50, n = 70, k = 37;
  std::vector<float> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n));
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(static_cast<int>(i * 31 % 17) - 8);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(static_cast<int>(i * 13 % 19) - 9);
  SimRun run(row_kernels(), "matmul");
  run.input(a).input(b).output<float>(static_cast<size_t>(m * n)).value(m).value(n).value(k);
  ASSERT_EQ(summary(run.launch({(n + 15) / 16, (m + 15) / 16, 1}, 256)), "completed");
  std::vector<float> c = run.values<float>(2);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int t = 0; t < k; ++t) sum += a[static_cast<size_t>(i * k + t)] * b[static_cast<size_t>(t * n + j)];
      ASSERT_EQ(c[static_cast<size_t>(i * n + j)], sum) << i << " " << j;
    }
}

TEST(SimRunsKernels, ScanInLds) {
  std::vector<int> x(512);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 37 % 101) - 50;
  SimRun run(row_kernels(), "scan");
  run.input(x).output<int>(512);
  ASSERT_EQ(summary(run.launch(2, 256)), "completed");
  std::vector<int> y = run.values<int>(1);
  for (size_t g = 0; g < 2; ++g) {
    int sum = 0;
    for (size_t i = 0; i < 256; ++i) ASSERT_EQ(y[g * 256 + i], sum += x[g * 256 + i]);
  }
}

TEST(SimRunsKernels, BitonicSort) {
  std::vector<float> x = normal(512, 3);
  SimRun run(row_kernels(), "bitonic");
  run.input(x).output<float>(512);
  ASSERT_EQ(summary(run.launch(2, 256)), "completed");
  std::vector<float> y = run.values<float>(1);
  std::sort(x.begin(), x.begin() + 256);
  std::sort(x.begin() + 256, x.end());
  EXPECT_EQ(x, y);
}

TEST(SimRunsKernels, HistogramWithAtomics) {
  std::vector<int> x(1000);
  Random random(4);
  for (int& v : x) v = static_cast<int>(random.below(1000));
  for (int threads : {1, 3}) {
    SimRun run(row_kernels(), "histogram");
    run.input(x).inout(std::vector<unsigned>(32)).value(1000);
    run.request().threads = threads;
    ASSERT_EQ(summary(run.launch(4, 256)), "completed");
    std::vector<unsigned> expected(32);
    for (int v : x) ++expected[static_cast<size_t>(v & 31)];
    EXPECT_EQ(run.values<unsigned>(1), expected);
  }
}

TEST(SimRunsKernels, ScatterAddOfFloats) {
  std::vector<int> index(600);
  std::vector<float> x(600), expected(10);
  for (size_t i = 0; i < 600; ++i)
    index[i] = static_cast<int>(i * i % 10), x[i] = static_cast<float>(i),
    expected[i * i % 10] += static_cast<float>(i);
  SimRun run(row_kernels(), "scatter_add");
  run.input(index).input(x).inout(std::vector<float>(10)).value(600);
  ASSERT_EQ(summary(run.launch(3, 256)), "completed");
  EXPECT_EQ(run.values<float>(2), expected);
}

// The last work-group reads what the others wrote, ordered by fences and an atomic: no race.
TEST(SimRunsKernels, LastBlockReducesWithoutARaceFinding) {
  std::vector<float> x(8 * 256);
  std::iota(x.begin(), x.end(), 0.0f);
  for (uint64_t seed : {0, 7}) {
    SimRun run(row_kernels(), "last_block_sum");
    run.input(x).output<float>(8).inout(std::vector<unsigned>(1)).output<float>(1).value(8);
    run.request().wave_order_seed = seed;
    ASSERT_EQ(summary(run.launch(8, 256)), "completed");
    EXPECT_EQ(run.values<float>(3)[0], 2048.0f * 2047.0f / 2.0f);
  }
}

// ---- one operation a kernel, over many values
// ------------------------------------------------------------------------------------

struct Unary {
  const char* name;
  const char* expression;
  double (*host)(double);
  double ulps;
};

// erff and the like need the device library; a few builtins expand to polynomial code that clang emits itself.
constexpr Unary kUnary[] = {
    {"exp", "__builtin_expf(x)", [](double x) { return std::exp(x); }, 2},
    {"exp2", "__builtin_exp2f(x)", [](double x) { return std::exp2(x); }, 1},
    {"log", "__builtin_logf(__builtin_fabsf(x))", [](double x) { return std::log(std::fabs(x)); }, 2},
    {"log2", "__builtin_log2f(__builtin_fabsf(x))", [](double x) { return std::log2(std::fabs(x)); }, 1},
    {"log10", "__builtin_log10f(__builtin_fabsf(x))", [](double x) { return std::log10(std::fabs(x)); }, 2},
    {"sqrt", "__builtin_sqrtf(__builtin_fabsf(x))", [](double x) { return std::sqrt(std::fabs(x)); }, 0.5},
    {"floor", "__builtin_floorf(x)", [](double x) { return std::floor(x); }, 0},
    {"ceil", "__builtin_ceilf(x)", [](double x) { return std::ceil(x); }, 0},
    {"trunc", "__builtin_truncf(x)", [](double x) { return std::trunc(x); }, 0},
    {"rint", "__builtin_rintf(x)", [](double x) { return std::nearbyint(x); }, 0},
    {"round", "__builtin_roundf(x)", [](double x) { return std::round(x); }, 0},
    {"rcp", "1.0f / x", [](double x) { return 1 / x; }, 0.5},
    {"div3", "x / 3.0f", [](double x) { return x / 3; }, 0.5},
    {"rsqrt", "1.0f / __builtin_sqrtf(__builtin_fabsf(x))", [](double x) { return 1 / std::sqrt(std::fabs(x)); }, 1.5},
    {"sigmoid", "1.0f / (1.0f + __builtin_expf(-x))", [](double x) { return 1 / (1 + std::exp(-x)); }, 3},
    {"abs", "__builtin_fabsf(x)", [](double x) { return std::fabs(x); }, 0},
    {"clamp", "__builtin_fminf(__builtin_fmaxf(x, -1.0f), 1.0f)",
     [](double x) { return std::min(std::max(x, -1.0), 1.0); }, 0},
    {"sin_turns", "__builtin_amdgcn_sinf(x)", [](double x) { return std::sin(2 * M_PI * x); }, 2},
    {"cos_turns", "__builtin_amdgcn_cosf(x)", [](double x) { return std::cos(2 * M_PI * x); }, 2},
    {"ldexp", "__builtin_ldexpf(x, 5)", [](double x) { return x * 32; }, 0},
    {"canonical", "__builtin_canonicalizef(x)", [](double x) { return x; }, 0},
    {"fract", "__builtin_amdgcn_fractf(x)", [](double x) { return x - std::floor(x); }, 0.5},
    {"mant", "__builtin_amdgcn_frexp_mantf(x)",
     [](double x) {
       int e;
       return std::frexp(x, &e);
     },
     0},
    {"copysign", "__builtin_copysignf(2.0f, x)", [](double x) { return std::copysign(2.0, x); }, 0},
    {"to_half", "(float)(f16)x",
     [](double x) { return static_cast<double>(static_cast<_Float16>(static_cast<float>(x))); }, 0},
    {"half_fma", "(float)(f16)((f16)x * (f16)x + (f16)1.0f)",
     [](double x) {
       _Float16 h = static_cast<_Float16>(x);
       return static_cast<double>(static_cast<_Float16>(static_cast<double>(h) * static_cast<double>(h) + 1.0));
     },
     0},
    {"to_int", "(float)(int)x", [](double x) { return std::trunc(x); }, 0},
    {"double_exp_poly", "(float)((double)x * 1.5 + 0.25)", [](double x) { return x * 1.5 + 0.25; }, 0.5},
    {"double_div", "(float)(1.0 / (double)x)", [](double x) { return 1.0 / x; }, 0.5},
    {"double_sqrt", "(float)__builtin_sqrt(__builtin_fabs((double)x))",
     [](double x) { return std::sqrt(std::fabs(x)); }, 0.5},
};

TEST(SimRunsKernels, UnaryFunctions) {
  std::string source;
  for (const Unary& f : kUnary)
    source += std::string("extern \"C\" __global__ void k_") + f.name +
              "(const float* a, float* b) { float x = a[GID(256)]; b[GID(256)] = " + f.expression + "; }\n";
  std::string code = compile_kernels(source);
  std::vector<float> x = normal(2048, 5);
  for (size_t i = 0; i < 512; ++i) x[i] *= 16;
  for (const Unary& f : kUnary) {
    SimRun run(code, std::string("k_") + f.name);
    run.input(x).output<float>(x.size());
    ASSERT_EQ(summary(run.launch(8, 256)), "completed") << f.name;
    std::vector<float> y = run.values<float>(1);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      double expected = f.host(x[i]);
      double ulp = std::max(std::ldexp(1.0, std::ilogb(expected == 0 ? 1e-30 : expected) - 23), 1e-45);
      worst = std::max(worst, std::fabs(y[i] - expected) / ulp);
    }
    EXPECT_LE(worst, f.ulps + 0.51 * (f.ulps > 0)) << f.name;
  }
}

struct IntCase {
  const char* type;
  const char* expression;  // of a and b, both of the type
  int64_t (*host)(int64_t a, int64_t b);
};
template <class T>
int64_t as(int64_t x) {
  return static_cast<int64_t>(static_cast<T>(x));
}

constexpr IntCase kInts[] = {
    {"i32", "a + b", [](int64_t a, int64_t b) { return as<int32_t>(a + b); }},
    {"i32", "a * b", [](int64_t a, int64_t b) { return as<int32_t>(a * b); }},
    {"i32", "b ? a / b : 0", [](int64_t a, int64_t b) { return b ? as<int32_t>(a / b) : 0; }},
    {"i32", "b ? a % b : 0", [](int64_t a, int64_t b) { return b ? as<int32_t>(a % b) : 0; }},
    {"u32", "b ? a / b : 0", [](int64_t a, int64_t b) { return b ? a / b : 0; }},
    {"u32", "b ? a % b : 0", [](int64_t a, int64_t b) { return b ? a % b : 0; }},
    {"u32", "__builtin_clz(a | 1) + __builtin_ctz(b | 256) + __builtin_popcount(a ^ b)",
     [](int64_t a, int64_t b) {
       return int64_t{__builtin_clz(static_cast<uint32_t>(a) | 1) + __builtin_ctz(static_cast<uint32_t>(b) | 256) +
                      __builtin_popcount(static_cast<uint32_t>(a ^ b))};
     }},
    {"i32", "a < b ? a >> (b & 31) : a << (b & 31)",
     [](int64_t a, int64_t b) { return a < b ? a >> (b & 31) : as<int32_t>(a << (b & 31)); }},
    {"u32", "a / 7 + b % 10", [](int64_t a, int64_t b) { return as<uint32_t>(a / 7 + b % 10); }},
    {"u32", "__builtin_bitreverse32(a) ^ __builtin_rotateleft32(b, 13)",
     [](int64_t a, int64_t b) {
       return int64_t{__builtin_bitreverse32(static_cast<uint32_t>(a)) ^
                      __builtin_rotateleft32(static_cast<uint32_t>(b), 13)};
     }},
    {"i64", "a * b + (a >> 7)",
     [](int64_t a, int64_t b) {
       return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) + static_cast<uint64_t>(a >> 7));
     }},
    {"i64", "b ? a / b : 0", [](int64_t a, int64_t b) { return b ? a / b : 0; }},
    {"i64", "b ? a % b : 0", [](int64_t a, int64_t b) { return b ? a % b : 0; }},
    {"u64", "(a << (b & 63)) | (a >> (b & 31))",
     [](int64_t a, int64_t b) {
       return static_cast<int64_t>((static_cast<uint64_t>(a) << (b & 63)) | (static_cast<uint64_t>(a) >> (b & 31)));
     }},
    {"i64", "a > b ? a - b : b - a",
     [](int64_t a, int64_t b) {
       return static_cast<int64_t>(a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                         : static_cast<uint64_t>(b) - static_cast<uint64_t>(a));
     }},
    {"i64", "(i64)(float)a + (i64)(double)b",
     [](int64_t a, int64_t b) {
       return static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(static_cast<float>(a))) +
                                   static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>(b))));
     }},
    {"u64", "__builtin_clzll(a | 1) + __builtin_popcountll(b)",
     [](int64_t a, int64_t b) {
       return int64_t{__builtin_clzll(static_cast<uint64_t>(a) | 1) + __builtin_popcountll(static_cast<uint64_t>(b))};
     }},
    {"i16", "(i16)(a * b + 3)", [](int64_t a, int64_t b) { return as<int16_t>(a * b + 3); }},
    {"i16", "a > b ? a : b", [](int64_t a, int64_t b) { return std::max(a, b); }},
    {"u16", "(u16)((a >> 3) + (b << 2))", [](int64_t a, int64_t b) { return as<uint16_t>((a >> 3) + (b << 2)); }},
    {"i8", "(i8)(a - b)", [](int64_t a, int64_t b) { return as<int8_t>(a - b); }},
    {"u8", "(u8)(a * b)", [](int64_t a, int64_t b) { return as<uint8_t>(a * b); }},
    {"i8", "a < b ? a : b", [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"i32", "__builtin_abs(a) / 1000 - (a ^ b)",
     [](int64_t a, int64_t b) { return as<int32_t>(std::abs(a) / 1000 - (a ^ b)); }},
};

template <class T>
void check_int_case(const std::string& code, const IntCase& c, size_t index) {
  std::vector<T> a(1024), b(1024);
  Random random(index + 10);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(random.next());
    b[i] = static_cast<T>(random.next() >> random.below(64));
    if (i % 17 == 0) b[i] = 0;
    if constexpr (sizeof(T) >= 4)
      if (b[i] == static_cast<T>(-1)) b[i] = 5;
    if (sizeof(T) == 8 && std::is_signed_v<T>) a[i] = static_cast<T>(a[i] / 4), b[i] = static_cast<T>(b[i] / 4);
  }
  SimRun run(code, "k" + std::to_string(index));
  run.input(a).input(b).template output<T>(a.size());
  ASSERT_EQ(summary(run.launch(4, 256)), "completed") << c.type << " " << c.expression;
  std::vector<T> y = run.values<T>(2);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(static_cast<int64_t>(y[i]), as<T>(c.host(static_cast<int64_t>(a[i]), static_cast<int64_t>(b[i]))))
        << c.type << " " << c.expression << " of " << static_cast<int64_t>(a[i]) << ", " << static_cast<int64_t>(b[i]);
}

TEST(SimRunsKernels, IntegerExpressions) {
  std::string source;
  for (size_t i = 0; i < std::size(kInts); ++i) {
    std::string t = kInts[i].type;
    source += "extern \"C\" __global__ void k" + std::to_string(i) + "(const " + t + "* pa, const " + t + "* pb, " + t +
              "* out) { " + t + " a = pa[GID(256)], b = pb[GID(256)]; out[GID(256)] = " + kInts[i].expression + "; }\n";
  }
  std::string code = compile_kernels(source);
  for (size_t i = 0; i < std::size(kInts); ++i) {
    std::string t = kInts[i].type;
    if (t == "i32") check_int_case<int32_t>(code, kInts[i], i);
    if (t == "u32") check_int_case<uint32_t>(code, kInts[i], i);
    if (t == "i64") check_int_case<int64_t>(code, kInts[i], i);
    if (t == "u64") check_int_case<uint64_t>(code, kInts[i], i);
    if (t == "i16") check_int_case<int16_t>(code, kInts[i], i);
    if (t == "u16") check_int_case<uint16_t>(code, kInts[i], i);
    if (t == "i8") check_int_case<int8_t>(code, kInts[i], i);
    if (t == "u8") check_int_case<uint8_t>(code, kInts[i], i);
  }
}

}  // namespace
}  // namespace hipvault
