#pragma once
// Timing: a measured or predicted time, never without saying which. A missing measurement is not zero: it is absent.

#include <string>
#include <vector>

#include "base/json.h"

namespace hipvault {

struct Timing {
  double time_us = 0;
  std::string kind;                // "draft" (analytical estimate), "model" (cycle model), "measured"
  std::string bound;               // what limits it: "memory", "valu", "lds", "latency", "launch", "mfma"
  double roofline_us = 0;          // the floor: bytes that must move / achievable bandwidth, or flops / peak
  double roofline_fraction = 0;    // roofline_us / time_us
  double model_error = 0;          // mean absolute relative error of the model where validated; 0 = not validated
  std::vector<double> samples_us;  // raw, measured only
  std::vector<double> launch_us;   // per launch of the plan
};

struct Baseline {
  std::string kind;  // torch_eager | torch_compile | vendor | triton | code_object | default_schedule
  std::string name;
  double time_us = 0;
  std::string verdict;
};

Json to_json(const Timing& timing);
Json to_json(const Baseline& baseline);

}  // namespace hipvault
