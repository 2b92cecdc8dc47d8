// Schedule text, the order of decisions, and the words of refusals.

#include <gtest/gtest.h>

#include "support/op_library.h"

namespace hipvault::schedule {
namespace {

Task softmax_task(int64_t rows, int64_t columns) {
  Result<ir::Program> program =
      frontend::instantiate(test::op_file("softmax"), "softmax", {{"T", DType::bf16}}, DType::f8e4m3fnuz);
  return test::task_of(*program, {{"B", rows}, {"N", columns}});
}

Result<Lowered> lower_text(const Task& task, const std::string& text, bool complete = false) {
  Result<Schedule> schedule = parse_schedule(text);
  EXPECT_TRUE(schedule);
  return lower(task, *schedule, complete);
}

std::string reason_of(const Result<Question>& question, const std::string& value) {
  for (const Choice& choice : question->choices)
    if (choice.value == value) return choice.legal ? "legal" : choice.reason;
  return "no such choice";
}

TEST(ScheduleText, RoundTrips) {
  Schedule schedule = {{"sketch", "row_reduce"}, {"vector", "8"}};
  EXPECT_EQ(text(schedule), "sketch row_reduce\nvector 8\n");
  Result<Schedule> again = parse_schedule("# a comment\n\n  sketch   row_reduce # why\nvector 8\n");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, schedule);
}

TEST(ScheduleText, ErrorsNameTheLine) {
  Result<Schedule> bare = parse_schedule("sketch naive\nwaves\n", "s.txt");
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().place.line, 2);
  EXPECT_EQ(bare.error().place.file, "s.txt");
  EXPECT_EQ(bare.error().message, "the decision `waves` has no value");
  Result<Schedule> extra = parse_schedule("waves 4 8");
  ASSERT_FALSE(extra);
  EXPECT_EQ(extra.error().place.column, 9);
  Result<Schedule> twice = parse_schedule("a 1\nb 2\na 3");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().place.line, 3);
}

TEST(ScheduleQuestions, SketchIsAskedFirst) {
  Result<Question> question = next_question(softmax_task(64, 4096), {});
  ASSERT_TRUE(question);
  EXPECT_EQ(question->name, "sketch");
  EXPECT_EQ(question->preferred, "row_reduce");
  EXPECT_EQ(reason_of(question, "pointwise"), "x_max is a reduction; pointwise fuses maps only");
  EXPECT_EQ(reason_of(question, "naive"), "legal");
}

TEST(ScheduleQuestions, RegistersThatDoNotFitAreCounted) {
  Schedule prefix = {{"sketch", "row_reduce"}, {"rows_per_group", "1"}, {"waves", "4"}, {"vector", "8"}};
  Result<Question> question = next_question(softmax_task(64, 131072), prefix);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->name, "residency");
  EXPECT_EQ(reason_of(question, "registers"),
            "512 elements a lane of 1 tensors need about 1048 registers, but 256 are available; take more waves or "
            "fewer rows, or reread");
  EXPECT_EQ(reason_of(question, "lds"),
            "1 rows of 131072 columns are 262144 bytes of LDS, 196608 more than the 65536 there are; take fewer rows, "
            "or reread");
  EXPECT_EQ(question->preferred, "reread");
}

TEST(ScheduleQuestions, AVectorMustDivideTheRow) {
  Schedule prefix = {{"sketch", "row_reduce"}, {"rows_per_group", "1"}, {"waves", "1"}};
  Result<Question> question = next_question(softmax_task(7, 131), prefix);
  ASSERT_TRUE(question);
  EXPECT_EQ(reason_of(question, "2"), "N = 131 is not a multiple of 2");
  EXPECT_EQ(question->preferred, "1");
}

TEST(ScheduleQuestions, WavesWithoutWorkAreRefused) {
  Result<Question> question = next_question(softmax_task(7, 131), {{"sketch", "row_reduce"}, {"rows_per_group", "1"}});
  ASSERT_TRUE(question);
  EXPECT_EQ(reason_of(question, "8"), "1 rows of 131 columns are 256 elements, fewer than the 512 lanes");
}

TEST(ScheduleQuestions, RowsInRegistersAreNotSplit) {
  Schedule prefix = {
      {"sketch", "row_reduce"}, {"rows_per_group", "1"}, {"waves", "4"}, {"vector", "8"}, {"residency", "registers"}};
  Result<Question> question = next_question(softmax_task(64, 4096), prefix);
  ASSERT_TRUE(question);
  EXPECT_EQ(reason_of(question, "4"), "a row in registers belongs to one work-group; split needs residency reread");
}

TEST(ScheduleLower, WrongAnswersAreExplained) {
  Task task = softmax_task(7, 131);
  Result<Lowered> illegal = lower_text(task, "sketch row_reduce\nrows_per_group 1\nwaves 1\nvector 4\n");
  ASSERT_FALSE(illegal);
  EXPECT_EQ(illegal.error().code, "schedule.illegal");
  EXPECT_EQ(illegal.error().message, "vector 4: N = 131 is not a multiple of 4");
  EXPECT_EQ(illegal.error().hint, "legal here: 1");
  Result<Lowered> unknown = lower_text(task, "sketch row_reduce\nrows_per_group 3\n");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "`rows_per_group` is one of 1, 2, 4, 8, 16, 32, 64, not 3");
  Result<Lowered> order = lower_text(task, "sketch row_reduce\nvector 1\n");
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().message, "`rows_per_group` is decided here, but `vector` was found");
  Result<Lowered> missing = lower_text(task, "sketch naive\n");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "the decision `waves` is missing");
  Result<Lowered> too_many = lower_text(task, "sketch naive\nwaves 4\nmore 1\n");
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().message, "the schedule is complete before `more`");
}

TEST(ScheduleLower, MissingDecisionsAreFilledWhenAsked) {
  Task task = softmax_task(4096, 4096);
  Result<Lowered> lowered = lower_text(task, "sketch row_reduce\nrows_per_group 1\n", true);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(lowered->family, "row_reduce");
  Result<Lowered> again = lower(task, lowered->schedule);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(again->plan).dump(), to_json(lowered->plan).dump());
  EXPECT_EQ(tile::text(again->kernels[0]), tile::text(lowered->kernels[0]));
}

// A vector of 8 bf16 is only launched on rows that start at multiples of 16 bytes.
TEST(ScheduleLower, TheVectorVariantIsGuarded) {
  Task task = softmax_task(4096, 4096);
  Result<Schedule> schedule = default_schedule(task, "row_reduce");
  ASSERT_TRUE(schedule);
  Result<Lowered> lowered = lower(task, *schedule);
  ASSERT_TRUE(lowered);
  Sizes sizes = {{"B", 4096},          {"N", 4096},       {"x.align", 256},     {"y.align", 256},
                 {"x.stride.0", 4096}, {"x.stride.1", 1}, {"y.stride.0", 4096}, {"y.stride.1", 1}};
  auto variant = [&](Sizes changed) { return resolve(lowered->plan, changed)->variant; };
  EXPECT_EQ(variant(sizes), "rows");
  for (auto [name, value] :
       Sizes{{"x.stride.1", 2}, {"x.stride.0", 4100}, {"x.align", 8}, {"N", 4097}, {"N", 131072}}) {
    Sizes changed = sizes;
    changed[name] = value;
    EXPECT_EQ(variant(changed), "any_size") << name << " = " << value;
  }
  Sizes huge = sizes;
  huge["x.stride.0"] = int64_t{1} << 20;  // the last row starts beyond 32 bits
  EXPECT_EQ(variant(huge), "any_size");
}

}  // namespace
}  // namespace hipvault::schedule
