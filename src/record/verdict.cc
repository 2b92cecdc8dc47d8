#include "record/verdict.h"

#include <utility>

#include "base/check.h"

namespace hipvault {
namespace {

constexpr std::pair<Outcome, const char*> kOutcomes[] = {
    {Outcome::pass, "pass"},
    {Outcome::wrong_value, "wrong_value"},
    {Outcome::wrong_nan, "wrong_nan"},
    {Outcome::not_written, "not_written"},
    {Outcome::input_changed, "input_changed"},
    {Outcome::finding, "finding"},
    {Outcome::not_reproducible, "not_reproducible"},
    {Outcome::not_run, "not_run"},
    {Outcome::refused, "refused"},
    {Outcome::not_judged, "not_judged"},
    {Outcome::trivial_passes, "trivial_passes"},
    {Outcome::compile_failed, "compile_failed"},
    {Outcome::plan_invalid, "plan_invalid"},
};

// JSON has no infinity or NaN: a wrong infinity must still be a number to whoever reads the record.
Json number(double value) {
  if (value != value) return "nan";
  if (value > 1.7976931348623157e308) return "inf";
  return value;
}
double read_number(const Json& json, const char* field) {
  if (!json.contains(field)) return 0;
  const Json& value = json.at(field);
  if (value.is_number()) return value.get<double>();
  return value == "inf" ? __builtin_inf() : __builtin_nan("");
}

CaseVerdict case_from_json(const Json& json) {
  CaseVerdict verdict;
  verdict.name = json.value("name", "");
  verdict.outcome = outcome_by_name(json.value("verdict", "not_run"));
  verdict.message = json.value("message", "");
  verdict.max_error = read_number(json, "max_error");
  verdict.tolerance = read_number(json, "tolerance");
  verdict.worst = read_number(json, "worst");
  verdict.where = json.value("where", "");
  verdict.elements = json.value("elements", int64_t{0});
  verdict.elements_total = json.value("elements_total", int64_t{0});
  verdict.inputs = json.value("inputs", "");
  verdict.variant = json.value("variant", "");
  verdict.run_status = run_status_by_name(json.value("run_status", "completed"));
  verdict.seconds = json.value("seconds", 0.0);
  Json wrapped = {{"status", "completed"}, {"findings", json.value("findings", Json::array())}};
  if (Result<Run> run = run_from_json(wrapped)) verdict.findings = run->findings;
  return verdict;
}

}  // namespace

const char* name(Outcome outcome) {
  for (const auto& [value, text] : kOutcomes)
    if (value == outcome) return text;
  CHECK(false) << "outcome";
  return "";
}

const char* name(VerdictDepth depth) { return depth == VerdictDepth::quick ? "quick" : "full"; }

Outcome outcome_by_name(const std::string& name) {
  for (const auto& [value, text] : kOutcomes)
    if (name == text) return value;
  return Outcome::not_run;
}

Json to_json(const CaseVerdict& verdict) {
  Json findings = Json::array();
  for (const Finding& finding : verdict.findings) findings.push_back(to_json(finding));
  return {{"name", verdict.name},
          {"verdict", name(verdict.outcome)},
          {"message", verdict.message},
          {"max_error", number(verdict.max_error)},
          {"tolerance", number(verdict.tolerance)},
          {"worst", number(verdict.worst)},
          {"where", verdict.where},
          {"elements", verdict.elements},
          {"elements_total", verdict.elements_total},
          {"inputs", verdict.inputs},
          {"variant", verdict.variant},
          {"run_status", name(verdict.run_status)},
          {"findings", findings},
          {"seconds", verdict.seconds}};
}

Json to_json(const Verdict& verdict) {
  Json cases = Json::array();
  for (const CaseVerdict& one : verdict.cases) cases.push_back(to_json(one));
  return {{"verdict", name(verdict.outcome)}, {"depth", name(verdict.depth)},
          {"message", verdict.message},       {"cases", cases},
          {"fidelity", verdict.fidelity},     {"seed", verdict.seed},
          {"seconds", verdict.seconds}};
}

Result<Verdict> verdict_from_json(const Json& json) {
  Result<std::string> outcome = json_field<std::string>(json, "verdict", "a verdict");
  if (!outcome) return fail(outcome.error());
  try {
    Verdict verdict;
    verdict.outcome = outcome_by_name(*outcome);
    verdict.depth = json.value("depth", "full") == "quick" ? VerdictDepth::quick : VerdictDepth::full;
    verdict.message = json.value("message", "");
    for (const Json& item : json.value("cases", Json::array())) verdict.cases.push_back(case_from_json(item));
    verdict.fidelity = json.value("fidelity", verdict.fidelity);
    verdict.seed = json.value("seed", uint64_t{0});
    verdict.seconds = json.value("seconds", 0.0);
    return verdict;
  } catch (const nlohmann::json::exception& error) {
    return fail("verdict.json", std::string("a verdict record is malformed: ") + error.what());
  }
}

}  // namespace hipvault
