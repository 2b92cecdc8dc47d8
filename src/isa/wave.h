#pragma once
// The registers of one wave, and the door to everything outside them. Vector registers are arrays of 64 lanes, so that
// a whole-wave operation is a loop the compiler turns into vector code.

#include <cstdint>
#include <cstring>
#include <string>

#include "isa/decode.h"

namespace hipvault::isa {

constexpr int kLanes = 64;

struct Instruction;
struct Wave;

// What the simulator does for an operation that leaves the registers.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual void access_memory(const Instruction& instruction, Wave& wave) = 0;
  virtual void jump(Wave& wave, uint64_t pc) = 0;   // to an address of the device
  virtual uint64_t pc_after(const Wave& wave) = 0;  // device address of the next instruction
  virtual uint64_t clock() = 0;
  // buffer_wbl2 / buffer_inv: what the wave wrote becomes visible to others; it sees what others made visible.
  virtual void fence(Wave& wave, bool release) = 0;
  // Split barriers of the work-group: true if this was the first signal of its round.
  virtual bool signal_barrier(Wave& wave) = 0;
  virtual void wait_barrier(Wave& wave) = 0;
};

// mode_changed: the wave runs on, under another rounding mode.
enum class WaveState : uint8_t { running, at_barrier, ended, stopped, mode_changed };

struct alignas(64) Wave {
  uint32_t sgpr[128] = {};            // by ScalarRegister
  uint32_t* vgpr = nullptr;           // [register][lane]
  const Instruction* next = nullptr;  // the one after the one that executes
  Machine* machine = nullptr;
  uint64_t lane_mask = ~uint64_t{0};  // one bit a lane that the wave has
  bool wave32 = false;
  bool scc = false;
  WaveState state = WaveState::running;
  // MODE: denormal operands and results of f32 count as zero; operands and results of f16 and f64.
  bool flush_f32 = false, flush_f32_in = false, flush_f32_out = false;
  bool flush_wide_in = false, flush_wide_out = false;
  bool dx10_clamp = true, ieee = true;
  bool has_clamp_bits = true;  // MODE[9:8] say so; else clamping a NaN gives 0
  uint32_t mode = 0;
  bool fast_matrix = false;                    // sums of matrix instructions in any order (matrix_sums.h)
  bool indexing = false;                       // gfx9: vector operands are relative to M0
  int registers = 0;                           // vector registers that it has
  uint32_t barrier_signals = 0;                // split barriers: how often it signalled
  int id = 0;                                  // in its work-group
  uint64_t shared_base = 0, private_base = 0;  // apertures
  std::string stop_reason;                     // of `stopped`

  uint64_t pair(int reg) const {
    uint64_t value;
    std::memcpy(&value, &sgpr[reg], 8);
    return value;
  }
  void set_pair(int reg, uint64_t value) { std::memcpy(&sgpr[reg], &value, 8); }
  uint64_t exec() const { return pair(kExec) & lane_mask; }
  uint64_t vcc() const { return pair(kVcc) & lane_mask; }
  // A lane mask in scalar registers: one register in waves of 32 lanes, a pair in others.
  uint64_t mask(int reg) const { return wave32 ? sgpr[reg] : pair(reg); }
  void set_mask(int reg, uint64_t value) {
    if (reg == kNull) return;
    sgpr[reg] = static_cast<uint32_t>(value);
    if (!wave32) sgpr[reg + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint32_t* lanes(int reg) const { return vgpr + static_cast<size_t>(reg) * kLanes; }
  void set_mode(uint32_t value) {
    mode = value;
    flush_f32 = (value >> 4 & 3) != 3;
    flush_f32_in = !(value >> 4 & 1), flush_f32_out = !(value >> 5 & 1);
    flush_wide_in = !(value >> 6 & 1), flush_wide_out = !(value >> 7 & 1);
    dx10_clamp = !has_clamp_bits || (value >> 8 & 1);
    ieee = !has_clamp_bits || (value >> 9 & 1);
  }
  void stop(std::string reason) {
    state = WaveState::stopped;
    stop_reason = std::move(reason);
  }
};

}  // namespace hipvault::isa
