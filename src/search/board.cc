#include "search/board.h"

#include <algorithm>

namespace hipvault::search {

void Funnel::add(Reached reached) {
  ++proposed;
  if (reached >= Reached::legal) ++legal;
  if (reached >= Reached::compiled) ++compiled;
  if (reached >= Reached::correct) ++correct;
  if (reached >= Reached::timed) ++timed;
}

const Trial* Board::best() const { return best_ == 0 ? nullptr : &trials_[static_cast<size_t>(best_ - 1)]; }

std::vector<const Trial*> Board::ranked() const {
  std::vector<const Trial*> timed;
  for (const Trial& trial : trials_)
    if (trial.time_us && trial.twin == 0) timed.push_back(&trial);
  std::stable_sort(timed.begin(), timed.end(),
                   [](const Trial* a, const Trial* b) { return *a->time_us < *b->time_us; });
  return timed;
}

bool Board::seen(const schedule::Schedule& schedule) const { return schedules_.contains(schedule::text(schedule)); }

void Board::reserve(const schedule::Schedule& schedule) { schedules_.emplace(schedule::text(schedule), 0); }

const Trial* Board::by_source(const std::string& source_hash) const {
  auto found = sources_.find(source_hash);
  return source_hash.empty() || found == sources_.end() ? nullptr : &trials_[static_cast<size_t>(found->second - 1)];
}

const Trial& Board::add(Trial trial) {
  trial.number = static_cast<int64_t>(trials_.size()) + 1;
  schedules_[schedule::text(trial.schedule)] = trial.number;
  if (trial.twin != 0) {
    ++twins_;
  } else {
    if (!trial.source_hash.empty()) sources_.emplace(trial.source_hash, trial.number);
    total_.add(trial.reached);
    families_[trial.family.empty() ? "(none)" : trial.family].add(trial.reached);
    if (trial.time_us && (best_ == 0 || *trial.time_us < *best()->time_us)) best_ = trial.number;
  }
  trials_.push_back(std::move(trial));
  return trials_.back();
}

std::vector<std::pair<std::string, int64_t>> Board::reasons(size_t count) const {
  std::map<std::string, int64_t> counts;
  for (const Trial& trial : trials_)
    if (trial.twin == 0 && !trial.reason.empty()) ++counts[trial.reason];
  std::vector<std::pair<std::string, int64_t>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (list.size() > count) list.resize(count);
  return list;
}

}  // namespace hipvault::search
