#include "engine/budget.h"

#include <fmt/format.h>

#include <cstdlib>

namespace hipvault::engine {
namespace {

struct Unit {
  const char* name;
  double seconds;  // 0: trials
};
constexpr Unit kUnits[] = {{"s", 1},        {"sec", 1},  {"seconds", 1}, {"m", 60},   {"min", 60},
                           {"minutes", 60}, {"h", 3600}, {"trials", 0},  {"trial", 0}};

tl::unexpected<Diagnostic> bad_budget(const std::string& text) {
  return fail("budget.syntax", "\"" + text + "\" is no budget",
              "write seconds, minutes or trials: --budget 60s, 2m, 200trials or 60s,200trials");
}

Status add_part(const std::string& part, const std::string& whole, Budget& budget) {
  char* end = nullptr;
  double amount = std::strtod(part.c_str(), &end);
  if (end == part.c_str() || !(amount > 0) || amount > 1e9) return bad_budget(whole);
  std::string unit(end);
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    if (known.seconds > 0) budget.seconds = amount * known.seconds;
    if (known.seconds > 0) return {};
    if (amount != static_cast<double>(static_cast<int64_t>(amount))) return bad_budget(whole);
    budget.trials = static_cast<int64_t>(amount);
    return {};
  }
  return bad_budget(whole);
}

}  // namespace

Result<Budget> parse_budget(const std::string& text) {
  Budget budget;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t comma = std::min(text.find(',', begin), text.size());
    Status added = add_part(text.substr(begin, comma - begin), text, budget);
    if (!added) return fail(added.error());
    begin = comma + 1;
  }
  return budget;
}

std::string text(const Budget& budget) {
  std::string seconds = budget.seconds ? fmt::format("{:g}s", *budget.seconds) : "";
  std::string trials = budget.trials ? fmt::format("{}trials", *budget.trials) : "";
  return seconds + (!seconds.empty() && !trials.empty() ? "," : "") + trials;
}

}  // namespace hipvault::engine
