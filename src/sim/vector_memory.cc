// Global, flat, scratch, buffer and scalar memory. The common case is one region for all lanes: bounds are checked on
// the smallest and the largest address, and 64 neighbouring lanes move as one block. Whatever does not fit goes lane by
// lane; a lane outside of every buffer loads zero and stores nowhere, with a finding, and the run goes on.

#include <fmt/format.h>

#include <algorithm>

#include "sim/access.h"

namespace hipvault::sim {

using isa::AccessKind;
using isa::Instruction;
using isa::MemoryAccess;
using isa::OperandKind;
using isa::Space;
using isa::Wave;

namespace {

uint64_t sign_extended(uint64_t value, int bytes) {
  if (bytes == 1) return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(value)));
  if (bytes == 2) return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(value)));
  return value;
}

bool all_set(const uint8_t* flags, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    std::memcpy(&word, flags + i, 8);
    if (word != 0x0101010101010101ull) return false;
  }
  for (; i < count; ++i)
    if (!flags[i]) return false;
  return true;
}

template <class T>
uint64_t atomic_update(uint8_t* at, isa::AtomicFunction f, uint64_t data, uint64_t compare, bool shared) {
  T old;
  if (!shared) {
    std::memcpy(&old, at, sizeof old);
    T next = static_cast<T>(f(old, data, compare));
    std::memcpy(at, &next, sizeof next);
    return old;
  }
  std::atomic_ref<T> cell(*reinterpret_cast<T*>(at));
  old = cell.load();
  while (!cell.compare_exchange_weak(old, static_cast<T>(f(old, data, compare)))) {
  }
  return old;
}

}  // namespace

void Group::access_memory(const Instruction& in, Wave& wave) {
  const MemoryAccess& m = in.operation->memory;
  if (m.space == Space::lds) return access_lds(in, wave);
  if (m.space == Space::scalar) return access_scalar(in, wave);
  if (!wave.exec()) return;
  if (m.space == Space::buffer) return access_buffer(in, wave);
  Lanes lanes;
  lanes.mask = wave.exec();
  lanes.bytes = m.bytes;
  global_addresses(in, wave, lanes);
  if (m.space == Space::scratch) return access_scratch(in, wave, lanes);
  if (m.space == Space::flat) return access_flat(in, wave, lanes);
  access_vector(in, wave, lanes);
}

void Group::global_addresses(const Instruction& in, const Wave& wave, Lanes& lanes) {
  uint64_t offset = static_cast<uint64_t>(in.decoded->modifiers.offset);
  const isa::Source& address = in.src[0];
  const isa::Source& base = in.src[2];
  bool has_base = base.kind == OperandKind::scalar || base.kind == OperandKind::integer;
  bool narrow = has_base || in.operation->memory.space == Space::scratch;
  if (has_base)
    offset +=
        in.operation->memory.space == Space::scratch ? isa::read_scalar32(base, wave) : isa::read_scalar64(base, wave);
  if (address.kind != OperandKind::vector) {
    for (int l = 0; l < kLanes; ++l) lanes.at[l] = offset;
  } else if (narrow) {
    const uint32_t* low = wave.lanes(address.reg);
    for (int l = 0; l < kLanes; ++l) lanes.at[l] = offset + low[l];
  } else {
    const uint32_t* low = wave.lanes(address.reg);
    const uint32_t* high = wave.lanes(address.reg + 1);
    for (int l = 0; l < kLanes; ++l) lanes.at[l] = offset + (low[l] | static_cast<uint64_t>(high[l]) << 32);
  }
}

// Inactive lanes take the address of an active one, so that everything after runs over 64 lanes.
static void fill_inactive(uint64_t mask, uint64_t* at) {
  if (mask == ~uint64_t{0}) return;
  alignas(64) uint32_t active[kLanes];
  isa::expand_mask(mask, active);
  uint64_t substitute = at[first_of(mask)];
  for (int l = 0; l < kLanes; ++l) at[l] = active[l] ? at[l] : substitute;
}

