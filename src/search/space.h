#pragma once
// The space of schedules of one task, as agents walk it: complete schedules only, pins respected, every value legal
// when it was chosen. Changing an early decision can make later ones illegal; those are repaired to the nearest legal
// value, so that a neighbour always exists.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "search/laboratory.h"

namespace hipvault::search {

using schedule::Schedule;

class Space {
 public:
  Space(const Laboratory& lab, std::map<std::string, std::string> pins) : lab_(lab), pins_(std::move(pins)) {}

  // Picks one of the legal values (never empty).
  using Chooser = std::function<std::string(const schedule::Question& question, const std::vector<std::string>& legal)>;
  // Asks until the schedule is complete. Error: a pin is illegal (with the reason), or a question has no legal answer.
  Result<Schedule> build(const Chooser& choose) const;

  Result<Schedule> random(Random& random, const std::string& sketch = "") const;
  // `wanted` where it is legal; elsewhere the nearest legal value, by number or else by order.
  Result<Schedule> repaired(const std::map<std::string, std::string>& wanted) const;
  Result<Schedule> changed(const Schedule& base, const std::string& decision, const std::string& value) const;
  Result<Schedule> mixed(const Schedule& a, const Schedule& b, Random& random) const;  // each decision from one of them
  // The sketch's default decisions, pins applied.
  Result<Schedule> standard(const std::string& sketch) const;

  // The legal values at one decision of a schedule, given the decisions before it.
  std::vector<std::string> alternatives(const Schedule& schedule, size_t position) const;
  std::vector<std::string> sketches() const;  // legal ones; `naive` only if it is the only one or pinned

  // Every pin must be a decision of some legal sketch, with a legal value.
  Status check_pins() const;

 private:
  const Laboratory& lab_;
  std::map<std::string, std::string> pins_;
};

std::map<std::string, std::string> as_map(const Schedule& schedule);
std::string nearest_value(const std::string& wanted, const std::vector<std::string>& legal);

}  // namespace hipvault::search
