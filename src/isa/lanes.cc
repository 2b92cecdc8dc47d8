#include "isa/lanes.h"

namespace hipvault::isa {
namespace {

u32 select_sub_dword(u32 value, SubDword select, bool sign_extend) {
  int index = static_cast<int>(select);
  if (select == SubDword::dword) return value;
  if (index < 4)
    return sign_extend ? static_cast<u32>(static_cast<i32>(static_cast<i8>(value >> (8 * index))))
                       : value >> (8 * index) & 0xff;
  int shift = 16 * (index - 4);
  return sign_extend ? static_cast<u32>(static_cast<i32>(static_cast<i16>(value >> shift))) : value >> shift & 0xffff;
}

void flush_lanes(u32* values) {
  for (int l = 0; l < kLanes; ++l) values[l] = (values[l] & 0x7f800000) ? values[l] : values[l] & 0x80000000;
}

}  // namespace

u64 read_special(const Source& source, const Wave& wave) {
  if (source.kind == OperandKind::vector)
    return wave.lanes(source.reg)[std::countr_zero(wave.exec() | (u64{1} << 63)) % kLanes];
  switch (source.value) {
    case 0:
      return wave.scc;
    case 1:
      return wave.vcc() == 0;
    case 2:
      return wave.exec() == 0;
    case 3:
      return wave.shared_base;
    case 4:
      return wave.private_base;
    case 5:
      return wave.shared_base | 0xffffffff;
    case 6:
      return wave.private_base | 0xffffffff;
    default:
      return 0;
  }
}

void fetch_dwords(const Source& source, const Wave& wave, int dword, u32* out) {
  if (source.kind == OperandKind::vector) {
    const u32* from = wave.lanes(source.reg + dword);
    if (source.select == SubDword::dword) {
      std::memcpy(out, from, kLanes * 4);
      return;
    }
    bool sign = source.modifiers & kSignExtend;
    for (int l = 0; l < kLanes; ++l) out[l] = select_sub_dword(from[l], source.select, sign);
    return;
  }
  u64 wide = dword || dwords_of(source.type) == 2 ? read_scalar64(source, wave) : read_scalar32(source, wave);
  u32 value = select_sub_dword(static_cast<u32>(wide >> (32 * dword)), source.select, source.modifiers & kSignExtend);
  for (int l = 0; l < kLanes; ++l) out[l] = value;
}

void modify_f32(const Source& source, const Wave& wave, u32* out) {
  u32 keep = source.modifiers & kAbsolute ? 0x7fffffff : 0xffffffff;
  u32 flip = source.modifiers & kNegate ? 0x80000000 : 0;
  for (int l = 0; l < kLanes; ++l) out[l] = (out[l] & keep) ^ flip;
  if (wave.flush_f32_in && source.type == ValueType::f32) flush_lanes(out);
}

void fetch64(const Source& source, const Wave& wave, u64* out) {
  if (source.kind == OperandKind::vector) {
    const u32* low = wave.lanes(source.reg);
    const u32* high = wave.lanes(source.reg + 1);
    for (int l = 0; l < kLanes; ++l) out[l] = low[l] | static_cast<u64>(high[l]) << 32;
  } else {
    u64 value = read_scalar64(source, wave);
    for (int l = 0; l < kLanes; ++l) out[l] = value;
  }
  bool flushes = wave.flush_wide_in && source.type == ValueType::f64;
  if (!source.modifiers && !flushes) return;
  constexpr u64 kExponent = u64{0x7ff} << 52, kSign = u64{1} << 63;
  u64 keep = source.modifiers & kAbsolute ? ~kSign : ~u64{0};
  u64 flip = source.modifiers & kNegate ? kSign : 0;
  for (int l = 0; l < kLanes; ++l) out[l] = (out[l] & keep) ^ flip;
  if (flushes)
    for (int l = 0; l < kLanes; ++l) out[l] = out[l] & kExponent ? out[l] : out[l] & kSign;
}

void fetch16(const Source& source, const Wave& wave, u16* out) {
  int shift = source.modifiers & kHigh ? 16 : 0;
  if (source.kind == OperandKind::vector && source.select == SubDword::dword) {
    const u32* from = wave.lanes(source.reg);
    for (int l = 0; l < kLanes; ++l) out[l] = static_cast<u16>(from[l] >> shift);
  } else {
    alignas(64) u32 raw[kLanes];
    fetch_dwords(source, wave, 0, raw);
    for (int l = 0; l < kLanes; ++l) out[l] = static_cast<u16>(raw[l] >> shift);
  }
  bool flushes = wave.flush_wide_in && source.type == ValueType::f16;
  if (!(source.modifiers & (kNegate | kAbsolute)) && !flushes) return;
  u16 keep = source.modifiers & kAbsolute ? 0x7fff : 0xffff;
  u16 flip = source.modifiers & kNegate ? 0x8000 : 0;
  for (int l = 0; l < kLanes; ++l) out[l] = static_cast<u16>((out[l] & keep) ^ flip);
  if (flushes)
    for (int l = 0; l < kLanes; ++l) out[l] = out[l] & 0x7c00 ? out[l] : out[l] & 0x8000;
}

// kHigh: the low result reads the high half; kHighOfHigh: the high result does. kNegate/kNegateHigh: per result.
void fetch_half2(const Source& source, const Wave& wave, u32* out) {
  alignas(64) u32 raw[kLanes];
  fetch_dwords(source, wave, 0, raw);
  int low = source.modifiers & kHigh ? 16 : 0, high = source.modifiers & kHighOfHigh ? 16 : 0;
  u32 flip = (source.modifiers & kNegate ? 0x8000u : 0) | (source.modifiers & kNegateHigh ? 0x80000000u : 0);
  for (int l = 0; l < kLanes; ++l) out[l] = ((raw[l] >> low & 0xffff) | (raw[l] >> high) << 16) ^ flip;
}

void fetch_pair32(const Source& source, const Wave& wave, u64* out) {
  alignas(64) u32 low[kLanes], high[kLanes];
  fetch_dwords(source, wave, source.modifiers & kHigh ? 1 : 0, low);
  fetch_dwords(source, wave, source.modifiers & kHighOfHigh ? 1 : 0, high);
  u32 flip_low = source.modifiers & kNegate ? 0x80000000u : 0,
      flip_high = source.modifiers & kNegateHigh ? 0x80000000u : 0;
  for (int l = 0; l < kLanes; ++l) out[l] = (low[l] ^ flip_low) | static_cast<u64>(high[l] ^ flip_high) << 32;
}

void finish_f32(const Instruction& in, const Wave& wave, f32* values) {
  constexpr f32 kScale[4] = {1, 2, 4, 0.5f};
  f32 scale = kScale[in.omod];
  if (in.omod)
    for (int l = 0; l < kLanes; ++l) values[l] *= scale;
  if (in.clamp) {
    f32 nan = wave.dx10_clamp ? 0.0f : __builtin_nanf("");
    for (int l = 0; l < kLanes; ++l) {
      f32 v = values[l];
      values[l] = v != v ? nan : v > 1 ? 1.0f : v > 0 ? v : 0.0f;
    }
  }
  if (!wave.flush_f32_out) return;
  u32 bits[kLanes];
  std::memcpy(bits, values, sizeof bits);
  flush_lanes(bits);
  std::memcpy(values, bits, sizeof bits);
}

void finish_f64(const Instruction& in, const Wave& wave, f64* values) {
  constexpr f64 kScale[4] = {1, 2, 4, 0.5};
  for (int l = 0; l < kLanes; ++l) {
    f64 v = values[l] * kScale[in.omod];
    if (in.clamp) v = v != v && wave.dx10_clamp ? 0.0 : v > 1 ? 1.0 : v > 0 ? v : v != v ? v : 0.0;
    u64 bits = std::bit_cast<u64>(v);
    if (wave.flush_wide_out && !(bits >> 52 & 0x7ff)) bits &= u64{1} << 63;
    values[l] = std::bit_cast<f64>(bits);
  }
}

void finish_f16(const Instruction& in, const Wave& wave, u16* values) {
  constexpr f32 kScale[4] = {1, 2, 4, 0.5f};
  for (int l = 0; l < kLanes; ++l) {
    f32 v = static_cast<f32>(std::bit_cast<f16>(values[l])) * kScale[in.omod];
    if (in.clamp) v = v != v && wave.dx10_clamp ? 0.0f : v > 1 ? 1.0f : v > 0 ? v : v != v ? v : 0.0f;
    u16 bits = std::bit_cast<u16>(static_cast<f16>(v));
    values[l] = wave.flush_wide_out && !(bits & 0x7c00) ? bits & 0x8000 : bits;
  }
}

// SDWA destinations: the selected part is written; the rest is zero, the sign, or kept.
void commit32(const Instruction& in, Wave& wave, const u32* values) {
  alignas(64) u32 r[kLanes];
  const u32* old = wave.lanes(in.dst);
  int select = static_cast<int>(in.dst_select);
  int width = select < 4   ? 8
              : select < 6 ? 16
                           : 32,
      shift = select < 4   ? 8 * select
              : select < 6 ? 16 * (select - 4)
                           : 0;
  u32 field = width == 32 ? ~0u : ((1u << width) - 1) << shift;
  for (int l = 0; l < kLanes; ++l) {
    u32 part = width == 32 ? values[l] : (values[l] << shift) & field;
    u32 rest = in.dst_unused == 2 ? old[l] & ~field : 0;
    if (in.dst_unused == 1 && width != 32 && (part >> (shift + width - 1) & 1))
      rest = ~(field | ((1u << shift) - 1));  // ones above the part, zeros below
    r[l] = part | rest;
  }
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

void commit64(const Instruction& in, Wave& wave, const u64* values) {
  alignas(64) u32 low[kLanes], high[kLanes];
  for (int l = 0; l < kLanes; ++l) low[l] = static_cast<u32>(values[l]), high[l] = static_cast<u32>(values[l] >> 32);
  store_masked(wave.lanes(in.dst), low, wave.exec());
  store_masked(wave.lanes(in.dst + 1), high, wave.exec());
}

void commit16(const Instruction& in, Wave& wave, const u16* values) {
  alignas(64) u32 r[kLanes];
  const u32* old = wave.lanes(in.dst);
  if (in.dst_high) {
    for (int l = 0; l < kLanes; ++l) r[l] = (old[l] & 0xffff) | static_cast<u32>(values[l]) << 16;
  } else if (in.keep_high) {
    for (int l = 0; l < kLanes; ++l) r[l] = (old[l] & 0xffff0000) | values[l];
  } else {
    for (int l = 0; l < kLanes; ++l) r[l] = values[l];
  }
  if (in.dst_select != SubDword::dword)
    commit32(in, wave, r);
  else
    store_masked(wave.lanes(in.dst), r, wave.exec());
}

void commit_mask(const Instruction& in, Wave& wave, u64 mask) { wave.set_mask(in.dst, mask & wave.exec()); }

const char* name(InstructionClass c) {
  constexpr const char* kNames[kInstructionClasses] = {"valu",    "trans",     "valu64",     "mfma",   "salu",
                                                       "smem",    "vmem_load", "vmem_store", "atomic", "lds",
                                                       "barrier", "branch",    "wait",       "other"};
  return kNames[static_cast<int>(c)];
}

}  // namespace hipvault::isa
