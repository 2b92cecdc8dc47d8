// Conversions with a block scale (gfx950): small = round(wide / 2^(s-127)), wide = small * 2^(s-127), where s is the
// exponent field of an f32 operand; 255 gives NaN. One row of data an instruction. How hardware rounds and saturates
// beyond the manual's text is assumed: once, as the unscaled conversions do.
#include <utility>

#include "isa/float8.h"
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

enum class Wide : uint8_t { f32, f16, bf16 };

struct Conversion {
  const char* mnemonic;
  Float8 small;
  Wide wide;
  bool to_small, stochastic;
  int count;
  bool two_sources = false;  // values alternate between the first and the second source
};

#define HV_FROM(name, format)                                               \
  {"v_cvt_scalef32_f16_" name, format, Wide::f16, false, false, 1},         \
      {"v_cvt_scalef32_f32_" name, format, Wide::f32, false, false, 1},     \
      {"v_cvt_scalef32_sr_" name "_f32", format, Wide::f32, true, true, 1}, \
      {"v_cvt_scalef32_sr_" name "_f16", format, Wide::f16, true, true, 1}, \
      {"v_cvt_scalef32_sr_" name "_bf16", format, Wide::bf16, true, true, 1}
#define HV_PAIRS(name, format)                                                     \
  {"v_cvt_scalef32_pk_f32_" name, format, Wide::f32, false, false, 2},             \
      {"v_cvt_scalef32_pk_f16_" name, format, Wide::f16, false, false, 2},         \
      {"v_cvt_scalef32_pk_bf16_" name, format, Wide::bf16, false, false, 2},       \
      {"v_cvt_scalef32_pk_" name "_f32", format, Wide::f32, true, false, 2, true}, \
      {"v_cvt_scalef32_pk_" name "_f16", format, Wide::f16, true, false, 2},       \
      {"v_cvt_scalef32_pk_" name "_bf16", format, Wide::bf16, true, false, 2}
#define HV_BLOCKS(name, format)                                                         \
  {"v_cvt_scalef32_pk32_f32_" name, format, Wide::f32, false, false, 32},               \
      {"v_cvt_scalef32_pk32_f16_" name, format, Wide::f16, false, false, 32},           \
      {"v_cvt_scalef32_pk32_bf16_" name, format, Wide::bf16, false, false, 32},         \
      {"v_cvt_scalef32_2xpk16_" name "_f32", format, Wide::f32, true, false, 32, true}, \
      {"v_cvt_scalef32_pk32_" name "_f16", format, Wide::f16, true, false, 32},         \
      {"v_cvt_scalef32_pk32_" name "_bf16", format, Wide::bf16, true, false, 32},       \
      {"v_cvt_scalef32_sr_pk32_" name "_f32", format, Wide::f32, true, true, 32},       \
      {"v_cvt_scalef32_sr_pk32_" name "_f16", format, Wide::f16, true, true, 32},       \
      {"v_cvt_scalef32_sr_pk32_" name "_bf16", format, Wide::bf16, true, true, 32}

constexpr Conversion kConversions[] = {
    HV_FROM("fp8", kFp8Ocp),
    HV_FROM("bf8", kBf8Ocp),
    HV_PAIRS("fp8", kFp8Ocp),
    HV_PAIRS("bf8", kBf8Ocp),
    HV_PAIRS("fp4", kFp4),
    {"v_cvt_scalef32_sr_pk_fp4_f32", kFp4, Wide::f32, true, true, 2},
    {"v_cvt_scalef32_sr_pk_fp4_f16", kFp4, Wide::f16, true, true, 2},
    {"v_cvt_scalef32_sr_pk_fp4_bf16", kFp4, Wide::bf16, true, true, 2},
    HV_BLOCKS("fp6", kFp6),
    HV_BLOCKS("bf6", kBf6),
};
constexpr size_t kCount = std::size(kConversions);

constexpr int width(const Conversion& c) { return 1 + c.small.exponent_bits + c.small.fraction_bits; }

f64 scale_of(u32 bits) {
  int field = static_cast<int>(bits >> 23 & 255);
  return field == 255 ? __builtin_nan("") : std::ldexp(1.0, field - 127);
}
u32 next_random(u32 x) { return x << 1 ^ (x >> 31 ? 197u : 0u); }

// All of one lane's operands, as dwords.
struct Lane {
  u32 words[32] = {};
};
f64 wide_value(Wide type, const Lane& lane, int index) {
  if (type == Wide::f32) return std::bit_cast<f32>(lane.words[index]);
  u32 half = lane.words[index / 2] >> (16 * (index & 1)) & 0xffff;
  return type == Wide::bf16 ? wide_bf16(half) : static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(half)));
}
void put_bits(u32* words, int at, int bits, u32 value) {
  u64 field = static_cast<u64>(value) << (at % 32), mask = ((u64{1} << bits) - 1) << (at % 32);
  words[at / 32] = (words[at / 32] & ~static_cast<u32>(mask)) | static_cast<u32>(field);
  if (at % 32 + bits > 32)
    words[at / 32 + 1] = (words[at / 32 + 1] & ~static_cast<u32>(mask >> 32)) | static_cast<u32>(field >> 32);
}
u32 get_bits(const u32* words, int at, int bits) {
  u64 both = words[at / 32] | static_cast<u64>(at % 32 + bits > 32 ? words[at / 32 + 1] : 0) << 32;
  return static_cast<u32>(both >> (at % 32)) & ((1u << bits) - 1);
}

