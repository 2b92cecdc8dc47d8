#pragma once
// The board: every trial of a search, where all agents see it, and what became of each family. Not thread-safe: the
// campaign holds its lock.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpus/attempt.h"
#include "schedule/schedule.h"

namespace hipvault::search {

using corpus::Reached;

struct Trial {
  int64_t number = 0;   // from 1, in order of ending
  int64_t attempt = 0;  // in the vault; 0: none
  std::string agent;
  int64_t parent = 0;  // an attempt
  schedule::Schedule schedule;
  std::string family;
  Reached reached = Reached::proposed;
  std::string reason;
  std::optional<double> time_us;
  std::string source_hash;
  double at_seconds = 0;  // of search time
  int64_t twin = 0;       // number of the earlier trial with the same kernel text; 0: none
};

// How many came how far. A trial that reached a stage also counts for the stages before it.
struct Funnel {
  int64_t proposed = 0, legal = 0, compiled = 0, correct = 0, timed = 0;
  void add(Reached reached);
  bool operator==(const Funnel&) const = default;
};

class Board {
 public:
  const std::vector<Trial>& trials() const { return trials_; }
  const Trial* best() const;  // fastest timed; null: none yet
  // Fastest first, one of each kernel text.
  std::vector<const Trial*> ranked() const;

  bool seen(const schedule::Schedule& schedule) const;
  void reserve(const schedule::Schedule& schedule);  // somebody is at it
  const Trial* by_source(const std::string& source_hash) const;

  const Trial& add(Trial trial);  // numbers it
  const Funnel& total() const { return total_; }
  const std::map<std::string, Funnel>& families() const { return families_; }
  int64_t twins() const { return twins_; }
  // The most frequent reasons why candidates went no further.
  std::vector<std::pair<std::string, int64_t>> reasons(size_t count) const;

 private:
  std::vector<Trial> trials_;
  std::map<std::string, int64_t> schedules_, sources_;  // text or hash -> number, 0: reserved
  std::map<std::string, Funnel> families_;
  Funnel total_;
  int64_t twins_ = 0, best_ = 0;
};

}  // namespace hipvault::search
