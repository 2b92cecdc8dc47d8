#pragma once
// One launch: what its work-groups share.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

#include "isa/program.h"
#include "record/run_request.h"
#include "sim/memory.h"
#include "target/target.h"

namespace hipvault::sim {

struct WaitPlan;

// Orders work-groups that synchronise through atomics and fences ("the last block adds up"): what a group wrote before
// its last release is visible to a group that acquired after. Coarse on purpose: it excuses a pair of groups, never
// accuses one.
class FenceClock {
 public:
  explicit FenceClock(int64_t groups) : released_(static_cast<size_t>(std::min<int64_t>(groups, 1 << 22))) {}
  void release(int64_t group) {
    if (group < static_cast<int64_t>(released_.size())) released_[static_cast<size_t>(group)].store(++now_);
  }
  uint64_t acquire() { return ++now_; }
  bool ordered(int64_t writer, uint64_t acquired) const {
    if (writer < 0 || writer >= static_cast<int64_t>(released_.size())) return acquired != 0;
    uint64_t at = released_[static_cast<size_t>(writer)].load();
    return at != 0 && at < acquired;
  }

 private:
  std::atomic<uint64_t> now_{0};
  std::vector<std::atomic<uint64_t>> released_;
};

struct Launch {
  const isa::Program* program = nullptr;
  const isa::KernelInfo* kernel = nullptr;
  const ResolvedLaunch* request = nullptr;
  const target::Arch* arch = nullptr;
  Memory* memory = nullptr;
  uint64_t image_base = 0;  // of the code object
  uint64_t kernarg = 0, dispatch_packet = 0;
  int64_t lds_bytes = 0;
  int waves = 0;  // of a work-group
  int wave_size = 64;
  bool check = true, count_lines = false;
  bool exact = true;  // false: sums of matrix instructions in any order
  uint8_t poison = 0;
  int threads = 1;
  uint64_t order_seed = 0;
  FenceClock* fences = nullptr;
  const WaitPlan* waits = nullptr;  // where waves have to be watched for missing waits

  // Shared limits.
  std::atomic<int64_t>* steps_left = nullptr;
  std::atomic<bool>* stop = nullptr;
  std::chrono::steady_clock::time_point deadline;
};

}  // namespace hipvault::sim