void Group::access_vector(const Instruction& in, Wave& wave, Lanes& lanes) {
  fill_inactive(lanes.mask, lanes.at);
  uint64_t low = lanes.at[0], high = lanes.at[0], bits = 0, apart = 0;
  uint64_t step = static_cast<uint64_t>(lanes.bytes);
  for (int l = 0; l < kLanes; ++l) {
    low = std::min(low, lanes.at[l]);
    high = std::max(high, lanes.at[l]);
    bits |= lanes.at[l];
    apart |= lanes.at[l] ^ (lanes.at[0] + static_cast<uint64_t>(l) * step);
  }
  Region* region = launch_.memory->find(low);
  bool inside = region && low >= region->base + region->valid_begin &&
                high + step <= region->base + region->valid_end && high >= low;
  uint64_t alignment = step >= 4 ? 4 : step;
  if (in.operation->memory.kind == AccessKind::atomic) alignment = step;
  if (!inside || (bits & (alignment - 1))) return access_lane_by_lane(in, wave, lanes);
  for (int l = 0; l < kLanes; ++l) lanes.at[l] -= region->base;
  lanes.contiguous = apart == 0 && lanes.mask == ~uint64_t{0};
  access_region(in, wave, lanes, *region);
}

// Lanes that are in order are done region by region; the others become findings.
void Group::access_lane_by_lane(const Instruction& in, Wave& wave, Lanes& lanes) {
  const MemoryAccess& m = in.operation->memory;
  uint64_t left = lanes.mask, outside = 0, odd = 0;
  uint64_t alignment = lanes.bytes >= 4 ? 4 : static_cast<uint64_t>(lanes.bytes);
  if (m.kind == AccessKind::atomic) alignment = static_cast<uint64_t>(lanes.bytes);
  std::vector<std::pair<Region*, uint64_t>> parts;
  for_lanes(left, [&](int l) {
    uint64_t at = lanes.at[l];
    Region* region = launch_.memory->find(at);
    bool inside = region && at >= region->base + region->valid_begin &&
                  at + static_cast<uint64_t>(lanes.bytes) <= region->base + region->valid_end;
    if (!inside) {
      outside |= uint64_t{1} << l;
      return;
    }
    if (at & (alignment - 1)) odd |= uint64_t{1} << l;
    for (auto& [known, mask] : parts)
      if (known == region) {
        mask |= uint64_t{1} << l;
        return;
      }
    parts.emplace_back(region, uint64_t{1} << l);
  });
  if (outside && launch_.check) report_outside(in, wave, lanes, outside);
  // Loads and stores may be unaligned: HSA runs in that mode, and compilers merge neighbouring bytes because of it.
  bool refused = odd && m.kind == AccessKind::atomic;
  if (refused && launch_.check)
    find(FindingKind::misaligned, in, wave, odd,
         fmt::format("lane {} updates {} bytes at address {:#x}, which is no multiple of {}", first_of(odd),
                     lanes.bytes, lanes.at[first_of(odd)], alignment));
  if (outside && m.kind == AccessKind::load) {
    uint32_t zeros[4] = {};
    store_loaded(in, wave, outside, zeros, 0, in.dst);
  }
  if (refused) return wave.stop("an atomic at a misaligned address");
  for (auto& [region, mask] : parts) {
    Lanes part = lanes;
    part.mask = mask;
    for (int l = 0; l < kLanes; ++l) part.at[l] = lanes.at[l] - region->base;
    fill_inactive(mask, part.at);
    access_region(in, wave, part, *region);
  }
}

// The finding for lanes outside of every buffer: which buffer is nearest and by how much.
void Group::report_outside(const Instruction& in, const Wave& wave, const Lanes& lanes, uint64_t outside) {
  int lane = first_of(outside);
  uint64_t at = lanes.at[lane];
  Region* region = launch_.memory->find(at);
  std::string where = fmt::format("at address {:#x}, where no buffer is", at);
  if (region) {
    int64_t from_begin = static_cast<int64_t>(at - region->base) - static_cast<int64_t>(region->valid_begin);
    int64_t from_end = static_cast<int64_t>(at - region->base) + lanes.bytes - static_cast<int64_t>(region->valid_end);
    if (from_begin < 0)
      where = fmt::format("{} bytes before the begin of {}", -from_begin, region->name);
    else
      where = fmt::format("{} bytes past the end of {} ({} bytes)", from_end, region->name,
                          region->valid_end - region->valid_begin);
  }
  const char* what = in.operation->memory.kind == AccessKind::load     ? "loads"
                     : in.operation->memory.kind == AccessKind::atomic ? "updates"
                                                                       : "stores";
  find(FindingKind::out_of_bounds, in, wave, outside,
       fmt::format("lane {} {} {} bytes {}", lane, what, lanes.bytes, where));
}

