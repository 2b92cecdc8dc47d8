#include "record/run.h"

#include "base/check.h"

namespace hipvault {
namespace {

constexpr std::pair<RunStatus, const char*> kStatuses[] = {
    {RunStatus::completed, "completed"},
    {RunStatus::not_modelled, "not_modelled"},
    {RunStatus::step_budget, "step_budget"},
    {RunStatus::deadline, "deadline"},
    {RunStatus::fault, "fault"},
    {RunStatus::launch_refused, "launch_refused"},
    {RunStatus::worker_died, "worker_died"},
};

Result<Finding> finding_from_json(const Json& json) {
  Result<std::string> kind = json_field<std::string>(json, "kind", "a finding");
  if (!kind) return fail(kind.error());
  Finding finding;
  finding.kind = *kind;
  finding.message = json.value("message", "");
  finding.kernel = json.value("kernel", "");
  finding.source = json.value("source", "");
  finding.instruction = json.value("instruction", "");
  finding.pc = json.value("pc", uint64_t{0});
  finding.group = json.value("group", finding.group);
  finding.wave = json.value("wave", 0);
  finding.lanes = json.value("lanes", uint64_t{0});
  finding.count = json.value("count", int64_t{1});
  finding.other_source = json.value("other_source", "");
  finding.other_wave = json.value("other_wave", -1);
  return finding;
}

// Applied to every counter field by both directions, so that none is forgotten in one of them.
template <class Profile, class F>
void each_counter(Profile& p, F f) {
  f("groups", p.groups), f("groups_run", p.groups_run), f("waves_run", p.waves_run), f("block", p.block);
  f("lds_bytes", p.lds_bytes), f("vgprs", p.vgprs), f("agprs", p.agprs), f("sgprs", p.sgprs);
  f("scratch_bytes", p.scratch_bytes), f("mfma_cycles", p.mfma_cycles), f("bytes_loaded", p.bytes_loaded);
  f("bytes_stored", p.bytes_stored), f("lines_loaded", p.lines_loaded), f("lines_stored", p.lines_stored);
  f("unique_bytes_loaded", p.unique_bytes_loaded), f("unique_bytes_stored", p.unique_bytes_stored);
  f("lds_bytes_moved", p.lds_bytes_moved), f("lds_conflict_cycles", p.lds_conflict_cycles);
  f("seconds", p.seconds), f("device_us", p.device_us);
}

LaunchProfile profile_from_json(const Json& json) {
  LaunchProfile profile;
  profile.kernel = json.value("kernel", "");
  profile.instructions = json.value("instructions", profile.instructions);
  each_counter(profile, [&](const char* field, auto& value) { value = json.value(field, value); });
  return profile;
}

}  // namespace

const char* name(RunStatus status) {
  for (const auto& [value, text] : kStatuses)
    if (value == status) return text;
  CHECK(false) << "run status";
  return "";
}

RunStatus run_status_by_name(const std::string& name) {
  for (const auto& [value, text] : kStatuses)
    if (name == text) return value;
  return RunStatus::worker_died;
}

Json to_json(const Finding& finding) {
  Json json = {{"kind", finding.kind},
               {"message", finding.message},
               {"kernel", finding.kernel},
               {"source", finding.source},
               {"instruction", finding.instruction},
               {"pc", finding.pc},
               {"group", finding.group},
               {"wave", finding.wave},
               {"lanes", finding.lanes},
               {"count", finding.count}};
  if (!finding.other_source.empty()) json["other_source"] = finding.other_source;
  if (finding.other_wave >= 0) json["other_wave"] = finding.other_wave;
  return json;
}

Json to_json(const LaunchProfile& profile) {
  Json json = {{"kernel", profile.kernel}, {"instructions", profile.instructions}};
  each_counter(profile, [&](const char* field, const auto& value) { json[field] = value; });
  return json;
}

Json to_json(const Run& run) {
  Json findings = Json::array(), launches = Json::array();
  for (const Finding& finding : run.findings) findings.push_back(to_json(finding));
  for (const LaunchProfile& launch : run.launches) launches.push_back(to_json(launch));
  Json json = {{"status", name(run.status)}, {"message", run.message},   {"findings", findings},
               {"launches", launches},       {"fidelity", run.fidelity}, {"seconds", run.seconds}};
  if (!run.samples_us.empty()) json["samples_us"] = run.samples_us;
  return json;
}

Result<Run> run_from_json(const Json& json) {
  Result<std::string> status = json_field<std::string>(json, "status", "a run");
  if (!status) return fail(status.error());
  try {
    Run run;
    run.status = run_status_by_name(*status);
    run.message = json.value("message", "");
    for (const Json& item : json.value("findings", Json::array())) {
      Result<Finding> finding = finding_from_json(item);
      if (!finding) return fail(finding.error());
      run.findings.push_back(*finding);
    }
    for (const Json& item : json.value("launches", Json::array())) run.launches.push_back(profile_from_json(item));
    run.fidelity = json.value("fidelity", run.fidelity);
    run.seconds = json.value("seconds", 0.0);
    run.samples_us = json.value("samples_us", run.samples_us);
    return run;
  } catch (const nlohmann::json::exception& error) {
    return fail("run.json", std::string("a run record is malformed: ") + error.what());
  }
}

}  // namespace hipvault
