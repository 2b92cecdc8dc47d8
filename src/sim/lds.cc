// LDS: reads, writes, atomics, and loads from memory into it.

#include <fmt/format.h>

#include <algorithm>

#include "sim/access.h"

namespace hipvault::sim {

using isa::AccessKind;
using isa::Instruction;
using isa::MemoryAccess;
using isa::Wave;

namespace {

bool all_set(const uint8_t* flags, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!flags[i]) return false;
  return true;
}

// Not zero if a byte of these dwords was never written.
inline uint32_t missing_dwords(const uint8_t* flags, size_t bytes) {
  uint32_t missing = 0;
  for (size_t i = 0; i < bytes; i += 4) {
    uint32_t word;
    std::memcpy(&word, flags + i, 4);
    missing |= word ^ 0x01010101;
  }
  return missing;
}

}  // namespace

void Group::access_lds(const Instruction& in, Wave& wave) {
  const MemoryAccess& m = in.operation->memory;
  if (!wave.exec()) return;
  const isa::Modifiers& d = in.decoded->modifiers;
  alignas(64) uint32_t address[kLanes];
  if (m.by_lane)
    for (int l = 0; l < kLanes; ++l) address[l] = (wave.sgpr[isa::kM0] & 0xffff) + 4 * static_cast<uint32_t>(l);
  else
    std::memcpy(address, wave.lanes(in.src[0].reg), sizeof address);
  Lanes lanes;
  lanes.bytes = m.bytes;
  for (int e = 0; e < m.elements; ++e) {
    uint32_t offset = m.elements == 1 ? static_cast<uint32_t>(d.offset)
                                      : static_cast<uint32_t>((e == 0 ? d.offset0 : d.offset1) * m.bytes * m.stride);
    lanes.mask = wave.exec();
    for (int l = 0; l < kLanes; ++l) lanes.at[l] = address[l] + offset;  // modulo 2^32, as hardware adds
    int data = e == 0 ? in.src[1].reg : in.src[3].reg;
    access_lds_lanes(in, wave, lanes, data, in.dst + e * ((m.bytes + 3) / 4));
  }
  if (m.transpose_bits) transpose_loaded(in, wave);
}

void Group::access_lds_lanes(const Instruction& in, Wave& wave, Lanes& lanes, int data_register, int dst) {
  const MemoryAccess& m = in.operation->memory;
  uint64_t size = static_cast<uint64_t>(launch_.lds_bytes), bytes = static_cast<uint64_t>(lanes.bytes), outside = 0,
           bits = 0;
  if (lanes.mask != ~uint64_t{0})
    for (int l = 0, first = first_of(lanes.mask); l < kLanes; ++l)
      if (!(lanes.mask >> l & 1)) lanes.at[l] = lanes.at[first];
  uint64_t highest = 0;
  for (int l = 0; l < kLanes; ++l) highest = std::max(highest, lanes.at[l]), bits |= lanes.at[l];
  if (highest + bytes > size)
    for_lanes(lanes.mask, [&](int l) { outside |= static_cast<uint64_t>(lanes.at[l] + bytes > size) << l; });
  if (outside && launch_.check)
    find(FindingKind::out_of_bounds, in, wave, outside,
         fmt::format("lane {} accesses {} bytes at {} of the LDS, which has {} bytes", first_of(outside), bytes,
                     lanes.at[first_of(outside)], size));
  bool load = m.kind == AccessKind::load;
  if (outside && load) store_loaded(in, wave, outside, nullptr, 0, dst);
  lanes.mask &= ~outside;
  if (!lanes.mask) return;
  if (outside)
    for (int l = 0; l < kLanes; ++l)
      if (!(lanes.mask >> l & 1)) lanes.at[l] = lanes.at[first_of(lanes.mask)];
  // Reads and writes may be unaligned: HSA runs in that mode, and compilers merge neighbouring bytes because of it.
  uint64_t alignment = m.kind == AccessKind::atomic ? bytes : 1;
  if ((bits & (alignment - 1)) && launch_.check)
    find(FindingKind::misaligned, in, wave, lanes.mask,
         fmt::format("an LDS access of {} bytes at an address that is no multiple of {}", bytes, alignment));
  counters_.lds_bytes_moved += static_cast<int64_t>(bytes) * std::popcount(lanes.mask);
  count_conflicts(in, lanes, lanes.bytes);
  if (launch_.waits) follow_lds(in, wave, lanes, !load, Queue::lds);
  if (launch_.check) check_lds(in, wave, lanes, m.kind != AccessKind::store, !load);
  if (m.kind == AccessKind::atomic) return atomic_lanes(in, wave, lanes, lds_.data(), false, dst, data_register);
  if (!load) for_lanes(lanes.mask, [&](int l) { mark_bytes(&lds_initialised_[lanes.at[l]], bytes); });
  move_data(in, wave, lanes, lds_.data(), dst, data_register);
}

