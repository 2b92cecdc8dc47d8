#include "isa/float8.h"
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

constexpr int code_bits(Float8 f) { return f.exponent_bits + f.fraction_bits; }
constexpr u8 sign_bit(Float8 f) { return static_cast<u8>(1 << code_bits(f)); }
// The code of the largest finite value.
constexpr u8 largest(Float8 f) {
  int all = (1 << code_bits(f)) - 1;
  if (f.specials == Float8Specials::ieee) return static_cast<u8>(all - (1 << f.fraction_bits));
  return static_cast<u8>(f.specials == Float8Specials::one_nan ? all - 1 : all);
}
u8 nan_code(Float8 f, u8 sign) {
  if (f.specials == Float8Specials::fnuz) return sign_bit(f);
  return static_cast<u8>(sign | ((1 << code_bits(f)) - 1));  // without NaNs: the largest
}
u8 beyond(Float8 f, u8 sign, bool saturate) {
  if (saturate || f.specials == Float8Specials::none) return static_cast<u8>(sign | largest(f));
  return f.specials == Float8Specials::ieee ? static_cast<u8>(sign | (largest(f) + 1)) : nan_code(f, sign);
}

// |value| as an integer count of the format's smallest steps at its exponent, cut after adding half a step (or noise).
u8 encode_rounded(Float8 format, f64 value, bool saturate, bool stochastic, u32 random) {
  u64 bits = std::bit_cast<u64>(value);
  u8 sign = bits >> 63 ? sign_bit(format) : u8{0};
  if (value != value) return nan_code(format, sign);
  if (std::isinf(value)) return beyond(format, sign, saturate);
  u8 zero = format.specials == Float8Specials::fnuz ? u8{0} : sign;
  int exponent = exponent_field(value) - 1023;
  if (exponent == -1023) return zero;  // far below the smallest step
  int lowest = 1 - format.bias;        // exponent of the smallest normal
  u64 mantissa = (bits & 0xfffffffffffffull) | u64{1} << 52;
  int cut = 52 - format.fraction_bits + (exponent < lowest ? lowest - exponent : 0);
  if (cut > 62) return zero;
  u64 kept = mantissa >> cut, rest = mantissa & ((u64{1} << cut) - 1), half = u64{1} << (cut - 1);
  if (stochastic) {
    u64 noise = cut >= 32 ? static_cast<u64>(random) << (cut - 32) : random >> (32 - cut);
    kept = (mantissa + noise) >> cut;
  } else if (rest > half || (rest == half && (kept & 1))) {
    ++kept;
  }
  // A carry out of the fraction moves into the exponent by itself.
  u64 field = exponent < lowest ? kept : kept + (static_cast<u64>(exponent - lowest) << format.fraction_bits);
  if (field > largest(format)) return beyond(format, sign, saturate);
  return field == 0 ? zero : static_cast<u8>(sign | field);
}

constexpr Float8 kFormats[] = {kFp8, kBf8, kFp8Ocp, kBf8Ocp};
struct DecodeTable {
  f32 value[4][256];
  DecodeTable() {
    for (int f = 0; f < 4; ++f)
      for (int i = 0; i < 256; ++i) value[f][i] = decode_float8(kFormats[f], static_cast<u8>(i));
  }
};
const DecodeTable& decode_table() {
  static const DecodeTable table;
  return table;
}

// v_cvt_f32_fp8: one byte, chosen by SDWA or op_sel (which counts bytes here).
template <int kFormat>
void unpack_one(const Instruction& in, Wave& wave) {
  const f32* table = decode_table().value[kFormat];
  Source source = in.src[0];
  int byte = in.decoded->modifiers.byte_sel | (in.decoded->modifiers.op_sel & 3);
  source.modifiers = 0;
  alignas(64) u32 raw[kLanes];
  alignas(64) Aliased<f32> r[kLanes];
  fetch_dwords(source, wave, 0, raw);
  for (int l = 0; l < kLanes; ++l) r[l] = table[raw[l] >> (8 * byte) & 0xff];
  commit<f32>(in, wave, r);
}

template <int kFormat>
void unpack_two(const Instruction& in, Wave& wave) {
  const f32* table = decode_table().value[kFormat];
  Source source = in.src[0];
  int shift = source.modifiers & kHigh ? 16 : 0;
  source.modifiers = 0;
  alignas(64) u32 raw[kLanes];
  alignas(64) u64 r[kLanes];
  fetch_dwords(source, wave, 0, raw);
  for (int l = 0; l < kLanes; ++l)
    r[l] = std::bit_cast<u32>(table[raw[l] >> shift & 0xff]) |
           static_cast<u64>(std::bit_cast<u32>(table[raw[l] >> (shift + 8) & 0xff])) << 32;
  commit64(in, wave, r);
}

bool saturates(const Wave& wave) { return wave.mode >> 23 & 1; }

