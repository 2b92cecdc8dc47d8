// Launches in which a wait may be missing (waits.h): the loop that keeps the outstanding operations of each wave, and
// who sees LDS before what was written there has arrived.
//
// An LDS dword remembers its last write: the wave, and how many operations that wave had put into the queue by then.
// The write has arrived for the wave itself once it waited for it (only loads past the registers need that; LDS
// operations of one wave keep their order), and for other waves if it had been waited for when the barrier between was
// passed. Without a barrier between it is a race, which shadow.h finds.

#include <fmt/format.h>

#include <algorithm>

#include "sim/access.h"

namespace hipvault::sim {

using isa::Instruction;
using isa::Wave;

namespace {

// The lanes of its registers that an instruction looks at.
uint64_t lanes_touched(const Instruction& in, const Wave& wave) {
  const std::string& name = in.decoded->mnemonic;
  bool across = (in.operation && in.operation->matrix) || in.decoded->modifiers.dpp != isa::DppKind::none ||
                name.find("lane") != std::string::npos || name.find("permute") != std::string::npos;
  return across ? ~uint64_t{0} : wave.exec();
}

}  // namespace

int64_t Group::run_wave_watched(Wave& wave, int64_t quantum) {
  int64_t left = quantum;
  int64_t* executed = counters_.executed.data();
  const uint8_t* watched = launch_.waits->watched.data();
  while (left > 0 && wave.state == isa::WaveState::running) {
    const Instruction* in = wave.next;
    wave.next = in + 1;
    ++executed[in->index];
    --left;
    if (watched[in->index]) observe(*in, wave);
    in->execute(*in, wave);
  }
  return quantum - left;
}

void Group::observe(const Instruction& in, const Wave& wave) {
  const QueueEffect& effect = launch_.waits->effects[in.index];
  WaveWatch& watch = watches_[static_cast<size_t>(wave.id)];
  if (launch_.waits->suspect[in.index] && !watch.pending.empty()) check_early(in, wave, watch.pending);
  if (effect.waits()) {
    watch.pending.wait(effect);
    for (size_t q = 0; q < kQueues; ++q)
      if (effect.left[q] < watch.issued[q])
        watch.settled[q] = std::max(watch.settled[q], watch.issued[q] - effect.left[q]);
  }
  if (effect.barrier) watch.arriving = watch.settled, watch.arriving_write = watch.last_write;
  if (!effect.issues()) return;
  for (size_t q = 0; q < kQueues; ++q)
    if (effect.joins[q] && effect.ordered) {
      ++watch.issued[q];
      if (effect.writes_lds || effect.loads_to_lds) watch.last_write[q] = watch.issued[q];
    }
  watch.pending.issue(in.index, effect, wave.exec());
  if (in.operation->memory.space == isa::Space::flat) forget_unused_half(in, wave, watch.pending);
}

// FLAT counts in both queues; the one that none of its lanes went through is done at once.
void Group::forget_unused_half(const Instruction& in, const Wave& wave, PendingList& pending) {
  if (in.src[0].kind != isa::OperandKind::vector) return;
  const uint32_t* high = wave.lanes(in.src[0].reg + 1);
  uint64_t shared = 0;
  for_lanes(wave.exec(), [&](int l) { shared |= static_cast<uint64_t>(high[l] == kSharedAperture >> 32) << l; });
  if (!shared) pending.forget(in.index, Queue::lds);
  if (shared == wave.exec()) pending.forget(in.index, Queue::memory);
}

// One missing wait is one finding: what was touched counts as waited for from then on.
void Group::check_early(const Instruction& in, const Wave& wave, PendingList& pending) {
  uint64_t lanes = lanes_touched(in, wave);
  const Pending* p = pending.touched_by(in, launch_.program->accumulators_at, launch_.waits->effects[in.index], lanes);
  if (!p) return;
  int first = p->result.first;
  bool accumulator = !p->result.scalar && first >= launch_.program->accumulators_at;
  std::string name = fmt::format("{}{}",
                                 p->result.scalar ? "s"
                                 : accumulator    ? "a"
                                                  : "v",
                                 first - (accumulator ? launch_.program->accumulators_at : 0));
  if (p->result.scalar && first == isa::kVcc) name = "vcc";
  find_early(in, wave, p->result.scalar ? wave.exec() : p->lanes & lanes,
             fmt::format("it touches what the operation that fills {}{} has not delivered yet: {} is missing", name,
                         p->result.count > 1 ? fmt::format(" and {} more", p->result.count - 1) : "",
                         wait_text(p->queue, p->ordered ? p->younger : 0, *launch_.arch)),
             -1, p->producer);
  uint32_t producer = p->producer;
  for (Queue queue : {Queue::memory, Queue::lds, Queue::scalar}) pending.forget(producer, queue);
}

void Group::find_early(const Instruction& in, const Wave& wave, uint64_t lanes, const std::string& message,
                       int other_wave, uint32_t other) {
  Site where = site(in, wave);
  if (book_.note(FindingKind::missing_wait, where, lanes))
    book_.describe(FindingKind::missing_wait, where, message, other_wave, other);
}

bool Group::has_arrived(const LdsWrite& write, const Wave& wave, Queue queue) const {
  const WaveWatch& writer = watches_[write.wave];
  size_t q = static_cast<size_t>(write.queue);
  if (write.wave == wave.id)
    return write.queue == queue || q == static_cast<size_t>(Queue::lds) || write.number <= writer.settled[q];
  return write.epoch == epoch_ || write.number <= writer.passed[q];
}

void Group::pass_watched_barrier() {
  late_writes_ = false;
  for (WaveWatch& watch : watches_) {
    watch.passed = watch.arriving;
    for (size_t q = 0; q < kQueues; ++q) late_writes_ = late_writes_ || watch.arriving_write[q] > watch.passed[q];
  }
}

// Nothing can be early while no wave is late and this one's own loads into LDS are done; that is nearly always so. LDS
// operations are only written down where a barrier may come too early for them.
//
// `lanes` are offsets in LDS; `queue` is the one that the access goes through.
void Group::follow_lds(const Instruction& in, const Wave& wave, const Lanes& lanes, bool write, Queue queue) {
  if (!launch_.waits->watch_lds) return;
  const WaveWatch& watch = watches_[static_cast<size_t>(wave.id)];
  constexpr size_t kMemory = static_cast<size_t>(Queue::memory);
  write = write && (queue == Queue::memory || launch_.waits->late_barrier);
  if (!write && !late_writes_ && watch.last_write[kMemory] <= watch.settled[kMemory]) return;
  LdsWrite mine{epoch_, watch.issued[static_cast<size_t>(queue)], in.index, static_cast<uint8_t>(wave.id), queue};
  uint64_t early = 0;
  LdsWrite other;
  for_lanes(lanes.mask, [&](int l) {
    uint64_t last = (lanes.at[l] + static_cast<uint64_t>(lanes.bytes) - 1) / 4;
    for (uint64_t dword = lanes.at[l] / 4; dword <= last; ++dword) {
      LdsWrite& cell = lds_writes_[dword];
      if (cell.number && !has_arrived(cell, wave, queue)) early |= uint64_t{1} << l, other = cell;
      if (write) cell = mine;
    }
  });
  if (!early) return;
  std::string wait = wait_text(other.queue, 0, *launch_.arch);
  find_early(in, wave, early,
             other.wave == wave.id
                 ? fmt::format("it accesses LDS that is still being filled: {} is missing", wait)
                 : fmt::format("it accesses LDS that wave {} had not written yet when it came to the barrier: {} is "
                               "missing before the barrier",
                               other.wave, wait),
             other.wave, other.instruction);
}

void Group::start_watching() {
  watches_.assign(waves_.size(), {});
  late_writes_ = false;
  if (launch_.waits->watch_lds) lds_writes_.assign(lds_.size() / 4 + 1, {});
}

}  // namespace hipvault::sim
