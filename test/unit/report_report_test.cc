#include <gtest/gtest.h>

#include "report/plots.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/table.h"

namespace hipvault::report {
namespace {

Report sample() {
  Report report;
  report.op = "softmax";
  report.case_name = "llama";
  report.gpu = "mi300x";
  report.device = "sim";
  report.verdict = "pass";
  report.kernel = "out/kernel.hip";
  report.timing = Timing{};
  report.timing->time_us = 20;
  report.timing->kind = "draft";
  report.timing->bound = "memory";
  report.timing->roofline_us = 10;
  report.timing->roofline_fraction = 0.5;
  report.baseline = Baseline{"default_schedule", "default row_reduce", 30, "pass"};
  report.total = {"all", 9, 8, 7, 6, 5};
  report.evidence = Verdict{};
  CaseVerdict one;
  one.name = "small <1>";
  one.elements = one.elements_total = 256;
  report.evidence->cases.push_back(one);
  for (int64_t i = 1; i <= 4; ++i)
    report.points.push_back(
        {i, i % 2 == 0 ? "greedy" : "evolution", "row_reduce", "timed", 50.0 / static_cast<double>(i)});
  report.points.push_back({5, "greedy", "row_reduce", "compiled", {}});
  report.roofline = {64e6, 0, 4e12, 5.3e12, 0};
  report.source = "// softmax\nint f() { return 1 < 2; }\n";
  return report;
}

TEST(ReportJson, SummaryHasTheFieldsThatScriptsRead) {
  Json json = summary_json(sample());
  for (const char* field : {"op", "case", "gpu", "device", "verdict", "kernel", "time_us", "time_kind", "baseline",
                            "speedup", "roofline_fraction", "trials", "seconds"})
    EXPECT_TRUE(json.contains(field)) << field;
  EXPECT_EQ(json["trials"].dump(), R"({"proposed":9,"legal":8,"compiled":7,"correct":6,"timed":5})");
  EXPECT_EQ(json["baseline"].dump(),
            R"({"kind":"default_schedule","name":"default row_reduce","time_us":30.0,"verdict":"pass"})");
  EXPECT_EQ(json["speedup"], 1.5);
}

TEST(ReportJson, NoSpeedupWithoutTwoPassesAndNoTimeIsNeverZero) {
  Report report = sample();
  report.baseline->verdict = "wrong_value";
  EXPECT_TRUE(summary_json(report)["speedup"].is_null());
  report = sample();
  report.baseline->time_us = 0;
  EXPECT_TRUE(summary_json(report)["speedup"].is_null());
  EXPECT_TRUE(summary_json(report)["baseline"]["time_us"].is_null());
  report = sample();
  report.verdict = "wrong_value";
  EXPECT_TRUE(summary_json(report)["speedup"].is_null());
  report.timing.reset();
  EXPECT_TRUE(summary_json(report)["time_us"].is_null());
}

TEST(ReportText, PredictedTimesAreCalledSo) {
  std::string text = summary_text(sample());
  EXPECT_NE(text.find("predicted (draft)"), std::string::npos) << text;
  EXPECT_NE(text.find("speed-up 1.50 modelled"), std::string::npos) << text;
}

TEST(ReportHtml, StandsAloneAndEscapes) {
  std::string page = html(sample());
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_NE(page.find("small &lt;1&gt;"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(page.find("modelled speed-up"), std::string::npos);
  EXPECT_NE(page.find("id='search'"), std::string::npos);
  EXPECT_NE(page.find("id='roofline'"), std::string::npos);
}

TEST(ReportPlots, CurveHasAMarkForEveryTrial) {
  std::string svg = search_curve(sample());
  size_t marks = 0;
  for (size_t at = 0; (at = svg.find("<g><title>trial", at)) != std::string::npos; ++at) ++marks;
  EXPECT_EQ(marks, 5u);
  Report nothing = sample();
  nothing.points = {{1, "greedy", "row_reduce", "proposed", {}}};
  EXPECT_EQ(search_curve(nothing), "");
}

TEST(ReportSvg, TicksAreRoundNumbersInsideTheAxis) {
  EXPECT_EQ(ticks({0, 6, false, ""}), (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  std::vector<double> decades = ticks({0.5, 2000, true, ""});
  ASSERT_EQ(decades.size(), 4u);
  EXPECT_DOUBLE_EQ(decades.front(), 1);
  EXPECT_DOUBLE_EQ(decades.back(), 1000);
}

TEST(ReportTable, NumbersStandRightAndUnitsFit) {
  Table table({"name", "n"});
  table.add({"a", "5"});
  table.add({"long", "1234"});
  EXPECT_EQ(table.text(), "name     n\na        5\nlong  1234\n");
  EXPECT_EQ(time_text(12.345), "12.35 us");
  EXPECT_EQ(time_text(4200.0), "4.20 ms");
  EXPECT_EQ(bytes_text(65536), "65.5 kB");
  EXPECT_EQ(percent_text(0.683), "68 %");
}

}  // namespace
}  // namespace hipvault::report
