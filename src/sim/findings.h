#pragma once
// What the checkers saw, folded: one entry per kind and instruction, with a count. Each host thread has its own book;
// they are merged in the order of (instruction, group), so that the result does not depend on how threads raced.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/program.h"
#include "record/run.h"

namespace hipvault::sim {

enum class FindingKind : uint8_t {
  out_of_bounds,
  uninitialised_read,
  race,
  barrier_divergence,
  misaligned,
  read_only_write,
  missing_wait,
  hazard
};
const char* name(FindingKind kind);

// Where a wave stands.
struct Site {
  const isa::Program* program = nullptr;
  const std::string* kernel = nullptr;
  uint64_t entry = 0;  // of the kernel, for pc
  uint32_t instruction = 0;
  int64_t group = 0;  // linear
  std::array<int64_t, 3> group_at{};
  int wave = 0;
};

class FindingBook {
 public:
  // Counts; true if this is the first of its kind at this instruction, and then `describe` must follow.
  bool note(FindingKind kind, const Site& site, uint64_t lanes);
  void describe(FindingKind kind, const Site& site, std::string message, int other_wave = -1,
                int64_t other_instruction = -1);
  void merge(const FindingBook& other);
  std::vector<Finding> findings() const;

 private:
  struct Entry {
    Finding finding;
    int64_t group = 0;
  };
  std::map<std::pair<uint32_t, FindingKind>, Entry> entries_;
};

}  // namespace hipvault::sim
