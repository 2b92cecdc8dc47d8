#include "search/campaign.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "search/bandit.h"
#include "search/finals.h"

namespace hipvault::search {
namespace {

using engine::Candidate;

class Search {
 public:
  Search(const Laboratory& lab, corpus::Vault& vault, const CampaignOptions& options, corpus::Campaign campaign)
      : lab_(lab),
        vault_(vault),
        options_(options),
        clock_(options.clock != nullptr ? *options.clock : real_clock()),
        space_(lab, options.pins),
        campaign_(std::move(campaign)),
        random_(campaign_.seed),
        agents_(make_agents()),
        bandit_(agents_.size()) {}

  Status take_up();
  Status run();
  CampaignResult result() &&;

 private:
  struct Job {
    size_t agent = 0;
    Proposal proposal;
  };
  enum class Next { job, wait, end };

  Next next_job(Job& job);
  void work(int worker);
  void finish(const Job& job, Candidate candidate);
  void tell_agents(const Trial& trial);
  void report(const Trial& trial, bool new_best);
  double seconds() const { return campaign_.seconds + clock_.seconds() - start_; }
  bool is_set(const std::atomic<bool>* flag) const { return flag != nullptr && flag->load(); }
  View view() { return {space_, board_, random_}; }

  const Laboratory& lab_;
  corpus::Vault& vault_;
  const CampaignOptions& options_;
  Clock& clock_;
  Space space_;
  corpus::Campaign campaign_;
  Random random_;
  std::vector<std::unique_ptr<Agent>> agents_;
  Bandit bandit_;
  Board board_;
  double start_ = 0;
  int64_t started_ = 0, resumed_ = 0;  // trials that count for the budget
  int in_flight_ = 0;
  bool exhausted_ = false;
  std::optional<Diagnostic> trouble_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

Trial trial_of(const corpus::Attempt& attempt, schedule::Schedule schedule) {
  Trial trial;
  trial.attempt = attempt.id;
  trial.agent = attempt.agent;
  trial.parent = attempt.parent;
  trial.schedule = std::move(schedule);
  trial.family = attempt.family;
  trial.reached = attempt.reached;
  trial.reason = attempt.reason;
  trial.time_us = attempt.time_us;
  trial.source_hash = attempt.source_hash;
  return trial;
}

Status Search::take_up() {
  start_ = clock_.seconds();
  Result<std::vector<corpus::Attempt>> attempts = vault_.list({.campaign = campaign_.id});
  if (!attempts) return fail(attempts.error());
  for (auto attempt = attempts->rbegin(); attempt != attempts->rend(); ++attempt) {  // oldest first
    if (attempt->agent == kBaselineAgent) continue;
    Result<schedule::Schedule> schedule = schedule::parse_schedule(attempt->schedule);
    if (!schedule) continue;
    Trial trial = trial_of(*attempt, std::move(*schedule));
    trial.at_seconds = attempt->seconds.contains("at") ? attempt->seconds.at("at") : 0;
    tell_agents(board_.add(std::move(trial)));
    ++started_;
    ++resumed_;
  }
  return {};
}

void Search::tell_agents(const Trial& trial) {
  Trial copy = trial;  // agents may look at the board while they learn
  for (std::unique_ptr<Agent>& agent : agents_) agent->learn(view(), copy);
}

Search::Next Search::next_job(Job& job) {
  if (trouble_ || is_set(options_.stop) || is_set(options_.abandon) || options_.budget.used_up(seconds(), started_))
    return Next::end;
  for (size_t arm : bandit_.order()) {
    std::optional<Proposal> proposal = agents_[arm]->propose(view());
    if (!proposal) continue;
    board_.reserve(proposal->schedule);
    job = {arm, std::move(*proposal)};
    ++started_;
    ++in_flight_;
    return Next::job;
  }
  exhausted_ = in_flight_ == 0;
  return exhausted_ ? Next::end : Next::wait;
}

void Search::work(int worker) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    Job job;
    Next next = next_job(job);
    if (next == Next::end) break;
    if (next == Next::wait) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    Candidate candidate = lab_.make(job.proposal.schedule);
    lock.lock();
    // Two schedules with one kernel text are one candidate: its result is known.
    if (board_.by_source(candidate.source_hash) == nullptr && !is_set(options_.abandon)) {
      lock.unlock();
      lab_.try_out(worker, engine::Depth::quick, candidate);
      lock.lock();
    }
    if (is_set(options_.abandon)) break;
    finish(job, std::move(candidate));
    changed_.notify_all();
  }
  changed_.notify_all();
}

void Search::finish(const Job& job, Candidate candidate) {
  --in_flight_;
  if (candidate.trouble) {
    trouble_ = candidate.trouble;
    return;
  }
  Trial trial;
  if (const Trial* twin = board_.by_source(candidate.source_hash)) {
    trial = *twin;
    trial.twin = twin->number;
    --started_;  // it cost nothing
  } else {
    candidate.seconds["at"] = seconds();
    corpus::Attempt attempt = lab_.describe(candidate);
    attempt.campaign = campaign_.id;
    attempt.agent = agents_[job.agent]->name();
    attempt.parent = job.proposal.parent;
    attempt.seeds["agent"] = campaign_.seed;
    Result<int64_t> id = vault_.record(attempt);
    if (!id) {
      trouble_ = id.error();
      return;
    }
    attempt.id = *id;
    trial = trial_of(attempt, {});
  }
  trial.agent = agents_[job.agent]->name();
  trial.parent = job.proposal.parent;
  trial.schedule = job.proposal.schedule;
  trial.at_seconds = seconds();
  double best_before = board_.best() == nullptr ? 0 : *board_.best()->time_us;
  const Trial& added = board_.add(std::move(trial));
  bool new_best = board_.best() == &added;
  double best_us = new_best ? *added.time_us : best_before;
  bandit_.reward(job.agent, added.twin != 0 ? 0 : trial_reward(new_best, best_us, added.time_us.value_or(0)));
  tell_agents(added);
  report(added, new_best);
}

void Search::report(const Trial& trial, bool new_best) {
  if (!options_.progress) return;
  Progress progress{"search",     seconds(), board_.total(), board_.twins(), trial.agent,
                    trial.family, {},        new_best,       trial.reason};
  if (board_.best() != nullptr) progress.best_us = board_.best()->time_us;
  options_.progress(progress);
}

Status Search::run() {
  Status pins = space_.check_pins();
  if (!pins) return pins;
  std::vector<std::thread> workers;
  for (int worker = 1; worker < options_.workers; ++worker) workers.emplace_back([this, worker] { work(worker); });
  work(0);
  for (std::thread& worker : workers) worker.join();
  if (trouble_) return fail(*trouble_);
  campaign_.seconds = seconds();
  campaign_.trials = started_;
  start_ = clock_.seconds();
  return vault_.save_campaign(campaign_);
}

CampaignResult Search::result() && {
  CampaignResult result;
  result.campaign = campaign_.id;
  result.resumed_trials = resumed_;
  result.search_seconds = campaign_.seconds;
  result.board = std::move(board_);
  result.exhausted = exhausted_;
  result.abandoned = is_set(options_.abandon);
  return result;
}

// The unfinished campaign of this key whose owner is gone, or a new one.
Result<corpus::Campaign> open_campaign(corpus::Vault& vault, const CampaignOptions& options) {
  std::string me = this_process();
  if (!options.key.empty()) {
    Result<std::optional<corpus::Campaign>> found = vault.unfinished_campaign(options.key);
    if (!found) return fail(found.error());
    if (*found && ((*found)->owner == me || !owner_lives((*found)->owner))) {
      Result<bool> mine = vault.adopt_campaign((*found)->id, (*found)->owner, me);
      if (!mine) return fail(mine.error());
      (*found)->owner = me;
      if (*mine) return std::move(**found);
    }
  }
  corpus::Campaign campaign;
  campaign.key = options.key;
  campaign.owner = me;
  campaign.state = "running";
  campaign.seed = options.seed != 0 ? options.seed : entropy();
  campaign.settings = options.settings;
  Result<int64_t> id = vault.start_campaign(campaign);
  if (!id) return fail(id.error());
  campaign.id = *id;
  return campaign;
}

// A killed run saved no seconds: the last trial says how far it came.
void restore_seconds(const std::vector<corpus::Attempt>& attempts, corpus::Campaign& campaign) {
  for (const corpus::Attempt& attempt : attempts)
    if (attempt.seconds.contains("at")) campaign.seconds = std::max(campaign.seconds, attempt.seconds.at("at"));
}

}  // namespace

Result<CampaignResult> run_campaign(const Laboratory& lab, corpus::Vault& vault, const CampaignOptions& options) {
  CHECK(options.workers > 0) << "a campaign needs a worker";
  Result<corpus::Campaign> campaign = open_campaign(vault, options);
  if (!campaign) return fail(campaign.error());
  Result<std::vector<corpus::Attempt>> earlier = vault.list({.campaign = campaign->id});
  if (!earlier) return fail(earlier.error());
  restore_seconds(*earlier, *campaign);
  Search search(lab, vault, options, *campaign);
  Status taken = search.take_up();
  if (!taken) return fail(taken.error());
  Status ran = search.run();
  if (!ran) return fail(ran.error());
  CampaignResult result = std::move(search).result();
  if (result.abandoned) return result;
  Status judged = run_finals(lab, vault, options, result);
  if (!judged) return fail(judged.error());
  campaign->state = "done";
  campaign->owner.clear();
  campaign->seconds = result.search_seconds;
  campaign->trials = static_cast<int64_t>(result.board.trials().size());
  Status saved = vault.save_campaign(*campaign);
  if (!saved) return fail(saved.error());
  return result;
}

}  // namespace hipvault::search