// A release at device scope that is only a wait (gfx90a) leaves no instruction of its own. It stands in front of the
// atomic that tells others, so it is looked for there: no store between, and not too far away.
bool Group::follows_release(const Instruction& in) const {
  constexpr uint32_t kFar = 64;
  if (!launch_.arch->release_is_a_wait) return false;
  for (uint32_t back = 1; back <= std::min(kFar, in.index); ++back) {
    const Instruction& before = *(&in - back);
    if (before.operation && before.operation->instruction_class == isa::InstructionClass::vmem_store) return false;
    if (before.decoded->mnemonic == "s_waitcnt" && before.decoded->text.find("vmcnt(0)") != std::string::npos)
      return true;
  }
  return false;
}

bool Group::is_scope_access(const Instruction& in) const {
  return in.decoded->modifiers.sc0 || in.decoded->modifiers.sc1;
}

void Group::access_region(const Instruction& in, Wave& wave, Lanes& lanes, Region& region) {
  const MemoryAccess& m = in.operation->memory;
  bool write = m.kind == AccessKind::store || m.kind == AccessKind::atomic, atomic = m.kind == AccessKind::atomic;
  size_t bytes = static_cast<size_t>(lanes.bytes);
  count_access(in, lanes, region);
  if (launch_.check) {
    if (atomic && follows_release(in)) fence(wave, true);
    if (write && !region.writable)
      find(FindingKind::read_only_write, in, wave, lanes.mask,
           fmt::format("lane {} writes to {}, which may only be read", first_of(lanes.mask), region.name));
    if (region.track_initialised && m.kind != AccessKind::store) {
      uint64_t unset = 0;
      if (!lanes.contiguous || !all_set(&region.initialised[lanes.at[0]], bytes * kLanes))
        for_lanes(lanes.mask, [&](int l) {
          unset |= static_cast<uint64_t>(!all_set(&region.initialised[lanes.at[l]], bytes)) << l;
        });
      if (unset)
        find(FindingKind::uninitialised_read, in, wave, unset,
             fmt::format("lane {} reads bytes {} to {} of {}, which nothing has written", first_of(unset),
                         lanes.at[first_of(unset)] - region.valid_begin,
                         lanes.at[first_of(unset)] - region.valid_begin + bytes - 1, region.name));
    }
    if (region.check_races && !atomic && !is_scope_access(in)) check_races(in, wave, lanes, region, write);
  }
  if (write && region.track_initialised) {
    if (lanes.contiguous)
      std::memset(&region.initialised[lanes.at[0]], 1, bytes * kLanes);
    else
      for_lanes(lanes.mask, [&](int l) { mark_bytes(&region.initialised[lanes.at[l]], bytes); });
  }
  if (write && !region.written.empty())
    for_lanes(lanes.mask, [&](int l) { mark_bytes(&region.written[lanes.at[l]], bytes); });
  if (atomic) return atomic_lanes(in, wave, lanes, region.pages.data(), launch_.threads > 1, in.dst, in.src[1].reg);
  if (m.kind == AccessKind::load_to_lds || in.decoded->modifiers.lds) {
    for (int l = 0; l < kLanes; ++l) lanes.at[l] += reinterpret_cast<uint64_t>(region.pages.data());
    return load_to_lds(in, wave, lanes);
  }
  move_data(in, wave, lanes, region.pages.data(), in.dst, in.src[1].reg);
}

