// The cheat catalogue on a fake device: each candidate does exactly one thing wrong (or nothing), and the judge must
// say which. doc/judging.md lists the classes; test/cheats/ has the same ones as HIP sources for the simulated GPU.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/fake_device.h"
#include "support/judge_programs.h"
#include "verify/code_check.h"
#include "verify/judge.h"

namespace hipvault::verify {
namespace {

using test::FakeDevice;
using test::FakeGroup;
using test::FakeKernel;

// One row of softmax a work-group: arguments x, y, M, N.
struct SoftmaxRow {
  FakeGroup& group;
  int64_t row, columns;
  explicit SoftmaxRow(FakeGroup& given) : group(given), row(given.id), columns(given.integer(3)) {}
  float x(int64_t column) { return static_cast<float>(group.load(0, DType::f32, row * columns + column)); }
  void y(int64_t column, double value) { group.store(1, DType::f32, row * columns + column, value); }
  float largest() {
    float found = -std::numeric_limits<float>::infinity();
    for (int64_t n = 0; n < columns; ++n) found = std::isnan(x(n)) || std::isnan(found) ? NAN : std::max(found, x(n));
    return found;
  }
  float sum(float top, int64_t count) {
    float total = 0;
    for (int64_t n = 0; n < count; ++n) total += std::exp(x(n) - top);
    return total;
  }
  void write(int64_t first, int64_t step, int64_t end) {
    float top = largest(), total = sum(top, columns);
    for (int64_t n = first; n < end; n += step) y(n, std::exp(x(n) - top) / total);
  }
};

void honest_softmax(FakeGroup& group) {
  SoftmaxRow row(group);
  row.write(0, 1, row.columns);
}

Verdict judge(const ir::Program& program, const Plan& plan, FakeKernel kernel, JudgeOptions options = {}) {
  FakeDevice device;
  device.kernels["k"] = std::move(kernel);
  if (options.seed == 0) options.seed = 20261130;
  Judge judge(program);
  Result<Verdict> verdict = judge.judge({plan, {}, 0x1p-24}, device, options);
  EXPECT_TRUE(verdict) << verdict.error().message;
  return verdict ? *verdict : Verdict{};
}

Verdict judge_softmax(FakeKernel kernel, JudgeOptions options = {}) {
  ir::Program program = test::softmax_program();
  return judge(program, test::one_launch_plan(program, "k", IntExpr::name("M")), std::move(kernel), options);
}

Verdict judge_quick(FakeKernel kernel) {
  JudgeOptions options;
  options.depth = Depth::quick;
  return judge_softmax(std::move(kernel), options);
}

// ---- honest controls ------------------------------------------------------------------------------------------------

TEST(HonestCandidate, PassesQuickAndFull) {
  Verdict full = judge_softmax(honest_softmax);
  EXPECT_EQ(full.outcome, Outcome::pass) << full.message;
  EXPECT_GT(full.cases.size(), 30u);
  Verdict quick = judge_quick(honest_softmax);
  EXPECT_EQ(quick.outcome, Outcome::pass) << quick.message;
  EXPECT_LE(quick.cases.size(), 3u);
  for (const CaseVerdict& one : quick.cases) EXPECT_EQ(one.elements, one.elements_total);
}

TEST(HonestCandidate, MaySumInAnyOrder) {
  Verdict verdict = judge_softmax([](FakeGroup& group) {
    SoftmaxRow row(group);
    float top = row.largest(), lanes[4] = {};
    for (int64_t n = row.columns; n-- > 0;) lanes[n % 4] += std::exp(row.x(n) - top);
    float total = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    for (int64_t n = 0; n < row.columns; ++n) row.y(n, std::exp(row.x(n) - top) * (1 / total));
  });
  EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.message;
}

TEST(HonestCandidate, ASeedReplaysTheVerdict) {
  auto wrong = [](FakeGroup& group) {
    SoftmaxRow row(group);
    for (int64_t n = 0; n < row.columns; ++n) row.y(n, 0.5);
  };
  JudgeOptions options;
  options.seed = 77;
  Verdict one = judge_softmax(wrong, options), two = judge_softmax(wrong, options);
  EXPECT_EQ(one.message, two.message);
  EXPECT_EQ(one.seed, 77u);
}

TEST(HonestCandidate, RefusingStridesIsNotAFault) {
  Verdict verdict = judge_softmax(honest_softmax);
  bool refused = false;
  for (const CaseVerdict& one : verdict.cases) refused |= one.outcome == Outcome::refused;
  EXPECT_TRUE(refused);
  EXPECT_TRUE(verdict.passed());
  EXPECT_NE(verdict.message.find("refuses"), std::string::npos);
}

TEST(HonestCandidate, ArgmaxAndGatherPass) {
  ir::Program argmax = test::argmax_program();
  Verdict verdict = judge(argmax, test::one_launch_plan(argmax, "k", IntExpr::name("M")), [](FakeGroup& group) {
    int64_t columns = group.integer(3), best = 0;
    auto x = [&](int64_t n) { return group.load(0, DType::f32, group.id * columns + n); };
    for (int64_t n = 1; n < columns; ++n) {
      if (!std::isnan(x(best)) && (std::isnan(x(n)) || x(n) > x(best))) best = n;
    }
    group.store_int(1, DType::i64, group.id, best);
  });
  EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.message;
  ir::Program gather = test::gather_program();
  verdict = judge(gather, test::one_launch_plan(gather, "k", IntExpr::name("N")), [](FakeGroup& group) {
    int64_t width = group.integer(4), row = group.load_int(1, DType::i32, group.id);
    for (int64_t d = 0; d < width; ++d)
      group.store(2, DType::f32, group.id * width + d, group.load(0, DType::f32, row * width + d));
  });
  EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.message;
}

// ---- cheats: name, what it does, what the judge must say
// --------------------------------------------------------------

struct Cheat {
  const char* name;
  FakeKernel kernel;
  std::vector<Outcome> outcomes;  // any of them
};

void PrintTo(const Cheat& cheat, std::ostream* out) { *out << cheat.name; }

FakeKernel constant(double value) {
  return [value](FakeGroup& group) {
    SoftmaxRow row(group);
    for (int64_t n = 0; n < row.columns; ++n) row.y(n, value);
  };
}

std::vector<Cheat> cheats() {
  return {
      {"no_op", [](FakeGroup&) {}, {Outcome::not_written}},
      {"zeros", constant(0), {Outcome::wrong_value}},
      {"ones", constant(1), {Outcome::wrong_value}},
      {"nan_everywhere", constant(NAN), {Outcome::wrong_nan}},
      {"infinity_everywhere", constant(INFINITY), {Outcome::wrong_nan}},
      {"copy_of_input",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, row.x(n));
       },
       {Outcome::wrong_value}},
      {"uniform_distribution",  // the mean of the right answer
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, 1.0 / static_cast<double>(row.columns));
       },
       {Outcome::wrong_value}},
      {"last_element_missing",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         row.write(0, 1, row.columns - 1);
       },
       {Outcome::not_written}},
      {"half_the_lanes",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         row.write(0, 2, row.columns);
       },
       {Outcome::not_written}},
      {"last_row_missing",
       [](FakeGroup& group) {
         if (group.id + 1 < group.integer(2)) honest_softmax(group);
       },
       {Outcome::not_written}},
      {"tail_dropped_from_the_sum",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         float top = row.largest(), total = row.sum(top, row.columns / 32 * 32);
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, std::exp(row.x(n) - top) / total);
       },
       {Outcome::wrong_value, Outcome::wrong_nan}},
      {"input_zeroed",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         honest_softmax(group);
         for (int64_t n = 0; n < row.columns; ++n) group.store(0, DType::f32, row.row * row.columns + n, 0);
       },
       {Outcome::input_changed}},
      {"writes_past_the_end",
       [](FakeGroup& group) {
         honest_softmax(group);
         if (group.id == 0) group.store(1, DType::f32, group.integer(2) * group.integer(3), 0);
       },
       {Outcome::finding}},
      {"reads_past_the_end",
       [](FakeGroup& group) {
         honest_softmax(group);
         group.load(0, DType::f32, group.integer(2) * group.integer(3));
       },
       {Outcome::finding}},
      {"stale_output_read",  // hopes that the last answer is still there
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         double before = group.load(1, DType::f32, row.row * row.columns);
         honest_softmax(group);
         if (before > 0 && before < 1) row.y(0, before);
       },
       {Outcome::finding}},
      {"half_precision_inside",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         float top = row.largest(), total = 0;
         for (int64_t n = 0; n < row.columns; ++n)
           total = static_cast<float>(round_to(DType::f16, total + std::exp(row.x(n) - top)));
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, std::exp(row.x(n) - top) / total);
       },
       {Outcome::wrong_value}},
      {"bf16_result",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         float top = row.largest(), total = row.sum(top, row.columns);
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, round_to(DType::bf16, std::exp(row.x(n) - top) / total));
       },
       {Outcome::wrong_value}},
      {"max_not_subtracted",  // right until exp overflows
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         float total = row.sum(0, row.columns);
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, std::exp(row.x(n)) / total);
       },
       {Outcome::wrong_nan, Outcome::wrong_value}},
      {"nan_ignored",
       [](FakeGroup& group) {
         SoftmaxRow row(group);
         float top = -INFINITY, total = 0;
         for (int64_t n = 0; n < row.columns; ++n) top = std::fmax(top, row.x(n));
         auto part = [&](int64_t n) { return std::isnan(row.x(n)) ? 0.0f : std::exp(row.x(n) - top); };
         for (int64_t n = 0; n < row.columns; ++n) total += part(n);
         for (int64_t n = 0; n < row.columns; ++n) row.y(n, part(n) / total);
       },
       {Outcome::wrong_nan}},
      {"hard_coded_width",
       [](FakeGroup& group) {
         if (group.integer(3) == 37 || group.integer(3) == 67) return honest_softmax(group);
         constant(0.01)(group);
       },
       {Outcome::wrong_value}},
      {"wide_rows_skipped",
       [](FakeGroup& group) {
         if (group.integer(3) <= 512) return honest_softmax(group);
         constant(0)(group);
       },
       {Outcome::wrong_value}},
      {"endless_loop", [](FakeGroup& group) { group.loop_forever(); }, {Outcome::not_run}},
      {"page_fault", [](FakeGroup& group) { group.fault("no page"); }, {Outcome::not_run}},
  };
}

