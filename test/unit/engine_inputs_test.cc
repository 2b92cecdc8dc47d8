// Budgets, suggestions, tasks from what a user types, and the least work of an op against numbers computed by hand.

#include <gtest/gtest.h>

#include "engine/budget.h"
#include "engine/suggest.h"
#include "engine/task.h"
#include "engine/work.h"

namespace hipvault::engine {
namespace {

TEST(EngineBudget, ReadsSecondsMinutesAndTrials) {
  EXPECT_EQ(parse_budget("60s")->seconds, 60.0);
  EXPECT_EQ(parse_budget("2m")->seconds, 120.0);
  EXPECT_EQ(parse_budget("200trials")->trials, 200);
  Result<Budget> both = parse_budget("1.5s,10trials");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->seconds, 1.5);
  EXPECT_EQ(both->trials, 10);
  EXPECT_EQ(text(*both), "1.5s,10trials");
  EXPECT_TRUE(both->used_up(0, 10));
  EXPECT_TRUE(both->used_up(1.5, 0));
  EXPECT_FALSE(both->used_up(1.4, 9));
  for (const char* bad : {"", "60", "s", "-5s", "0s", "1.5trials", "60s,", "60 s", "60x"}) {
    Result<Budget> parsed = parse_budget(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().hint.find("200trials"), std::string::npos);
  }
}

TEST(EngineSuggest, NearWordsOnly) {
  EXPECT_EQ(nearest("optimise", {"build", "optimize", "ops"}), "optimize");
  EXPECT_EQ(nearest("lalma", {"small", "llama"}), "llama");
  EXPECT_EQ(nearest("xyz", {"build", "ops"}), "");
  EXPECT_EQ(known_words("waev", {"rows", "wave"}), "did you mean \"wave\"? known: rows, wave");
}

constexpr const char* kOps = R"(op add<T: f32 bf16>(x: T[N], y: T[N]) -> z: T[N]
  z = x + y
  case small: N=8
  case large: N=1000, T=bf16

op product<T: bf16>(a: T[M,K], b: T[K,N]) -> c: T[M,N]
  c = sum(a * b, K)
  case one: M=3, N=5, K=7

op lookup(table: f32[V,D], i: i64[N]) -> y: f32[N,D]
  y = table[i, D]
  input i: integers(0, 100)
  case one: V=100, D=4, N=3
  case long: V=10, D=4, N=1000
)";

Result<LoadedTask> load(const std::string& op, const std::string& case_name, std::vector<std::string> defines = {}) {
  return load_task_from_text(kOps, "ops.hv", "", op, {.case_name = case_name, .defines = std::move(defines)});
}

TEST(EngineTask, CaseGivesSizesAndTypes) {
  Result<LoadedTask> task = load("add", "large");
  ASSERT_TRUE(task) << render(task.error());
  EXPECT_EQ(task->task.sizes.at("N"), 1000);
  EXPECT_EQ(task->types().at("T"), "bf16");
  EXPECT_EQ(task->case_name, "large");
  EXPECT_EQ(task->task.gpu.name, "mi300x");
  EXPECT_EQ(load("add", "")->case_name, "small");  // the first
}

TEST(EngineTask, DefinesMakeOrChangeACase) {
  Result<LoadedTask> own = load("add", "", {"N=77"});
  ASSERT_TRUE(own) << render(own.error());
  EXPECT_EQ(own->task.sizes.at("N"), 77);
  EXPECT_EQ(own->case_name, "N77");
  Result<LoadedTask> changed = load("add", "large", {"N=12", "T=f32"});
  ASSERT_TRUE(changed) << render(changed.error());
  EXPECT_EQ(changed->task.sizes.at("N"), 12);
  EXPECT_EQ(changed->types().at("T"), "f32");
  Result<LoadedTask> wrong = load("add", "", {"N=twelve"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, "size.syntax");
}

TEST(EngineTask, AKernelsPlanChoosesTypesThatNobodyNamed) {
  TaskRequest request{.tensor_dtypes = {{"x", DType::bf16}, {"y", DType::bf16}, {"z", DType::bf16}}};
  EXPECT_EQ(load_task_from_text(kOps, "ops.hv", "", "add", request)->types().at("T"), "bf16");
  request.defines = {"T=f32"};
  EXPECT_EQ(load_task_from_text(kOps, "ops.hv", "", "add", request)->types().at("T"), "f32");
  request.defines.clear();
  request.case_name = "small";
  EXPECT_EQ(load_task_from_text(kOps, "ops.hv", "", "add", request)->types().at("T"), "f32");
  request.case_name.clear();
  request.tensor_dtypes = {{"x", DType::f16}};  // the op has no such type: its first
  EXPECT_EQ(load_task_from_text(kOps, "ops.hv", "", "add", request)->types().at("T"), "f32");
}

TEST(EngineTask, SizesBeyondTheMemoryOfTheGpuAreRefused) {
  // 2^63-1 elements have no count of bytes; a factor 0 hides the size from the bytes, but not from the strides.
  for (const char* sizes : {"9223372036854775807", "1000000000000"}) {
    Result<LoadedTask> huge = load("add", "", {std::string("N=") + sizes});
    ASSERT_FALSE(huge) << sizes;
    EXPECT_EQ(huge.error().code, "size.memory");
  }
  Result<LoadedTask> hidden = load("product", "one", {"M=0", "K=4611686018427387904", "N=4611686018427387904"});
  ASSERT_FALSE(hidden);
  EXPECT_EQ(hidden.error().code, "size.memory");
  Result<LoadedTask> beyond = load("add", "", {"N=9223372036854775808"});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, "size.syntax");
  // 3 tensors of 4 bytes: 192 GB of an mi300x are enough for 10^10 elements.
  EXPECT_TRUE(load("add", "", {"N=10000000000"}));
}

TEST(EngineWork, PointwiseMovesEachElementOnce) {
  Result<LoadedTask> task = load("add", "large");
  ASSERT_TRUE(task);
  Result<measure::Work> work = work_of(task->task.normal, task->task.sizes);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->bytes_read, 2 * 1000 * 2);
  EXPECT_EQ(work->bytes_written, 1000 * 2);
  EXPECT_EQ(work->flops, 0);
}

TEST(EngineWork, ContractionHasTwoFlopsAStep) {
  Result<LoadedTask> task = load("product", "one");
  ASSERT_TRUE(task);
  Result<measure::Work> work = work_of(task->task.normal, task->task.sizes);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(work->bytes_read, (3 * 7 + 7 * 5) * 2);
  EXPECT_EQ(work->bytes_written, 3 * 5 * 2);
  EXPECT_EQ(work->matrix_dtype, DType::bf16);
}

TEST(EngineWork, GatherReadsOnlyTheRowsItNeeds) {
  Result<LoadedTask> few = load("lookup", "one"), many = load("lookup", "long");
  ASSERT_TRUE(few && many);
  EXPECT_EQ(work_of(few->task.normal, few->task.sizes)->bytes_read, 3 * 4 * 4 + 3 * 8);
  EXPECT_EQ(work_of(many->task.normal, many->task.sizes)->bytes_read, 10 * 4 * 4 + 1000 * 8);
}

}  // namespace
}  // namespace hipvault::engine
