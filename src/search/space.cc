#include "search/space.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "engine/suggest.h"

namespace hipvault::search {
namespace {

constexpr size_t kMaxDecisions = 64;  // a sketch that asks more is broken

std::vector<std::string> legal_values(const schedule::Question& question) {
  std::vector<std::string> values;
  for (const schedule::Choice& choice : question.choices)
    if (choice.legal) values.push_back(choice.value);
  return values;
}

Diagnostic illegal_pin(const schedule::Question& question, const std::string& value) {
  std::vector<std::string> legal = legal_values(question);
  for (const schedule::Choice& choice : question.choices) {
    if (choice.value == value)
      return {"fix.illegal",
              "--fix " + question.name + "=" + value + " is not legal here: " + choice.reason,
              "legal: " + engine::join(legal),
              {}};
  }
  return {"fix.illegal",
          "--fix " + question.name + "=" + value + " is not among its choices",
          "legal: " + engine::join(legal),
          {}};
}

bool as_number(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

}  // namespace

std::map<std::string, std::string> as_map(const Schedule& schedule) {
  std::map<std::string, std::string> map;
  for (const schedule::Decision& decision : schedule) map[decision.name] = decision.value;
  return map;
}

std::string nearest_value(const std::string& wanted, const std::vector<std::string>& legal) {
  if (std::find(legal.begin(), legal.end(), wanted) != legal.end()) return wanted;
  double target = 0, best_distance = 0;
  std::string best = legal.front();
  if (!as_number(wanted, target)) return best;
  for (const std::string& value : legal) {
    double number = 0;
    if (!as_number(value, number)) continue;
    double distance = std::abs(std::log2(std::abs(number) + 1) - std::log2(std::abs(target) + 1));
    if (value != legal.front() && distance >= best_distance) continue;
    best = value;
    best_distance = distance;
  }
  return best;
}

Result<Schedule> Space::build(const Chooser& choose) const {
  Schedule schedule;
  while (schedule.size() < kMaxDecisions) {
    Result<schedule::Question> question = lab_.next_question(schedule);
    if (!question) return fail(question.error());
    if (question->name.empty()) return schedule;
    std::vector<std::string> legal = legal_values(*question);
    auto pin = pins_.find(question->name);
    if (pin != pins_.end()) {
      if (std::find(legal.begin(), legal.end(), pin->second) == legal.end())
        return fail(illegal_pin(*question, pin->second));
      legal = {pin->second};
    }
    if (legal.empty())
      return fail("search.stuck",
                  "the decision " + question->name + " has no legal value after: " + schedule::text(schedule));
    schedule.push_back({question->name, legal.size() == 1 ? legal.front() : choose(*question, legal)});
  }
  return fail("search.stuck", "the schedule does not end after " + std::to_string(kMaxDecisions) + " decisions");
}

Result<Schedule> Space::random(Random& random, const std::string& sketch) const {
  return build([&](const schedule::Question& question, const std::vector<std::string>& legal) {
    if (question.name == "sketch" && !sketch.empty()) return nearest_value(sketch, legal);
    return legal[random.below(legal.size())];
  });
}

Result<Schedule> Space::repaired(const std::map<std::string, std::string>& wanted) const {
  return build([&](const schedule::Question& question, const std::vector<std::string>& legal) {
    auto value = wanted.find(question.name);
    return nearest_value(value == wanted.end() ? question.preferred : value->second, legal);
  });
}

Result<Schedule> Space::changed(const Schedule& base, const std::string& decision, const std::string& value) const {
  std::map<std::string, std::string> wanted = as_map(base);
  wanted[decision] = value;
  return repaired(wanted);
}

Result<Schedule> Space::mixed(const Schedule& a, const Schedule& b, Random& random) const {
  std::map<std::string, std::string> wanted = as_map(a);
  for (const auto& [name, value] : as_map(b))
    if (!wanted.contains(name) || random.below(2) == 1) wanted[name] = value;
  return repaired(wanted);
}

Result<Schedule> Space::standard(const std::string& sketch) const {
  Result<Schedule> defaults = lab_.default_schedule(sketch);
  if (!defaults) return defaults;
  return repaired(as_map(*defaults));
}

std::vector<std::string> Space::alternatives(const Schedule& schedule, size_t position) const {
  if (pins_.contains(schedule[position].name)) return {schedule[position].value};
  Result<schedule::Question> question =
      lab_.next_question(Schedule(schedule.begin(), schedule.begin() + static_cast<std::ptrdiff_t>(position)));
  return question ? legal_values(*question) : std::vector<std::string>();
}

std::vector<std::string> Space::sketches() const {
  auto pin = pins_.find("sketch");
  if (pin != pins_.end()) return {pin->second};
  Result<schedule::Question> question = lab_.next_question({});
  std::vector<std::string> names = question ? legal_values(*question) : std::vector<std::string>();
  if (names.size() > 1) std::erase(names, "naive");  // the fallback: never faster than a sketch that fits
  return names;
}

Status Space::check_pins() const {
  std::set<std::string> known = {"sketch"};
  Diagnostic last;
  bool any = false;
  for (const std::string& sketch : sketches()) {
    Result<Schedule> schedule = standard(sketch);
    if (!schedule) last = schedule.error();
    if (!schedule) continue;
    any = true;
    for (const schedule::Decision& decision : *schedule) known.insert(decision.name);
  }
  if (!any) return fail(last);
  for (const auto& [name, value] : pins_) {
    if (!known.contains(name))
      return fail("fix.unknown", "no decision is named \"" + name + "\" here",
                  engine::known_words(name, {known.begin(), known.end()}));
  }
  return {};
}

}  // namespace hipvault::search