class CheatTest : public testing::TestWithParam<Cheat> {};

TEST_P(CheatTest, IsCaught) {
  Verdict verdict = judge_softmax(GetParam().kernel);
  const std::vector<Outcome>& wanted = GetParam().outcomes;
  EXPECT_NE(std::find(wanted.begin(), wanted.end(), verdict.outcome), wanted.end())
      << hipvault::name(verdict.outcome) << ": " << verdict.message;
  EXPECT_FALSE(verdict.message.empty());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, CheatTest, testing::ValuesIn(cheats()),
                         [](const testing::TestParamInfo<Cheat>& info) { return std::string(info.param.name); });

// ---- cheats that need more than one kernel
// ------------------------------------------------------------------------------

TEST(Judge, LargestErrorIsLocatedInWords) {
  Verdict verdict = judge_softmax([](FakeGroup& group) {
    honest_softmax(group);
    SoftmaxRow row(group);
    if (row.row == 2 && row.columns > 17) row.y(17, 0.75);
  });
  EXPECT_EQ(verdict.outcome, Outcome::wrong_value);
  EXPECT_NE(verdict.cases[0].where.find("y[2, 17]: got 0.75, expected 0."), std::string::npos)
      << verdict.cases[0].where;
  EXPECT_GT(verdict.cases[0].worst, 1);
}