int dwords_of_wide(const Conversion& c) {
  int values = c.two_sources ? c.count / 2 : c.count;
  return c.wide == Wide::f32 ? values : (values + 1) / 2;
}

void to_small(const Conversion& c, const Instruction& in, Wave& wave) {
  int sources = in.sources, scale_at = sources - 1, op_sel = in.decoded->modifiers.op_sel;
  int bits = width(c), dwords = dwords_of_wide(c), out = (c.count * bits + 31) / 32;
  int first = c.count == 32 ? 0 : c.count * bits == 16 ? 16 * ((op_sel >> 2 | op_sel >> 3) & 1) : 8 * (op_sel >> 2 & 3);
  alignas(64) u32 values[64][kLanes], scale[kLanes], random[kLanes] = {};
  for (int d = 0; d < dwords; ++d) fetch_dwords(in.src[0], wave, d, values[d]);
  if (c.two_sources)
    for (int d = 0; d < dwords; ++d) fetch_dwords(in.src[1], wave, d, values[32 + d]);
  if (c.stochastic) fetch_dwords(in.src[1], wave, 0, random);
  fetch_dwords(in.src[scale_at], wave, 0, scale);
  bool saturate = wave.mode >> 23 & 1;
  for (u64 left = wave.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    Lane one, two;
    for (int d = 0; d < dwords; ++d) one.words[d] = values[d][l], two.words[d] = c.two_sources ? values[32 + d][l] : 0;
    u32 words[8], noise = random[l];
    for (int d = 0; d < out; ++d) words[d] = wave.lanes(in.dst + d)[l];
    f64 factor = 1.0 / scale_of(scale[l]);
    for (int i = 0; i < c.count; ++i) {
      f64 value = c.two_sources ? wide_value(c.wide, i & 1 ? two : one, i / 2) : wide_value(c.wide, one, i);
      u8 code = encode_float8_wide(c.small, value * factor, saturate, c.stochastic, noise);
      put_bits(words, first + i * bits, bits, code & ((1u << bits) - 1));
      noise = next_random(noise);
    }
    for (int d = 0; d < out; ++d) wave.lanes(in.dst + d)[l] = words[d];
  }
}

u32 narrowed(Wide type, f64 value) {
  if (type == Wide::f32) return std::bit_cast<u32>(static_cast<f32>(value));
  return type == Wide::bf16 ? narrow_bf16(static_cast<f32>(value)) : std::bit_cast<u16>(narrow_once(value));
}

void from_small(const Conversion& c, const Instruction& in, Wave& wave) {
  int bits = width(c), op_sel = in.decoded->modifiers.op_sel, dwords = (c.count * bits + 31) / 32;
  int first = c.count == 32 ? 0 : c.count * bits == 16 ? 16 * (op_sel & 1) : 8 * (op_sel & 3);
  alignas(64) u32 small[6][kLanes], scale[kLanes];
  for (int d = 0; d < dwords; ++d) fetch_dwords(in.src[0], wave, d, small[d]);
  fetch_dwords(in.src[1], wave, 0, scale);
  bool high = c.count == 1 && c.wide == Wide::f16 && (op_sel >> 3 & 1);
  for (u64 left = wave.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    u32 words[7] = {};
    for (int d = 0; d < dwords; ++d) words[d] = small[d][l];
    f64 factor = scale_of(scale[l]);
    for (int i = 0; i < c.count; ++i) {
      f64 value = decode_float8(c.small, static_cast<u8>(get_bits(words, first + i * bits, bits))) * factor;
      u32 result = narrowed(c.wide, value);
      u32& to = wave.lanes(in.dst + (c.wide == Wide::f32 ? i : i / 2))[l];
      if (c.wide == Wide::f32)
        to = result;
      else
        to = (i & 1) || high ? (to & 0xffff) | result << 16 : (to & 0xffff0000) | result;
    }
  }
}

template <size_t I>
void convert(const Instruction& in, Wave& wave) {
  if constexpr (kConversions[I].to_small)
    to_small(kConversions[I], in, wave);
  else
    from_small(kConversions[I], in, wave);
}

struct Table {
  Operation rows[kCount];
  template <size_t... I>
  constexpr explicit Table(std::index_sequence<I...>)
      : rows{custom(kConversions[I].mnemonic, &convert<I>).as(InstructionClass::valu, Fidelity::assumed)...} {}
};
constexpr Table kTable(std::make_index_sequence<kCount>{});

}  // namespace

std::span<const Operation> scale_convert_rows() { return kTable.rows; }

}  // namespace hipvault::isa
