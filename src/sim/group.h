#pragma once
// One work-group in execution: its waves, LDS and scratch, the interpreter loop, and the memory side of instructions
// with the checkers. One object serves many groups, one after the other.

#include <array>
#include <string>

#include "isa/instruction.h"
#include "sim/findings.h"
#include "sim/launch.h"
#include "sim/shadow.h"
#include "sim/waits.h"

namespace hipvault::sim {

enum class GroupState { running, done, stopped };

struct Counters {
  int64_t bytes_loaded = 0, bytes_stored = 0, lines_loaded = 0, lines_stored = 0, lds_bytes_moved = 0,
          lds_conflict_cycles = 0;
  int64_t waves = 0, groups = 0;
  std::vector<int64_t> executed;  // by instruction
  void add(const Counters& other);
};

class Group : public isa::Machine {
 public:
  explicit Group(const Launch& launch);
  void start(int64_t linear_id);
  // Runs about `slice` wave-instructions.
  GroupState run(int64_t slice);
  // Why it stopped, and how the run ends for it.
  RunStatus stop_status() const { return stop_status_; }
  const std::string& stop_message() const { return stop_message_; }

  isa::Wave& wave(size_t w) { return waves_[w]; }
  std::vector<uint8_t>& lds() { return lds_; }
  FindingBook& book() { return book_; }
  Counters& counters() { return counters_; }

  void access_memory(const isa::Instruction& in, isa::Wave& wave) override;
  void jump(isa::Wave& wave, uint64_t pc) override;
  uint64_t pc_after(const isa::Wave& wave) override;
  uint64_t clock() override { return ++clock_; }
  void fence(isa::Wave& wave, bool release) override;
  bool signal_barrier(isa::Wave& wave) override;
  void wait_barrier(isa::Wave& wave) override;

 private:
  struct Lanes;  // addresses of an access
  // Bank conflicts depend only on where lanes lie relative to each other; an instruction mostly repeats one pattern.
  struct LdsMemo {
    alignas(64) uint32_t relative[isa::kLanes];
    uint64_t mask = 0;
    int64_t extra_cycles = -1;
    uint32_t misses = 0;
  };

  struct WaveWatch {
    PendingList pending;
    // Ordered operations by queue: issued; the last one that writes LDS; surely done now.
    std::array<uint32_t, kQueues> issued{}, last_write{}, settled{};
    // Of these: when it came to its last barrier, and when that was passed.
    std::array<uint32_t, kQueues> arriving_write{}, arriving{}, passed{};
  };
  struct LdsWrite {
    uint64_t epoch = 0;
    uint32_t number = 0;  // of the operation in its wave's queue, from 1
    uint32_t instruction = 0;
    uint8_t wave = 0;
    Queue queue = Queue::lds;
  };

  // group.cc
  void init_wave(int w);
  void init_scalars(isa::Wave& wave);
  int64_t run_wave(isa::Wave& wave, int64_t quantum);
  int64_t run_wave_rounded(isa::Wave& wave, int64_t quantum);
  bool complete_split_barrier();
  void next_epoch();
  void pass_barrier();
  void check_divergence();
  void stop(RunStatus status, std::string message);
  void stop_wave(const isa::Wave& wave);
  Site site(const isa::Instruction& in, const isa::Wave& wave) const;
  void find(FindingKind kind, const isa::Instruction& in, const isa::Wave& wave, uint64_t lanes,
            const std::string& message, const Cell* other = nullptr);

  // watch.cc
  int64_t run_wave_watched(isa::Wave& wave, int64_t quantum);
  void start_watching();
  void pass_watched_barrier();
  void observe(const isa::Instruction& in, const isa::Wave& wave);
  void forget_unused_half(const isa::Instruction& in, const isa::Wave& wave, PendingList& pending);
  void check_early(const isa::Instruction& in, const isa::Wave& wave, PendingList& pending);
  void find_early(const isa::Instruction& in, const isa::Wave& wave, uint64_t lanes, const std::string& message,
                  int other_wave, uint32_t other);
  bool has_arrived(const LdsWrite& write, const isa::Wave& wave, Queue queue) const;
  void follow_lds(const isa::Instruction& in, const isa::Wave& wave, const Lanes& lanes, bool write, Queue queue);

  // vector_memory.cc
  void access_vector(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes);
  void access_region(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes, Region& region);
  void access_lane_by_lane(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes);
  void access_scratch(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes);
  void access_flat(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes);
  void access_buffer(const isa::Instruction& in, isa::Wave& wave);
  void access_scalar(const isa::Instruction& in, isa::Wave& wave);
  void global_addresses(const isa::Instruction& in, const isa::Wave& wave, Lanes& lanes);
  void report_outside(const isa::Instruction& in, const isa::Wave& wave, const Lanes& lanes, uint64_t outside);
  void check_races(const isa::Instruction& in, const isa::Wave& wave, const Lanes& lanes, Region& region, bool write);
  void check_cell(const isa::Instruction& in, const isa::Wave& wave, int lane, uint64_t* cell, uint64_t mine,
                  bool write, const Region* region);
  void count_access(const isa::Instruction& in, const Lanes& lanes, Region& region);
  bool is_scope_access(const isa::Instruction& in) const;
  bool follows_release(const isa::Instruction& in) const;
  void move_data(const isa::Instruction& in, isa::Wave& wave, const Lanes& lanes, uint8_t* base, int dst, int data);
  void atomic_lanes(const isa::Instruction& in, isa::Wave& wave, const Lanes& lanes, uint8_t* base, bool shared,
                    int dst, int data);
  void store_loaded(const isa::Instruction& in, isa::Wave& wave, uint64_t mask, const uint32_t* dwords, int count,
                    int at_register);

  // lds.cc
  void access_lds(const isa::Instruction& in, isa::Wave& wave);
  void access_lds_lanes(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes, int data_source, int dst);
  void check_lds(const isa::Instruction& in, const isa::Wave& wave, const Lanes& lanes, bool read, bool write);
  void check_lds_races(const isa::Instruction& in, const isa::Wave& wave, const Lanes& lanes, bool write);
  void count_conflicts(const isa::Instruction& in, const Lanes& lanes, int bytes);
  void load_to_lds(const isa::Instruction& in, isa::Wave& wave, Lanes& lanes);
  void transpose_loaded(const isa::Instruction& in, isa::Wave& wave);

  const Launch& launch_;
  std::vector<isa::Wave> waves_;
  std::vector<uint32_t> vgprs_;
  std::vector<uint8_t> lds_;
  std::vector<uint8_t> lds_initialised_;
  std::vector<uint64_t> lds_dword_cells_, lds_byte_cells_;
  bool lds_has_byte_cells_ = false;
  std::vector<uint8_t> scratch_, scratch_initialised_;  // [wave][lane][byte]
  int64_t scratch_bytes_ = 0;                           // of a lane
  std::vector<std::unique_ptr<LdsMemo>> memos_;
  std::vector<WaveWatch> watches_;    // of launches that are watched
  std::vector<LdsWrite> lds_writes_;  // by dword
  bool late_writes_ = false;          // a wave passed the last barrier before its writes to LDS were done
  FindingBook book_;
  Counters counters_;
  int64_t id_ = 0;
  std::array<int64_t, 3> at_{};
  uint64_t epoch_ = 1;
  uint32_t barrier_round_ = 0;  // split barriers completed
  uint64_t acquired_ = 0;
  uint64_t clock_ = 0;
  int turn_ = 0;
  RunStatus stop_status_ = RunStatus::completed;
  std::string stop_message_;
  bool stopped_ = false;
};

}  // namespace hipvault::sim
