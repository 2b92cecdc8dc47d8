#include "search/agent_greedy.h"

#include <algorithm>

namespace hipvault::search {
namespace {

constexpr int kSamplesPerSketch = 4;

// Values beside the current one, in the order of the list, first: on a scale of powers of two they are the likely ones.
std::vector<std::string> by_distance(const std::vector<std::string>& values, const std::string& current) {
  auto at = std::find(values.begin(), values.end(), current) - values.begin();
  std::vector<std::string> sorted = values;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const std::string& a, const std::string& b) {
    auto distance = [&](const std::string& value) {
      return std::abs(std::find(values.begin(), values.end(), value) - values.begin() - at);
    };
    return distance(a) < distance(b);
  });
  std::erase(sorted, current);
  return sorted;
}

}  // namespace

void GreedyAgent::add(const View& view, Result<Schedule> schedule, int64_t parent) {
  if (!schedule || view.board.seen(*schedule)) return;
  if (queued_.insert(schedule::text(*schedule)).second) queue_.push_back({std::move(*schedule), parent});
}

void GreedyAgent::fill_families(const View& view) {
  std::vector<std::string> sketches = view.space.sketches();
  for (const std::string& sketch : sketches) add(view, view.space.standard(sketch), 0);
  for (int i = 0; i < kSamplesPerSketch; ++i)
    for (const std::string& sketch : sketches) add(view, view.space.random(view.random, sketch), 0);
  families_done_ = true;
}

void GreedyAgent::fill_neighbours(const View& view, const Trial& centre) {
  centre_ = centre.number;
  // Nearest values of every decision come before far values of any.
  std::vector<std::vector<std::string>> values;
  size_t longest = 0;
  for (size_t at = 0; at < centre.schedule.size(); ++at) {
    bool sketch = centre.schedule[at].name == "sketch";  // stage one chose it
    values.push_back(sketch ? std::vector<std::string>()
                            : by_distance(view.space.alternatives(centre.schedule, at), centre.schedule[at].value));
    longest = std::max(longest, values.back().size());
  }
  for (size_t rank = 0; rank < longest; ++rank)
    for (size_t at = 0; at < values.size(); ++at)
      if (rank < values[at].size())
        add(view, view.space.changed(centre.schedule, centre.schedule[at].name, values[at][rank]), centre.attempt);
}

void GreedyAgent::fill_pairs(const View& view, const Trial& centre) {
  paired_ = centre.number;
  for (size_t a = 0; a < centre.schedule.size(); ++a) {
    if (centre.schedule[a].name == "sketch") continue;
    for (const std::string& first : view.space.alternatives(centre.schedule, a)) {
      Result<Schedule> changed = view.space.changed(centre.schedule, centre.schedule[a].name, first);
      if (!changed) continue;
      for (size_t b = a + 1; b < changed->size(); ++b) {
        std::vector<std::string> seconds = by_distance(view.space.alternatives(*changed, b), (*changed)[b].value);
        if (seconds.size() > 2) seconds.resize(2);
        for (const std::string& second : seconds)
          add(view, view.space.changed(*changed, (*changed)[b].name, second), centre.attempt);
      }
    }
  }
}

void GreedyAgent::fill(const View& view) {
  if (!families_done_) return fill_families(view);
  const Trial* best = view.board.best();
  if (best == nullptr) return add(view, view.space.random(view.random), 0);
  if (centre_ != best->number) return fill_neighbours(view, *best);
  if (pending_ == 0 && paired_ != best->number) return fill_pairs(view, *best);
}

std::optional<Proposal> GreedyAgent::propose(const View& view) {
  // A new best moves the centre at once: what is queued around the old one is stale.
  const Trial* best = view.board.best();
  if (families_done_ && best != nullptr && centre_ != 0 && centre_ != best->number) {
    queue_.clear();
    queued_.clear();
  }
  for (int tries = 0; tries < 4; ++tries) {
    if (queue_.empty()) fill(view);
    while (!queue_.empty()) {
      Proposal proposal = std::move(queue_.front());
      queue_.pop_front();
      queued_.erase(schedule::text(proposal.schedule));
      if (view.board.seen(proposal.schedule)) continue;
      ++pending_;
      return proposal;
    }
  }
  return std::nullopt;
}

void GreedyAgent::learn(const View&, const Trial& trial) {
  if (trial.agent == name() && pending_ > 0) --pending_;
}

}  // namespace hipvault::search