TEST(Judge, WorkspaceLeftOverFromAnEarlierRunIsPoison) {
  ir::Program program = test::softmax_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  plan.variants[0].workspace = {{"memory", IntExpr(256), 0, 0, false}};
  KernelArg arg;
  arg.kind = KernelArg::Kind::workspace;
  arg.name = "memory";
  plan.variants[0].launches[0].args.push_back(arg);
  Verdict verdict = judge(program, plan, [](FakeGroup& group) {
    if (group.load_int(4, DType::i32, 0) == 12345) return;  // "already computed"
    honest_softmax(group);
    group.store_int(4, DType::i32, 0, 12345);
  });
  EXPECT_NE(verdict.outcome, Outcome::pass);
}

// Work-groups add up in the order in which they happen to run; the order differs between the judge's runs.
FakeKernel racing_sum() {
  return [](FakeGroup& group) {
    SoftmaxRow row(group);
    honest_softmax(group);
    // Every group overwrites y[0, 0] with its own row's first value.
    SoftmaxRow mine(group);
    float top = mine.largest();
    group.store(1, DType::f32, 0, std::exp(mine.x(0) - top) / mine.sum(top, mine.columns));
  };
}

TEST(Judge, ARaceBetweenWorkGroupsIsCaught) {
  Verdict verdict = judge_softmax(racing_sum());
  EXPECT_EQ(verdict.outcome, Outcome::wrong_value) << verdict.message;
}

