// report.html: one page, no scripts, no network. Colours are variables with a light and a dark set; states differ by
// shape and word as well as colour.

#include <fmt/format.h>

#include "report/highlight.h"
#include "report/plots.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/table.h"

namespace hipvault::report {
namespace {

constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--bg:#fbfbf9;--card:#fff;--ink:#1d2329;--soft:#5b6570;--rule:#dfe2e6;--a:#0b62a8;--b:#c2570c;--c:#6a3fa0;--bad:#b3261e;--good:#1a7f46;--code:#f4f5f3;--faint:#8d97a1}
@media(prefers-color-scheme:dark){:root{--bg:#14181c;--card:#1b2026;--ink:#e4e8ec;--soft:#9aa5b0;--rule:#333b44;--a:#6cb2f5;--b:#f2a15c;--c:#c3a1f0;--bad:#ff8a80;--good:#6fd39a;--code:#171b20;--faint:#7b8794}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 60px}h1{font-size:26px;margin:0 0 2px}h2{font-size:17px;margin:0 0 10px}.sub{color:var(--soft);margin:0 0 20px}
section{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:16px 18px;margin:0 0 16px;overflow-x:auto}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin:0 0 16px}.fact{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:12px 14px}
.fact span{display:block;color:var(--soft);font-size:13px}.fact strong{font-size:21px;font-weight:600;display:block}.fact em{font-style:normal;color:var(--soft);font-size:13px}
.two{display:grid;grid-template-columns:1fr 1fr;gap:16px}@media(max-width:760px){.two{grid-template-columns:1fr}}
table{border-collapse:collapse;width:100%;font-size:13.5px}th{text-align:left;color:var(--soft);font-weight:500}td,th{padding:4px 10px 4px 0;border-bottom:1px solid var(--rule);vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.pass{color:var(--good)}.fail{color:var(--bad)}pre{background:var(--code);border-radius:6px;padding:12px;margin:0;overflow-x:auto;font:12.5px/1.45 ui-monospace,"DejaVu Sans Mono",monospace}
pre.wrap{white-space:pre-wrap}td:first-child{white-space:nowrap}td.n{white-space:nowrap}
pre b{color:var(--faint);font-weight:400;user-select:none}i{font-style:normal}i.c{color:var(--soft)}i.k{color:var(--a)}i.n{color:var(--b)}i.s{color:var(--good)}i.p{color:var(--c)}
svg{width:100%;height:auto;display:block}.grid{stroke:var(--rule);stroke-width:1}.axis{stroke:var(--soft);fill:none}.tick,.label,.note{font:11.5px system-ui,"DejaVu Sans",sans-serif;fill:var(--soft)}.note{fill:var(--ink)}
.line{fill:none;stroke-width:1.8}.dash{stroke-dasharray:5 4}.s-a{stroke:var(--a)}.s-b{stroke:var(--b)}.s-c{stroke:var(--c)}.s-ink{stroke:var(--ink)}.s-faint{stroke:var(--faint)}.s-bad{stroke:var(--bad)}
.f-a{fill:var(--a)}.f-b{fill:var(--b)}.f-c{fill:var(--c)}.f-ink{fill:var(--ink)}.f-faint{fill:var(--faint)}.f-bad{fill:var(--bad)}
.bar{background:var(--code);border-radius:3px;height:10px;width:120px;display:inline-block;vertical-align:middle;margin-right:8px}.bar i{display:block;height:10px;border-radius:3px;background:var(--a)}
details summary{cursor:pointer;color:var(--soft);margin:6px 0}.footer{color:var(--soft);font-size:13px}
)css";

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : fmt::format("<section><h2>{}</h2>{}</section>\n", escape(title), body);
}

std::string fact(const std::string& what, const std::string& value, const std::string& more,
                 const std::string& kind = "") {
  return fmt::format("<div class=fact><span>{}</span><strong class='{}'>{}</strong><em>{}</em></div>\n", escape(what),
                     kind, escape(value), escape(more));
}

std::string cell(const std::string& text, bool number = false) {
  return fmt::format("<td{}>{}</td>", number ? " class=n" : "", text);
}
std::string number_cell(int64_t value) { return cell(fmt::format("{}", value), true); }

// The mathematics only: the cases stand in the table of the verdict, with what became of them.
std::string without_cases(const std::string& op_text) {
  std::string kept;
  for (size_t at = 0; at < op_text.size();) {
    size_t end = std::min(op_text.find('\n', at), op_text.size() - 1) + 1;
    if (!std::string_view(op_text).substr(at).starts_with("  case ")) kept += op_text.substr(at, end - at);
    at = end;
  }
  return kept;
}

std::string facts(const Report& report) {
  bool pass = report.verdict == "pass";
  std::string html = "<div class=facts>" + fact("verdict", (pass ? "✓ " : "✗ ") + verdict_text(report), report.message,
                                                pass ? "pass" : "fail");
  if (report.timing) {
    std::string kind =
        report.timing->kind == "measured" ? "measured" : "predicted by the simulator: " + report.timing->kind;
    if (report.timing->model_error > 0)
      kind += fmt::format(", mean error {}", percent_text(report.timing->model_error));
    html += fact("time", time_text(report.timing->time_us), kind);
    html += fact("roofline", percent_text(report.timing->roofline_fraction),
                 fmt::format("floor {}, bound by {}", time_text(report.timing->roofline_us), report.timing->bound));
  }
  if (report.baseline) {
    std::optional<double> speedup = report.speedup();
    std::string word = report.timing && report.timing->kind != "measured" ? "modelled speed-up" : "speed-up";
    html += fact(word, speedup ? fmt::format("{:.2f} ×", *speedup) : "none",
                 fmt::format("over {}, {} ({})", report.baseline->name,
                             report.baseline->time_us > 0 ? time_text(report.baseline->time_us) : "no time",
                             report.baseline->verdict));
  }
  html += fact("search", fmt::format("{} trials", report.total.proposed),
               fmt::format("{:.1f} s, {} timed, winner by {}", report.search_seconds, report.total.timed,
                           report.agent.empty() ? "nobody" : report.agent));
  return html + "</div>\n";
}

std::string cases_table(const Report& report) {
  if (!report.evidence) return "";
  std::string html =
      "<table><tr><th>case</th><th>verdict</th><th class=n>elements compared</th><th class=n>largest error</th><th "
      "class=n>tolerance there</th>"
      "<th>where it is largest</th><th>inputs</th></tr>";
  for (const CaseVerdict& one : report.evidence->cases) {
    bool pass = one.outcome == Outcome::pass;
    std::string elements = one.elements == one.elements_total
                               ? fmt::format("all {}", one.elements)
                               : fmt::format("{} of {}", one.elements, one.elements_total);
    html += "<tr>" + cell(escape(one.name)) +
            cell(fmt::format("<span class={}>{} {}</span>", pass ? "pass" : "fail", pass ? "✓" : "✗",
                             hipvault::name(one.outcome)));
    html += cell(elements, true) + cell(short_number(one.max_error), true) + cell(short_number(one.tolerance), true);
    html += cell(escape(pass ? one.where : one.message)) +
            cell(escape(one.inputs.substr(0, one.inputs.find("; seed ")))) + "</tr>\n";
  }
  html += "</table>";
  for (const Finding& finding : all_findings(*report.evidence))
    html += fmt::format("<p class=fail>✗ {}: {} ({} {})</p>", escape(finding.kind), escape(finding.message),
                        escape(finding.kernel), escape(finding.source));
  html += fmt::format("<details><summary>seed {} (secret until the verdict), judged in {:.1f} s</summary></details>",
                      report.evidence->seed, report.evidence->seconds);
  return html;
}

std::string bar(double used, double limit) {
  double part = limit > 0 ? std::min(100.0, 100 * used / limit) : 0;
  return fmt::format("<span class=bar><i style='width:{:.0f}%'></i></span>", part);
}

std::string resources_table(const Report& report) {
  if (report.kernels.empty()) return "";
  std::string html =
      "<table><tr><th>kernel</th><th>VGPR + AGPR</th><th class=n>SGPR</th><th>LDS</th><th class=n>scratch</th><th "
      "class=n>spills</th><th>waves per SIMD</th></tr>";
  for (const KernelUse& use : report.kernels) {
    html += "<tr>" + cell(escape(use.kernel));
    html += cell(bar(use.vgprs + use.agprs, 512) + fmt::format("{} + {} of 512", use.vgprs, use.agprs)) +
            number_cell(use.sgprs);
    html += cell(bar(static_cast<double>(use.lds_bytes), static_cast<double>(use.lds_limit)) +
                 fmt::format("{} of {}", bytes_text(static_cast<double>(use.lds_bytes)),
                             bytes_text(static_cast<double>(use.lds_limit))));
    html += number_cell(use.scratch_bytes) + number_cell(use.vgpr_spills + use.sgpr_spills);
    html += cell(bar(use.occupancy, use.max_occupancy) + fmt::format("{} of {}", use.occupancy, use.max_occupancy)) +
            "</tr>\n";
  }
  return html + "</table>";
}

std::string funnel_table(const Report& report) {
  std::string html =
      "<table><tr><th>family</th><th class=n>proposed</th><th class=n>legal</th><th class=n>compiled</th><th "
      "class=n>correct</th><th class=n>timed</th></tr>";
  auto row = [&](const FunnelRow& r, const std::string& name) {
    html += "<tr>" + cell(escape(name)) + number_cell(r.proposed) + number_cell(r.legal) + number_cell(r.compiled) +
            number_cell(r.correct) + number_cell(r.timed) + "</tr>\n";
  };
  for (const FunnelRow& family : report.families) row(family, family.family);
  row(report.total, "all");
  html += "</table>";
  if (report.twins > 0)
    html += fmt::format(
        "<p class=sub>{} proposals printed a kernel that had been tried already; they cost nothing and are not "
        "counted.</p>",
        report.twins);
  if (report.reasons.empty()) return html;
  html += "<details open><summary>why candidates went no further</summary><table>";
  for (const auto& [reason, count] : report.reasons)
    html += "<tr>" + number_cell(count) + cell(escape(reason.substr(0, 300))) + "</tr>\n";
  return html + "</table></details>";
}

std::string fidelity(const Report& report) {
  if (!report.evidence || report.evidence->fidelity.empty()) return "";
  std::string html = "<table>";
  for (const auto& [kind, names] : report.evidence->fidelity) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + escape(name);
    html += "<tr>" + cell(escape(kind)) + number_cell(static_cast<int64_t>(names.size())) + cell(list) + "</tr>\n";
  }
  return html + "</table>";
}

std::string sizes_text(const Report& report) {
  std::string text;
  for (const auto& [name, value] : report.sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  for (const auto& [name, value] : report.types)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace

std::string html(const Report& report) {
  std::string title = fmt::format("{} · {} · {}", report.op, report.case_name, report.gpu);
  std::string page =
      "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>\n";
  page += fmt::format("<title>{}</title><style>{}</style>\n<main>\n<h1>{}</h1>", escape(title), kStyle, escape(title));
  page += fmt::format("<p class=sub>{} ({}), device {}: {}</p>\n", escape(report.gpu_title), escape(report.arch),
                      escape(report.device), escape(sizes_text(report)));
  page += facts(report);
  page += section("Search", search_curve(report));
  page += section("Roofline", roofline(report));
  page += section("Time per launch", launch_bars(report));
  page += "<div class=two>" + section("Op", "<pre class=wrap>" + escape(without_cases(report.op_text)) + "</pre>");
  page +=
      section("Schedule of the winner", report.schedule.empty() ? "" : "<pre>" + escape(report.schedule) + "</pre>") +
      "</div>\n";
  page += section("Verdict and its evidence", cases_table(report));
  page += section("Resources", resources_table(report));
  page += section("What became of the candidates", funnel_table(report));
  page += section("Instructions executed, by how their meaning is known", fidelity(report));
  page += section("Kernel", report.source.empty() ? "" : "<pre>" + highlight(report.source) + "</pre>");
  page += fmt::format(
      "<p class=footer>attempt {} of campaign {} · {} · generator {} · {:.1f} s in all</p>\n</main></html>\n",
      report.attempt, report.campaign, escape(report.toolchain), escape(report.generator), report.seconds);
  return page;
}

}  // namespace hipvault::report
