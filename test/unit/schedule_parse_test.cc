// The text form of the kernels that schedules build reads back to the same text: every sketch of every op of the
// library.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/op_library.h"
#include "tile/passes.h"

namespace hipvault::schedule {
namespace {

std::vector<Task> library() {
  std::vector<Task> tasks;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HIPVAULT_SOURCE_DIR) + "/ops")) {
    if (entry.path().stem() == "std") continue;
    frontend::OpFileRef parsed = test::op_file(entry.path().stem());
    for (const std::string& op : frontend::op_names(parsed)) {
      Result<ir::Program> program = frontend::instantiate(parsed, op, {}, DType::f8e4m3fnuz);
      EXPECT_TRUE(program) << op;
      if (program && !program->cases.empty()) tasks.push_back(test::task_of(*program, program->cases[0].sizes));
    }
  }
  return tasks;
}

void expect_same_text(const tile::Kernel& kernel) {
  std::string printed = tile::text(kernel);
  Result<tile::Kernel> again = tile::parse_kernel(printed);
  ASSERT_TRUE(again) << kernel.name << ": " << again.error().message;
  EXPECT_EQ(tile::text(*again), printed);
  Status sound = tile::verify(*again);
  EXPECT_TRUE(sound) << sound.error().message;
}

TEST(ScheduleText, KernelsOfEverySketchReadBackAndNoneHasTheOpsName) {
  std::map<std::string, int> kernels;
  for (const Task& task : library())
    for (const std::string& sketch : sketch_names()) {
      Result<Schedule> schedule = default_schedule(task, sketch);
      if (!schedule) continue;  // the sketch does not match
      Result<Lowered> lowered = lower(task, *schedule);
      ASSERT_TRUE(lowered) << task.program.name << " " << sketch << ": " << lowered.error().message;
      for (const tile::Kernel& kernel : lowered->kernels) {
        ++kernels[sketch];
        EXPECT_NE(kernel.name, task.program.name);
        expect_same_text(kernel);
      }
    }
  for (const std::string& sketch : sketch_names()) EXPECT_GE(kernels[sketch], 1) << sketch;
}

// With layouts, swizzles, vectors and matrix instructions: one kernel a sketch.
TEST(ScheduleText, KernelsReadBackAfterAllPasses) {
  std::set<std::string> done;
  for (const Task& task : library())
    for (const std::string& sketch : sketch_names()) {
      if (done.contains(sketch)) continue;
      Result<Schedule> schedule = default_schedule(task, sketch);
      if (!schedule) continue;
      Result<Lowered> lowered = lower(task, *schedule);
      ASSERT_TRUE(lowered) << lowered.error().message;
      tile::Kernel kernel = lowered->kernels.front();
      tile::PassContext context;
      context.arch = &target::arch_of(task.gpu);
      context.multiple_of = lowered->multiple_of[kernel.name];
      context.alignment = lowered->alignment[kernel.name];
      Status status = tile::run_passes(kernel, context);
      ASSERT_TRUE(status) << task.program.name << " " << sketch << ": " << status.error().message;
      EXPECT_NE(tile::text(kernel).find("{reg=["), std::string::npos);
      expect_same_text(kernel);
      done.insert(sketch);
    }
  EXPECT_EQ(done.size(), sketch_names().size());
}

}  // namespace
}  // namespace hipvault::schedule
