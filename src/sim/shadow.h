#pragma once
// Race shadow: for each cell the last accesses that matter, in one word. Two accesses of a cell race if one is a write,
// they come from different waves, and no barrier lies between (same work-group, same epoch) or they come from different
// work-groups of a launch.
//
//   bits  63-62 kind: none, read, read by several, written     61 the group has written it in this launch
//         60-37 group + 1 (all ones: several)                  36-22 epoch = barriers passed     21-18 wave     17-0
//         instruction
//
// Cells are dwords for accesses of whole dwords and bytes for smaller ones, in two arrays; every access looks at both
// (at the byte array only once a small access has happened). So two waves that write the two halves of a dword do not
// race, and common accesses cost one word a dword. Rejected: vector clocks; kernels order by barriers, and the
// last-block pattern is handled by fences (FenceClock). What it cannot see: an access hidden behind a later one of the
// same wave to the same cell.

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace hipvault::sim {

enum class CellKind : uint64_t { none, read, several, written };
constexpr uint64_t kSeveralGroups = 0xffffff;
constexpr uint64_t kMaxEpoch = 0x7fff;

struct Cell {
  uint64_t bits = 0;
  CellKind kind() const { return static_cast<CellKind>(bits >> 62); }
  bool wrote() const { return bits >> 61 & 1; }
  uint64_t group() const { return bits >> 37 & 0xffffff; }
  uint64_t epoch() const { return bits >> 22 & 0x7fff; }
  int wave() const { return static_cast<int>(bits >> 18 & 15); }
  int64_t instruction() const { return static_cast<int64_t>(bits & 0x3ffff); }
};

inline uint64_t make_cell(CellKind kind, bool wrote, uint64_t group, uint64_t epoch, int wave, uint32_t instruction) {
  return static_cast<uint64_t>(kind) << 62 | static_cast<uint64_t>(wrote) << 61 | (group & 0xffffff) << 37 |
         (epoch & 0x7fff) << 22 | static_cast<uint64_t>(wave & 15) << 18 |
         (instruction < 0x3ffff ? instruction : 0x3ffff);
}

inline bool cells_conflict(Cell old, Cell mine, bool write) {
  if (old.kind() == CellKind::none) return false;
  if (old.group() != mine.group()) return write || old.wrote();
  if (old.epoch() != mine.epoch()) return false;
  if (!write && old.kind() != CellKind::written) return false;
  return old.kind() == CellKind::several || old.wave() != mine.wave();
}

// What the cell holds after the access.
inline uint64_t cell_after(Cell old, Cell mine, bool write) {
  if (write || old.kind() == CellKind::none) return mine.bits;
  uint64_t sticky = old.group() == mine.group() ? old.bits & (uint64_t{1} << 61) : 0;
  if (old.group() != mine.group())
    return make_cell(CellKind::several, false, kSeveralGroups, mine.epoch(), mine.wave(),
                     static_cast<uint32_t>(mine.instruction()));
  if (old.epoch() != mine.epoch()) return mine.bits | sticky;
  if (old.kind() == CellKind::written) return old.bits;
  if (old.kind() == CellKind::read && old.wave() == mine.wave()) return old.bits;
  return make_cell(CellKind::several, old.wrote(), mine.group(), mine.epoch(), mine.wave(),
                   static_cast<uint32_t>(mine.instruction()));
}

template <int N>
using Cells __attribute__((vector_size(N * 8))) = uint64_t;

// cells_conflict and cell_after for N cells at once; false unless all are surely free of conflict. Doing it twice is
// doing it once, so lanes that meet in a cell need no care.
template <int N>
inline bool next_cells(Cells<N> old, uint64_t mine, bool write, Cells<N>& next) {
  using V = Cells<N>;
  constexpr uint64_t kKind = uint64_t{3} << 62, kWrote = uint64_t{1} << 61, kGroup = uint64_t{0xffffff} << 37;
  constexpr uint64_t kEpoch = kMaxEpoch << 22, kWave = uint64_t{15} << 18;
  constexpr uint64_t kSeveral = static_cast<uint64_t>(CellKind::several) << 62;
  constexpr uint64_t kWritten = static_cast<uint64_t>(CellKind::written) << 62;
  V kind = old & kKind, differs = old ^ mine;
  V untouched = V(old == 0), same_group = V((differs & kGroup) == 0), earlier = V((differs & kEpoch) != 0);
  V own = V((differs & kWave) == 0) & V(kind != kSeveral),
    harmless = V(kind != kWritten) & (write ? uint64_t{0} : ~uint64_t{0});
  V safe = untouched | (same_group & (earlier | own | harmless));
  uint64_t all = ~uint64_t{0};
  for (int i = 0; i < N; ++i) all &= safe[i];
  if (!all) return false;
  V sticky = old & kWrote, shared = sticky | ((mine & ~kKind) | kSeveral);
  V fresh = untouched | (write ? ~uint64_t{0} : uint64_t{0});
  V read = (earlier & (sticky | mine)) | (~earlier & ((own & old) | (~own & shared)));
  next = (fresh & mine) | (~fresh & read);
  return true;
}

// Neighbouring cells; nothing is changed if false.
template <int N>
inline bool update_cells_of(uint64_t* cells, uint64_t mine, bool write) {
  Cells<N> old, next;
  std::memcpy(&old, cells, sizeof old);
  if (!next_cells<N>(old, mine, write, next)) return false;
  std::memcpy(cells, &next, sizeof next);
  return true;
}
inline bool update_cells(uint64_t* cells, int count, uint64_t mine, bool write) {
  if (count == 1) return update_cells_of<1>(cells, mine, write);
  if (count == 2) return update_cells_of<2>(cells, mine, write);
  if (count == 4) return update_cells_of<4>(cells, mine, write);
  return false;
}

// A run of `count` cells, a multiple of 8. False: some may conflict; those before may already be updated.
inline bool update_run(uint64_t* cells, int count, uint64_t mine, bool write) {
  for (int i = 0; i < count; i += 8)
    if (!update_cells_of<8>(cells + i, mine, write)) return false;
  return true;
}

// The dword cells of 64 lanes' accesses at byte offsets `at`, multiples of 4. False as above.
inline bool update_scattered([[maybe_unused]] uint64_t* cells, [[maybe_unused]] const uint64_t* at,
                             [[maybe_unused]] int dwords, [[maybe_unused]] uint64_t mine, [[maybe_unused]] bool write) {
#if defined(__AVX512F__)
  for (int l = 0; l < 64; l += 8) {
    __m512i first = _mm512_srli_epi64(_mm512_loadu_si512(at + l), 2);
    for (int d = 0; d < dwords; ++d) {
      __m512i index = _mm512_add_epi64(first, _mm512_set1_epi64(d));
      Cells<8> next, old = reinterpret_cast<Cells<8>>(_mm512_i64gather_epi64(index, cells, 8));
      if (!next_cells<8>(old, mine, write, next)) return false;
      __m512i changed = reinterpret_cast<__m512i>(next ^ old);
      if (_mm512_test_epi64_mask(changed, changed))
        _mm512_i64scatter_epi64(cells, index, reinterpret_cast<__m512i>(next), 8);
    }
  }
  return true;
#else
  return false;
#endif
}

}  // namespace hipvault::sim
