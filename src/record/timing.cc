#include "record/timing.h"

namespace hipvault {

Json to_json(const Timing& timing) {
  Json json = {{"time_us", timing.time_us},
               {"kind", timing.kind},
               {"bound", timing.bound},
               {"roofline_us", timing.roofline_us},
               {"roofline_fraction", timing.roofline_fraction},
               {"launch_us", timing.launch_us}};
  json["model_error"] = timing.model_error > 0 ? Json(timing.model_error) : Json(nullptr);  // null: never validated
  if (!timing.samples_us.empty()) json["samples_us"] = timing.samples_us;
  return json;
}

Json to_json(const Baseline& baseline) {
  return {
      {"kind", baseline.kind}, {"name", baseline.name}, {"time_us", baseline.time_us}, {"verdict", baseline.verdict}};
}

}  // namespace hipvault
