// Address spaces and atomics: scratch, flat, buffers, loads into LDS, calls, code compiled without optimisation.
#include <gtest/gtest.h>

#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

const char* kSource = R"(
typedef float f4 __attribute__((ext_vector_type(4)));
typedef f16 h2 __attribute__((ext_vector_type(2)));
typedef f16 h8 __attribute__((ext_vector_type(8)));
extern "C" __global__ void scratch(const int* ix, int* o) {
  int t[40];
  for (int i = 0; i < 40; i++) t[i] = i * TID;
  for (int i = 0; i < 38; i++) t[ix[i] % 40] += t[ix[i + 1] % 40];
  int s = 0;
  for (int i = 0; i < 38; i++) s = s * 3 + t[ix[i + 2] % 40];
  o[TID] = s;
}
extern "C" __global__ void flat(int* o, int* in, int which) {
  __shared__ int t[64];
  t[TID] = 3 * TID;
  SYNC();
  int* p = TID < which ? t : in;
  o[TID] = p[63 - TID];
}
__attribute__((noinline)) __device__ int callee(int x, int depth) { return depth == 0 ? x : callee(x + depth, depth - 1) * 2; }
extern "C" __global__ void calls(int* o) { o[TID] = callee(TID, 5); }
extern "C" __global__ void small(const u8* b, const i16* s, const f16* h, int* o) { __shared__ u8 q[64]; __shared__ f16 t[64];
  q[TID] = b[TID] + 1; t[63 - TID] = h[TID] * (f16)2.0f;
  SYNC();
  o[TID] = q[TID ^ 1] + 1000 * s[TID] + (int)(float)t[TID];
}
extern "C" __global__ void wide(const h8* a, h8* c) { __shared__ h8 t[64]; t[TID ^ 5] = a[TID]; SYNC(); c[TID] = t[TID] + a[63 - TID]; }
)";

const char* kOptimised = R"(
typedef float f4 __attribute__((ext_vector_type(4)));
typedef f16 h2 __attribute__((ext_vector_type(2)));
extern "C" __global__ void buffers(float* p, float* o, int n) {
  auto r = __builtin_amdgcn_make_buffer_rsrc(p, 0, n * 4, 0x27000);
  o[TID] = __builtin_bit_cast(float, __builtin_amdgcn_raw_buffer_load_b32(r, TID * 4, 4, 0));
  __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(u32, 9.0f), r, TID * 4 + 200, 0, 0);
}
extern "C" __global__ void into_lds(float __attribute__((address_space(1)))* p, float* o) { __shared__ float t[128];
  __builtin_amdgcn_global_load_lds((void __attribute__((address_space(1)))*)(p + TID), (void __attribute__((address_space(3)))*)(t + (TID & ~63)), 4, 0, 0);
  __builtin_amdgcn_s_waitcnt(0);
  SYNC();
  o[TID] = t[127 - TID];
}
#define AGENT __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
extern "C" __global__ void atomics(int* a, float* f, double* d, u64* l, h2* h, int* old) {
  int i = GID(64);
  __hip_atomic_fetch_max(a, i, AGENT); __hip_atomic_fetch_min(a + 1, -i, AGENT); __hip_atomic_fetch_xor(a + 2, 1 << (i & 30), AGENT); __hip_atomic_fetch_or(a + 3, i, AGENT);
  __hip_atomic_fetch_add(f, 1.f, AGENT); __hip_atomic_fetch_max(f + 1, (float)i, AGENT); __hip_atomic_fetch_add(d, 0.5, AGENT); __hip_atomic_fetch_add(l, 1ul << 33, AGENT);
  h2 v = {(f16)1, (f16)2};
  __builtin_amdgcn_global_atomic_fadd_v2f16((h2 __attribute__((address_space(1)))*)h, v);
  int expected = 0;
  if (__hip_atomic_compare_exchange_strong(a + 4, &expected, i + 1, __ATOMIC_RELAXED, AGENT)) old[0] = i + 1;
  old[1 + i] = __hip_atomic_fetch_add(a + 5, 1, AGENT);
}
extern "C" __global__ void lds_atomics(int* o) { __shared__ int t[4]; __shared__ float f[1]; __shared__ u64 w[1];
  if (TID < 4) t[TID] = 0;
  if (TID == 0) f[0] = 0, w[0] = 0;
  SYNC();
#define GROUP __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP
  __hip_atomic_fetch_add(&t[0], TID, GROUP); __hip_atomic_fetch_max(&t[1], TID, GROUP); __hip_atomic_fetch_or(&t[2], TID, GROUP);
  __hip_atomic_fetch_add(&f[0], 0.5f, GROUP); __hip_atomic_fetch_add(&w[0], 1ul << 32, GROUP);
  int old = __hip_atomic_exchange(&t[3], TID + 1, GROUP);
  SYNC();
  if (TID < 3) o[TID] = t[TID];
  if (TID == 3) o[3] = (int)f[0];
  if (TID == 4) o[4] = (int)(w[0] >> 32);
  if (TID > 4) o[TID] = old >= 0;
}
)";

