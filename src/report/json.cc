#include "report/report.h"
#include "report/table.h"

namespace hipvault::report {
namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json funnel_json(const FunnelRow& row) {
  return Json{{"proposed", row.proposed},
              {"legal", row.legal},
              {"compiled", row.compiled},
              {"correct", row.correct},
              {"timed", row.timed}};
}

Json baseline_json(const std::optional<Baseline>& baseline) {
  if (!baseline) return Json();
  Json json{{"kind", baseline->kind}, {"name", baseline->name}};
  json["time_us"] = baseline->time_us > 0 ? Json(baseline->time_us) : Json();  // a missing measurement is never zero
  json["verdict"] = baseline->verdict;
  return json;
}

Json point_json(const Point& point) {
  return Json{{"number", point.number},
              {"agent", point.agent},
              {"family", point.family},
              {"reached", point.reached},
              {"time_us", or_null(point.time_us)}};
}

Json kernel_json(const KernelUse& use) {
  return Json{{"kernel", use.kernel},
              {"vgprs", use.vgprs},
              {"agprs", use.agprs},
              {"sgprs", use.sgprs},
              {"vgpr_spills", use.vgpr_spills},
              {"sgpr_spills", use.sgpr_spills},
              {"lds_bytes", use.lds_bytes},
              {"scratch_bytes", use.scratch_bytes},
              {"group_size", use.group_size},
              {"occupancy", use.occupancy}};
}

}  // namespace

std::optional<double> Report::speedup() const {
  if (!timing || !baseline || verdict != "pass" || baseline->verdict != "pass") return std::nullopt;
  if (timing->time_us <= 0 || baseline->time_us <= 0) return std::nullopt;
  return baseline->time_us / timing->time_us;
}

Json summary_json(const Report& report) {
  Json json;
  json["op"] = report.op;
  json["case"] = report.case_name;
  json["gpu"] = report.gpu;
  json["device"] = report.device;
  json["verdict"] = report.verdict;
  json["verdict_depth"] = report.evidence ? Json(hipvault::name(report.evidence->depth)) : Json();
  if (!report.message.empty()) json["message"] = report.message;
  json["kernel"] = report.kernel.empty() ? Json() : Json(report.kernel);
  json["time_us"] = report.timing ? Json(report.timing->time_us) : Json();
  json["time_kind"] = report.timing ? Json(report.timing->kind) : Json();
  json["baseline"] = baseline_json(report.baseline);
  json["speedup"] = or_null(report.speedup());
  json["roofline_fraction"] = report.timing ? Json(report.timing->roofline_fraction) : Json();
  json["trials"] = funnel_json(report.total);
  json["seconds"] = report.seconds;
  return json;
}

Json full_json(const Report& report) {
  Json json = summary_json(report);
  json["types"] = report.types;
  json["sizes"] = report.sizes;
  json["arch"] = report.arch;
  json["agent"] = report.agent;
  json["schedule"] = report.schedule;
  json["attempt"] = report.attempt;
  json["campaign"] = report.campaign;
  json["timing"] = report.timing ? to_json(*report.timing) : Json();
  json["evidence"] = report.evidence ? to_json(*report.evidence) : Json();
  json["families"] = Json::object();
  for (const FunnelRow& row : report.families) json["families"][row.family] = funnel_json(row);
  json["twins"] = report.twins;
  json["reasons"] = Json::array();
  for (const auto& [reason, count] : report.reasons)
    json["reasons"].push_back(Json{{"reason", reason}, {"count", count}});
  json["resources"] = Json::array();
  for (const KernelUse& use : report.kernels) json["resources"].push_back(kernel_json(use));
  json["roofline"] = Json{{"bytes", report.roofline.bytes},
                          {"flops", report.roofline.flops},
                          {"bandwidth", report.roofline.bandwidth},
                          {"peak_bandwidth", report.roofline.peak_bandwidth},
                          {"peak_flops", report.roofline.peak_flops}};
  json["search"] = Json::array();
  for (const Point& point : report.points) json["search"].push_back(point_json(point));
  json["search_seconds"] = report.search_seconds;
  json["toolchain"] = report.toolchain;
  json["generator"] = report.generator;
  json["op_text"] = report.op_text;
  return json;
}

std::vector<Finding> all_findings(const Verdict& verdict) {
  std::vector<Finding> all;
  for (const CaseVerdict& one : verdict.cases) {
    for (const Finding& finding : one.findings) {
      bool known = false;
      for (const Finding& other : all)
        known = known || (other.kind == finding.kind && other.kernel == finding.kernel && other.pc == finding.pc);
      if (!known) all.push_back(finding);
    }
  }
  return all;
}

}  // namespace hipvault::report