void Group::check_lds(const Instruction& in, const Wave& wave, const Lanes& lanes, bool read, bool write) {
  size_t bytes = static_cast<size_t>(lanes.bytes);
  if (read) {
    uint64_t unset = 0;
    if (bytes % 4 == 0) {
      uint32_t missing = 0;
      for (int l = 0; l < kLanes; ++l) missing |= missing_dwords(&lds_initialised_[lanes.at[l]], bytes);
      for (int l = 0; l < kLanes && missing; ++l)
        unset |= static_cast<uint64_t>(missing_dwords(&lds_initialised_[lanes.at[l]], bytes) != 0) << l;
      unset &= lanes.mask;
    } else {
      for_lanes(lanes.mask,
                [&](int l) { unset |= static_cast<uint64_t>(!all_set(&lds_initialised_[lanes.at[l]], bytes)) << l; });
    }
    if (unset)
      find(FindingKind::uninitialised_read, in, wave, unset,
           fmt::format("lane {} reads LDS bytes {} to {}, which nothing has written", first_of(unset),
                       lanes.at[first_of(unset)], lanes.at[first_of(unset)] + bytes - 1));
  }
  if (launch_.waves > 1 && in.operation->memory.kind != AccessKind::atomic) check_lds_races(in, wave, lanes, write);
}

void Group::check_lds_races(const Instruction& in, const Wave& wave, const Lanes& lanes, bool write) {
  uint64_t mine = make_cell(write ? CellKind::written : CellKind::read, write, 1, epoch_, wave.id, in.index);
  bool whole_dwords = lanes.bytes % 4 == 0;
  if (!whole_dwords && !lds_has_byte_cells_) {
    lds_has_byte_cells_ = true;
    lds_byte_cells_.assign(lds_.size(), 0);
  }
  uint64_t bits = 0;
  for (int l = 0; l < kLanes; ++l) bits |= lanes.at[l];
  if (whole_dwords && bits % 4 == 0 && !lds_has_byte_cells_ && in.operation->memory.kind != AccessKind::load_to_lds &&
      update_scattered(lds_dword_cells_.data(), lanes.at, lanes.bytes / 4, mine, write))
    return;
  for_lanes(lanes.mask, [&](int l) {
    uint64_t at = lanes.at[l];
    if (whole_dwords && at % 4 == 0) {
      uint64_t* cell = &lds_dword_cells_[at / 4];
      if (!update_cells(cell, lanes.bytes / 4, mine, write))
        for (int i = 0; i < lanes.bytes / 4; ++i) check_cell(in, wave, l, &cell[i], mine, write, nullptr);
    } else {
      uint64_t* dword = &lds_dword_cells_[at / 4];
      uint64_t kept = *dword;
      if (kept) check_cell(in, wave, l, dword, mine, write, nullptr), *dword = kept;
    }
    if (!lds_has_byte_cells_) return;
    uint64_t* cell = &lds_byte_cells_[at];
    for (int i = 0; i < lanes.bytes; ++i) {
      uint64_t kept = cell[i];
      if (kept == mine || (whole_dwords && kept == 0)) continue;
      check_cell(in, wave, l, &cell[i], mine, write, nullptr);
      if (whole_dwords) cell[i] = kept;
    }
  });
}

namespace {

// Extra cycles: in each group of lanes that are served together, the bank with most distinct dwords sets the pace.
int64_t conflict_cycles(const std::vector<std::vector<int>>& groups, int banks, const uint64_t* at, uint64_t mask,
                        int bytes) {
  int64_t extra = 0;
  for (const std::vector<int>& group : groups) {
    std::vector<uint64_t> dwords;
    for (int lane : group)
      if (mask >> lane & 1)
        for (int i = 0; i < std::max(1, bytes / 4); ++i) dwords.push_back(at[lane] / 4 + static_cast<uint64_t>(i));
    std::sort(dwords.begin(), dwords.end());
    dwords.erase(std::unique(dwords.begin(), dwords.end()), dwords.end());
    std::vector<int> load(static_cast<size_t>(banks));
    int most = 1;
    for (uint64_t dword : dwords) most = std::max(most, ++load[dword % static_cast<uint64_t>(banks)]);
    extra += most - 1;
  }
  return extra;
}

}  // namespace

