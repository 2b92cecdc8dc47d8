#pragma once
// A campaign: agents compete on one board until the budget is used up, then the best candidates are judged in full
// until one passes. Every trial is in the vault before the next is proposed to its worker, so a killed campaign is
// taken up by the next run with the same key: its trials are given to the agents as if they had just ended.

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "corpus/vault.h"
#include "engine/budget.h"
#include "search/agent.h"

namespace hipvault::search {

struct Progress {
  std::string phase;   // "search", "judge", "done"
  double seconds = 0;  // of search time, earlier runs included
  Funnel funnel;
  int64_t twins = 0;
  std::string agent, family;  // of the last trial
  std::optional<double> best_us;
  bool new_best = false;
  std::string message;
};

struct CampaignOptions {
  engine::Budget budget;
  int workers = 2;
  std::map<std::string, std::string> pins;
  uint64_t seed = 0;                              // of the agents; 0: from the system
  std::string key;                                // "": never resumed
  Json settings;                                  // for people
  std::function<void(const Progress&)> progress;  // called from any worker, one at a time
  const std::atomic<bool>* stop = nullptr;        // ends the search early; the finals still run
  const std::atomic<bool>* abandon = nullptr;     // as a kill would: returns at once and stays resumable
  Clock* clock = nullptr;                         // null: the real one
};

struct CampaignResult {
  int64_t campaign = 0;
  int64_t resumed_trials = 0;
  double search_seconds = 0;  // earlier runs included
  Board board;
  bool exhausted = false;  // no agent had anything left to propose
  bool abandoned = false;
  // After the full judgement. Absent winner: nothing was timed, or all failed.
  std::optional<engine::Candidate> winner;
  int64_t winner_attempt = 0;
  std::string winner_agent;
  std::vector<engine::Candidate> fallen;      // faster in the search, but failed the full judgement
  std::optional<engine::Candidate> baseline;  // default_schedule of the winner's sketch, judged in full
  bool winner_is_baseline = false;
};

// Error: a pin that cannot be, a vault that cannot be written, trouble with tools.
Result<CampaignResult> run_campaign(const Laboratory& lab, corpus::Vault& vault, const CampaignOptions& options);

// "pid:start@host" of this process, and whether such an owner still lives (on this host; of others it is assumed).
std::string this_process();
bool owner_lives(const std::string& owner);

}  // namespace hipvault::search
