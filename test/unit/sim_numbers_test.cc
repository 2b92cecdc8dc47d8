// Arithmetic in detail: IEEE division and roots on random bits, conversions over all bit patterns against
// record/dtype.h (which shares no code with the simulator), matrix instructions against host loops, and operations
// between lanes.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "record/dtype.h"
#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T, class Bits>
std::vector<T> random_bits(size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) {
    Bits bits = static_cast<Bits>(random.next());
    std::memcpy(&x, &bits, sizeof x);
  }
  return v;
}

template <class T, class Bits>
void check_division(const char* type) {
  std::string t = type;
  std::string code = compile_kernels(
      "extern \"C\" __global__ void divide(const " + t + "* a, const " + t + "* b, " + t +
      "* c) { c[GID(256)] = a[GID(256)] / b[GID(256)]; }\n"
      "extern \"C\" __global__ void root(const " +
      t + "* a, " + t + "* c) { c[GID(256)] = __builtin_sqrt" + (t == "float" ? "f" : "") + "(a[GID(256)]); }");
  size_t n = 1 << 17;
  std::vector<T> a = random_bits<T, Bits>(n, 1), b = random_bits<T, Bits>(n, 2);
  // A third of the pairs have close exponents, another third quotients near the denormals.
  for (size_t i = 0; i < n; i += 3)
    b[i] = std::ldexp(
        b[i],
        std::min(2000, std::max(-2000, std::ilogb(a[i] == 0 || a[i] != a[i] || std::isinf(a[i]) ? T(1) : a[i]) -
                                           std::ilogb(b[i] == 0 || b[i] != b[i] || std::isinf(b[i]) ? T(1) : b[i]))));
  for (size_t i = 1; i < n; i += 3) {
    int lowest = sizeof(T) == 4 ? -126 : -1022;
    a[i] = std::ldexp(std::isfinite(a[i]) && a[i] != 0 ? a[i] / std::ldexp(T(1), std::ilogb(a[i]) / 2) /
                                                             std::ldexp(T(1), std::ilogb(a[i]) - std::ilogb(a[i]) / 2)
                                                       : T(1.5),
                      lowest / 2 - static_cast<int>(i % 40));
    b[i] = std::ldexp(std::isfinite(b[i]) && b[i] != 0 ? b[i] / std::ldexp(T(1), std::ilogb(b[i]) / 2) /
                                                             std::ldexp(T(1), std::ilogb(b[i]) - std::ilogb(b[i]) / 2)
                                                       : T(1.25),
                      -lowest / 2 - static_cast<int>(i % 7));
  }
  SimRun run(code, "divide");
  run.input(a).input(b).template output<T>(n);
  ASSERT_EQ(summary(run.launch(static_cast<int64_t>(n / 256), 256)), "completed");
  std::vector<T> c = run.values<T>(2);
  int wrong = 0;
  for (size_t i = 0; i < n; ++i)
    if (!same(c[i], a[i] / b[i]) && ++wrong < 5)
      ADD_FAILURE() << a[i] << " / " << b[i] << " = " << c[i] << ", expected " << a[i] / b[i];
  EXPECT_EQ(wrong, 0);
  SimRun root(code, "root");
  root.input(a).template output<T>(n);
  ASSERT_EQ(summary(root.launch(static_cast<int64_t>(n / 256), 256)), "completed");
  c = root.values<T>(1);
  for (size_t i = 0; i < n; ++i) ASSERT_TRUE(same(c[i], std::sqrt(a[i]))) << "sqrt " << a[i] << " = " << c[i];
}

TEST(SimNumbers, DivisionAndRootOfF32AreIeee) { check_division<float, uint32_t>("float"); }
TEST(SimNumbers, DivisionAndRootOfF64AreIeee) { check_division<double, uint64_t>("double"); }

