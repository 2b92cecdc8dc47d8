#pragma once
// Looking at an op on its way: the parsed text, the tensor program, its normal form, the tile programs between passes,
// the kernel text.

#include "engine/evaluate.h"

namespace hipvault::engine {

struct ShowRequest {
  std::string what;      // "op", "program", "normal", "schedule", "tile", "source", "plan", "after:PASS", "decisions"
  std::string schedule;  // text; "": the default schedule of the first sketch that matches
};
Result<std::string> show(const LoadedTask& task, const ShowRequest& request);
std::vector<std::string> things_to_show();

// The schedule in force: the one given, completed with defaults, or the default of the first matching sketch.
Result<schedule::Schedule> schedule_for(const LoadedTask& task, const std::string& text, const std::string& file);

}  // namespace hipvault::engine