class Optimisation : public testing::TestWithParam<const char*> {
 protected:
  std::string code() {
    static std::map<std::string, std::string> known;
    std::string& code = known[GetParam()];
    if (code.empty()) code = compile_kernels(kSource, std::string(GetParam()) + " -g1");
    return code;
  }
};

TEST_P(Optimisation, ScratchArrays) {
  std::vector<int> ix(41);
  for (size_t i = 0; i < ix.size(); ++i) ix[i] = static_cast<int>(i * i * 7 % 53);
  SimRun run(code(), "scratch");
  run.input(ix).output<int>(64);
  ASSERT_EQ(summary(run.launch(1, 64)), "completed");
  for (int l = 0; l < 64; ++l) {
    int t[40];
    for (int i = 0; i < 40; ++i) t[i] = i * l;
    for (size_t i = 0; i < 38; ++i)
      t[ix[i] % 40] = static_cast<int>(static_cast<unsigned>(t[ix[i] % 40]) + static_cast<unsigned>(t[ix[i + 1] % 40]));
    unsigned s = 0;
    for (size_t i = 0; i < 38; ++i) s = s * 3 + static_cast<unsigned>(t[ix[i + 2] % 40]);
    ASSERT_EQ(run.values<int>(1)[static_cast<size_t>(l)], static_cast<int>(s)) << l;
  }
}

TEST_P(Optimisation, FlatPointersToLdsAndMemory) {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[static_cast<size_t>(i)] = 1000 + i;
  SimRun run(code(), "flat");
  run.output<int>(64).inout(in).value(20);
  ASSERT_EQ(summary(run.launch(1, 64)), "completed");
  for (int l = 0; l < 64; ++l) ASSERT_EQ(run.values<int>(0)[static_cast<size_t>(l)], l < 20 ? 3 * (63 - l) : 1063 - l);
}

TEST_P(Optimisation, RecursiveCalls) {
  SimRun run(code(), "calls");
  run.output<int>(64);
  ASSERT_EQ(summary(run.launch(1, 64)), "completed");
  for (int l = 0; l < 64; ++l) ASSERT_EQ(run.values<int>(0)[static_cast<size_t>(l)], (l + 15) * 32);
}

TEST_P(Optimisation, SmallTypes) {
  std::vector<uint8_t> b(64);
  std::vector<int16_t> s(64);
  std::vector<_Float16> h(64);
  for (int i = 0; i < 64; ++i)
    b[static_cast<size_t>(i)] = static_cast<uint8_t>(i * 5), s[static_cast<size_t>(i)] = static_cast<int16_t>(i - 30),
    h[static_cast<size_t>(i)] = static_cast<_Float16>(i);
  SimRun run(code(), "small");
  run.input(b).input(s).input(h).output<int>(64);
  ASSERT_EQ(summary(run.launch(1, 64)), "completed");
  for (int l = 0; l < 64; ++l)
    ASSERT_EQ(run.values<int>(3)[static_cast<size_t>(l)],
              static_cast<uint8_t>((l ^ 1) * 5 + 1) + 1000 * (l - 30) + 2 * (63 - l))
        << l;
}