TEST(SimNumbers, F16DivisionIsWithinOneRoundingOfIeee) {
  std::string code = compile_kernels(
      "extern \"C\" __global__ void divide(const f16* a, const f16* b, f16* c) { c[GID(256)] = a[GID(256)] / "
      "b[GID(256)]; }");
  size_t n = 1 << 16;
  std::vector<uint16_t> a(n), b(n);
  Random random(3);
  for (size_t i = 0; i < n; ++i)
    a[i] = static_cast<uint16_t>(random.next()), b[i] = static_cast<uint16_t>(random.next());
  SimRun run(code, "divide");
  run.input(a).input(b).output<uint16_t>(n);
  ASSERT_EQ(summary(run.launch(256, 256)), "completed");
  std::vector<uint16_t> c = run.values<uint16_t>(2);
  for (size_t i = 0; i < n; ++i) {
    double expected = round_to(DType::f16, decode(DType::f16, a.data(), static_cast<int64_t>(i)) /
                                               decode(DType::f16, b.data(), static_cast<int64_t>(i)));
    double got = decode(DType::f16, c.data(), static_cast<int64_t>(i));
    ASSERT_TRUE(same(got, expected)) << a[i] << " / " << b[i];
  }
}

// ---- conversions, all patterns
// -----------------------------------------------------------------------------------------------------

const std::string& conversions() {
  static const std::string code = compile_kernels(R"(
    extern "C" __global__ void f16_to_f32(const f16* x, float* y) { y[GID(256)] = (float)x[GID(256)]; }
    extern "C" __global__ void f32_to_f16(const float* x, f16* y) { y[GID(256)] = (f16)x[GID(256)]; }
    extern "C" __global__ void f32_to_bf16(const float* x, bf16* y) { y[GID(256)] = (bf16)x[GID(256)]; }
    extern "C" __global__ void bf16_to_f32(const bf16* x, float* y) { y[GID(256)] = (float)x[GID(256)]; }
    extern "C" __global__ void fp8_to_f32(const u8* x, float* y) { y[TID] = __builtin_amdgcn_cvt_f32_fp8(x[TID], 0); }
    extern "C" __global__ void bf8_to_f32(const u8* x, float* y) { y[TID] = __builtin_amdgcn_cvt_f32_bf8(x[TID] << 16, 2); }
    extern "C" __global__ void f32_to_fp8(const float* x, u8* y) { int r = __builtin_amdgcn_cvt_pk_fp8_f32(0.0f, x[GID(256)], 0, 0); y[GID(256)] = r >> 8; }
    extern "C" __global__ void f32_to_bf8(const float* x, u8* y) { int r = __builtin_amdgcn_cvt_pk_bf8_f32(x[GID(256)], 1.0f, 0, 1); y[GID(256)] = r >> 16; }
    typedef float f2 __attribute__((ext_vector_type(2)));
    extern "C" __global__ void pk_fp8(const u32* x, f2* y) { y[GID(256)] = __builtin_amdgcn_cvt_pk_f32_fp8(x[GID(256)], 1); }
  )");
  return code;
}

template <class In, class Out>
std::vector<Out> convert(const std::string& kernel, const std::vector<In>& x) {
  SimRun run(conversions(), kernel);
  run.input(x).template output<Out>(x.size());
  EXPECT_EQ(summary(run.launch(static_cast<int64_t>(x.size() / 256), 256)), "completed") << kernel;
  return run.values<Out>(1);
}

void check_decoding(const std::string& kernel, DType dtype, size_t count) {
  std::vector<uint8_t> bytes(count);
  std::vector<uint16_t> words(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i), words[i] = static_cast<uint16_t>(i);
  std::vector<float> y =
      count == 256 ? convert<uint8_t, float>(kernel, bytes) : convert<uint16_t, float>(kernel, words);
  for (size_t i = 0; i < count; ++i) {
    double expected = count == 256 ? decode(dtype, bytes.data(), static_cast<int64_t>(i))
                                   : decode(dtype, words.data(), static_cast<int64_t>(i));
    ASSERT_TRUE(same(static_cast<double>(y[i]), expected))
        << kernel << " " << i << ": " << y[i] << ", expected " << expected;
  }
}

TEST(SimNumbers, DecodingOfAllPatterns) {
  check_decoding("f16_to_f32", DType::f16, 65536);
  check_decoding("bf16_to_f32", DType::bf16, 65536);
  check_decoding("fp8_to_f32", DType::f8e4m3fnuz, 256);
  check_decoding("bf8_to_f32", DType::f8e5m2fnuz, 256);
}

