#include "isa/dpp.h"

#include "isa/lanes.h"

namespace hipvault::isa {
namespace {

// The lane that lane l reads, or -1. Rows are 16 lanes.
int source_lane(const Modifiers& m, int l) {
  int row = l & ~15, in_row = l & 15, n = m.dpp_value;
  switch (m.dpp) {
    case DppKind::quad_perm:
      return (l & ~3) | (n >> (2 * (l & 3)) & 3);
    case DppKind::row_shl:
      return in_row + n < 16 ? l + n : -1;
    case DppKind::row_shr:
      return in_row >= n ? l - n : -1;
    case DppKind::row_ror:
      return row | ((in_row - n) & 15);
    case DppKind::wave_shl:
      return l + 1 < kLanes ? l + 1 : -1;
    case DppKind::wave_shr:
      return l - 1;
    case DppKind::wave_rol:
      return (l + 1) % kLanes;
    case DppKind::wave_ror:
      return (l + kLanes - 1) % kLanes;
    case DppKind::row_mirror:
      return row | (15 - in_row);
    case DppKind::row_half_mirror:
      return (l & ~7) | (7 - (l & 7));
    case DppKind::row_bcast:
      return n == 15 ? (row >= 16 ? row - 1 : -1) : (l >= 32 ? 31 : -1);
    case DppKind::row_newbcast:
    case DppKind::row_share:
      return row | (n & 15);
    case DppKind::row_xmask:
      return row | (in_row ^ (n & 15));
    case DppKind::dpp8:
      return (l & ~7) | (n >> (3 * (l & 7)) & 7);
    default:
      return -1;
  }
}

void permute(const u32* from, u32* to, const int* lanes) {
  for (int l = 0; l < kLanes; ++l) to[l] = lanes[l] < 0 ? 0 : from[lanes[l]];
}

}  // namespace

bool dpp_is_modelled(const Modifiers& m) { return m.dpp != DppKind::none; }

void execute_dpp(const Instruction& in, Wave& wave) {
  const Modifiers& m = in.decoded->modifiers;
  u64 exec = wave.exec(), enabled = 0;
  int lanes[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    bool selected = (m.row_mask >> (l / 16) & 1) && (m.bank_mask >> (l % 16 / 4) & 1);
    int from = source_lane(m, l);
    bool valid = from >= 0 && (m.fetch_inactive || (exec >> from & 1));
    lanes[l] = valid ? from : -1;
    if (selected && (valid || m.bound_ctrl || m.dpp == DppKind::dpp8)) enabled |= u64{1} << l;
  }
  permute(wave.lanes(in.dpp_source), wave.lanes(in.dpp_hidden), lanes);
  if (in.src[0].count == 2) permute(wave.lanes(in.dpp_source + 1), wave.lanes(in.dpp_hidden + 1), lanes);
  wave.set_pair(kExec, exec & enabled);
  in.inner(in, wave);
  wave.set_pair(kExec, exec);
}

}  // namespace hipvault::isa