void Group::count_conflicts(const Instruction& in, const Lanes& lanes, int bytes) {
  const target::Arch::LdsPhases* phases = nullptr;
  for (const target::Arch::LdsPhases& p : launch_.arch->lds_read_phases)
    if (p.bytes >= bytes && (!phases || p.bytes < phases->bytes)) phases = &p;
  if (!phases || launch_.arch->lds_banks <= 0) return;
  std::unique_ptr<LdsMemo>& memo = memos_[in.index];
  if (!memo) memo = std::make_unique<LdsMemo>();
  uint32_t differs = memo->extra_cycles < 0 || memo->mask != lanes.mask;
  uint64_t base = lanes.at[0] & ~uint64_t{3};
  for (int l = 0; l < kLanes; ++l) differs |= memo->relative[l] ^ static_cast<uint32_t>(lanes.at[l] - base);
  // Where the pattern changes all the time (swizzles that depend on a loop), every 16th one is counted for the rest.
  if (differs && (++memo->misses < 64 || memo->misses % 16 == 0)) {
    memo->mask = lanes.mask;
    for (int l = 0; l < kLanes; ++l) memo->relative[l] = static_cast<uint32_t>(lanes.at[l] - base);
    memo->extra_cycles = conflict_cycles(phases->groups, launch_.arch->lds_banks, lanes.at, lanes.mask, bytes);
  }
  counters_.lds_conflict_cycles += memo->extra_cycles;
}

// In each row of 16 lanes the elements that were loaded, read as a matrix whose rows are 16 elements of neighbouring
// lanes, are handed out by columns: lane l gets column l. (Assumed from the manual's picture for 16-bit elements.)
void Group::transpose_loaded(const Instruction& in, Wave& wave) {
  const MemoryAccess& m = in.operation->memory;
  int bits = m.transpose_bits, count = m.bytes * 8 / bits, dwords = m.bytes / 4;
  alignas(64) uint32_t loaded[4][kLanes];
  for (int d = 0; d < dwords; ++d) std::memcpy(loaded[d], wave.lanes(in.dst + d), sizeof loaded[d]);
  auto element = [&](int lane, int e) {
    int at = e * bits;
    uint64_t both = loaded[at / 32][lane];
    if (at % 32 + bits > 32) both |= static_cast<uint64_t>(loaded[at / 32 + 1][lane]) << 32;
    return static_cast<uint32_t>(both >> (at % 32)) & ((1u << bits) - 1);
  };
  for_lanes(wave.exec(), [&](int l) {
    uint64_t words[2] = {};
    for (int e = 0; e < count; ++e) {
      int position = 16 * e + (l & 15);
      uint64_t value = element((l & ~15) + position / count, position % count);
      int at = e * bits;
      words[at / 64] |= value << (at % 64);
      if (at % 64 + bits > 64) words[1] |= value >> (64 - at % 64);
    }
    for (int d = 0; d < dwords; ++d) wave.lanes(in.dst + d)[l] = static_cast<uint32_t>(words[d / 2] >> (32 * (d & 1)));
  });
}

// global_load_lds: lane l's element goes to LDS at M0 + offset + l * size. `lanes.at` holds host addresses.
void Group::load_to_lds(const Instruction& in, Wave& wave, Lanes& lanes) {
  uint64_t base = (wave.sgpr[isa::kM0] & 0xffff) + static_cast<uint64_t>(in.decoded->modifiers.offset);
  uint64_t size = static_cast<uint64_t>(launch_.lds_bytes), bytes = static_cast<uint64_t>(lanes.bytes),
           step = std::max<uint64_t>(bytes, 4);
  Lanes to;
  to.bytes = static_cast<int>(step);
  uint64_t outside = 0;
  for_lanes(lanes.mask, [&](int l) {
    to.at[l] = base + static_cast<uint64_t>(l) * step;
    if (to.at[l] + step > size) outside |= uint64_t{1} << l;
  });
  if (outside && launch_.check)
    find(FindingKind::out_of_bounds, in, wave, outside,
         fmt::format("lane {} writes LDS beyond its {} bytes", first_of(outside), size));
  to.mask = lanes.mask & ~outside;
  if (!to.mask) return;
  if (launch_.waits) follow_lds(in, wave, to, true, Queue::memory);
  if (launch_.check && launch_.waves > 1) check_lds_races(in, wave, to, true);
  for_lanes(to.mask, [&](int l) {
    uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const uint8_t*>(lanes.at[l]), bytes);
    if (in.operation->memory.sign_extend)
      value = bytes == 1 ? static_cast<uint32_t>(static_cast<int8_t>(value))
                         : static_cast<uint32_t>(static_cast<int16_t>(value));
    std::memcpy(&lds_[to.at[l]], &value, step);
    std::memset(&lds_initialised_[to.at[l]], 1, step);
  });
}

}  // namespace hipvault::sim