void Group::check_cell(const Instruction& in, const Wave& wave, int lane, uint64_t* cell, uint64_t mine, bool write,
                       const Region* region) {
  Cell old{launch_.threads > 1 && write && region
               ? std::atomic_ref<uint64_t>(*cell).exchange(mine, std::memory_order_relaxed)
               : *cell};
  Cell me{mine};
  bool conflict = cells_conflict(old, me, write);
  bool other_group = region && old.group() != me.group();
  if (conflict && other_group)
    conflict =
        !launch_.fences->ordered(old.group() == kSeveralGroups ? -1 : static_cast<int64_t>(old.group()) - 1, acquired_);
  if (conflict) {
    std::string message =
        fmt::format("lane {} of wave {} {} what wave {}{} {} without a barrier between ({})", lane, wave.id,
                    write ? "writes" : "reads", old.wave(), other_group ? " of another work-group" : "",
                    old.kind() == CellKind::written ? "wrote"
                    : old.wrote() && !write         ? "wrote"
                                                    : "read",
                    region ? region->name : "LDS");
    find(FindingKind::race, in, wave, uint64_t{1} << lane, message, &old);
  }
  *cell = conflict ? mine : cell_after(old, me, write);
}

void Group::check_races(const Instruction& in, const Wave& wave, const Lanes& lanes, Region& region, bool write) {
  uint64_t mine = make_cell(write ? CellKind::written : CellKind::read, write, static_cast<uint64_t>(id_) + 1, epoch_,
                            wave.id, in.index);
  bool whole_dwords = lanes.bytes % 4 == 0;
  if (!whole_dwords) region.has_byte_cells = true;
  if (whole_dwords && !region.has_dword_cells) region.has_dword_cells = true;
  if (whole_dwords && lanes.contiguous && launch_.threads == 1 && !region.has_byte_cells && lanes.at[0] % 4 == 0 &&
      update_run(region.dword_cell(lanes.at[0]), kLanes * lanes.bytes / 4, mine, write))
    return;
  if (!whole_dwords && lanes.contiguous && launch_.threads == 1 && !region.has_dword_cells &&
      update_run(region.byte_cell(lanes.at[0]), kLanes * lanes.bytes, mine, write))
    return;
  for_lanes(lanes.mask, [&](int l) {
    uint64_t at = lanes.at[l];
    if (whole_dwords && at % 4 == 0) {
      uint64_t* cell = region.dword_cell(at);
      if (launch_.threads > 1 || !update_cells(cell, lanes.bytes / 4, mine, write))
        for (int i = 0; i < lanes.bytes / 4; ++i) check_cell(in, wave, l, &cell[i], mine, write, &region);
    } else {
      uint64_t* dword = region.dword_cell(at);
      Cell old{*dword};
      uint64_t kept = *dword;
      if (old.bits) check_cell(in, wave, l, dword, mine, write, &region), *dword = kept;
    }
    if (!region.has_byte_cells) return;
    uint64_t* cell = region.byte_cell(at);
    for (int i = 0; i < lanes.bytes; ++i) {
      if (whole_dwords && cell[i] == 0) continue;
      uint64_t kept = cell[i];
      if (kept == mine) continue;
      check_cell(in, wave, l, &cell[i], mine, write, &region);
      if (whole_dwords) cell[i] = kept;
    }
  });
}

void Group::count_access(const Instruction& in, const Lanes& lanes, Region& region) {
  bool load = in.operation->memory.kind == AccessKind::load || in.operation->memory.kind == AccessKind::load_to_lds;
  int64_t bytes = int64_t{lanes.bytes} * std::popcount(lanes.mask), distinct = 0;
  uint64_t last = ~uint64_t{0};
  uint64_t lines[2 * kLanes];
  int count = 0;
  bool sorted = true;
  if (lanes.contiguous) {
    uint64_t to = (lanes.at[kLanes - 1] + static_cast<uint64_t>(lanes.bytes) - 1) >> 7;
    for (uint64_t line = lanes.at[0] >> 7; line <= to; ++line) lines[count++] = line;
  } else {
    for_lanes(lanes.mask, [&](int l) {
      for (uint64_t line = lanes.at[l] >> 7; line <= (lanes.at[l] + static_cast<uint64_t>(lanes.bytes) - 1) >> 7;
           ++line) {
        if (line == last) continue;
        if (last != ~uint64_t{0} && line < last) sorted = false;
        lines[count++] = last = line;
      }
    });
  }
  if (!sorted) {
    std::sort(lines, lines + count);
    distinct = std::unique(lines, lines + count) - lines;
  } else {
    distinct = count;
  }
  (load ? counters_.bytes_loaded : counters_.bytes_stored) += bytes;
  (load ? counters_.lines_loaded : counters_.lines_stored) += distinct;
  std::vector<uint64_t>& unique = load ? region.lines_loaded : region.lines_stored;
  if (unique.empty()) return;
  for (int i = 0; i < distinct; ++i)
    std::atomic_ref<uint64_t>(unique[lines[i] / 64])
        .fetch_or(uint64_t{1} << (lines[i] % 64), std::memory_order_relaxed);
}

