// A kernel that hipvault made, compiled whole as a user would and called through its C entry in a HIP program, gives
// the same bytes as the code object that was judged, run as the judge runs it.
#include <gtest/gtest.h>

#include <cstring>

#include "base/json.h"
#include "base/random.h"
#include "sim/simulator.h"
#include "support/hip_program.h"

namespace hipvault::hipfront {
namespace {

using namespace hipvault::test;

struct Tensor {
  const char* name;
  int64_t rows, columns;
  bool output;
};
struct Case {
  const char* op;
  const char* file;
  std::vector<std::string> build;
  std::vector<std::pair<std::string, int64_t>> sizes;
  std::vector<Tensor> tensors;  // f32, contiguous, in the order of the entry's buffers
};

std::string join(const std::vector<int64_t>& numbers) {
  std::string text;
  for (int64_t n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

std::string random_floats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::string bytes(static_cast<size_t>(count) * 4, '\0');
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(static_cast<int64_t>(random.below(2001)) - 1000) / 137;
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  return bytes;
}

std::string run_as_the_judge(const fs::path& folder, const Case& c, const std::vector<std::string>& inputs) {
  Result<Json> json = parse_json(read(folder / "plan.json"), "plan");
  Result<Plan> plan = plan_from_json(*json);
  EXPECT_TRUE(plan.has_value());
  Sizes sizes;
  for (const auto& [name, value] : c.sizes) sizes[name] = value;
  RunRequest request;
  request.code_objects = {read(folder / "kernel.hsaco")};
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const Tensor& t = c.tensors[i];
    sizes[std::string(t.name) + ".stride.0"] = t.columns;
    sizes[std::string(t.name) + ".stride.1"] = 1;
    sizes[std::string(t.name) + ".align"] = 256;
    BufferRequest buffer;
    buffer.name = t.name;
    buffer.data = inputs[i];
    buffer.valid_end = static_cast<int64_t>(inputs[i].size());
    buffer.writable = buffer.read_back = t.output;
    request.buffers.push_back(buffer);
  }
  Result<ResolvedPlan> resolved = resolve(*plan, sizes);
  EXPECT_TRUE(resolved.has_value()) << (resolved ? "" : render(resolved.error()));
  request.plan = *resolved;
  RunResult result = sim::run(request, *target::find_gpu("mi300x"));
  EXPECT_EQ(result.run.status, RunStatus::completed) << result.run.message;
  return result.buffers.back();
}

void check(const Case& c) {
  find_pieces();
  fs::path folder = work_folder() / (std::string("own_") + c.op),
           program = work_folder() / (std::string(c.op) + "_entry");
  fs::path hipvault = fs::path(std::getenv("HIPVAULT_HIP_DIR")).parent_path() / "hipvault";
  std::vector<std::string> words = {
      hipvault.string(), "build", (fs::path(HIPVAULT_SOURCE_DIR) / "ops" / c.file).string(),
      "--quick",         "--out", folder.string()};
  words.insert(words.end(), c.build.begin(), c.build.end());
  SubprocessResult built = run(words, {});
  ASSERT_EQ(built.code, 0) << built.output << built.errors;
  std::string kernel = "-DKERNEL=\"" + (folder / "kernel.hip").string() + "\"";
  SubprocessResult compiled = compile({"-std=c++20", kernel, std::string("-DENTRY=") + c.op,
                                       (kPrograms / "own/entry.hip").string(), "-o", program.string()},
                                      {"gfx942"});
  ASSERT_EQ(compiled.code, 0) << compiled.errors;
  std::vector<int64_t> sizes, strides;
  for (const auto& [name, value] : c.sizes) sizes.push_back(value);
  std::vector<std::string> inputs, arguments;
  fs::path result = work_folder() / (std::string(c.op) + ".out");
  for (const Tensor& t : c.tensors) {
    strides.insert(strides.end(), {t.columns, 1});
    inputs.push_back(t.output ? std::string(static_cast<size_t>(t.rows * t.columns) * 4, '\0')
                              : random_floats(t.rows * t.columns, 7 + inputs.size()));
    fs::path file = work_folder() / (std::string(c.op) + "." + t.name);
    if (!t.output) std::ofstream(file, std::ios::binary) << inputs.back();
    arguments.push_back(t.output ? "out:" + result.string() + ":" + std::to_string(inputs.back().size())
                                 : "in:" + file.string());
  }
  arguments.insert(arguments.begin(), {join(sizes), join(strides)});
  SubprocessResult ran = run_program(program, "mi300x", arguments);
  ASSERT_EQ(ran.code, 0) << ran.output << ran.errors;
  std::string whole = read(result), judged = run_as_the_judge(folder, c, inputs);
  ASSERT_EQ(whole.size(), judged.size());
  EXPECT_NE(whole, std::string(whole.size(), '\0'));
  EXPECT_EQ(whole, judged) << "the bytes differ";
}

TEST(OwnKernels, SoftmaxThroughItsEntryGivesTheJudgedBytes) {
  check(
      {"softmax", "softmax.hv", {"-D", "T=f32"}, {{"B", 5}, {"N", 264}}, {{"x", 5, 264, false}, {"y", 5, 264, true}}});
}

TEST(OwnKernels, MatmulThroughItsEntryGivesTheJudgedBytes) {
  check({"matmul",
         "matmul.hv:matmul",
         {"--case", "odd", "-D", "T=f32"},
         {{"M", 13}, {"K", 37}, {"N", 19}},
         {{"a", 13, 37, false}, {"b", 37, 19, false}, {"c", 13, 19, true}}});
}

}  // namespace
}  // namespace hipvault::hipfront
