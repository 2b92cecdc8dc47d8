#include <gtest/gtest.h>

#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

std::vector<float> ramp(size_t n, float scale) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(static_cast<int>(i * 7919 % 1009) - 500) * scale;
  return v;
}

TEST(SimRunsKernels, VectorAddWithTail) {
  std::string code = compile_kernels(
      R"(extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) { int i = GID(256); if (i < n) c[i] = a[i] + b[i]; })");
  std::vector<float> a = ramp(1000, 0.5f), b = ramp(1000, 0.125f);
  SimRun run(code, "vadd");
  run.input(a).input(b).output<float>(1000).value(1000);
  const hipvault::Run& r = run.launch(4, 256);
  ASSERT_EQ(summary(r), "completed");
  std::vector<float> c = run.values<float>(2);
  for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
  EXPECT_EQ(r.launches[0].waves_run, 16);
  EXPECT_EQ(r.launches[0].bytes_stored, 4000);
}

}  // namespace
}  // namespace hipvault
