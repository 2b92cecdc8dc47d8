#pragma once
// Evolution with a diversity archive (MAP-Elites: Mouret and Clune, "Illuminating search spaces", 2015). The archive
// keeps the fastest schedule of each cell; a cell is the sketch with the values of its first two decisions, which shape
// the kernel most. Parents are drawn from all cells, fast ones more often, so that a way of doing it that is not yet
// tuned stays alive beside one that is. Finds of other agents enter the archive like its own.

#include <map>

#include "search/agent.h"

namespace hipvault::search {

class EvolutionAgent : public Agent {
 public:
  const char* name() const override { return "evolution"; }
  std::optional<Proposal> propose(const View& view) override;
  void learn(const View& view, const Trial& trial) override;

 private:
  struct Elite {
    Schedule schedule;
    double time_us;
    int64_t attempt;
  };
  const Elite& draw(Random& random) const;
  Result<Schedule> child(const View& view, const Elite& parent) const;

  std::map<std::string, Elite> archive_;
  int founders_ = 0;
};

}  // namespace hipvault::search
