// Every agent.

#include "search/agent.h"
#include "search/agent_evolution.h"
#include "search/agent_greedy.h"

namespace hipvault::search {

std::vector<std::unique_ptr<Agent>> make_agents() {
  std::vector<std::unique_ptr<Agent>> agents;
  agents.push_back(std::make_unique<GreedyAgent>());
  agents.push_back(std::make_unique<EvolutionAgent>());
  return agents;
}

}  // namespace hipvault::search
