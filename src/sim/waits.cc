#include "sim/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/control_flow.h"
#include "sim/per_program.h"

namespace hipvault::sim {

using isa::AccessKind;
using isa::Decoded;
using isa::DecodedOperand;
using isa::Instruction;
using isa::MemoryAccess;
using isa::OperandKind;
using isa::Space;

RegisterSpan span_of(const DecodedOperand& operand, int accumulators_at) {
  RegisterSpan span;
  if (operand.kind != OperandKind::vector && operand.kind != OperandKind::scalar) return span;
  span.scalar = operand.kind == OperandKind::scalar;
  span.first = static_cast<int16_t>(operand.first + (operand.accumulator ? accumulators_at : 0));
  span.count = static_cast<int16_t>(operand.count);
  return span;
}

bool returns_value(const Instruction& in) {
  const MemoryAccess& m = in.operation->memory;
  if (m.kind == AccessKind::atomic) return m.space == Space::lds ? m.returns : in.decoded->modifiers.sc0;
  return m.kind == AccessKind::load && !in.decoded->modifiers.lds;
}

namespace {

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr uint8_t kMostYounger = 64;  // no counter counts further

size_t at(Queue queue) { return static_cast<size_t>(queue); }

// ---- what instructions do to the queues

// "vmcnt(3)" in a text.
uint8_t named_count(const std::string& text, const char* name) {
  size_t found = text.find(name);
  if (found == std::string::npos) return kNoWait;
  return static_cast<uint8_t>(std::strtoul(text.c_str() + found + std::string(name).size(), nullptr, 10));
}

// s_waitcnt vmcnt(1) lgkmcnt(0); a count that is not printed is the largest one, which waits for nothing.
void read_old_wait(const std::string& text, QueueEffect& effect) {
  effect.left[at(Queue::memory)] = named_count(text, "vmcnt(");
  effect.left[at(Queue::lds)] = effect.left[at(Queue::scalar)] = named_count(text, "lgkmcnt(");
}

// s_wait_loadcnt 0x1; s_wait_loadcnt_dscnt 0x102: the first count stands above the second.
void read_new_wait(const Decoded& d, QueueEffect& effect) {
  static const std::map<std::string, std::vector<Queue>> kWaits = {
      {"s_wait_loadcnt", {Queue::memory}},
      {"s_wait_storecnt", {Queue::store}},
      {"s_wait_dscnt", {Queue::lds}},
      {"s_wait_kmcnt", {Queue::scalar}},
      {"s_wait_loadcnt_dscnt", {Queue::lds, Queue::memory}},
      {"s_wait_storecnt_dscnt", {Queue::lds, Queue::store}},
  };
  if (d.mnemonic == "s_wait_idle") effect.left = {0, 0, 0, 0};
  auto found = kWaits.find(d.mnemonic);
  size_t space = d.text.find(' ');
  if (found == kWaits.end() || space == std::string::npos) return;
  unsigned long bits = std::strtoul(d.text.c_str() + space, nullptr, 0);
  for (Queue queue : found->second) effect.left[at(queue)] = bits & 63, bits >>= 8;
}

void read_memory(const Instruction& in, const isa::Program& program, QueueEffect& effect) {
  const MemoryAccess& m = in.operation->memory;
  bool split = program.arch->split_wait_counters, result = returns_value(in);
  effect.loads_to_lds = m.kind == AccessKind::load_to_lds || (m.kind == AccessKind::load && in.decoded->modifiers.lds);
  if (m.space == Space::lds) {
    effect.joins[at(Queue::lds)] = true;
    effect.writes_lds = m.kind != AccessKind::load;
  } else if (m.space == Space::scalar) {
    effect.joins[at(Queue::scalar)] = true;
    effect.ordered = false;
  } else {
    effect.joins[at(split && !result && !effect.loads_to_lds ? Queue::store : Queue::memory)] = true;
    if (m.space == Space::flat) effect.joins[at(Queue::lds)] = true, effect.ordered = split;
  }
  if (result) effect.result = span_of(in.decoded->operands[0], program.accumulators_at);
  effect.result_only_written = result && m.kind == AccessKind::load;
}

// Instructions that no row describes as an access.
void read_others(const Instruction& in, const isa::Program& program, QueueEffect& effect) {
  const Decoded& d = *in.decoded;
  bool clock = d.mnemonic == "s_memtime" || d.mnemonic == "s_memrealtime";
  if (clock || d.mnemonic.starts_with("s_sendmsg_rtn")) {
    effect.joins[at(Queue::scalar)] = true, effect.ordered = false;
  } else if (in.operation->instruction_class == isa::InstructionClass::lds && !d.operands.empty()) {
    effect.joins[at(Queue::lds)] = true;  // lane permutations
  } else if (d.mnemonic == "global_inv") {
    effect.joins[at(Queue::memory)] = true;
  } else if (d.mnemonic == "global_wb" || d.mnemonic == "global_wbinv") {
    effect.joins[at(Queue::store)] = true;
  } else if (d.mnemonic == "buffer_wbl2") {
    effect.joins[at(Queue::memory)] = true;
  }
  bool result = effect.joins[at(Queue::scalar)] || effect.joins[at(Queue::lds)];
  if (result) effect.result = span_of(d.operands[0], program.accumulators_at);
}

QueueEffect effect_of(const Instruction& in, const isa::Program& program) {
  QueueEffect effect;
  if (!in.operation || in.pair) return effect;
  const Decoded& d = *in.decoded;
  effect.barrier = d.mnemonic == "s_barrier" || d.mnemonic.starts_with("s_barrier_signal");
  if (d.mnemonic == "s_waitcnt")
    read_old_wait(d.text, effect);
  else if (d.mnemonic.starts_with("s_wait_"))
    read_new_wait(d, effect);
  else if (in.operation->memory.kind != AccessKind::none)
    read_memory(in, program, effect);
  else
    read_others(in, program, effect);
  return effect;
}

bool overlap(const RegisterSpan& a, const RegisterSpan& b) {
  return a.scalar == b.scalar && a.first < b.first + b.count && b.first < a.first + a.count;
}

bool touches(const Decoded& d, int accumulators_at, const RegisterSpan& span, size_t first_operand) {
  for (const Decoded& part : d.parts)
    if (touches(part, accumulators_at, span, 0)) return true;
  for (size_t i = first_operand; i < d.operands.size(); ++i)
    if (overlap(span_of(d.operands[i], accumulators_at), span)) return true;
  bool reads_vcc = d.mnemonic.starts_with("v_div_fmas") || d.mnemonic.starts_with("s_cbranch_vcc");
  return reads_vcc && overlap({true, isa::kVcc, 2}, span);
}

}  // namespace

std::string wait_text(Queue queue, int left, const target::Arch& arch) {
  constexpr const char* kOld[] = {"s_waitcnt vmcnt({})", "s_waitcnt vmcnt({})", "s_waitcnt lgkmcnt({})",
                                  "s_waitcnt lgkmcnt({})"};
  constexpr const char* kNew[] = {"s_wait_loadcnt {:#x}", "s_wait_storecnt {:#x}", "s_wait_dscnt {:#x}",
                                  "s_wait_kmcnt {:#x}"};
  return fmt::format(fmt::runtime((arch.split_wait_counters ? kNew : kOld)[at(queue)]), left);
}

// ---- outstanding operations

void PendingList::issue(uint32_t producer, const QueueEffect& effect, uint64_t lanes) {
  for (int q = 0; q < kQueues; ++q) {
    if (!effect.joins[q]) continue;
    Queue queue = static_cast<Queue>(q);
    if (effect.ordered)
      for (Pending& p : list_)
        if (p.queue == queue && p.ordered && p.younger < kMostYounger) ++p.younger;
    forget(producer, queue);
    if (effect.result.count || effect.writes_lds)
      list_.push_back({producer, queue, effect.ordered, effect.writes_lds, 0, effect.result, lanes});
  }
}

void PendingList::wait(const QueueEffect& effect) {
  std::erase_if(list_, [&](const Pending& p) {
    uint8_t left = effect.left[at(p.queue)];
    return left == 0 || (p.ordered && left != kNoWait && p.younger >= left);
  });
}

void PendingList::forget(uint32_t producer, Queue queue) {
  std::erase_if(list_, [&](const Pending& p) { return p.producer == producer && p.queue == queue; });
}

// A load may overwrite the result of another one that is in front of it in the same ordered queue.
const Pending* PendingList::touched_by(const Instruction& in, int accumulators_at, const QueueEffect& effect,
                                       uint64_t lanes) const {
  for (auto p = list_.rbegin(); p != list_.rend(); ++p) {
    if (!p->result.count || (!p->result.scalar && !(p->lanes & lanes))) continue;
    bool behind = effect.result_only_written && effect.ordered && p->ordered && effect.joins[at(p->queue)];
    if (touches(*in.decoded, accumulators_at, p->result, behind ? 1 : 0)) return &*p;
  }
  return nullptr;
}

bool PendingList::join(const PendingList& other) {
  bool news = false;
  for (const Pending& p : other.list_) {
    auto same = std::find_if(list_.begin(), list_.end(),
                             [&](const Pending& mine) { return mine.producer == p.producer && mine.queue == p.queue; });
    if (same == list_.end()) {
      list_.push_back(p), news = true;
    } else if (p.younger < same->younger) {
      same->younger = p.younger, news = true;
    }
  }
  return news;
}

bool PendingList::writes_to_lds() const {
  return std::any_of(list_.begin(), list_.end(), [](const Pending& p) { return p.writes_lds; });
}

// ---- the analysis

namespace {

struct Analysis {
  const isa::Program& program;
  WaitPlan& plan;
  std::map<uint32_t, PendingList> at_begin;  // by first instruction of a block
  std::vector<uint32_t> todo;