// count = 0: zeros. d16 forms keep the other half of the register.
void Group::store_loaded(const Instruction& in, Wave& wave, uint64_t mask, const uint32_t* values, int count,
                         int at_register) {
  const MemoryAccess& m = in.operation->memory;
  if (count == 0) {
    alignas(64) uint32_t zeros[kLanes] = {};
    for (int i = 0; i < (m.bytes + 3) / 4; ++i) store_loaded(in, wave, mask, zeros, 1, at_register + i);
    return;
  }
  uint32_t* to = wave.lanes(at_register);
  if (!m.keep_other_half) return isa::store_masked(to, values, mask);
  for_lanes(mask, [&](int l) {
    to[l] = m.high ? (to[l] & 0xffff) | values[l] << 16 : (to[l] & 0xffff0000) | (values[l] & 0xffff);
  });
}

void Group::move_data(const Instruction& in, Wave& wave, const Lanes& lanes, uint8_t* base, int dst, int source) {
  const MemoryAccess& m = in.operation->memory;
  int dwords = (lanes.bytes + 3) / 4;
  alignas(64) uint32_t values[kLanes];
  if (m.kind == AccessKind::load) {
    if (lanes.contiguous && lanes.bytes == 4) {
      std::memcpy(wave.lanes(dst), base + lanes.at[0], 4 * kLanes);
      return;
    }
    if (lanes.bytes < 4) {
      for (int l = 0; l < kLanes; ++l) {
        uint16_t value = base[lanes.at[l]];
        if (lanes.bytes == 2) std::memcpy(&value, base + lanes.at[l], 2);
        values[l] = static_cast<uint32_t>(m.sign_extend ? sign_extended(value, lanes.bytes) : value);
      }
      return store_loaded(in, wave, lanes.mask, values, 1, dst);
    }
    for (int d = 0; d < dwords; ++d) {
      for (int l = 0; l < kLanes; ++l) std::memcpy(&values[l], base + lanes.at[l] + 4 * d, 4);
      isa::store_masked(wave.lanes(dst + d), values, lanes.mask);
    }
    return;
  }
  const uint32_t* data = wave.lanes(source);
  if (lanes.contiguous && lanes.bytes == 4) {
    std::memcpy(base + lanes.at[0], data, 4 * kLanes);
    return;
  }
  int shift = m.high ? 16 : 0;
  for_lanes(lanes.mask, [&](int l) {
    uint8_t* to = base + lanes.at[l];
    if (lanes.bytes < 4) {
      uint32_t value = data[l] >> shift;
      std::memcpy(to, &value, static_cast<size_t>(lanes.bytes));
      return;
    }
    for (int d = 0; d < dwords; ++d) std::memcpy(to + 4 * d, &data[d * kLanes + l], 4);
  });
}

void Group::atomic_lanes(const Instruction& in, Wave& wave, const Lanes& lanes, uint8_t* base, bool shared, int dst,
                         int data_register) {
  const MemoryAccess& m = in.operation->memory;
  bool lds = m.space == Space::lds, wide = lanes.bytes == 8;
  bool returns = lds ? m.returns : in.decoded->modifiers.sc0;
  auto word = [&](int reg, int l) {
    return wide ? wave.lanes(reg)[l] | static_cast<uint64_t>(wave.lanes(reg + 1)[l]) << 32 : wave.lanes(reg)[l];
  };
  int compare_register = data_register + (wide ? 2 : 1);
  if (lds && m.compares) compare_register = in.src[1].reg, data_register = in.src[3].reg;
  if (m.swapped_data) std::swap(compare_register, data_register);
  for_lanes(lanes.mask, [&](int l) {
    uint64_t data = word(data_register, l), compare = m.compares ? word(compare_register, l) : 0;
    uint8_t* at = base + lanes.at[l];
    uint64_t old = wide ? atomic_update<uint64_t>(at, m.atomic, data, compare, shared)
                        : atomic_update<uint32_t>(at, m.atomic, data, compare, shared);
    if (!returns) return;
    wave.lanes(dst)[l] = static_cast<uint32_t>(old);
    if (wide) wave.lanes(dst + 1)[l] = static_cast<uint32_t>(old >> 32);
  });
}