TEST(Judge, FixedOrderDemandsTheSameBits) {
  ir::Program program = test::row_sum_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  int64_t runs = 0;
  FakeKernel drifting = [&](FakeGroup& group) {
    // Sums forwards in one run and backwards in the next: both are inside the tolerance.
    if (group.id == 0) ++runs;
    int64_t columns = group.integer(3);
    float total = 0;
    for (int64_t n = 0; n < columns; ++n) {
      total += static_cast<float>(group.load(0, DType::f32, group.id * columns + (runs % 2 ? n : columns - 1 - n)));
    }
    group.store(1, DType::f32, group.id, total);
  };
  Verdict any = judge(program, plan, drifting);
  EXPECT_EQ(any.outcome, Outcome::pass) << any.message;
  bool noted = false;
  for (const CaseVerdict& one : any.cases) noted |= !one.findings.empty() && one.findings[0].kind == "not-reproducible";
  EXPECT_TRUE(noted);
  program.policy.order_fixed = true;
  Verdict fixed = judge(program, plan, drifting);
  EXPECT_EQ(fixed.outcome, Outcome::not_reproducible) << fixed.message;
}

TEST(Judge, TiesOfArgmaxGoToTheFirst) {
  ir::Program program = test::argmax_program();
  Verdict verdict = judge(program, test::one_launch_plan(program, "k", IntExpr::name("M")), [](FakeGroup& group) {
    int64_t columns = group.integer(3), best = 0;
    auto x = [&](int64_t n) { return group.load(0, DType::f32, group.id * columns + n); };
    for (int64_t n = 1; n < columns; ++n) {
      if (!std::isnan(x(best)) && (std::isnan(x(n)) || x(n) >= x(best))) best = n;  // the last of equals
    }
    group.store_int(1, DType::i64, group.id, best);
  });
  EXPECT_EQ(verdict.outcome, Outcome::wrong_value) << verdict.message;
}

TEST(Judge, APlanForAnotherOpIsInvalid) {
  ir::Program program = test::softmax_program();
  Verdict verdict =
      judge(program, test::one_launch_plan(test::gather_program(), "k", IntExpr::name("N")), honest_softmax);
  EXPECT_EQ(verdict.outcome, Outcome::plan_invalid);
  EXPECT_NE(verdict.message.find("table"), std::string::npos) << verdict.message;
}