// Values on, between and next to all values of the small type; beyond its range the two differ by design for fp8.
std::vector<float> probes(DType dtype, int bits) {
  std::vector<float> v;
  for (int i = 0; i < 1 << bits; i += bits == 16 ? 3 : 1) {
    uint16_t pattern = static_cast<uint16_t>(i);
    float x = static_cast<float>(decode(dtype, &pattern, 0));
    if (!std::isfinite(x)) continue;
    for (float f : {1.0f, 1.0f + 0x1p-12f, 1.0f + 0x1p-5f, 1.0f + 0x1p-4f, 1.0625f + 0x1p-20f, 1.0625f - 0x1p-20f,
                    1.03125f, 1.125f})
      if (std::fabs(x * f) <= info(dtype).max_finite) v.push_back(x * f);
  }
  v.resize(v.size() / 256 * 256);
  return v;
}

template <class Out>
void check_encoding(const std::string& kernel, DType dtype, int bits) {
  std::vector<float> x = probes(dtype, bits);
  std::vector<Out> y = convert<float, Out>(kernel, x);
  for (size_t i = 0; i < x.size(); ++i) {
    Out expected = 0;
    encode(dtype, &expected, 0, x[i]);
    ASSERT_EQ(y[i], expected) << kernel << " of " << x[i];
  }
}

TEST(SimNumbers, EncodingWithinTheRange) {
  check_encoding<uint16_t>("f32_to_f16", DType::f16, 16);
  check_encoding<uint16_t>("f32_to_bf16", DType::bf16, 16);
  check_encoding<uint8_t>("f32_to_fp8", DType::f8e4m3fnuz, 8);
  check_encoding<uint8_t>("f32_to_bf8", DType::f8e5m2fnuz, 8);
}

// ---- matrix instructions
// ------------------------------------------------------------------------------------------------------------

struct Mfma {
  const char* builtin;
  const char* in;      // element type in the kernel
  const char* vector;  // type of an A or B operand, as the builtin wants it
  int m, k, blocks;
  char kind;  // h f16, b bf16, s f32, d f64, 8 fp8, i int8
};
constexpr Mfma kMfma[] = {
    {"f32_16x16x16f16", "f16", "f16 __attribute__((ext_vector_type(4)))", 16, 16, 1, 'h'},
    {"f32_32x32x8f16", "f16", "f16 __attribute__((ext_vector_type(4)))", 32, 8, 1, 'h'},
    {"f32_4x4x4f16", "f16", "f16 __attribute__((ext_vector_type(4)))", 4, 4, 16, 'h'},
    {"f32_16x16x4f16", "f16", "f16 __attribute__((ext_vector_type(4)))", 16, 4, 4, 'h'},
    {"f32_32x32x4f16", "f16", "f16 __attribute__((ext_vector_type(4)))", 32, 4, 2, 'h'},
    {"f32_16x16x16bf16_1k", "u16", "i16 __attribute__((ext_vector_type(4)))", 16, 16, 1, 'b'},
    {"f32_32x32x8bf16_1k", "u16", "i16 __attribute__((ext_vector_type(4)))", 32, 8, 1, 'b'},
    {"f32_16x16x4f32", "float", "float", 16, 4, 1, 's'},
    {"f32_32x32x2f32", "float", "float", 32, 2, 1, 's'},
    {"f32_32x32x1f32", "float", "float", 32, 1, 2, 's'},
    {"f64_16x16x4f64", "double", "double", 16, 4, 1, 'd'},
    {"f64_4x4x4f64", "double", "double", 4, 4, 4, 'd'},
    {"f32_16x16x32_fp8_fp8", "u8", "long", 16, 32, 1, '8'},
    {"f32_32x32x16_fp8_fp8", "u8", "long", 32, 16, 1, '8'},
    {"i32_16x16x32_i8", "i8", "long", 16, 32, 1, 'i'},
    {"i32_32x32x16_i8", "i8", "long", 32, 16, 1, 'i'},
};

