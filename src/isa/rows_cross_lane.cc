// Operations between lanes that touch no memory: readlane and the LDS unit's permutations. (DPP is part of the
// encoding, program.cc.)
#include "isa/lanes.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

int first_lane(const Wave& wave) { return wave.exec() ? std::countr_zero(wave.exec()) : 0; }

u32 last_lane(const Wave& wave) { return wave.wave32 ? 31 : 63; }
u32 lane_value(const Source& source, const Wave& wave, int lane) {
  return source.kind == OperandKind::vector ? wave.lanes(source.reg)[lane] : read_scalar32(source, wave);
}

void read_lane(const Instruction& in, Wave& wave) {
  u32 lane = read_scalar32(in.src[1], wave);
  wave.sgpr[in.dst] = lane_value(in.src[0], wave, static_cast<int>(lane & last_lane(wave)));
}
void read_first_lane(const Instruction& in, Wave& wave) {
  wave.sgpr[in.dst] = lane_value(in.src[0], wave, first_lane(wave));
}
void write_lane(const Instruction& in, Wave& wave) {
  wave.lanes(in.dst)[read_scalar32(in.src[1], wave) & last_lane(wave)] = read_scalar32(in.src[0], wave);
}

// Each lane takes the data of the lane that its address names; inactive lanes give zero, or their value if asked for.
template <bool kFetchInactive>
void backward_permute(const Instruction& in, Wave& wave) {
  const u32* address = wave.lanes(in.src[0].reg);
  alignas(64) u32 data[kLanes], r[kLanes], mask[kLanes];
  fetch_dwords(in.src[1], wave, 0, data);
  expand_mask(wave.exec(), mask);
  u32 offset = static_cast<u32>(in.decoded->modifiers.offset), last = last_lane(wave);
  if (!kFetchInactive)
    for (int l = 0; l < kLanes; ++l) data[l] &= mask[l];
  for (int l = 0; l < kLanes; ++l) r[l] = data[(address[l] + offset) >> 2 & last];
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

// Each lane sends its data to the lane that its address names; the highest sender wins, lanes nobody sends to get zero.
void forward_permute(const Instruction& in, Wave& wave) {
  const u32* address = wave.lanes(in.src[0].reg);
  alignas(64) u32 data[kLanes], r[kLanes] = {};
  fetch_dwords(in.src[1], wave, 0, data);
  u32 offset = static_cast<u32>(in.decoded->modifiers.offset);
  for (u64 left = wave.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    r[(address[l] + offset) >> 2 & last_lane(wave)] = data[l];
  }
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

int mask_char(char c) { return c == 'p' ? 2 : c == 'i' ? 1 : c == '1' ? 3 : 0; }  // preserve, invert, set, clear
// The and/or/xor masks of "swizzle(BITMASK_PERM, \"00p11\")" and its relatives, within 32 lanes; or the quad
// permutation.
struct Swizzle {
  bool quad = false;
  u32 keep = 31, set = 0, flip = 0, lanes = 0xe4;
};
std::vector<u32> numbers_in(const std::string& text) {
  std::vector<u32> numbers;
  for (size_t i = text.find(','); i < text.size(); ++i)
    if (text[i] >= '0' && text[i] <= '9') {
      numbers.push_back(static_cast<u32>(std::strtoul(text.c_str() + i, nullptr, 10)));
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
    }
  return numbers;
}
Swizzle parse_swizzle(const Modifiers& m) {
  Swizzle s;
  u32 code = static_cast<u32>(m.offset);
  if (!m.offset_text) {
    s.quad = code >> 15 & 1;
    s.lanes = code & 0xff;
    s.keep = code & 31, s.set = code >> 5 & 31, s.flip = code >> 10 & 31;
    return s;
  }
  if (size_t quote = m.swizzle.find('"'); quote != std::string::npos) {
    s.keep = s.set = s.flip = 0;
    for (u32 i = 0; i < 5 && quote + 1 + i < m.swizzle.size(); ++i) {
      int c = mask_char(m.swizzle[quote + 1 + i]);
      u32 bit = 1u << (4 - i);
      if (c == 2 || c == 1) s.keep |= bit;
      if (c == 1) s.flip |= bit;
      if (c == 3) s.set |= bit;
    }
    return s;
  }
  std::vector<u32> n = numbers_in(m.swizzle);
  if (m.swizzle.find("QUAD_PERM") != std::string::npos && n.size() == 4)
    s.quad = true, s.lanes = n[0] | n[1] << 2 | n[2] << 4 | n[3] << 6;
  else if (m.swizzle.find("SWAP") != std::string::npos && !n.empty())
    s.flip = n[0];
  else if (m.swizzle.find("REVERSE") != std::string::npos && !n.empty())
    s.flip = n[0] - 1;
  else if (m.swizzle.find("BROADCAST") != std::string::npos && n.size() == 2)
    s.keep = 31 & ~(n[0] - 1), s.set = n[1];
  return s;
}
void swizzle(const Instruction& in, Wave& wave) {
  Swizzle s = parse_swizzle(in.decoded->modifiers);
  alignas(64) u32 data[kLanes], r[kLanes];
  fetch_dwords(in.src[0], wave, 0, data);
  for (u32 l = 0; l < kLanes; ++l) {
    u32 from =
        s.quad ? (l & ~3u) | (s.lanes >> (2 * (l & 3)) & 3) : (l & 32) | ((((l & 31) & s.keep) | s.set) ^ s.flip);
    r[l] = wave.exec() >> from & 1 ? data[from] : 0;
  }
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

constexpr InstructionClass kLds = InstructionClass::lds;
constexpr Operation kRows[] = {
    custom("v_readlane_b32", &read_lane),
    custom("v_readfirstlane_b32", &read_first_lane),
    custom("v_writelane_b32", &write_lane),
    custom("ds_bpermute_b32", &backward_permute<false>, kLds),
    custom("ds_bpermute_fi_b32", &backward_permute<true>, kLds),
    custom("ds_permute_b32", &forward_permute, kLds),
    custom("ds_swizzle_b32", &swizzle, kLds),
};

}  // namespace

std::span<const Operation> cross_lane_rows() { return kRows; }

}  // namespace hipvault::isa
