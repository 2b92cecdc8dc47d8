// f32 and f64 arithmetic that is exact by IEEE 754. (v_max/v_min: IEEE mode; the value operand wins over a NaN.)
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// The face of a cube that a direction hits, the coordinates on it, and the component along its axis.
struct CubePlace {
  f32 face, s, t, axis;
};
inline CubePlace cube(f32 x, f32 y, f32 z) {
  f32 ax = __builtin_elementwise_abs(x), ay = __builtin_elementwise_abs(y), az = __builtin_elementwise_abs(z);
  if (az >= ax && az >= ay) return {z < 0 ? 5.0f : 4.0f, z < 0 ? -x : x, -y, z};
  if (ay >= ax) return {y < 0 ? 3.0f : 2.0f, x, y < 0 ? -z : z, y};
  return {x < 0 ? 1.0f : 0.0f, x < 0 ? z : -z, -y, x};
}

constexpr Operation kRows[] = {
    row<[](f32 a, f32 b) { return a + b; }>("v_add_f32"),
    row<[](f32 a, f32 b) { return a - b; }>("v_sub_f32"),
    row<[](f32 a, f32 b) { return b - a; }>("v_subrev_f32"),
    row<[](f32 a, f32 b) { return a * b; }>("v_mul_f32"),
    row<[](f32 a, f32 b) { return a == 0 || b == 0 ? 0.0f : a * b; }>("v_mul_legacy_f32"),
    row<[](f32 a, f32 b, f32 c) { return a == 0 || b == 0 ? c : fma32(a, b, c); }>("v_fma_dx9_zero_f32"),
    row<[](f32 a, f32 b, f32 c) { return a == 0 || b == 0 ? 0.0f + c : a * b + c; }>("v_mad_legacy_f32"),
    row<[](f32 a, f32 b, f32 c) { return a * b + c; }>("v_madmk_f32"),
    row<[](f32 a, f32 b, f32 c) { return a * b + c; }>("v_madak_f32"),
    row<[](f32 a, f32 b, f32 c) {
      constexpr f32 kLowest = std::numeric_limits<f32>::lowest();
      bool out = (b == kLowest) | (b == -__builtin_inff()) | (b != b) | (c <= 0) | (c != c);
      return out ? kLowest : a == 0 || b == 0 ? 0.0f : a * b;
    }>("v_mullit_f32"),
    row<[](f32 x, f32 y, f32 z) { return cube(x, y, z).face; }>("v_cubeid_f32"),
    row<[](f32 x, f32 y, f32 z) { return cube(x, y, z).s; }>("v_cubesc_f32"),
    row<[](f32 x, f32 y, f32 z) { return cube(x, y, z).t; }>("v_cubetc_f32"),
    row<[](f32 x, f32 y, f32 z) { return cube(x, y, z).axis * 2.0f; }>("v_cubema_f32"),
    row<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("v_fma_f32"),
    row<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("v_fmac_f32").with(kTiedDestination),
    row<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("v_fmamk_f32"),
    row<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("v_fmaak_f32"),
    row<[](f32 a, f32 b, f32 c) { return a * b + c; }>("v_mad_f32"),
    row<[](f32 a, f32 b, f32 c) { return a * b + c; }>("v_mac_f32").with(kTiedDestination),
    row<[](f32 a) { return __builtin_elementwise_floor(a); }>("v_floor_f32"),
    row<[](f32 a) { return __builtin_elementwise_ceil(a); }>("v_ceil_f32"),
    row<[](f32 a) { return __builtin_elementwise_trunc(a); }>("v_trunc_f32"),
    row<[](f32 a) { return __builtin_elementwise_roundeven(a); }>("v_rndne_f32"),
    row<[](f32 a) {
      f32 r = a - __builtin_elementwise_floor(a);
      return r >= 1.0f ? 0x1.fffffep-1f : r;
    }>("v_fract_f32"),
    row<[](f32 a, i32 e) {
      e = e > 300 ? 300 : e < -300 ? -300 : e;
      return static_cast<f32>(static_cast<f64>(a) * std::bit_cast<f64>(static_cast<u64>(e + 1023) << 52));
    }>("v_ldexp_f32"),
    row<[](f32 a) {
      int e = 0;
      bool finite = exponent_field(a) != 255;
      f32 m = std::frexp(finite ? a : 0.0f, &e);
      return finite ? m : a;
    }>("v_frexp_mant_f32"),
    row<[](f32 a) {
      int e = 0;
      std::frexp(exponent_field(a) != 255 ? a : 0.0f, &e);
      return static_cast<i32>(e);
    }>("v_frexp_exp_i32_f32"),
};

