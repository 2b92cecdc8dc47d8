// Conversions. To integers: truncated (unless the name says otherwise), saturated, NaN gives zero.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

template <class I, class F>
inline I to_int(F x) {
  constexpr F kLow = static_cast<F>(std::numeric_limits<I>::min()),
              kHigh = static_cast<F>(std::numeric_limits<I>::max());
  F bounded = x > kLow ? x : kLow;  // NaN too
  bool above = x >= kHigh;
  I r = static_cast<I>(above ? F(0) : bounded);
  r = above ? std::numeric_limits<I>::max() : r;
  return x != x ? I(0) : r;
}

inline f32 byte_f32(u32 a, int i) { return static_cast<f32>(static_cast<i32>(a >> (8 * i) & 0xff)); }

inline u32 pack16(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
inline i32 clamp_to(i32 x, i32 low, i32 high) { return x < low ? low : x > high ? high : x; }

inline i16 norm_i16(f32 x) {
  f32 bounded = x > 1 ? 1.0f : x < -1 ? -1.0f : x;
  return to_int<i16, f32>(__builtin_elementwise_roundeven(bounded * 32767.0f));
}
inline u16 norm_u16(f32 x) {
  f32 bounded = x > 1 ? 1.0f : x < 0 ? 0.0f : x;
  return to_int<u16, f32>(__builtin_elementwise_roundeven(bounded * 65535.0f));
}

// Stochastic rounding: noise is added below the last kept bit, then the rest is cut. Its upper bits take part.
inline u16 stochastic_bf16(f32 x, u32 noise) {
  u32 bits = std::bit_cast<u32>(x);
  bool finite = (bits & 0x7f800000) != 0x7f800000;
  return static_cast<u16>(finite ? (bits + (noise >> 16)) >> 16 : x != x ? bits >> 16 | 0x40 : bits >> 16);
}
inline u16 stochastic_f16(f32 x, u32 noise) {
  u32 bits = std::bit_cast<u32>(x);
  int exponent = exponent_field(x) - 127;
  if (exponent == 128) return std::bit_cast<u16>(static_cast<f16>(x));
  u32 sign = bits >> 16 & 0x8000;
  u64 mantissa = static_cast<u64>((bits & 0x7fffff) | 0x800000) << 20;
  int cut = 33 + (exponent < -14 ? -14 - exponent : 0);
  if (exponent == -127 || cut > 62) return static_cast<u16>(sign);
  u64 kept = (mantissa + (static_cast<u64>(noise) << (cut - 32))) >> cut;
  u64 field = exponent < -14 ? kept : kept + (static_cast<u64>(exponent + 14) << 10);
  return static_cast<u16>(sign | (field > 0x7bff ? 0x7c00 : field));
}

// f64 -> f32 on 64 lanes is exact meaning: one rounding.
constexpr Operation kRows[] = {
    row<[](f32 a) { return to_int<i32>(a); }>("v_cvt_i32_f32"),
    row<[](f32 a) { return to_int<u32>(a); }>("v_cvt_u32_f32"),
    row<[](f32 a) { return to_int<i32>(__builtin_elementwise_floor(a)); }>("v_cvt_flr_i32_f32"),
    row<[](f32 a) { return to_int<i32>(__builtin_elementwise_floor(a + 0.5f)); }>("v_cvt_rpi_i32_f32"),
    row<[](i32 a) { return static_cast<f32>(a); }>("v_cvt_f32_i32"),
    row<[](u32 a) { return static_cast<f32>(a); }>("v_cvt_f32_u32"),
    row<[](u32 a) { return byte_f32(a, 0); }>("v_cvt_f32_ubyte0"),
    row<[](u32 a) { return byte_f32(a, 1); }>("v_cvt_f32_ubyte1"),
    row<[](u32 a) { return byte_f32(a, 2); }>("v_cvt_f32_ubyte2"),
    row<[](u32 a) { return byte_f32(a, 3); }>("v_cvt_f32_ubyte3"),
    row<[](f64 a) { return to_int<i32>(a); }>("v_cvt_i32_f64"),
    row<[](f64 a) { return to_int<u32>(a); }>("v_cvt_u32_f64"),
    row<[](i32 a) { return static_cast<f64>(a); }>("v_cvt_f64_i32"),
    row<[](u32 a) { return static_cast<f64>(a); }>("v_cvt_f64_u32"),
    row<[](f32 a) { return static_cast<f64>(a); }>("v_cvt_f64_f32"),
    row<[](f64 a) { return static_cast<f32>(a); }>("v_cvt_f32_f64"),
    row<[](f16 a) { return static_cast<f32>(a); }>("v_cvt_f32_f16"),
    row<[](f32 a) { return static_cast<f16>(a); }>("v_cvt_f16_f32"),
    row<[](u16 a) { return static_cast<f16>(static_cast<f32>(a)); }>("v_cvt_f16_u16"),
    row<[](i16 a) { return static_cast<f16>(static_cast<f32>(a)); }>("v_cvt_f16_i16"),
    row<[](f16 a) { return static_cast<u16>(to_int<u16, f32>(static_cast<f32>(a))); }>("v_cvt_u16_f16"),
    row<[](f16 a) { return static_cast<i16>(to_int<i16, f32>(static_cast<f32>(a))); }>("v_cvt_i16_f16"),
    row<[](f32 a, f32 b) { return pack16(toward_zero_f16(a), toward_zero_f16(b)); }>("v_cvt_pkrtz_f16_f32"),
    row<[](i32 a, i32 b) {
      return pack16(static_cast<u32>(clamp_to(a, -32768, 32767)), static_cast<u32>(clamp_to(b, -32768, 32767)));
    }>("v_cvt_pk_i16_i32"),
    row<[](u32 a, u32 b) { return pack16(a > 0xffff ? 0xffff : a, b > 0xffff ? 0xffff : b); }>("v_cvt_pk_u16_u32"),
    row<[](f32 a, f32 b) {
      auto norm = [](f32 x) {
        return static_cast<u32>(to_int<i32>(__builtin_elementwise_roundeven((x > 1    ? 1.0f
                                                                             : x < -1 ? -1.0f
                                                                                      : x) *
                                                                            32767.0f)));
      };
      return pack16(norm(a), norm(b));
    }>("v_cvt_pknorm_i16_f32"),
    row<[](f32 a, f32 b) {
      auto norm = [](f32 x) {
        return to_int<u32>(__builtin_elementwise_roundeven((x > 1 ? 1.0f : x < 0 ? 0.0f : x) * 65535.0f));
      };
      return pack16(norm(a), norm(b));
    }>("v_cvt_pknorm_u16_f32"),
    row<[](f32 a, u32 byte, u32 old) {
      u32 value = to_int<u8, f32>(a);
      u32 shift = 8 * (byte & 3);
      return (old & ~(0xffu << shift)) | value << shift;
    }>("v_cvt_pk_u8_f32")
        .as(InstructionClass::valu, Fidelity::assumed),
    row<[](u32 a) { return static_cast<f32>(static_cast<i32>(a << 28) >> 28) / 16.0f; }>("v_cvt_off_f32_i4"),
    row<[](f16 a) { return norm_i16(static_cast<f32>(a)); }>("v_cvt_norm_i16_f16"),
    row<[](f16 a) { return norm_u16(static_cast<f32>(a)); }>("v_cvt_norm_u16_f16"),
    row<[](f16 a, f16 b) {
      return pack16(static_cast<u16>(norm_i16(static_cast<f32>(a))), static_cast<u16>(norm_i16(static_cast<f32>(b))));
    }>("v_cvt_pknorm_i16_f16"),
    row<[](f16 a, f16 b) { return pack16(norm_u16(static_cast<f32>(a)), norm_u16(static_cast<f32>(b))); }>(
        "v_cvt_pknorm_u16_f16"),
    row<[](f32 a, f32 b) {
      return pack16(static_cast<u16>(to_int<i16, f32>(a)), static_cast<u16>(to_int<i16, f32>(b)));
    }>("v_cvt_pk_i16_f32"),
    row<[](f32 a, f32 b) { return pack16(to_int<u16, f32>(a), to_int<u16, f32>(b)); }>("v_cvt_pk_u16_f32"),
    row<[](f32 a, u32 byte, u32 old) {
      u32 shift = 8 * (byte & 3);
      return (old & ~(0xffu << shift)) | static_cast<u32>(to_int<u8, f32>(a)) << shift;
    }>("v_cvt_pkaccum_u8_f32")
        .with(kTiedDestination),
    row<[](u16 a) { return wide_bf16(a); }>("v_cvt_f32_bf16"),
    row<[](f32 a, f32 b) { return pack16(narrow_bf16(a), narrow_bf16(b)); }>("v_cvt_pk_bf16_f32"),
    row<[](f32 a, f32 b) {
      return pack16(std::bit_cast<u16>(static_cast<f16>(a)), std::bit_cast<u16>(static_cast<f16>(b)));
    }>("v_cvt_pk_f16_f32"),
    row<[](f32 a, u32 noise) { return stochastic_bf16(a, noise); }>("v_cvt_sr_bf16_f32")
        .as(InstructionClass::valu, Fidelity::assumed)
        .with(kKeepHighHalf),
    row<[](f32 a, u32 noise) { return stochastic_f16(a, noise); }>("v_cvt_sr_f16_f32")
        .as(InstructionClass::valu, Fidelity::assumed)
        .with(kKeepHighHalf),
};

}  // namespace

std::span<const Operation> convert_rows() { return kRows; }

}  // namespace hipvault::isa