// The kernel loads and stores by the layout of the ISA documents (hardware.md section 14), written out here once more:
// lane l holds row l % M; k from (l / M / blocks) * K per lane on.
std::string mfma_kernel(const Mfma& f, size_t index) {
  int per_lane = f.m * f.k * f.blocks / 64, d = f.m * f.m * f.blocks / 64;
  std::string acc = f.kind == 'd' ? "double" : f.kind == 'i' ? "int" : "float";
  std::string n = std::to_string(index), name = "mfma" + n,
              vec = d > 1 ? acc + " __attribute__((ext_vector_type(" + std::to_string(d) + ")))" : acc;
  std::string row = f.m == 4        ? (f.kind == 'd' ? "l / 16" : "r")
                    : f.kind == 'd' ? "4 * r + l / 16"
                    : f.m == 16     ? "4 * (l / 16) + r % 4"
                                    : "8 * (r % 16 / 4) + 4 * (l / 32) + r % 4";
  std::string block = f.m == 4        ? (f.kind == 'd' ? "l / 4 % 4" : "l / 4")
                      : f.kind == 'd' ? "0"
                      : f.m == 16     ? "r / 4"
                                      : "r / 16";
  std::string mk = std::to_string(f.m) + " * " + std::to_string(f.k), M = std::to_string(f.m), K = std::to_string(f.k),
              P = std::to_string(per_lane), B = std::to_string(f.blocks);
  return "typedef " + std::string(f.vector) + " in" + n + "; typedef " + vec + " out" + n + ";\n" +
         "extern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(64,64))) void " + name + "(const " + f.in +
         "* a, const " + f.in + "* b, " + acc + "* c) {\n" + "  int l = TID; union { in" + n + " v; " + f.in + " e[" +
         P + "]; } va, vb; union { out" + n + " v; " + acc + " e[" + std::to_string(d) + "]; } vc;\n" +
         "  int g = l / " + M + ", bl = g % " + B + ", k0 = g / " + B + " * " + P + ";\n" + "  for (int j = 0; j < " +
         P + "; ++j) { va.e[j] = a[bl * " + mk + " + (l % " + M + ") * " + K + " + k0 + j]; vb.e[j] = b[bl * " + mk +
         " + (k0 + j) * " + M + " + l % " + M + "]; }\n" + "  for (int r = 0; r < " + std::to_string(d) +
         "; ++r) vc.e[r] = c[((" + block + ") * " + M + " + " + row + ") * " + M + " + l % " + M + "];\n" +
         "  vc.v = __builtin_amdgcn_mfma_" + f.builtin + "(va.v, vb.v, vc.v, 0, 0, 0);\n" + "  for (int r = 0; r < " +
         std::to_string(d) + "; ++r) c[((" + block + ") * " + M + " + " + row + ") * " + M + " + l % " + M +
         "] = vc.e[r];\n}\n";
}

void put_value(const Mfma& f, std::string& bytes, int value) {
  auto put = [&](auto v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); };
  uint16_t bits16 = 0;
  uint8_t bits8 = 0;
  switch (f.kind) {
    case 'h':
      encode(DType::f16, &bits16, 0, value);
      return put(bits16);
    case 'b':
      encode(DType::bf16, &bits16, 0, value);
      return put(bits16);
    case 's':
      return put(static_cast<float>(value));
    case 'd':
      return put(static_cast<double>(value));
    case '8':
      encode(DType::f8e4m3fnuz, &bits8, 0, value);
      return put(bits8);
    default:
      return put(static_cast<int8_t>(value));
  }
}

