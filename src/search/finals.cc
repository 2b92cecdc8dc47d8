#include "search/finals.h"

#include <fmt/format.h>

#include "base/thread_pool.h"

namespace hipvault::search {
namespace {

using engine::Candidate;
using engine::Depth;

constexpr size_t kMaxFalls = 8;  // after that many failures the generator is broken and the run should say so

void tell(const CampaignOptions& options, const CampaignResult& result, const std::string& message) {
  if (!options.progress) return;
  Progress progress{"judge", result.search_seconds, result.board.total(), result.board.twins(), "", "", {}, false,
                    message};
  if (result.board.best() != nullptr) progress.best_us = result.board.best()->time_us;
  options.progress(progress);
}

// Made again from its schedule and tried from the start, so that nothing of the search is believed.
Candidate try_fully(const Laboratory& lab, int worker, const schedule::Schedule& schedule) {
  Candidate candidate = lab.make(schedule);
  lab.try_out(worker, Depth::full, candidate);
  return candidate;
}

Status record_baseline(const Laboratory& lab, corpus::Vault& vault, const CampaignResult& result) {
  corpus::Attempt attempt = lab.describe(*result.baseline);
  attempt.campaign = result.campaign;
  attempt.agent = kBaselineAgent;
  Result<int64_t> id = vault.record(attempt);
  if (!id) return fail(id.error());
  return {};
}

}  // namespace

Status run_finals(const Laboratory& lab, corpus::Vault& vault, const CampaignOptions& options, CampaignResult& result) {
  std::string baseline_family;
  for (const Trial* trial : result.board.ranked()) {
    if (result.fallen.size() >= kMaxFalls) break;
    tell(options, result, fmt::format("judging {} of {:.1f} us in full", trial->family, *trial->time_us));
    Result<schedule::Schedule> standard = lab.default_schedule(trial->family);
    bool need_baseline = standard && baseline_family != trial->family;
    bool same = standard && schedule::text(*standard) == schedule::text(trial->schedule);
    // Winner and baseline are judged side by side.
    std::vector<Candidate> judged(need_baseline && !same ? 2 : 1);
    parallel_for(static_cast<int64_t>(judged.size()), std::min(options.workers, 2), [&](int64_t i) {
      judged[static_cast<size_t>(i)] = try_fully(lab, static_cast<int>(i), i == 0 ? trial->schedule : *standard);
    });
    for (const Candidate& candidate : judged)
      if (candidate.trouble) return fail(*candidate.trouble);
    if (judged.size() == 2) {
      result.baseline = std::move(judged[1]);
      baseline_family = trial->family;
      Status recorded = record_baseline(lab, vault, result);
      if (!recorded) return recorded;
    }
    Candidate& candidate = judged[0];
    candidate.seconds["at"] = trial->at_seconds;  // the moment it was found, which a resumed campaign goes by
    Status saved = vault.save_judgement(trial->attempt, lab.describe(candidate));
    if (!saved) return saved;
    if (candidate.reached < Reached::timed) {
      tell(options, result, fmt::format("the best of the search fell in the full judgement: {}", candidate.reason));
      result.fallen.push_back(std::move(candidate));
      continue;
    }
    result.winner_is_baseline = same;
    if (same) result.baseline = candidate;
    result.winner_attempt = trial->attempt;
    result.winner_agent = trial->agent;
    result.winner = std::move(candidate);
    return {};
  }
  return {};
}

}  // namespace hipvault::search
