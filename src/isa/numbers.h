#pragma once
// Arithmetic on one lane that several families share. All of it is free of branches where a loop over lanes is to
// vectorise.

#include "isa/lanes.h"

namespace hipvault::isa {

// NaN loses; of two zeros the positive is the larger.
template <class T>
inline T max_number(T a, T b) {
  T r = a > b ? a : b;
  if constexpr (sizeof(T) == 4) r = a == b ? std::bit_cast<T>(std::bit_cast<u32>(a) & std::bit_cast<u32>(b)) : r;
  if constexpr (sizeof(T) == 8) r = a == b ? std::bit_cast<T>(std::bit_cast<u64>(a) & std::bit_cast<u64>(b)) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
template <class T>
inline T min_number(T a, T b) {
  T r = a < b ? a : b;
  if constexpr (sizeof(T) == 4) r = a == b ? std::bit_cast<T>(std::bit_cast<u32>(a) | std::bit_cast<u32>(b)) : r;
  if constexpr (sizeof(T) == 8) r = a == b ? std::bit_cast<T>(std::bit_cast<u64>(a) | std::bit_cast<u64>(b)) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
// The middle one; with a NaN among them, the smallest of the rest.
inline f32 median(f32 a, f32 b, f32 c) {
  f32 smallest = min_number(min_number(a, b), c);
  f32 middle = max_number(min_number(a, b), min_number(max_number(a, b), c));
  bool nan = (a != a) | (b != b) | (c != c);
  return nan ? smallest : middle;
}

inline f32 fma32(f32 a, f32 b, f32 c) { return __builtin_elementwise_fma(a, b, c); }
inline f64 fma64(f64 a, f64 b, f64 c) { return __builtin_elementwise_fma(a, b, c); }
// Exact product in double, and a sum that can only be inexact where its nearest f16 is not in doubt (see
// isa_float_test).
inline f16 fma16(f16 a, f16 b, f16 c) {
  return static_cast<f16>(fma64(static_cast<f64>(a), static_cast<f64>(b), static_cast<f64>(c)));
}

inline f32 flush(f32 x) {
  u32 bits = std::bit_cast<u32>(x);
  return std::bit_cast<f32>((bits & 0x7f800000) ? bits : bits & 0x80000000);
}

inline int exponent_field(f32 x) { return static_cast<int>(std::bit_cast<u32>(x) >> 23 & 255); }
inline int exponent_field(f64 x) { return static_cast<int>(std::bit_cast<u64>(x) >> 52 & 2047); }

}  // namespace hipvault::isa
