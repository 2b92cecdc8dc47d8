#pragma once
// 8-bit floats as gfx942's instructions read and write them (FNUZ: no infinities, no -0, NaN is 0x80). Denormals are
// kept; rounding is to nearest even; values beyond the largest give NaN, or the largest with MODE.FP16_OVFL.

#include "isa/lanes.h"

namespace hipvault::isa {

struct Float8 {
  int exponent_bits, fraction_bits, bias;
};
constexpr Float8 kFp8 = {4, 3, 8};   // e4m3fnuz
constexpr Float8 kBf8 = {5, 2, 16};  // e5m2fnuz

f32 decode_float8(Float8 format, u8 bits);
u8 encode_float8(Float8 format, f32 value, bool saturate);
// Stochastic rounding: `random` (32 bits) is added below the last kept bit.
u8 encode_float8_stochastic(Float8 format, f32 value, u32 random, bool saturate);

}  // namespace hipvault::isa