// Small integers: every sum is exact in any order. A and B are different and not symmetric.
TEST(SimNumbers, MatrixInstructions) {
  std::string source;
  for (size_t i = 0; i < std::size(kMfma); ++i) source += mfma_kernel(kMfma[i], i);
  std::string code = compile_kernels(source);
  for (size_t i = 0; i < std::size(kMfma); ++i) {
    const Mfma& f = kMfma[i];
    int inputs = f.m * f.k * f.blocks, outputs = f.m * f.m * f.blocks;
    std::vector<int> a(static_cast<size_t>(inputs)), b(a.size());
    std::string bytes_a, bytes_b, bytes_c;
    for (int j = 0; j < inputs; ++j) {
      put_value(f, bytes_a, a[static_cast<size_t>(j)] = (j * 7 + j / 5) % 15 - 7);
      put_value(f, bytes_b, b[static_cast<size_t>(j)] = (j * 11 + j / 3) % 13 - 6);
    }
    for (int j = 0; j < outputs; ++j) {
      double c = j % 100;
      float narrow = static_cast<float>(c);
      int32_t whole = static_cast<int32_t>(c);
      if (f.kind == 'd')
        bytes_c.append(reinterpret_cast<const char*>(&c), 8);
      else
        bytes_c.append(f.kind == 'i' ? reinterpret_cast<const char*>(&whole) : reinterpret_cast<const char*>(&narrow),
                       4);
    }
    SimRun run(code, "mfma" + std::to_string(i));
    run.buffer(bytes_a.data(), bytes_a.size(), false, true)
        .buffer(bytes_b.data(), bytes_b.size(), false, true)
        .buffer(bytes_c.data(), bytes_c.size(), true, true);
    ASSERT_EQ(summary(run.launch(1, 64)), "completed") << f.builtin;
    const std::string& out = run.result().buffers[2];
    for (int block = 0; block < f.blocks; ++block)
      for (int r = 0; r < f.m; ++r)
        for (int c = 0; c < f.m; ++c) {
          int at = (block * f.m + r) * f.m + c, sum = at % 100;
          for (int k = 0; k < f.k; ++k)
            sum += a[static_cast<size_t>((block * f.m + r) * f.k + k)] *
                   b[static_cast<size_t>((block * f.k + k) * f.m + c)];
          double got = 0;
          if (f.kind == 'd')
            std::memcpy(&got, &out[static_cast<size_t>(at) * 8], 8);
          else if (f.kind == 'i') {
            int32_t v;
            std::memcpy(&v, &out[static_cast<size_t>(at) * 4], 4);
            got = v;
          } else {
            float v;
            std::memcpy(&v, &out[static_cast<size_t>(at) * 4], 4);
            got = v;
          }
          ASSERT_EQ(got, sum) << f.builtin << " block " << block << " row " << r << " column " << c;
        }
  }
}

// ---- between lanes
// -------------------------------------------------------------------------------------------------------------------

