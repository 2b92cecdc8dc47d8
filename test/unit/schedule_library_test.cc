// Every op of the library can be scheduled by every sketch that matches it: kernels that obey the tile program's law.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/op_library.h"

namespace hipvault::schedule {
namespace {

struct Named {
  std::string name;
  Task task;
};

// One task an op and first case.
std::vector<Named> library() {
  std::vector<Named> tasks;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HIPVAULT_SOURCE_DIR) + "/ops"))
    if (entry.path().stem() != "std") files.push_back(entry.path().stem());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    frontend::OpFileRef parsed = test::op_file(file);
    for (const std::string& op : frontend::op_names(parsed)) {
      Result<ir::Program> program = frontend::instantiate(parsed, op, {}, DType::f8e4m3fnuz);
      EXPECT_TRUE(program) << op;
      if (program && !program->cases.empty()) tasks.push_back({op, test::task_of(*program, program->cases[0].sizes)});
    }
  }
  return tasks;
}

TEST(ScheduleLibrary, EveryOpHasANaiveKernel) {
  for (const Named& named : library()) {
    Result<Schedule> schedule = default_schedule(named.task, "naive");
    ASSERT_TRUE(schedule) << named.name;
    Result<Lowered> lowered = lower(named.task, *schedule);
    ASSERT_TRUE(lowered) << named.name << ": " << lowered.error().message;
    EXPECT_EQ(lowered->plan.variants.size(), 2u);
    EXPECT_TRUE(lowered->plan.variants[1].when.is_constant(1)) << named.name << " refuses some sizes";
    Result<Plan> again = plan_from_json(to_json(lowered->plan));
    EXPECT_TRUE(again) << named.name << ": " << again.error().message;
  }
}

TEST(ScheduleLibrary, EverySketchBuildsItsDefault) {
  std::map<std::string, int> matched;
  for (const Named& named : library()) {
    Result<Question> sketches = next_question(named.task, {});
    ASSERT_TRUE(sketches);
    for (const Choice& choice : sketches->choices) {
      EXPECT_EQ(choice.legal, choice.reason.empty());
      if (!choice.legal) continue;
      ++matched[choice.value];
      Result<Schedule> schedule = default_schedule(named.task, choice.value);
      ASSERT_TRUE(schedule) << named.name << " " << choice.value << ": " << schedule.error().message;
      Result<Lowered> lowered = lower(named.task, *schedule);
      ASSERT_TRUE(lowered) << named.name << " " << choice.value << ": " << lowered.error().message;
    }
  }
  for (const auto& [sketch, count] : matched) std::printf("%-12s matches %d ops\n", sketch.c_str(), count);
  EXPECT_GE(matched["pointwise"], 10);
  EXPECT_GE(matched["row_reduce"], 10);
}

}  // namespace
}  // namespace hipvault::schedule
