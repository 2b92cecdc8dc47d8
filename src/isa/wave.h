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
};

enum class WaveState : uint8_t { running, at_barrier, ended, stopped };

struct alignas(64) Wave {
  uint32_t sgpr[128] = {};            // by ScalarRegister
  uint32_t* vgpr = nullptr;           // [register][lane]
  const Instruction* next = nullptr;  // the one after the one that executes
  Machine* machine = nullptr;
  bool scc = false;
  WaveState state = WaveState::running;
  bool flush_f32 = false;  // MODE: f32 denormals are zero
  bool flush_f16_f64 = false;
  bool dx10_clamp = true;
  uint32_t mode = 0;
  int id = 0;                                  // in its work-group
  uint64_t shared_base = 0, private_base = 0;  // apertures
  std::string stop_reason;                     // of `stopped`

  uint64_t pair(int reg) const {
    uint64_t value;
    std::memcpy(&value, &sgpr[reg], 8);
    return value;
  }
  void set_pair(int reg, uint64_t value) { std::memcpy(&sgpr[reg], &value, 8); }
  uint64_t exec() const { return pair(kExec); }
  uint32_t* lanes(int reg) const { return vgpr + static_cast<size_t>(reg) * kLanes; }
  void set_mode(uint32_t value) {
    mode = value;
    flush_f32 = (value >> 4 & 3) != 3;
    flush_f16_f64 = (value >> 6 & 3) != 3;
    dx10_clamp = value >> 8 & 1;
  }
  void stop(std::string reason) {
    state = WaveState::stopped;
    stop_reason = std::move(reason);
  }
};

}  // namespace hipvault::isa