TEST_P(Optimisation, SixteenByteAccesses) {
  std::vector<_Float16> a(512);
  for (size_t i = 0; i < 512; ++i) a[i] = static_cast<_Float16>(static_cast<float>(i % 97));
  SimRun run(code(), "wide");
  run.input(a).output<_Float16>(512);
  ASSERT_EQ(summary(run.launch(1, 64)), "completed");
  std::vector<_Float16> c = run.values<_Float16>(1);
  for (size_t l = 0; l < 64; ++l)
    for (size_t e = 0; e < 8; ++e)
      ASSERT_EQ(static_cast<float>(c[l * 8 + e]),
                static_cast<float>(a[(l ^ 5) * 8 + e]) + static_cast<float>(a[(63 - l) * 8 + e]));
}

INSTANTIATE_TEST_SUITE_P(SimMemory, Optimisation, testing::Values("-O0", "-O1", "-O3"));

const std::string& optimised() {
  static const std::string code = compile_kernels(kOptimised);
  return code;
}

TEST(SimMemory, BufferDescriptorsBoundAccesses) {
  std::vector<float> p(100);
  for (size_t i = 0; i < 100; ++i) p[i] = static_cast<float>(i + 1);
  SimRun run(optimised(), "buffers");
  run.inout(p).output<float>(64).value(60);
  ASSERT_EQ(summary(run.launch(1, 64)), "completed");
  std::vector<float> o = run.values<float>(1), after = run.values<float>(0);
  for (size_t l = 0; l < 64; ++l) EXPECT_EQ(o[l], l + 1 < 60 ? static_cast<float>(l + 2) : 0.0f) << l;
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(after[i], i >= 50 && i < 60 ? 9.0f : p[i]) << i;
}

TEST(SimMemory, LoadsIntoLds) {
  std::vector<float> p(128);
  for (size_t i = 0; i < 128; ++i) p[i] = static_cast<float>(i);
  SimRun run(optimised(), "into_lds");
  run.input(p).output<float>(128);
  ASSERT_EQ(summary(run.launch(1, 128)), "completed");
  for (size_t l = 0; l < 128; ++l) EXPECT_EQ(run.values<float>(1)[l], static_cast<float>(127 - l));
}

TEST(SimMemory, GlobalAtomics) {
  for (int threads : {1, 4}) {
    SimRun run(optimised(), "atomics");
    run.inout(std::vector<int>(6))
        .inout(std::vector<float>(2))
        .inout(std::vector<double>(1))
        .inout(std::vector<uint64_t>(1))
        .inout(std::vector<_Float16>(2))
        .inout(std::vector<int>(257));
    run.request().threads = threads;
    ASSERT_EQ(summary(run.launch(4, 64)), "completed");
    std::vector<int> a = run.values<int>(0), old = run.values<int>(5);
    int flips = 0;
    for (int i = 0; i < 256; ++i) flips ^= 1 << (i & 30);
    EXPECT_EQ(a, (std::vector<int>{255, -255, flips, 255, old[0], 256}));
    EXPECT_EQ(run.values<float>(1), (std::vector<float>{256, 255}));
    EXPECT_EQ(run.values<double>(2)[0], 128.0);
    EXPECT_EQ(run.values<uint64_t>(3)[0], uint64_t{256} << 33);
    EXPECT_EQ(static_cast<float>(run.values<_Float16>(4)[0]), 256.0f);
    EXPECT_EQ(static_cast<float>(run.values<_Float16>(4)[1]), 512.0f);
    std::vector<bool> seen(256);
    for (size_t i = 1; i < 257; ++i) seen.at(static_cast<size_t>(old[i])) = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 256);
  }
}

TEST(SimMemory, LdsAtomics) {
  SimRun run(optimised(), "lds_atomics");
  run.output<int>(128);
  ASSERT_EQ(summary(run.launch(1, 128)), "completed");
  std::vector<int> o = run.values<int>(0);
  EXPECT_EQ((std::vector<int>(o.begin(), o.begin() + 5)), (std::vector<int>{127 * 64, 127, 127, 64, 128}));
}

}  // namespace
}  // namespace hipvault
