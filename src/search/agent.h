#pragma once
// An agent proposes schedules and learns from what became of them. Agents see the whole board, the finds of the others
// included. One file an agent, one row in list.cc.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "search/board.h"
#include "search/space.h"

namespace hipvault::search {

struct View {
  const Space& space;
  const Board& board;
  Random& random;
};

struct Proposal {
  Schedule schedule;
  int64_t parent = 0;  // the attempt it was derived from
};

class Agent {
 public:
  virtual ~Agent() = default;
  virtual const char* name() const = 0;
  // A schedule nobody has tried, or nothing: none left, or results must come in first.
  virtual std::optional<Proposal> propose(const View& view) = 0;
  // Every trial of the board, once, in order; also those of other agents and of an earlier, interrupted run.
  virtual void learn(const View& view, const Trial& trial) = 0;
};

std::vector<std::unique_ptr<Agent>> make_agents();

}  // namespace hipvault::search
