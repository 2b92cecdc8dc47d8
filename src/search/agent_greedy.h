#pragma once
// Greedy two-stage descent. Stage one looks for the right family: each sketch's default and a few random samples of
// each. Stage two descends: all neighbours of the best schedule (one decision changed, the rest repaired), again from
// every new best; when none is better, pairs of changes around it. A better find of another agent becomes the new
// centre.
//
// Kernel libraries tune this way because it is hard to beat at small budgets: decisions are mostly independent near a
// good point. It stops at local optima of depth two; evolution is there for the rest.

#include <deque>
#include <set>

#include "search/agent.h"

namespace hipvault::search {

class GreedyAgent : public Agent {
 public:
  const char* name() const override { return "greedy"; }
  std::optional<Proposal> propose(const View& view) override;
  void learn(const View& view, const Trial& trial) override;

 private:
  void add(const View& view, Result<Schedule> schedule, int64_t parent);
  void fill(const View& view);
  void fill_families(const View& view);
  void fill_neighbours(const View& view, const Trial& centre);
  void fill_pairs(const View& view, const Trial& centre);

  std::deque<Proposal> queue_;
  std::set<std::string> queued_;  // texts in the queue
  int64_t pending_ = 0;           // own proposals without result
  bool families_done_ = false;
  int64_t centre_ = 0;  // trial whose neighbours were queued
  int64_t paired_ = 0;  // trial whose pairs were queued
};

}  // namespace hipvault::search
