#pragma once
// Missing waits: a register is touched before the memory operation that fills it was waited for.
//
// The simulator completes every memory operation at once, so a forgotten s_waitcnt changes nothing here and everything
// on a card. The rule is the hardware's: an operation counts up a queue's counter when it issues and down when it is
// done; `s_waitcnt vmcnt(N)` goes on when at most N are left. Operations of an ordered queue finish in order, so one
// with k younger ones is surely done after a wait for N <= k; of unordered ones (scalar memory, FLAT on archs whose
// FLAT operations may overtake) only N = 0 says something.
//
//   queue    gfx9      gfx12      what
//   memory   vmcnt     loadcnt    vector memory; with `split_wait_counters` only what returns something
//   store    -         storecnt   the other vector memory, with `split_wait_counters`
//   lds      lgkmcnt   dscnt      LDS and lane permutations, ordered among themselves
//   scalar   lgkmcnt   kmcnt      scalar memory, messages
//
// Registers that an operation reads are read when it issues on all four archs, so they may be overwritten at once.
//
// Found in two steps, so that correct code pays nothing in the interpreter loop. First, once a program, a data-flow
// analysis over the whole code: at each instruction, which results may be outstanding on some path (union at joins, the
// smallest number of younger operations). What clang emits is clean under it, as its own pass reasons the same way. If
// some instruction is not, or the program loads straight into LDS, launches run in a loop that keeps the same state for
// each wave as it really runs (watch.cc), looking only at flagged instructions: so no path that is never taken and no
// join can accuse anybody. Rejected: always keeping that state, which costs every memory instruction of every kernel.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/program.h"

namespace hipvault::sim {

enum class Queue : uint8_t { memory, store, lds, scalar };
constexpr int kQueues = 4;
constexpr uint8_t kNoWait = 255;
// The instruction that waits until at most `left` operations of the queue are left.
std::string wait_text(Queue queue, int left, const target::Arch& arch);

struct RegisterSpan {
  bool scalar = false;
  int16_t first = 0, count = 0;
};

// Of a register operand; count 0 for others. Accumulators lie behind the other vector registers.
RegisterSpan span_of(const isa::DecodedOperand& operand, int accumulators_at);
// True if an access gives its first operand a value.
bool returns_value(const isa::Instruction& instruction);

// What an instruction does to the queues.
struct QueueEffect {
  bool joins[kQueues] = {};          // issues into these queues
  bool ordered = true;               // and finishes in order there
  bool writes_lds = false;           // an LDS write, seen by other waves after a barrier
  bool loads_to_lds = false;         // from memory, past the registers
  bool barrier = false;              // the wave arrives at a barrier
  bool result_only_written = false;  // a load: its result is not read
  RegisterSpan result;               // count 0: none
  std::array<uint8_t, kQueues> left{kNoWait, kNoWait, kNoWait, kNoWait};  // a wait: at most so many are left

  bool issues() const { return joins[0] || joins[1] || joins[2] || joins[3]; }
  bool waits() const { return left != std::array<uint8_t, kQueues>{kNoWait, kNoWait, kNoWait, kNoWait}; }
};

// An operation that may not be done.
struct Pending {
  uint32_t producer = 0;
  Queue queue = Queue::memory;
  bool ordered = true;
  bool writes_lds = false;
  uint8_t younger = 0;  // ordered operations in the queue behind it, at least
  RegisterSpan result;
  uint64_t lanes = 0;  // whose result it is
};

// The outstanding operations of a wave.
class PendingList {
 public:
  void issue(uint32_t producer, const QueueEffect& effect, uint64_t lanes);
  void wait(const QueueEffect& effect);
  // FLAT: an operation none of whose lanes went there does not wait in this queue.
  void forget(uint32_t producer, Queue queue);
  // The youngest one whose result `instruction` touches too early, in one of these lanes; null if there is none.
  const Pending* touched_by(const isa::Instruction& instruction, int accumulators_at, const QueueEffect& effect,
                            uint64_t lanes) const;
  // Adds what `other` may have outstanding; true if that was news.
  bool join(const PendingList& other);
  bool writes_to_lds() const;
  void clear() { list_.clear(); }
  bool empty() const { return list_.empty(); }

 private:
  std::vector<Pending> list_;
};

struct WaitPlan {
  std::vector<QueueEffect> effects;  // by instruction
  std::vector<uint8_t> suspect;      // by instruction: may touch a result too early
  std::vector<uint8_t> watched;      // by instruction: the loop of watch.cc has to look
  bool watch = false;                // some are suspect, or LDS is filled past the registers
  bool late_barrier = false;         // a wave may come to a barrier before its LDS writes are done
  bool watch_lds = false;  // that, or loads past the registers: writes to LDS are followed until they are done
};

// The plan of a program; made once and kept as long as the program lives. Safe on all threads.
std::shared_ptr<const WaitPlan> wait_plan_of(const std::shared_ptr<const isa::Program>& program);

}  // namespace hipvault::sim