// ---- the other spaces
// ---------------------------------------------------------------------------------------------------------

// Offsets are of the lane's own scratch.
void Group::access_scratch(const Instruction& in, Wave& wave, Lanes& lanes) {
  uint64_t outside = 0;
  uint64_t per_lane = static_cast<uint64_t>(scratch_bytes_), bytes = static_cast<uint64_t>(lanes.bytes);
  for_lanes(lanes.mask, [&](int l) {
    uint64_t at = lanes.at[l] & 0xffffffff;
    if (at + bytes > per_lane) outside |= uint64_t{1} << l;
    lanes.at[l] = (static_cast<uint64_t>(wave.id) * kLanes + static_cast<uint64_t>(l)) * per_lane + at;
  });
  if (outside && launch_.check)
    find(FindingKind::out_of_bounds, in, wave, outside,
         fmt::format("lane {} accesses its scratch beyond the {} bytes it has", first_of(outside), per_lane));
  lanes.mask &= ~outside;
  bool to_lds = in.operation->memory.kind == AccessKind::load_to_lds || in.decoded->modifiers.lds;
  bool load = in.operation->memory.kind == AccessKind::load && !to_lds;
  if (outside && load) store_loaded(in, wave, outside, nullptr, 0, in.dst);
  if (!lanes.mask) return;
  fill_inactive(lanes.mask, lanes.at);
  if (to_lds) {
    for (int l = 0; l < kLanes; ++l) lanes.at[l] += reinterpret_cast<uint64_t>(scratch_.data());
    return load_to_lds(in, wave, lanes);
  }
  if (!load) for_lanes(lanes.mask, [&](int l) { std::memset(&scratch_initialised_[lanes.at[l]], 1, bytes); });
  // Reads of scratch that nothing wrote are common in compiled code (whole registers are spilled), so they are no
  // finding.
  move_data(in, wave, lanes, scratch_.data(), in.dst, in.src[1].reg);
}

void Group::access_flat(const Instruction& in, Wave& wave, Lanes& lanes) {
  uint64_t shared = 0, own = 0;
  for_lanes(lanes.mask, [&](int l) {
    if (lanes.at[l] >> 32 == kSharedAperture >> 32) shared |= uint64_t{1} << l;
    if (lanes.at[l] >> 32 == kPrivateAperture >> 32) own |= uint64_t{1} << l;
  });
  uint64_t global = lanes.mask & ~shared & ~own;
  Lanes part = lanes;
  if (shared) {
    part.mask = shared;
    for (int l = 0; l < kLanes; ++l) part.at[l] = lanes.at[l] & 0xffffffff;
    access_lds_lanes(in, wave, part, in.src[1].reg, in.dst);
  }
  if (own) {
    part = lanes;
    part.mask = own;
    access_scratch(in, wave, part);
  }
  if (global) {
    part = lanes;
    part.mask = global;
    access_vector(in, wave, part);
  }
}

