#include "isa/float8.h"
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

constexpr u8 kNan8 = 0x80;

// |value| as an integer count of the format's smallest steps at its exponent, rounded by adding `half_rule` bits before
// the cut.
u8 encode_rounded(Float8 format, f32 value, bool saturate, bool stochastic, u32 random) {
  u32 bits = std::bit_cast<u32>(value);
  u8 sign = static_cast<u8>(bits >> 24 & 0x80);
  int exponent = exponent_field(value) - 127;
  u8 largest = static_cast<u8>((1 << (format.exponent_bits + format.fraction_bits)) - 1);
  if (exponent == 128) return bits << 9 || !saturate ? kNan8 : static_cast<u8>(sign | largest);
  if (exponent_field(value) == 0) return 0;  // far below the smallest step
  int lowest = 1 - format.bias;              // exponent of the smallest normal
  u64 mantissa = static_cast<u64>((bits & 0x7fffff) | 0x800000) << 20;
  int cut = 43 - format.fraction_bits + (exponent < lowest ? lowest - exponent : 0);
  if (cut > 62) return 0;
  u64 kept = mantissa >> cut, rest = mantissa & ((u64{1} << cut) - 1), half = u64{1} << (cut - 1);
  if (stochastic) {
    u64 noise = cut >= 32 ? static_cast<u64>(random) << (cut - 32) : random >> (32 - cut);
    kept = (mantissa + noise) >> cut;
  } else if (rest > half || (rest == half && (kept & 1))) {
    ++kept;
  }
  // A carry out of the fraction moves into the exponent by itself.
  u64 field = exponent < lowest ? kept : kept + (static_cast<u64>(exponent - lowest) << format.fraction_bits);
  if (field > largest) return saturate ? static_cast<u8>(sign | largest) : kNan8;
  return field == 0 ? u8{0} : static_cast<u8>(sign | field);
}

struct DecodeTable {
  f32 value[2][256];
  DecodeTable() {
    for (int i = 0; i < 256; ++i)
      value[0][i] = decode_float8(kFp8, static_cast<u8>(i)), value[1][i] = decode_float8(kBf8, static_cast<u8>(i));
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
  int byte = (in.decoded->modifiers.op_sel & 1 ? 1 : 0) + (in.decoded->modifiers.op_sel & 2 ? 2 : 0);
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
template <bool kBrain>
void pack_two(const Instruction& in, Wave& wave) {
  Float8 format = kBrain ? kBf8 : kFp8;
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
template <bool kBrain>
void pack_stochastic(const Instruction& in, Wave& wave) {
  Float8 format = kBrain ? kBf8 : kFp8;
  Fetch<f32> fa;
  Fetch<u32> fr;
  const Aliased<f32>* a = fa.get(in.src[0], wave);
  const Aliased<u32>* random = fr.get(in.src[1], wave);
  int shift = 8 * (in.decoded->modifiers.op_sel >> 2 & 3);
  alignas(64) u32 r[kLanes];
  const u32* old = wave.lanes(in.dst);
  for (int l = 0; l < kLanes; ++l)
    r[l] = (old[l] & ~(0xffu << shift)) |
           static_cast<u32>(encode_float8_stochastic(format, a[l], random[l], saturates(wave))) << shift;
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

constexpr Operation with_handler(Operation op, Execute execute) {
  op.execute = execute;
  return op;
}
constexpr InstructionClass kValu = InstructionClass::valu;

constexpr Operation kRows[] = {
    with_handler(row<[](u32 a) { return std::bit_cast<f32>(a); }>("v_cvt_f32_fp8"), &unpack_one<0>),
    with_handler(row<[](u32 a) { return std::bit_cast<f32>(a); }>("v_cvt_f32_bf8"), &unpack_one<1>),
    with_handler(row<[](u32 a) { return static_cast<u64>(a); }>("v_cvt_pk_f32_fp8"), &unpack_two<0>),
    with_handler(row<[](u32 a) { return static_cast<u64>(a); }>("v_cvt_pk_f32_bf8"), &unpack_two<1>),
    with_handler(
        row<[](f32 a, f32 b) { return std::bit_cast<u32>(a + b); }>("v_cvt_pk_fp8_f32").as(kValu, Fidelity::assumed),
        &pack_two<false>),
    with_handler(
        row<[](f32 a, f32 b) { return std::bit_cast<u32>(a + b); }>("v_cvt_pk_bf8_f32").as(kValu, Fidelity::assumed),
        &pack_two<true>),
    with_handler(
        row<[](f32 a, u32 b) { return std::bit_cast<u32>(a) + b; }>("v_cvt_sr_fp8_f32").as(kValu, Fidelity::assumed),
        &pack_stochastic<false>),
    with_handler(
        row<[](f32 a, u32 b) { return std::bit_cast<u32>(a) + b; }>("v_cvt_sr_bf8_f32").as(kValu, Fidelity::assumed),
        &pack_stochastic<true>),
};

}  // namespace

f32 decode_float8(Float8 format, u8 bits) {
  if (bits == kNan8) return __builtin_nanf("");
  int field = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1),
      fraction = bits & ((1 << format.fraction_bits) - 1);
  f32 size = field == 0 ? std::ldexp(static_cast<f32>(fraction), 1 - format.bias - format.fraction_bits)
                        : std::ldexp(static_cast<f32>(fraction | 1 << format.fraction_bits),
                                     field - format.bias - format.fraction_bits);
  return bits & 0x80 ? -size : size;
}
u8 encode_float8(Float8 format, f32 value, bool saturate) { return encode_rounded(format, value, saturate, false, 0); }
u8 encode_float8_stochastic(Float8 format, f32 value, u32 random, bool saturate) {
  return encode_rounded(format, value, saturate, true, random);
}

std::span<const Operation> float8_rows() { return kRows; }

}  // namespace hipvault::isa
