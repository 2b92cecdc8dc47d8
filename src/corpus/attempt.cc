#include "corpus/attempt.h"

#include <array>

#include "base/hash.h"

namespace hipvault::corpus {
namespace {

constexpr std::array<const char*, 5> kReached = {"proposed", "legal", "compiled", "correct", "timed"};

}  // namespace

const char* name(Reached reached) { return kReached[static_cast<size_t>(reached)]; }

std::optional<Reached> reached_by_name(const std::string& name) {
  for (size_t i = 0; i < kReached.size(); ++i)
    if (name == kReached[i]) return static_cast<Reached>(i);
  return std::nullopt;
}

Json to_json(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps) {
    Json alternatives = Json::array();
    for (const Alternative& alternative : step.alternatives) {
      Json one{{"value", alternative.value}, {"legal", alternative.legal}};
      if (!alternative.reason.empty()) one["reason"] = alternative.reason;
      alternatives.push_back(std::move(one));
    }
    list.push_back(Json{{"name", step.name}, {"value", step.value}, {"alternatives", std::move(alternatives)}});
  }
  return list;
}

Result<std::vector<Step>> steps_from_json(const Json& json) {
  if (!json.is_array()) return fail("vault.steps", "the decisions of an attempt are not a list");
  std::vector<Step> steps;
  for (const Json& item : json) {
    Step step;
    step.name = item.value("name", "");
    step.value = item.value("value", "");
    for (const Json& one : item.value("alternatives", Json::array()))
      step.alternatives.push_back({one.value("value", ""), one.value("legal", true), one.value("reason", "")});
    steps.push_back(std::move(step));
  }
  return steps;
}

Json to_json(const Attempt& attempt) {
  Json json;
  json["id"] = attempt.id;
  json["campaign"] = attempt.campaign;
  json["agent"] = attempt.agent;
  json["parent"] = attempt.parent == 0 ? Json() : Json(attempt.parent);
  json["op"] = attempt.op;
  json["op_text"] = attempt.op_text;
  json["op_file"] = attempt.op_file;
  json["standard"] = attempt.standard;
  json["types"] = attempt.types;
  json["sizes"] = attempt.sizes;
  json["case"] = attempt.case_name;
  json["arch"] = attempt.arch;
  json["gpu"] = attempt.gpu;
  json["cus"] = attempt.cus;
  json["device"] = attempt.device;
  json["toolchain"] = attempt.toolchain;
  json["generator"] = attempt.generator;
  json["family"] = attempt.family;
  json["schedule"] = attempt.schedule;
  json["decisions"] = to_json(attempt.steps);
  json["reached"] = name(attempt.reached);
  json["outcome"] = attempt.outcome;
  json["reason"] = attempt.reason;
  json["depth"] = attempt.depth;
  json["time_us"] = attempt.time_us ? Json(*attempt.time_us) : Json();
  json["timing"] = attempt.timing;
  json["verdict"] = attempt.verdict;
  json["seconds"] = attempt.seconds;
  json["seeds"] = attempt.seeds;
  json["source_hash"] = attempt.source_hash;
  json["code_object_hash"] = attempt.code_object_hash;
  json["source"] = attempt.source;
  json["created_us"] = attempt.created_us;
  return json;
}

}  // namespace hipvault::corpus
