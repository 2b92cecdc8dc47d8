#include <fmt/format.h>

#include "report/report.h"
#include "report/table.h"

namespace hipvault::report {

std::string verdict_text(const Verdict& verdict) {
  bool quick = verdict.passed() && verdict.depth == VerdictDepth::quick;
  return std::string(hipvault::name(verdict.outcome)) + (quick ? " (quick)" : "");
}

std::string verdict_text(const Report& report) {
  return report.evidence && report.verdict == "pass" ? verdict_text(*report.evidence) : report.verdict;
}

std::string summary_text(const Report& report) {
  std::string text = fmt::format("{} · {} · {} ({})\n", report.op, report.case_name, report.gpu, report.device);
  text += fmt::format("verdict    {}{}\n", verdict_text(report), report.message.empty() ? "" : ": " + report.message);
  if (report.evidence) {
    int64_t elements = 0;
    double worst = 0;
    for (const CaseVerdict& one : report.evidence->cases) elements += one.elements;
    for (const CaseVerdict& one : report.evidence->cases) worst = std::max(worst, one.worst);
    text += fmt::format("evidence   {} cases, {} elements compared, largest error {} of the tolerance\n",
                        report.evidence->cases.size(), elements, percent_text(worst));
  }
  if (report.timing) {
    std::string kind =
        report.timing->kind == "measured" ? "measured" : fmt::format("predicted ({})", report.timing->kind);
    text += fmt::format("time       {} {}, {} of the roofline, bound by {}\n", time_text(report.timing->time_us), kind,
                        percent_text(report.timing->roofline_fraction), report.timing->bound);
  }
  if (report.baseline) {
    std::string against = report.baseline->time_us > 0 ? time_text(report.baseline->time_us) : "no time";
    std::optional<double> speedup = report.speedup();
    text += fmt::format(
        "baseline   {}: {} ({}){}\n", report.baseline->name, against, report.baseline->verdict,
        speedup ? fmt::format(", speed-up {:.2f}{}", *speedup, report.timing->kind == "measured" ? "" : " modelled")
                : "");
  }
  if (!report.schedule.empty()) {
    std::string schedule = report.schedule;
    while (!schedule.empty() && schedule.back() == '\n') schedule.pop_back();
    for (size_t at = 0; (at = schedule.find('\n', at)) != std::string::npos;) schedule.replace(at, 1, ", ");
    text += fmt::format("schedule   {} (found by {})\n", schedule, report.agent);
  }
  const FunnelRow& t = report.total;
  text += fmt::format("trials     {} proposed, {} legal, {} compiled, {} correct, {} timed in {:.1f} s\n", t.proposed,
                      t.legal, t.compiled, t.correct, t.timed, report.search_seconds);
  if (t.timed == 0)
    for (const auto& [reason, count] : report.reasons) text += fmt::format("  {} × {}\n", count, reason);
  return text;
}

}  // namespace hipvault::report
