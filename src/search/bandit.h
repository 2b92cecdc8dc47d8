#pragma once
// Who may propose next: discounted UCB (Garivier and Moulines 2011). Rewards fade, because an agent that was good while
// the landscape was new may have nothing left; nobody is ever shut out.

#include <cstddef>
#include <vector>

namespace hipvault::search {

class Bandit {
 public:
  explicit Bandit(size_t arms) : arms_(arms) {}
  // Arms, the most promising first. Unplayed arms come before all others.
  std::vector<size_t> order() const;
  void reward(size_t arm, double value);  // value in [0, 1]

 private:
  struct Arm {
    double plays = 0, rewards = 0;
  };
  std::vector<Arm> arms_;
};

// What a trial is worth: 1 for a new best, otherwise how near it came, halved; 0 for what could not be timed.
double trial_reward(bool new_best, double best_us, double time_us);

}  // namespace hipvault::search