  void enter(uint32_t block, const PendingList& state) {
    auto [found, fresh] = at_begin.try_emplace(block);
    if (found->second.join(state) || fresh) todo.push_back(block);
  }
  void visit(uint32_t i, PendingList& state) {
    const QueueEffect& effect = plan.effects[i];
    if (!state.empty()) {
      if (!plan.suspect[i] && state.touched_by(program.instructions[i], program.accumulators_at, effect, kAllLanes))
        plan.suspect[i] = 1;
      if (effect.barrier && state.writes_to_lds()) plan.late_barrier = true;
      if (effect.waits()) state.wait(effect);
    }
    if (effect.issues()) state.issue(i, effect, kAllLanes);
  }
  void run(const ControlFlow& flow) {
    for (uint32_t entry : flow.entries()) enter(entry, {});
    while (!todo.empty()) {
      uint32_t i = todo.back();
      todo.pop_back();
      PendingList state = at_begin[i];
      for (;; ++i) {
        if (i < program.decoded.size()) visit(i, state);
        if (flow.ends_block(i)) break;
      }
      flow.for_next(i, [&](uint32_t next) { enter(next, state); });
    }
  }
};

void flag_watched(const isa::Program& program, WaitPlan& plan) {
  plan.watch_lds = plan.late_barrier;
  for (const QueueEffect& effect : plan.effects)
    if (effect.loads_to_lds) plan.watch_lds = true;
  plan.watch = plan.watch_lds || std::any_of(plan.suspect.begin(), plan.suspect.end(), [](uint8_t s) { return s; });
  if (!plan.watch) return;
  plan.watched.resize(program.instructions.size());
  for (size_t i = 0; i < plan.effects.size(); ++i) {
    const QueueEffect& effect = plan.effects[i];
    plan.watched[i] = plan.suspect[i] || effect.issues() || effect.waits() || (effect.barrier && plan.watch_lds);
  }
}

std::shared_ptr<const WaitPlan> make_plan(const isa::Program& program) {
  auto plan = std::make_shared<WaitPlan>();
  plan->effects.resize(program.instructions.size());
  plan->suspect.resize(program.instructions.size());
  bool any = false;
  for (size_t i = 0; i + 1 < program.instructions.size(); ++i) {
    plan->effects[i] = effect_of(program.instructions[i], program);
    any = any || plan->effects[i].issues();
  }
  if (!any) return plan;
  ControlFlow flow(program);
  if (flow.unknown())
    std::fill(plan->suspect.begin(), plan->suspect.end() - 1, 1), plan->late_barrier = true;
  else
    Analysis{program, *plan, {}, {}}.run(flow);
  flag_watched(program, *plan);
  return plan;
}

}  // namespace

std::shared_ptr<const WaitPlan> wait_plan_of(const std::shared_ptr<const isa::Program>& program) {
  static PerProgram<WaitPlan> known;
  return known.get(program, make_plan);
}

}  // namespace hipvault::sim