// Raw and structured buffers: lanes outside of the descriptor's range load zero and store nowhere, which is not an
// error.
void Group::access_buffer(const Instruction& in, Wave& wave) {
  const isa::Modifiers& m = in.decoded->modifiers;
  int at = in.src[2].reg;
  uint64_t base = (wave.pair(at) & 0xffffffffffffull), records = wave.sgpr[at + 2];
  uint64_t stride = wave.sgpr[at + 1] >> 16 & 0x3fff;
  uint64_t scalar = in.src[3].kind == OperandKind::off ? 0 : isa::read_scalar32(in.src[3], wave);
  const uint32_t* first = in.src[0].kind == OperandKind::vector ? wave.lanes(in.src[0].reg) : nullptr;
  if ((m.offen || m.idxen) && !first) return wave.stop("not modelled: " + in.decoded->text);
  if (m.offen && m.idxen && in.src[0].count < 2) return wave.stop("not modelled: " + in.decoded->text);
  Lanes lanes;
  lanes.bytes = in.operation->memory.bytes;
  // Scratch: the hardware interleaves lanes, so the scalar offset counts bytes of the whole wave, the others of a lane.
  if (base == kScratchDescriptor) {
    uint64_t common = scalar / static_cast<uint64_t>(launch_.wave_size) + static_cast<uint64_t>(m.offset);
    lanes.mask = wave.exec();
    for (int l = 0; l < kLanes; ++l) lanes.at[l] = common + (m.offen ? first[l] : 0);
    return access_scratch(in, wave, lanes);
  }
  uint64_t outside = 0;
  for_lanes(wave.exec(), [&](int l) {
    uint64_t index = m.idxen ? first[l] : 0,
             offset = static_cast<uint64_t>(m.offset) + (m.offen ? (m.idxen ? first[kLanes + l] : first[l]) : 0);
    uint64_t within = stride ? offset : offset + scalar;
    bool inside = stride ? index < records && offset + static_cast<uint64_t>(lanes.bytes) <=
                                                  std::max(stride, offset + static_cast<uint64_t>(lanes.bytes))
                         : within + static_cast<uint64_t>(lanes.bytes) <= records;
    lanes.at[l] = base + index * stride + offset + scalar;
    if (!inside) outside |= uint64_t{1} << l;
  });
  lanes.mask = wave.exec() & ~outside;
  bool load = in.operation->memory.kind == AccessKind::load;
  if (outside && load && !m.lds) store_loaded(in, wave, outside, nullptr, 0, in.dst);
  if (!lanes.mask) return;
  access_vector(in, wave, lanes);
}

void Group::access_scalar(const Instruction& in, Wave& wave) {
  size_t bytes = in.operation->memory.bytes;
  uint64_t offset = static_cast<uint64_t>(in.decoded->modifiers.offset);
  if (in.src[3].kind == OperandKind::integer)
    offset += in.src[3].value;
  else
    offset += isa::read_scalar32(in.src[3], wave);
  uint64_t base = wave.pair(in.src[2].reg);
  uint32_t values[16] = {};
  bool resource = in.src[2].count == 4;
  if (resource) {
    uint64_t records = wave.sgpr[in.src[2].reg + 2];
    base &= 0xffffffffffffull;
    if (offset + bytes > records) {
      if (in.dst + bytes / 4 <= 104) std::memcpy(&wave.sgpr[in.dst], values, std::max<size_t>(bytes, 4));
      return;
    }
  }
  uint64_t at = (base + offset) & ~uint64_t{bytes < 4 ? bytes - 1 : 3};
  Region* region = launch_.memory->find(at);
  bool inside = region && at >= region->base + region->valid_begin && at + bytes <= region->base + region->valid_end;
  Lanes lanes;
  lanes.bytes = static_cast<int>(bytes);
  lanes.mask = 1;
  lanes.at[0] = at;
  if (!inside) {
    if (launch_.check) report_outside(in, wave, lanes, 1);
  } else {
    std::memcpy(values, region->at(at - region->base), bytes);
    lanes.at[0] = at - region->base;
    if (launch_.check && region->track_initialised && !all_set(&region->initialised[lanes.at[0]], bytes))
      find(FindingKind::uninitialised_read, in, wave, 1,
           fmt::format("bytes {} to {} of {} are read, which nothing has written", lanes.at[0], lanes.at[0] + bytes - 1,
                       region->name));
    if (launch_.check && region->check_races) check_races(in, wave, lanes, *region, false);
  }
  if (in.operation->memory.sign_extend)
    values[0] = static_cast<uint32_t>(sign_extended(values[0], static_cast<int>(bytes)));
  bytes = std::max<size_t>(bytes, 4);
  if (in.dst + bytes / 4 <= 104)
    std::memcpy(&wave.sgpr[in.dst], values, bytes);
  else if (in.dst == isa::kVcc && bytes <= 8)
    std::memcpy(&wave.sgpr[in.dst], values, bytes);
}

}  // namespace hipvault::sim
