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

}  // namespace hipvault::sim
