// A kernel written here, compiled by the built-in compiler and run on the simulated GPU through the device interface;
// the expected values come from plain loops on the host.

#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "compile/compiler.h"
#include "compile/worker.h"
#include "device/device.h"
#include "device/worker.h"
#include "support/process_count.h"

namespace hipvault {
namespace {

std::string code_object(const std::string& body) {
  compile::CompileRequest request;
  request.source =
      "#define __global__ __attribute__((global))\n#define ITEMS __attribute__((amdgpu_flat_work_group_size(256, "
      "256)))\n" +
      body;
  request.arch = "gfx942";
  Result<std::unique_ptr<compile::Compiler>> compiler = compile::make_compiler({});
  Result<compile::CompileOutput> output = (*compiler)->compile(request);
  EXPECT_TRUE(output && output->ok) << (output ? output->diagnostics : render(output.error()));
  return output ? output->code_object : "";
}

std::string bytes_of(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

BufferRequest buffer(const std::string& name, const std::vector<float>& values, bool output) {
  BufferRequest request;
  request.name = name;
  request.data = bytes_of(values);
  request.valid_end = static_cast<int64_t>(request.data.size());
  request.writable = request.read_back = output;
  request.initialised = !output;
  return request;
}

ResolvedArg buffer_arg(int index) {
  ResolvedArg arg;
  arg.index = index;
  return arg;
}

// kernel(x, y, z, n) over `n` floats.
RunRequest three_buffers(const std::string& kernel, const std::string& code, const std::vector<float>& x,
                         const std::vector<float>& y) {
  RunRequest request;
  request.gpu = "mi300x";
  request.code_objects = {code};
  request.buffers = {buffer("x", x, false), buffer("y", y, false),
                     buffer("z", std::vector<float>(x.size(), -1.0f), true)};
  ResolvedLaunch launch;
  launch.kernel = kernel;
  launch.grid = {(static_cast<int64_t>(x.size()) + 255) / 256, 1, 1};
  launch.block = 256;
  launch.args = {buffer_arg(0), buffer_arg(1), buffer_arg(2)};
  ResolvedArg n;
  n.kind = KernelArg::Kind::integer;
  n.value = static_cast<int64_t>(x.size());
  n.dtype = DType::i32;
  launch.args.push_back(n);
  request.plan.launches = {launch};
  return request;
}

RunResult run(const RunRequest& request) {
  Result<std::unique_ptr<device::Device>> sim = device::open_device("sim", "mi300x");
  EXPECT_TRUE(sim) << render(sim.error());
  Result<RunResult> result = (*sim)->run(request);
  EXPECT_TRUE(result) << render(result.error());
  return result ? *result : RunResult{};
}

std::vector<float> ramp(int count, float step) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i) * step);
  return values;
}

constexpr const char* kVectorAdd =
    R"(extern "C" __global__ ITEMS void vector_add(const float* x, const float* y, float* z, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < n) z[i] = x[i] + y[i];
})";

TEST(CompileAndRun, AddsVectorsWithATail) {
  std::vector<float> x = ramp(1001, 0.5f), y = ramp(1001, -3.25f);
  RunResult result = run(three_buffers("vector_add", code_object(kVectorAdd), x, y));
  ASSERT_EQ(result.run.status, RunStatus::completed) << result.run.message;
  EXPECT_TRUE(result.run.findings.empty()) << result.run.findings[0].message;
  std::vector<float> z = floats_of(result.buffers.at(2));
  ASSERT_EQ(z.size(), x.size());
  for (size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], x[i] + y[i]) << i;
  EXPECT_EQ(result.run.launches.at(0).groups, 4);
}

TEST(CompileAndRun, AnOutOfBoundsStoreIsFoundWithItsLine) {
  std::string code =
      code_object(R"(extern "C" __global__ ITEMS void past_the_end(const float* x, const float* y, float* z, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i <= n)
    z[i] = x[0];
})");
  RunResult result = run(three_buffers("past_the_end", code, ramp(300, 1), ramp(300, 1)));
  ASSERT_FALSE(result.run.findings.empty()) << result.run.message;
  EXPECT_EQ(result.run.findings[0].kind, "out-of-bounds");
  EXPECT_EQ(result.run.findings[0].source, "kernel.hip:6");  // two lines stand before it
}

TEST(CompileAndRun, AnEndlessLoopEndsTyped) {
  std::string code =
      code_object(R"(extern "C" __global__ ITEMS void endless(const float* x, const float* y, float* z, int n) {
  while (__atomic_load_n(reinterpret_cast<const int*>(z), __ATOMIC_RELAXED) != 77) {}
})");
  RunRequest request = three_buffers("endless", code, ramp(256, 1), ramp(256, 1));
  request.buffers[2].initialised = true;
  request.step_budget = 100000;
  EXPECT_EQ(run(request).run.status, RunStatus::step_budget);

  int children = test::child_processes();
  request.step_budget = int64_t{1} << 60;
  request.deadline_s = 0.5;
  RunResult killed = run(request);
  EXPECT_EQ(killed.run.status, RunStatus::deadline) << killed.run.message;
  EXPECT_EQ(test::child_processes(), children);
}

TEST(CompileAndRun, AnUnknownKernelIsRefused) {
  RunResult result = run(three_buffers("no_such_kernel", code_object(kVectorAdd), ramp(4, 1), ramp(4, 1)));
  EXPECT_EQ(result.run.status, RunStatus::launch_refused) << result.run.message;
  EXPECT_NE(result.run.message.find("no_such_kernel"), std::string::npos) << result.run.message;
}

TEST(CompileAndRun, ADamagedCodeObjectIsAValue) {
  std::string code = code_object(kVectorAdd);
  for (size_t at = 0; at < code.size(); at += code.size() / 40 + 1) {
    std::string damaged = code;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    RunRequest request = three_buffers("vector_add", damaged, ramp(16, 1), ramp(16, 1));
    request.step_budget = 10000;
    request.deadline_s = 20;
    RunResult result = run(request);
    EXPECT_NE(result.run.status, RunStatus::worker_died) << at << ": " << result.run.message;
  }
}

TEST(SimDevice, RefusesARunForAnotherGpu) {
  Result<std::unique_ptr<device::Device>> sim = device::open_device("sim", "mi308x");
  ASSERT_TRUE(sim);
  RunRequest request;
  request.gpu = "mi300x";
  Result<RunResult> result = (*sim)->run(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "device.gpu");
}

}  // namespace
}  // namespace hipvault

int main(int argc, char** argv) {
  using namespace hipvault;
  const jail::Kind kinds[] = {compile::worker_kind(), device::worker_kind()};
  if (argc > 1 && std::string(argv[1]) == "__zygote") return jail::zygote_main(argc, argv, kinds);
  testing::InitGoogleTest(&argc, argv);
  jail::use_own_program();
  return RUN_ALL_TESTS();
}