f64 scale64(f64 a, i32 e) {
  int field = exponent_field(a), moved = field + e;
  if (field > 0 && field < 2047 && e > -2200 && e < 2200 && moved > 0 && moved < 2047)
    return std::bit_cast<f64>(std::bit_cast<u64>(a) + (static_cast<u64>(static_cast<i64>(e)) << 52));
  return std::ldexp(a, e > 5000 ? 5000 : e < -5000 ? -5000 : e);
}

// Bits 2/pi as an integer fraction (1201 bits), 32 a word, high first: what v_trig_preop_f64 cuts 53-bit pieces from.
constexpr u32 kTwoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                              0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
                              0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
                              0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
                              0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
                              0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};

// Segment `index` (53 bits from bit 53*index of 2/pi, further for large |a|), scaled to its place.
f64 trig_segment(f64 a, u32 index) {
  int shift = static_cast<int>(index & 31) * 53, exponent = exponent_field(a);
  if (exponent > 1077) shift += exponent - 1077;
  u64 bits = 0;
  for (int i = 0; i < 53; ++i) {
    int at = shift + i, word = at / 32;
    u64 bit = word < static_cast<int>(std::size(kTwoOverPi)) ? kTwoOverPi[word] >> (31 - at % 32) & 1 : 0;
    bits = bits << 1 | bit;
  }
  int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return std::ldexp(static_cast<f64>(bits), scale);
}

constexpr Operation kDoubleRows[] = {
    row<[](f64 a, f64 b) { return a + b; }>("v_add_f64"),
    row<[](f64 a, f64 b) { return a * b; }>("v_mul_f64"),
    row<[](f64 a, f64 b, f64 c) { return fma64(a, b, c); }>("v_fma_f64"),
    row<[](f64 a, f64 b, f64 c) { return fma64(a, b, c); }>("v_fmac_f64").with(kTiedDestination),
    row<[](f64 a) { return __builtin_elementwise_floor(a); }>("v_floor_f64"),
    row<[](f64 a) { return __builtin_elementwise_ceil(a); }>("v_ceil_f64"),
    row<[](f64 a) { return __builtin_elementwise_trunc(a); }>("v_trunc_f64"),
    row<[](f64 a) { return __builtin_elementwise_roundeven(a); }>("v_rndne_f64"),
    row<[](f64 a) {
      f64 r = a - __builtin_elementwise_floor(a);
      return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
    }>("v_fract_f64"),
    row<[](f64 a, i32 e) { return scale64(a, e); }>("v_ldexp_f64"),
    row<[](f64 a) {
      int e = 0;
      bool finite = exponent_field(a) != 2047;
      f64 m = std::frexp(finite ? a : 0.0, &e);
      return finite ? m : a;
    }>("v_frexp_mant_f64"),
    row<[](f64 a) {
      int e = 0;
      std::frexp(exponent_field(a) != 2047 ? a : 0.0, &e);
      return static_cast<i32>(e);
    }>("v_frexp_exp_i32_f64"),
    row<[](f64 a, u32 index) { return trig_segment(a, index); }>("v_trig_preop_f64")
        .as(InstructionClass::valu64, Fidelity::assumed),
};

}  // namespace

std::span<const Operation> vector_float_rows() { return kRows; }
std::span<const Operation> vector_double_rows() { return kDoubleRows; }

}  // namespace hipvault::isa
