#pragma once
// How long a search may go on: "60s", "2m", "1h", "200trials", or both, "60s,200trials" (whichever ends first).

#include <optional>
#include <string>

#include "base/result.h"

namespace hipvault::engine {

struct Budget {
  std::optional<double> seconds;
  std::optional<int64_t> trials;

  bool used_up(double seconds_used, int64_t trials_used) const {
    return (seconds && seconds_used >= *seconds) || (trials && trials_used >= *trials);
  }
};

Result<Budget> parse_budget(const std::string& text);
std::string text(const Budget& budget);

}  // namespace hipvault::engine