struct LaneCase {
  const char* name;
  const char* expression;  // of int x = 1000 + lane
  int (*host)(int lane);
};
constexpr LaneCase kLaneCases[] = {
    {"row_shr", "__builtin_amdgcn_update_dpp(-1, x, 0x111, 15, 15, false)",
     [](int l) { return l % 16 ? 1000 + l - 1 : -1; }},
    {"row_shl_zero", "__builtin_amdgcn_update_dpp(-1, x, 0x102, 15, 15, true)",
     [](int l) { return l % 16 < 14 ? 1000 + l + 2 : 0; }},
    {"row_ror", "__builtin_amdgcn_update_dpp(-1, x, 0x123, 15, 15, false)",
     [](int l) { return 1000 + l / 16 * 16 + (l % 16 + 13) % 16; }},
    {"quad_perm", "__builtin_amdgcn_update_dpp(-1, x, 0x1b, 15, 15, false)", [](int l) { return 1000 + (l ^ 3); }},
    {"row_bcast15", "__builtin_amdgcn_update_dpp(-1, x, 0x142, 10, 15, false)",
     [](int l) { return l / 16 % 2 ? 1000 + l / 16 * 16 - 1 : -1; }},
    {"row_bcast31", "__builtin_amdgcn_update_dpp(-1, x, 0x143, 12, 15, false)",
     [](int l) { return l >= 32 ? 1031 : -1; }},
    {"row_mirror", "__builtin_amdgcn_update_dpp(-1, x, 0x140, 15, 15, false)", [](int l) { return 1000 + (l ^ 15); }},
    {"half_mirror", "__builtin_amdgcn_update_dpp(-1, x, 0x141, 15, 15, false)", [](int l) { return 1000 + (l ^ 7); }},
    {"newbcast", "__builtin_amdgcn_update_dpp(-1, x, 0x155, 15, 15, false)",
     [](int l) { return 1000 + l / 16 * 16 + 5; }},
    {"wave_shr", "__builtin_amdgcn_update_dpp(-1, x, 0x138, 15, 15, false)",
     [](int l) { return l ? 1000 + l - 1 : -1; }},
    {"bank_mask", "__builtin_amdgcn_update_dpp(-1, x, 0x1b, 15, 5, false)",
     [](int l) { return l % 16 / 4 % 2 ? -1 : 1000 + (l ^ 3); }},
    {"swizzle_xor", "__builtin_amdgcn_ds_swizzle(x, 0x041f)", [](int l) { return 1000 + (l ^ 1); }},
    {"swizzle_reverse", "__builtin_amdgcn_ds_swizzle(x, 0x7c1f)", [](int l) { return 1000 + (l ^ 31); }},
    {"swizzle_broadcast", "__builtin_amdgcn_ds_swizzle(x, 0x0018)", [](int l) { return 1000 + (l & ~7); }},
    {"swizzle_quad", "__builtin_amdgcn_ds_swizzle(x, 0x80b1)", [](int l) { return 1000 + (l ^ 1); }},
    {"swizzle_mixed", "__builtin_amdgcn_ds_swizzle(x, (9 << 10) | (4 << 5) | 27)",
     [](int l) { return 1000 + (l & 32) + ((((l & 31) & 27) | 4) ^ 9); }},
    {"bpermute", "__builtin_amdgcn_ds_bpermute((TID * 7 % 64) * 4, x)", [](int l) { return 1000 + l * 7 % 64; }},
    {"permute", "__builtin_amdgcn_ds_permute((TID * 7 % 64) * 4, x)", [](int l) { return 1000 + l * 55 % 64; }},
    {"readlane", "__builtin_amdgcn_readlane(x, 17)", [](int) { return 1017; }},
    {"readfirstlane", "TID >= 9 ? __builtin_amdgcn_readfirstlane(x) : 5", [](int l) { return l >= 9 ? 1009 : 5; }},
    {"ballot", "__builtin_popcountll(__builtin_amdgcn_ballot_w64(x % 3 == 0))",
     [](int) {
       int n = 0;
       for (int l = 0; l < 64; ++l) n += (1000 + l) % 3 == 0;
       return n;
     }},
    {"mbcnt", "__builtin_amdgcn_mbcnt_hi(0x0f0f0f0f, __builtin_amdgcn_mbcnt_lo(0x33333333, 7))",
     [](int l) {
       uint64_t mask = 0x0f0f0f0f33333333ull;
       int n = 7;
       for (int i = 0; i < l; ++i) n += mask >> i & 1;
       return n;
     }},
    // Byte 3 zero, byte 2 = byte 0 of x, byte 1 = byte 3 of x, byte 0 = byte 0 of the constant.
    {"perm", "(int)__builtin_amdgcn_perm(x, 0x12345678, 0x0c040700)",
     [](int l) { return ((1000 + l) & 0xff) << 16 | 0 << 8 | 0x78; }},
    {"alignbit", "(int)__builtin_amdgcn_alignbit(x, 0x80000001, 5)",
     [](int l) { return static_cast<int>(((static_cast<uint64_t>(1000 + l) << 32) | 0x80000001u) >> 5); }},
    {"sdot4", "__builtin_amdgcn_sdot4(x, 0x01ff02fe, 3, false)",
     [](int l) {
       int x = 1000 + l;
       return 3 + static_cast<int8_t>(x) * -2 + static_cast<int8_t>(x >> 8) * 2;
     }},
    {"ubfe", "(int)__builtin_amdgcn_ubfe(x, 3, 5)", [](int l) { return (1000 + l) >> 3 & 31; }},
    {"med3", "__builtin_elementwise_min(__builtin_elementwise_max(x, 1010), 1040)",
     [](int l) { return std::min(std::max(1000 + l, 1010), 1040); }},
};

TEST(SimNumbers, OperationsBetweenLanes) {
  std::string source;
  for (const LaneCase& c : kLaneCases)
    source += std::string("extern \"C\" __global__ void lane_") + c.name +
              "(int* y) { int x = 1000 + TID; y[TID] = " + c.expression + "; }\n";
  std::string code = compile_kernels(source);
  for (const LaneCase& c : kLaneCases) {
    SimRun run(code, std::string("lane_") + c.name);
    run.output<int>(64);
    ASSERT_EQ(summary(run.launch(1, 64)), "completed") << c.name;
    std::vector<int> y = run.values<int>(0);
    for (int l = 0; l < 64; ++l) {
      int expected = c.host(l);
      ASSERT_EQ(y[static_cast<size_t>(l)], expected) << c.name << " lane " << l;
    }
  }
}

}  // namespace
}  // namespace hipvault
