#pragma once
// What the files of Group share about an access.

#include <bit>
#include <cstring>

#include "isa/lanes.h"
#include "sim/group.h"

namespace hipvault::sim {

using isa::kLanes;

struct Group::Lanes {
  alignas(64) uint64_t at[kLanes];  // device address; then offset in the region, the LDS or the lane's scratch
  uint64_t mask = 0;                // lanes that access
  int bytes = 0;                    // each
  bool contiguous = false;          // all 64 lanes, one after the other without gaps
};

inline int first_of(uint64_t mask) { return std::countr_zero(mask); }

template <class Body>
inline void for_lanes(uint64_t mask, Body body) {
  for (; mask; mask &= mask - 1) body(std::countr_zero(mask));
}

// Flags of the bytes of one lane; a memset of unknown length is a call, and there are 64 of them an instruction.
inline void mark_bytes(uint8_t* flags, size_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101ull;
  if (bytes == 4) {
    std::memcpy(flags, &kOnes, 4);
  } else if (bytes == 16) {
    std::memcpy(flags, &kOnes, 8);
    std::memcpy(flags + 8, &kOnes, 8);
  } else if (bytes == 8) {
    std::memcpy(flags, &kOnes, 8);
  } else {
    for (size_t i = 0; i < bytes; ++i) flags[i] = 1;
  }
}

}  // namespace hipvault::sim
