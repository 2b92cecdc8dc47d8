#include "search/bandit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hipvault::search {
namespace {

constexpr double kFade = 0.98;
constexpr double kExplore = 0.35;

}  // namespace

std::vector<size_t> Bandit::order() const {
  double plays = 0;
  for (const Arm& arm : arms_) plays += arm.plays;
  auto score = [&](const Arm& arm) {
    if (arm.plays == 0) return 1e9;
    return arm.rewards / arm.plays + kExplore * std::sqrt(std::log(std::max(plays, 2.0)) / arm.plays);
  };
  std::vector<size_t> arms(arms_.size());
  std::iota(arms.begin(), arms.end(), 0);
  std::stable_sort(arms.begin(), arms.end(), [&](size_t a, size_t b) { return score(arms_[a]) > score(arms_[b]); });
  return arms;
}

void Bandit::reward(size_t arm, double value) {
  for (Arm& one : arms_) {
    one.plays *= kFade;
    one.rewards *= kFade;
  }
  arms_[arm].plays += 1;
  arms_[arm].rewards += value;
}

double trial_reward(bool new_best, double best_us, double time_us) {
  if (new_best) return 1;
  return time_us > 0 ? 0.5 * best_us / time_us : 0;
}

}  // namespace hipvault::search
