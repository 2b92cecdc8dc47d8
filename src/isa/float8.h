#pragma once
// Small floats as instructions read and write them. FNUZ (gfx942): no infinities, no -0, NaN is 0x80. OCP (gfx950,
// gfx1201): bf8 has infinities and NaNs as IEEE formats do, fp8 has one NaN a sign (0x7f) and no infinity; fp6, bf6 and
// fp4 have neither and saturate. Denormals are kept; rounding is to nearest even or stochastic.

#include "isa/lanes.h"

namespace hipvault::isa {

enum class Float8Specials : uint8_t { fnuz, one_nan, ieee, none };
struct Float8 {
  int exponent_bits, fraction_bits, bias;
  Float8Specials specials = Float8Specials::fnuz;
};
constexpr Float8 kFp8 = {4, 3, 8};   // e4m3fnuz
constexpr Float8 kBf8 = {5, 2, 16};  // e5m2fnuz
constexpr Float8 kFp8Ocp = {4, 3, 7, Float8Specials::one_nan};
constexpr Float8 kBf8Ocp = {5, 2, 15, Float8Specials::ieee};
constexpr Float8 kFp6 = {2, 3, 1, Float8Specials::none};
constexpr Float8 kBf6 = {3, 2, 3, Float8Specials::none};
constexpr Float8 kFp4 = {2, 1, 1, Float8Specials::none};

f32 decode_float8(Float8 format, u8 bits);
// Beyond the largest: the largest if `saturate`, else infinity where the format has one, else NaN.
u8 encode_float8(Float8 format, f32 value, bool saturate);
// Stochastic rounding: `random` (32 bits) is added below the last kept bit.
u8 encode_float8_stochastic(Float8 format, f32 value, u32 random, bool saturate);
// The same of a wider value, for formats with a scale.
u8 encode_float8_wide(Float8 format, f64 value, bool saturate, bool stochastic, u32 random);

}  // namespace hipvault::isa
