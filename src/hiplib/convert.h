// Conversions between f32 and the floats that are held as bits. Rounding is to nearest even; NaN stays NaN.
//@ from_bf16
__device__ inline float from_bf16(bf16 x) { return __builtin_bit_cast(float, (unsigned)x << 16); }
//@ to_bf16
__device__ inline bf16 to_bf16(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const unsigned rounded = bits + 0x7fff + (bits >> 16 & 1);
  return (x != x ? bits | 0x400000 : rounded) >> 16;
}