TEST(Judge, RefusingACaseOfTheOpFails) {
  ir::Program program = test::softmax_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  plan.variants[0].when = logical_and(plan.variants[0].when, *IntExpr::parse("N % 8 == 0"));
  Verdict verdict = judge(program, plan, honest_softmax);
  EXPECT_EQ(verdict.outcome, Outcome::refused);
  EXPECT_NE(verdict.message.find("N % 8 == 0"), std::string::npos) << verdict.message;
}

// ---- the timed size
// -------------------------------------------------------------------------------------------------------

JudgeOptions timed(int64_t rows, int64_t columns, Depth depth = Depth::full) {
  JudgeOptions options;
  options.case_name = "llama";
  options.timed_sizes = {{"M", rows}, {"N", columns}};
  options.depth = depth;
  return options;
}

Verdict judge_affine(FakeKernel kernel, const JudgeOptions& options, double seconds_per_group = 1) {
  ir::Program program = test::affine_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  FakeDevice device;
  device.kernels["k"] = std::move(kernel);
  device.seconds_per_group = seconds_per_group;
  JudgeOptions seeded = options;
  seeded.seed = 5;
  Judge judge(program);
  Result<Verdict> verdict = judge.judge({plan, {}, 0x1p-24}, device, seeded);
  EXPECT_TRUE(verdict) << verdict.error().message;
  return verdict ? *verdict : Verdict{};
}

void affine_row(FakeGroup& group, int64_t step) {
  int64_t columns = group.integer(3);
  for (int64_t n = 0; n < columns; n += step) {
    group.store(1, DType::f32, group.id * columns + n, 2 * group.load(0, DType::f32, group.id * columns + n) + 1);
  }
}

TEST(CodeCheck, WritableVariablesOfPtxAreFound) {
  std::string ptx = ".version 7.8\n.target sm_90\n.const .align 4 .b8 table[8] = {1, 0, 0, 0, 2};\n";
  EXPECT_TRUE(writable_globals(ptx).empty());
  std::vector<Finding> found = writable_globals(ptx + ".visible .global .align 4 .u32 state;\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "writable-global");
  EXPECT_NE(found[0].message.find(".u32 state"), std::string::npos);
  EXPECT_EQ(writable_globals(ptx + ".global .align 1 .b8 __hip_cuid_1[64];\n").size(), 1u);
}

TEST(TimedSize, WorkGroupsAreSampledAndEnoughElementsCompared) {
  int64_t ran = 0;
  Verdict verdict = judge_affine(
      [&](FakeGroup& group) {
        ran += group.integer(3) == 1024 ? 1 : 0;
        affine_row(group, 1);
      },
      timed(2000, 1024));
  EXPECT_TRUE(verdict.passed()) << verdict.message;
  for (const char* name : {"llama", "llama, mixed"}) {
    auto timed = std::find_if(verdict.cases.begin(), verdict.cases.end(),
                              [&](const CaseVerdict& one) { return one.name == name; });
    ASSERT_NE(timed, verdict.cases.end()) << name;
    EXPECT_GE(timed->elements, 4096);
    EXPECT_EQ(timed->elements_total, 2000 * 1024);
  }
  EXPECT_LT(ran, 200);
}

TEST(TimedSize, WrongOnlyThereIsCaught) {
  Verdict verdict = judge_affine(
      [](FakeGroup& group) {
        affine_row(group, 1);
        if (group.integer(3) == 1024) group.store(1, DType::f32, group.id * 1024 + 1000, 0);
      },
      timed(2000, 1024));
  EXPECT_EQ(verdict.outcome, Outcome::wrong_value) << verdict.message;
}

TEST(TimedSize, NothingWrittenThereIsCaught) {
  Verdict verdict = judge_affine(
      [](FakeGroup& group) {
        if (group.integer(3) != 1024) affine_row(group, 1);
      },
      timed(2000, 1024));
  EXPECT_EQ(verdict.outcome, Outcome::not_written) << verdict.message;
}

TEST(TimedSize, HalfWrittenThereIsCaught) {
  Verdict verdict =
      judge_affine([](FakeGroup& group) { affine_row(group, group.integer(3) == 1024 ? 2 : 1); }, timed(2000, 1024));
  EXPECT_EQ(verdict.outcome, Outcome::not_written) << verdict.message;
}

TEST(TimedSize, QuickJudgesTheVariantThatWillBeTimed) {
  ir::Program program = test::affine_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  Variant wide = plan.variants[0];
  wide.name = "wide";
  wide.when = logical_and(wide.when, *IntExpr::parse("N >= 512"));
  wide.launches[0].kernel = "broken";
  plan.variants.insert(plan.variants.begin(), wide);
  FakeDevice device;
  device.kernels["k"] = [](FakeGroup& group) { affine_row(group, 1); };
  device.kernels["broken"] = [](FakeGroup& group) { affine_row(group, 3); };
  Judge judge(program);
  Result<Verdict> verdict = judge.judge({plan, {}, 0x1p-24}, device, timed(2000, 4096, Depth::quick));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::not_written) << verdict->message;
  EXPECT_EQ(verdict->cases.back().variant, "wide");
}

