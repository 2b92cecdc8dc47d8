#include "sim/group.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "sim/access.h"

namespace hipvault::sim {

using isa::Instruction;
using isa::Wave;
using isa::WaveState;

namespace {
// Long enough to cost nothing, short enough that a wave that spins on another wave's flag gives way.
constexpr int64_t kQuantum = 20000;
}  // namespace

void Counters::add(const Counters& other) {
  bytes_loaded += other.bytes_loaded;
  bytes_stored += other.bytes_stored;
  lines_loaded += other.lines_loaded;
  lines_stored += other.lines_stored;
  lds_bytes_moved += other.lds_bytes_moved;
  lds_conflict_cycles += other.lds_conflict_cycles;
  waves += other.waves;
  groups += other.groups;
  if (executed.size() < other.executed.size()) executed.resize(other.executed.size());
  for (size_t i = 0; i < other.executed.size(); ++i) executed[i] += other.executed[i];
}

Group::Group(const Launch& launch) : launch_(launch) {
  size_t registers = static_cast<size_t>(launch.program->vector_registers) * kLanes;
  waves_.resize(static_cast<size_t>(launch.waves));
  vgprs_.resize(registers * waves_.size() + 16);
  // 64 bytes behind the end, for accesses that were found out of bounds and go nowhere.
  lds_.resize(static_cast<size_t>(launch.lds_bytes) + 64);
  lds_initialised_.resize(static_cast<size_t>(launch.lds_bytes) + 64);
  if (launch.check) lds_dword_cells_.resize(static_cast<size_t>(launch.lds_bytes) / 4 + 16);
  scratch_bytes_ = launch.kernel->scratch_bytes;
  if (launch.kernel->uses_dynamic_stack) scratch_bytes_ += 16384;
  scratch_.resize(static_cast<size_t>(scratch_bytes_) * kLanes * waves_.size() + 64);
  scratch_initialised_.resize(scratch_.size());
  counters_.executed.resize(launch.program->instructions.size());
  memos_.resize(launch.program->instructions.size());
}

void Group::start(int64_t id) {
  id_ = id;
  const std::array<int64_t, 3>& grid = launch_.request->grid;
  at_ = {id % grid[0], id / grid[0] % grid[1], id / grid[0] / grid[1]};
  epoch_ = 1;
  barrier_round_ = 0;
  acquired_ = 0;
  std::fill(vgprs_.begin(), vgprs_.end(), launch_.poison * 0x01010101u);
  std::fill(lds_.begin(), lds_.end(), launch_.poison);
  std::fill(lds_initialised_.begin(), lds_initialised_.end(), 0);
  std::fill(lds_dword_cells_.begin(), lds_dword_cells_.end(), 0);
  if (lds_has_byte_cells_) std::fill(lds_byte_cells_.begin(), lds_byte_cells_.end(), 0);
  lds_has_byte_cells_ = false;
  if (scratch_bytes_) {
    std::fill(scratch_.begin(), scratch_.end(), launch_.poison);
    std::fill(scratch_initialised_.begin(), scratch_initialised_.end(), 0);
  }
  for (size_t w = 0; w < waves_.size(); ++w) init_wave(static_cast<int>(w));
  if (launch_.waits) start_watching();
  turn_ = launch_.order_seed
              ? static_cast<int>(
                    Random(launch_.order_seed ^ static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15ull).below(waves_.size()))
              : 0;
  counters_.waves += static_cast<int64_t>(waves_.size());
  ++counters_.groups;
}

void Group::init_wave(int w) {
  Wave& wave = waves_[static_cast<size_t>(w)];
  wave = Wave();
  wave.id = w;
  wave.machine = this;
  wave.fast_matrix = !launch_.exact;
  size_t registers = static_cast<size_t>(launch_.program->vector_registers) * kLanes;
  uintptr_t start = (reinterpret_cast<uintptr_t>(vgprs_.data()) + 63) & ~uintptr_t{63};
  wave.vgpr = reinterpret_cast<uint32_t*>(start) + registers * static_cast<size_t>(w);
  wave.shared_base = kSharedAperture;
  wave.private_base = kPrivateAperture;
  std::fill(std::begin(wave.sgpr), std::end(wave.sgpr), launch_.poison * 0x01010101u);
  const isa::KernelDescriptor& d = launch_.kernel->descriptor;
  wave.has_clamp_bits = launch_.arch->mode_clamp_bits;
  uint32_t clamp_bits = static_cast<uint32_t>(d.dx10_clamp()) << 8 | static_cast<uint32_t>(d.ieee_mode()) << 9;
  wave.set_mode(static_cast<uint32_t>(d.float_mode()) | (wave.has_clamp_bits ? clamp_bits : 0) |
                static_cast<uint32_t>(d.fp16_overflow()) << 23);
  wave.wave32 = launch_.wave_size == 32;
  wave.lane_mask = wave.wave32 ? 0xffffffff : ~uint64_t{0};
  wave.registers = launch_.program->vector_registers;
  wave.sgpr[isa::kNull] = 0;
  int64_t items = std::min<int64_t>(launch_.wave_size, launch_.request->items() - int64_t{w} * launch_.wave_size);
  wave.set_pair(isa::kExec, items == kLanes ? ~uint64_t{0} : (uint64_t{1} << items) - 1);
  const ResolvedLaunch& request = *launch_.request;
  for (int l = 0; l < kLanes; ++l) {  // x | y << 10 | z << 20, as far as the kernel asks for them
    int64_t item = int64_t{w} * launch_.wave_size + l, row = item / request.block;
    uint32_t y = d.item_id_axes() > 0 ? static_cast<uint32_t>(row % request.block_y) : 0;
    uint32_t z = d.item_id_axes() > 1 ? static_cast<uint32_t>(row / request.block_y) : 0;
    wave.lanes(0)[l] = static_cast<uint32_t>(item % request.block) | y << 10 | z << 20;
  }
  init_scalars(wave);
  wave.next = launch_.program->at(launch_.kernel->entry_address);
}

// User SGPRs in the order of their flags, preloaded arguments, then the enabled work-group ids.
void Group::init_scalars(Wave& wave) {
  const isa::KernelDescriptor& d = launch_.kernel->descriptor;
  int at = 0;
  auto put = [&](bool enabled, int dwords, uint64_t value) {
    if (!enabled) return;
    for (int i = 0; i < dwords && at < 100; ++i) wave.sgpr[at++] = i < 2 ? static_cast<uint32_t>(value >> (32 * i)) : 0;
  };
  put(d.user_private_buffer(), 4, kScratchDescriptor);
  put(d.user_dispatch_ptr(), 2, launch_.dispatch_packet);
  put(d.user_queue_ptr(), 2, launch_.dispatch_packet);
  put(d.user_kernarg_ptr(), 2, launch_.kernarg);
  put(d.user_dispatch_id(), 2, 0);
  put(d.user_flat_scratch(), 2, 0);
  put(d.user_private_size(), 1, static_cast<uint64_t>(scratch_bytes_));
  Region* kernarg = launch_.memory->find(launch_.kernarg);
  for (int i = 0; i < d.preload_dwords() && at < d.user_sgprs(); ++i, ++at) {
    size_t offset = static_cast<size_t>(d.preload_offset_dwords() + i) * 4;
    wave.sgpr[at] = 0;
    if (kernarg && offset + 4 <= kernarg->size) std::memcpy(&wave.sgpr[at], kernarg->at(offset), 4);
  }
  at = d.user_sgprs();
  if (launch_.arch->group_ids_in_ttmp) {
    wave.sgpr[isa::kTtmp + 9] = static_cast<uint32_t>(at_[0]);
    wave.sgpr[isa::kTtmp + 7] = static_cast<uint32_t>(at_[1]) | static_cast<uint32_t>(at_[2]) << 16;
    wave.sgpr[isa::kTtmp + 8] = static_cast<uint32_t>(wave.id) << 25;
    return;
  }
  for (int axis = 0; axis < 3; ++axis) put(d.group_id(axis), 1, static_cast<uint64_t>(at_[static_cast<size_t>(axis)]));
  put(d.group_info(), 1, 0);
  put(d.private_segment(), 1,
      0);  // where the wave's scratch begins, on archs that ask; each wave has its own memory here
}

int64_t Group::run_wave(Wave& wave, int64_t quantum) {
  int64_t left = quantum;
  int64_t* executed = counters_.executed.data();
  while (left > 0 && wave.state == WaveState::running) {
    const Instruction* in = wave.next;
    wave.next = in + 1;
    ++executed[in->index];
    --left;
    in->execute(*in, wave);
  }
  return quantum - left;
}

namespace {

// The host's rounding mode for an instruction: MODE[1:0] for f32, MODE[3:2] for f16 and f64. Both count nearest, up,
// down, to zero; the processor's own register counts nearest, down, up, to zero.
uint32_t host_rounding(const Instruction& in, uint32_t mode) {
  if (!in.operation || in.operation->instruction_class == isa::InstructionClass::trans ||
      in.operation->instruction_class ==
          isa::InstructionClass::mfma)  // sums of matrices have one rounding of their own
    return 0;
  isa::ValueType type = in.operation->results[0];
  bool wide = type == isa::ValueType::f64 || type == isa::ValueType::f16 || type == isa::ValueType::packed16;
  constexpr uint32_t kHost[4] = {0, 2, 1, 3};
  return kHost[(wide ? mode >> 2 : mode) & 3] << 13;
}

}  // namespace

// Waves under another rounding mode than to nearest even, which are rare: the host's mode is set around every
// instruction.
int64_t Group::run_wave_rounded(Wave& wave, int64_t quantum) {
  int64_t left = quantum;
  uint32_t usual = __builtin_ia32_stmxcsr();
  while (left > 0 && (wave.state == WaveState::running || wave.state == WaveState::mode_changed) && (wave.mode & 15)) {
    wave.state = WaveState::running;
    const Instruction* in = wave.next;
    wave.next = in + 1;
    ++counters_.executed[in->index];
    --left;
    if (launch_.waits && launch_.waits->watched[in->index]) observe(*in, wave);
    __builtin_ia32_ldmxcsr((usual & ~(3u << 13)) | host_rounding(*in, wave.mode));
    in->execute(*in, wave);
    __builtin_ia32_ldmxcsr(usual);
  }
  return quantum - left;
}

GroupState Group::run(int64_t slice) {
  while (slice > 0) {
    if (launch_.stop->load(std::memory_order_relaxed)) return GroupState::stopped;
    bool ran = false;
    size_t count = waves_.size();
    for (size_t i = 0; i < count; ++i) {
      Wave& wave = waves_[(static_cast<size_t>(turn_) + i) % count];
      if (wave.state != WaveState::running) continue;
      int64_t left = launch_.steps_left->load(std::memory_order_relaxed);
      if (left <= 0)
        return stop(RunStatus::step_budget, "the step budget is used up; an endless loop is likely"),
               GroupState::stopped;
      int64_t most = std::min(kQuantum, left);
      int64_t steps = wave.mode & 15  ? run_wave_rounded(wave, most)
                      : launch_.waits ? run_wave_watched(wave, most)
                                      : run_wave(wave, most);
      if (wave.state == WaveState::mode_changed) wave.state = WaveState::running;
      launch_.steps_left->fetch_sub(steps, std::memory_order_relaxed);
      slice -= steps;
      ran = true;
      if (wave.state == WaveState::stopped) return stop_wave(wave), GroupState::stopped;
    }
    if (launch_.order_seed) turn_ = static_cast<int>((static_cast<size_t>(turn_) + 1) % count);
    if (ran) continue;
    bool waiting =
        std::any_of(waves_.begin(), waves_.end(), [](const Wave& w) { return w.state == WaveState::at_barrier; });
    if (!waiting) return GroupState::done;
    if (complete_split_barrier()) continue;
    check_divergence();
    pass_barrier();
  }
  if (std::chrono::steady_clock::now() > launch_.deadline)
    return stop(RunStatus::deadline, "the deadline of the run has passed"), GroupState::stopped;
  return GroupState::running;
}

// All waves of a work-group must come to the same barrier; those that have ended do not count for the hardware, but a
// kernel in which only some waves reach a barrier is not what was meant.
void Group::check_divergence() {
  if (!launch_.check) return;
  const Wave* waiting = nullptr;
  uint64_t others = 0;
  std::string how;
  for (const Wave& wave : waves_) {
    if (wave.state == WaveState::at_barrier && !waiting) waiting = &wave;
  }
  for (const Wave& wave : waves_) {
    if (wave.state == WaveState::ended)
      others |= uint64_t{1} << wave.id, how = "have ended";
    else if (wave.next != waiting->next)
      others |= uint64_t{1} << wave.id, how = "wait at another barrier";
  }
  if (!others) return;
  const Instruction& in = *(waiting->next - 1);
  find(FindingKind::barrier_divergence, in, *waiting, waiting->exec(),
       fmt::format("wave {} waits at this barrier while {} of {} waves {}", waiting->id, std::popcount(others),
                   waves_.size(), how));
}

void Group::next_epoch() {
  if (launch_.waits) pass_watched_barrier();
  if (++epoch_ < kMaxEpoch) return;
  epoch_ = 1;
  std::fill(lds_dword_cells_.begin(), lds_dword_cells_.end(), 0);
  std::fill(lds_byte_cells_.begin(), lds_byte_cells_.end(), 0);
}

void Group::pass_barrier() {
  next_epoch();
  for (Wave& wave : waves_)
    if (wave.state == WaveState::at_barrier) wave.state = WaveState::running;
}

// A round is complete when every wave that has not ended has signalled as often as the round says. Waves that wait for
// it go on, also those that come later.
bool Group::complete_split_barrier() {
  uint32_t least = ~0u;
  for (const Wave& wave : waves_)
    if (wave.state != WaveState::ended) least = std::min(least, wave.barrier_signals);
  if (least == ~0u || least <= barrier_round_) return false;
  barrier_round_ = least;
  next_epoch();
  for (Wave& wave : waves_)
    if (wave.state == WaveState::at_barrier && wave.barrier_signals && wave.barrier_signals <= barrier_round_)
      wave.state = WaveState::running;
  return true;
}

bool Group::signal_barrier(Wave& wave) {
  ++wave.barrier_signals;
  bool first = true;
  for (const Wave& other : waves_)
    if (&other != &wave && other.barrier_signals >= wave.barrier_signals) first = false;
  complete_split_barrier();
  return first;
}

void Group::wait_barrier(Wave& wave) {
  if (wave.barrier_signals > barrier_round_) wave.state = WaveState::at_barrier;
}

void Group::stop(RunStatus status, std::string message) {
  stop_status_ = status;
  stop_message_ = std::move(message);
  launch_.stop->store(true);
}

void Group::stop_wave(const Wave& wave) {
  const Instruction& in = *(wave.next - 1);
  const isa::Decoded& d = *in.decoded;
  std::string place = fmt::format("{} at pc {:#x} of {}", wave.stop_reason, d.address - launch_.kernel->entry_address,
                                  launch_.kernel->name);
  const std::string& problem =
      launch_.program->problems[std::min<size_t>(in.index, launch_.program->problems.size() - 1)];
  if (!problem.empty()) place += " (" + problem + ")";
  std::string source = launch_.program->object.source_line(d.address);
  if (!source.empty()) place += ", " + source;
  stop(wave.stop_reason.starts_with("not modelled") ? RunStatus::not_modelled : RunStatus::fault, place);
}

void Group::jump(Wave& wave, uint64_t pc) {
  const Instruction* to = launch_.program->at(pc - launch_.image_base);
  if (to)
    wave.next = to;
  else
    wave.stop(fmt::format("jump to {:#x}, where no instruction begins", pc));
}

uint64_t Group::pc_after(const Wave& wave) {
  const Instruction& in = *(wave.next - 1);
  return launch_.image_base + in.decoded->address + static_cast<uint64_t>(in.decoded->size);
}

void Group::fence(Wave&, bool release) {
  if (release)
    launch_.fences->release(id_);
  else
    acquired_ = launch_.fences->acquire();
}

Site Group::site(const Instruction& in, const Wave& wave) const {
  return {launch_.program, &launch_.kernel->name, launch_.kernel->entry_address, in.index, id_, at_, wave.id};
}

void Group::find(FindingKind kind, const Instruction& in, const Wave& wave, uint64_t lanes, const std::string& message,
                 const Cell* other) {
  Site where = site(in, wave);
  if (!book_.note(kind, where, lanes)) return;
  if (other)
    book_.describe(kind, where, message, other->wave(), other->instruction());
  else
    book_.describe(kind, where, message);
}

}  // namespace hipvault::sim
