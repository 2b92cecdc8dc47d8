#include "search/agent_evolution.h"

#include <algorithm>

namespace hipvault::search {
namespace {

constexpr int kFounders = 6;  // random schedules before the first child
constexpr int kTries = 40;    // children that were already tried before it gives up

std::string cell_of(const Schedule& schedule) {
  std::string cell;
  for (size_t i = 0; i < schedule.size() && i < 3; ++i) cell += schedule[i].value + "/";
  return cell;
}

// One decision set to another legal value.
Result<Schedule> mutated(const View& view, const Schedule& schedule) {
  size_t at = view.random.below(schedule.size());
  std::vector<std::string> values = view.space.alternatives(schedule, at);
  std::erase(values, schedule[at].value);
  if (schedule[at].name == "sketch") std::erase(values, "naive");
  if (values.empty()) return schedule;
  return view.space.changed(schedule, schedule[at].name, values[view.random.below(values.size())]);
}

}  // namespace

// The faster of two cells drawn at random.
const EvolutionAgent::Elite& EvolutionAgent::draw(Random& random) const {
  const Elite& a = std::next(archive_.begin(), static_cast<std::ptrdiff_t>(random.below(archive_.size())))->second;
  const Elite& b = std::next(archive_.begin(), static_cast<std::ptrdiff_t>(random.below(archive_.size())))->second;
  return a.time_us <= b.time_us ? a : b;
}

Result<Schedule> EvolutionAgent::child(const View& view, const Elite& parent) const {
  Result<Schedule> schedule = parent.schedule;
  if (view.random.below(10) < 3) schedule = view.space.mixed(parent.schedule, draw(view.random).schedule, view.random);
  for (uint64_t changes = 1 + view.random.below(2); schedule && changes > 0; --changes)
    schedule = mutated(view, *schedule);
  return schedule;
}

std::optional<Proposal> EvolutionAgent::propose(const View& view) {
  std::vector<std::string> sketches = view.space.sketches();
  if (sketches.empty()) return std::nullopt;
  for (int i = 0; i < kTries; ++i) {
    bool founder = founders_ < kFounders || archive_.empty();
    int64_t parent = 0;
    Result<Schedule> schedule = fail("", "");
    if (founder) {
      ++founders_;
      schedule = view.space.random(view.random, sketches[view.random.below(sketches.size())]);
    } else {
      const Elite& elite = draw(view.random);
      parent = elite.attempt;
      schedule = child(view, elite);
    }
    if (schedule && !view.board.seen(*schedule)) return Proposal{std::move(*schedule), parent};
  }
  return std::nullopt;
}

void EvolutionAgent::learn(const View&, const Trial& trial) {
  if (!trial.time_us) return;
  Elite elite{trial.schedule, *trial.time_us, trial.attempt};
  auto [at, added] = archive_.emplace(cell_of(trial.schedule), elite);
  if (!added && elite.time_us < at->second.time_us) at->second = std::move(elite);
}

}  // namespace hipvault::search
