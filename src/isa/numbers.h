#pragma once
// Arithmetic on one lane that several families share. All of it is free of branches where a loop over lanes is to
// vectorise.

#include "isa/lanes.h"

namespace hipvault::isa {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;
template <class T>
constexpr BitsOf<T> kQuietBit = sizeof(T) == 2   ? 0x200
                                : sizeof(T) == 4 ? 0x400000
                                                 : u64{1} << 51;

template <class T>
inline T quiet(T a) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(a) | kQuietBit<T>));
}
template <class T>
inline bool is_signalling(T a) {
  return (a != a) & !(std::bit_cast<BitsOf<T>>(a) & kQuietBit<T>);
}

// NaN loses; of two zeros the positive is the larger.
template <class T>
inline T max_number(T a, T b) {
  using Bits = BitsOf<T>;
  T r = a > b ? a : b;
  r = a == b ? std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b))) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
template <class T>
inline T min_number(T a, T b) {
  using Bits = BitsOf<T>;
  T r = a < b ? a : b;
  r = a == b ? std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b))) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
// NaN wins.
template <class T>
inline T maximum_of(T a, T b) {
  T r = max_number(a, b);
  r = b != b ? quiet(b) : r;
  r = a != a ? quiet(a) : r;
  return (b != b) & is_signalling(b) & !is_signalling(a) ? quiet(b) : r;
}
template <class T>
inline T minimum_of(T a, T b) {
  T r = min_number(a, b);
  r = b != b ? quiet(b) : r;
  r = a != a ? quiet(a) : r;
  return (b != b) & is_signalling(b) & !is_signalling(a) ? quiet(b) : r;
}
// With MODE.IEEE, where it exists: a signalling NaN comes out quiet instead of losing.
template <class T>
inline T max_ieee(T a, T b) {
  T r = max_number(a, b);
  r = is_signalling(b) ? quiet(b) : r;
  return is_signalling(a) ? quiet(a) : r;
}
template <class T>
inline T min_ieee(T a, T b) {
  T r = min_number(a, b);
  r = is_signalling(b) ? quiet(b) : r;
  return is_signalling(a) ? quiet(a) : r;
}
// The middle one; with a NaN among them, the smallest of the rest.
template <class T>
inline T median(T a, T b, T c) {
  T smallest = min_number(min_number(a, b), c);
  T middle = max_number(min_number(a, b), min_number(max_number(a, b), c));
  bool nan = (a != a) | (b != b) | (c != c);
  return nan ? smallest : middle;
}

inline f32 fma32(f32 a, f32 b, f32 c) { return __builtin_elementwise_fma(a, b, c); }
inline f64 fma64(f64 a, f64 b, f64 c) { return __builtin_elementwise_fma(a, b, c); }
// f64 -> f16 with one rounding, in the rounding mode in force: by way of an f32 that keeps in its last bit that it is
// not exact ("round to odd"). A conversion in one step is a library call that knows one rounding mode.
inline f16 narrow_once(f64 x) {
  f32 near = static_cast<f32>(x);
  f64 back = static_cast<f64>(near);
  u32 bits = std::bit_cast<u32>(near);
  bits -= __builtin_elementwise_abs(back) > __builtin_elementwise_abs(x) ? 1 : 0;
  bits |= back != x ? 1 : 0;
  return static_cast<f16>(std::bit_cast<f32>(bits));
}
// Exact product in double, and a sum that can only be inexact where its nearest f16 is not in doubt.
inline f16 fma16(f16 a, f16 b, f16 c) {
  return narrow_once(fma64(static_cast<f64>(a), static_cast<f64>(b), static_cast<f64>(c)));
}
// Rounds toward zero: the nearest, taken back by one if its size is larger.
inline u32 toward_zero_f16(f32 x) {
  f16 nearest = static_cast<f16>(x);
  u16 bits = std::bit_cast<u16>(nearest);
  bool beyond = __builtin_elementwise_abs(static_cast<f32>(nearest)) > __builtin_elementwise_abs(x);
  return beyond ? static_cast<u16>(bits - 1) : bits;
}

inline f32 wide_bf16(u32 bits) { return std::bit_cast<f32>(bits << 16); }
// To nearest even; NaN stays one.
inline u16 narrow_bf16(f32 x) {
  u32 bits = std::bit_cast<u32>(x);
  u32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<u16>(x != x ? bits >> 16 | 0x40 : rounded);
}

inline f32 flush(f32 x) {
  u32 bits = std::bit_cast<u32>(x);
  return std::bit_cast<f32>((bits & 0x7f800000) ? bits : bits & 0x80000000);
}

inline int exponent_field(f32 x) { return static_cast<int>(std::bit_cast<u32>(x) >> 23 & 255); }
inline int exponent_field(f64 x) { return static_cast<int>(std::bit_cast<u64>(x) >> 52 & 2047); }

}  // namespace hipvault::isa