// ---- admission
// ------------------------------------------------------------------------------------------------------------

TEST(Admission, OrdinaryOpsAreAdmitted) {
  for (const ir::Program& program : {test::softmax_program(), test::affine_program(), test::gather_program(),
                                     test::row_sum_program(), test::argmax_program()}) {
    Judge judge(program);
    Result<Verdict> verdict = judge.admit();
    ASSERT_TRUE(verdict) << verdict.error().message;
    EXPECT_TRUE(verdict->passed()) << program.name << ": " << verdict->message;
  }
}

TEST(Admission, AnOpThatIsACopyIsNot) {
  ir::Program program = test::affine_program();
  program.stages = {test::result_stage("y", DType::f32, {"M", "N"}, test::at("x", {"M", "N"}))};
  Judge judge(program);
  Result<Verdict> verdict = judge.admit();
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::trivial_passes);
  EXPECT_NE(verdict->message.find("copy of x"), std::string::npos) << verdict->message;
}

TEST(Admission, AnOpWhoseResultIsAlwaysZeroIsNot) {
  ir::Program program = test::affine_program();
  ir::ExprRef x = test::at("x", {"M", "N"});
  program.stages = {test::result_stage("y", DType::f32, {"M", "N"}, ir::apply(ir::Op::mul, {ir::number(0), x}))};
  Judge judge(program);
  Result<Verdict> verdict = judge.admit();
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::trivial_passes);
}

// References and inputs are paid for once in a search.
TEST(Judge, ReferencesAreReusedBetweenCandidates) {
  ir::Program program = test::softmax_program();
  Plan plan = test::one_launch_plan(program, "k", IntExpr::name("M"));
  FakeDevice device;
  std::vector<double> first_values;
  device.kernels["k"] = [&](FakeGroup& group) {
    if (group.id == 0) first_values.push_back(group.load(0, DType::f32, 0));
    honest_softmax(group);
  };
  Judge judge(program);
  JudgeOptions options;
  options.depth = Depth::quick;
  for (int candidate = 0; candidate < 2; ++candidate) ASSERT_TRUE(judge.judge({plan, {}, 0x1p-24}, device, options));
  ASSERT_EQ(first_values.size() % 2, 0u);
  size_t half = first_values.size() / 2;
  for (size_t at = 0; at < half; ++at) EXPECT_EQ(first_values[at], first_values[half + at]);
}

}  // namespace
}  // namespace hipvault::verify