// Two values into one half of the destination; op_sel's last bit says which half, the other is kept.
template <int kFormat>
void pack_two(const Instruction& in, Wave& wave) {
  constexpr Float8 format = kFormats[kFormat];
  Fetch<f32> fa, fb;
  const Aliased<f32>* a = fa.get(in.src[0], wave);
  const Aliased<f32>* b = fb.get(in.src[1], wave);
  bool saturate = saturates(wave), high = in.dst_high;
  alignas(64) u32 r[kLanes];
  const u32* old = wave.lanes(in.dst);
  for (int l = 0; l < kLanes; ++l) {
    u32 pair = encode_float8(format, a[l], saturate) | static_cast<u32>(encode_float8(format, b[l], saturate)) << 8;
    r[l] = high ? (old[l] & 0xffff) | pair << 16 : (old[l] & 0xffff0000) | pair;
  }
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

// One value with stochastic rounding into the byte that op_sel[3:2] names.
template <int kFormat>
void pack_stochastic(const Instruction& in, Wave& wave) {
  constexpr Float8 format = kFormats[kFormat];
  Fetch<f32> fa;
  Fetch<u32> fr;
  const Aliased<f32>* a = fa.get(in.src[0], wave);
  const Aliased<u32>* random = fr.get(in.src[1], wave);
  int shift = 8 * (in.decoded->modifiers.byte_sel | (in.decoded->modifiers.op_sel >> 2 & 3));
  alignas(64) u32 r[kLanes];
  const u32* old = wave.lanes(in.dst);
  for (int l = 0; l < kLanes; ++l)
    r[l] = (old[l] & ~(0xffu << shift)) |
           static_cast<u32>(encode_float8_stochastic(format, a[l], random[l], saturates(wave))) << shift;
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

constexpr InstructionClass kValu = InstructionClass::valu;
constexpr Fidelity kAssumed = Fidelity::assumed;

// The same mnemonics read and write other formats on other archs.
#define HV_FLOAT8(fp8, bf8, archs)                                                                             \
  typed<[](u32 a) { return std::bit_cast<f32>(a); }>("v_cvt_f32_fp8", &unpack_one<fp8>).where(archs),          \
      typed<[](u32 a) { return std::bit_cast<f32>(a); }>("v_cvt_f32_bf8", &unpack_one<bf8>).where(archs),      \
      typed<[](u32 a) { return static_cast<u64>(a); }>("v_cvt_pk_f32_fp8", &unpack_two<fp8>).where(archs),     \
      typed<[](u32 a) { return static_cast<u64>(a); }>("v_cvt_pk_f32_bf8", &unpack_two<bf8>).where(archs),     \
      typed<[](f32 a, f32 b) { return std::bit_cast<u32>(a + b); }>("v_cvt_pk_fp8_f32", &pack_two<fp8>)        \
          .as(kValu, kAssumed)                                                                                 \
          .where(archs),                                                                                       \
      typed<[](f32 a, f32 b) { return std::bit_cast<u32>(a + b); }>("v_cvt_pk_bf8_f32", &pack_two<bf8>)        \
          .as(kValu, kAssumed)                                                                                 \
          .where(archs),                                                                                       \
      typed<[](f32 a, u32 b) { return std::bit_cast<u32>(a) + b; }>("v_cvt_sr_fp8_f32", &pack_stochastic<fp8>) \
          .as(kValu, kAssumed)                                                                                 \
          .where(archs),                                                                                       \
      typed<[](f32 a, u32 b) { return std::bit_cast<u32>(a) + b; }>("v_cvt_sr_bf8_f32", &pack_stochastic<bf8>) \
          .as(kValu, kAssumed)                                                                                 \
          .where(archs)

constexpr Operation kRows[] = {
    HV_FLOAT8(0, 1, Only::fnuz_float8),
    HV_FLOAT8(2, 3, Only::ocp_float8),
};

}  // namespace

f32 decode_float8(Float8 format, u8 bits) {
  int field = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1),
      fraction = bits & ((1 << format.fraction_bits) - 1), code = bits & (sign_bit(format) - 1);
  bool negative = bits & sign_bit(format);
  f32 size = field == 0 ? std::ldexp(static_cast<f32>(fraction), 1 - format.bias - format.fraction_bits)
                        : std::ldexp(static_cast<f32>(fraction | 1 << format.fraction_bits),
                                     field - format.bias - format.fraction_bits);
  if (format.specials == Float8Specials::fnuz && negative && code == 0) return __builtin_nanf("");
  if (code > largest(format))
    size = format.specials == Float8Specials::ieee && fraction == 0 ? __builtin_inff() : __builtin_nanf("");
  return negative ? -size : size;
}
u8 encode_float8(Float8 format, f32 value, bool saturate) { return encode_rounded(format, value, saturate, false, 0); }
u8 encode_float8_stochastic(Float8 format, f32 value, u32 random, bool saturate) {
  return encode_rounded(format, value, saturate, true, random);
}
u8 encode_float8_wide(Float8 format, f64 value, bool saturate, bool stochastic, u32 random) {
  return encode_rounded(format, value, saturate, stochastic, random);
}

std::span<const Operation> float8_rows() { return kRows; }

}  // namespace hipvault::isa
