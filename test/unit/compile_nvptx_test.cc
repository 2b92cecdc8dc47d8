// PTX from the built-in clang: the kernel's name, its block size and shared memory as NVIDIA's PTX ISA spells them.

#include <gtest/gtest.h>

#include "compile/compiler.h"

namespace hipvault::compile {
namespace {

constexpr const char* kSource = R"(
extern "C" __attribute__((global)) __attribute__((launch_bounds(96))) void scale(float* p, float s) {
  __attribute__((shared)) static float part[24];
  int t = __nvvm_read_ptx_sreg_tid_x();
  part[t % 24] = p[t];
  __nvvm_barrier_sync(0);
  p[t] = part[(t + 1) % 24] * s;
}
)";

TEST(CompileNvptx, MakesPtxWithItsResources) {
  Result<std::unique_ptr<Compiler>> compiler = make_compiler({});
  ASSERT_TRUE(compiler) << compiler.error().message;
  CompileRequest request;
  request.source = kSource;
  request.arch = "sm_90";
  Result<CompileOutput> output = (*compiler)->compile(request);
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_TRUE(output->ok) << output->diagnostics;
  EXPECT_NE(output->code_object.find(".target sm_90"), std::string::npos);
  EXPECT_NE(output->code_object.find(".visible .entry scale("), std::string::npos);
  EXPECT_NE(output->code_object.find("bar"), std::string::npos);
  ASSERT_EQ(output->kernels.size(), 1u);
  EXPECT_EQ(output->kernels[0].kernel, "scale");
  EXPECT_EQ(output->kernels[0].max_group_size, 96);
  EXPECT_EQ(output->kernels[0].lds_bytes, 96);
  EXPECT_EQ(output->kernels[0].wave_size, 32);
}

}  // namespace
}  // namespace hipvault::compile
