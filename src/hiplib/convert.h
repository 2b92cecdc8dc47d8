R"hiplib(// Conversions between f32 and the floats that are held as bits. Rounding is to nearest even; NaN stays NaN; 8-bit and 4-bit
// floats saturate.
//@ from_bf16
__device__ inline float from_bf16(bf16 x) { return __builtin_bit_cast(float, (unsigned)x << 16); }
//@ to_bf16
__device__ inline bf16 to_bf16(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const unsigned rounded = bits + 0x7fff + (bits >> 16 & 1);
  return (x != x ? bits | 0x400000 : rounded) >> 16;
}
//@ to_f32_odd
// To f32 with the last bit set if anything was lost: a second rounding to fewer bits is then as good as one.
__device__ inline float to_f32_odd(double x) {
  const float near = (float)x;
  if ((double)near == x || x != x) return near;
  const unsigned bits = __builtin_bit_cast(unsigned, near) - (__builtin_fabs((double)near) > __builtin_fabs(x));
  return __builtin_bit_cast(float, bits | 1);
}
//@ to_small
// Sign, Exponent and Mantissa bits with this bias; Max: bits of the largest finite value; Nan: bits of NaN.
template <int Mantissa, int Bias, unsigned Max, unsigned Nan, unsigned Sign, bool NegativeZero> __device__ inline u8 to_small(float x) {
  const float a = __builtin_fabsf(x);
  const unsigned bits = __builtin_bit_cast(unsigned, a);
  const unsigned rounded = (bits + ((1u << (22 - Mantissa)) - 1) + (bits >> (23 - Mantissa) & 1)) >> (23 - Mantissa);
  const unsigned normal = rounded - ((127 - Bias) << Mantissa);
  const unsigned tiny = (unsigned)__builtin_elementwise_roundeven(a * __builtin_bit_cast(float, (unsigned)(127 + Bias - 1 + Mantissa) << 23));
  unsigned code = a < __builtin_bit_cast(float, (unsigned)(128 - Bias) << 23) ? tiny : normal;
  code = bits >= 0x7f800000 || code > Max ? Max : code;
  const unsigned sign = __builtin_bit_cast(unsigned, x) >> 31 && (NegativeZero || code) ? Sign : 0;
  return x != x ? Nan : code | sign;
}
//@ from_small
template <int Mantissa, int Bias> __device__ inline float from_small(unsigned magnitude) {
  const unsigned exponent = magnitude >> Mantissa, fraction = magnitude & ((1u << Mantissa) - 1);
  const float tiny = (float)fraction * __builtin_bit_cast(float, (unsigned)(128 - Bias - Mantissa) << 23);
  const float normal = __builtin_bit_cast(float, (exponent + 127 - Bias) << 23 | fraction << (23 - Mantissa));
  return exponent ? normal : tiny;
}
//@ to_f8e4m3fnuz
__device__ inline u8 to_f8e4m3fnuz(float x) { return to_small<3, 8, 0x7f, 0x80, 0x80, false>(x); }
//@ from_f8e4m3fnuz
__device__ inline float from_f8e4m3fnuz(u8 x) {
  const float a = from_small<3, 8>(x & 0x7f);
  return x == 0x80 ? __builtin_nanf("") : x & 0x80 ? -a : a;
}
//@ to_f8e5m2fnuz
__device__ inline u8 to_f8e5m2fnuz(float x) { return to_small<2, 16, 0x7f, 0x80, 0x80, false>(x); }
//@ from_f8e5m2fnuz
__device__ inline float from_f8e5m2fnuz(u8 x) {
  const float a = from_small<2, 16>(x & 0x7f);
  return x == 0x80 ? __builtin_nanf("") : x & 0x80 ? -a : a;
}
//@ to_f8e4m3fn
__device__ inline u8 to_f8e4m3fn(float x) { return to_small<3, 7, 0x7e, 0x7f, 0x80, true>(x); }
//@ from_f8e4m3fn
__device__ inline float from_f8e4m3fn(u8 x) {
  const float a = (x & 0x7f) == 0x7f ? __builtin_nanf("") : from_small<3, 7>(x & 0x7f);
  return x & 0x80 ? -a : a;
}
//@ to_f8e5m2
__device__ inline u8 to_f8e5m2(float x) { return to_small<2, 15, 0x7b, 0x7e, 0x80, true>(x); }
//@ from_f8e5m2
__device__ inline float from_f8e5m2(u8 x) {
  const unsigned m = x & 0x7f;
  const float a = m > 0x7c ? __builtin_nanf("") : m == 0x7c ? __builtin_inff() : from_small<2, 15>(m);
  return x & 0x80 ? -a : a;
}
//@ to_f4
__device__ inline u8 to_f4(float x) { return to_small<1, 1, 7, 0, 8, true>(x); }
//@ from_f4
__device__ inline float from_f4(u8 x) {
  const float a = from_small<1, 1>(x & 7);
  return x & 8 ? -a : a;
}
//@ from_e8m0
__device__ inline float from_e8m0(u8 x) {
  return x == 0xff ? __builtin_nanf("") : __builtin_bit_cast(float, x ? (unsigned)x << 23 : 0x400000u);
}
//@ to_e8m0
// The nearest power of two; halfway between two goes to the even exponent.
__device__ inline u8 to_e8m0(float x) {
  if (x != x || x < 0) return 0xff;
  if (x == __builtin_inff()) return 0xfe;
  const unsigned bits = __builtin_bit_cast(unsigned, x) & 0x7fffffff, fraction = bits & 0x7fffff, code = bits >> 23;
  if (code == 0) return fraction > 0x600000;  // below 2^-126: 2^-127 or, from halfway on, 2^-126
  const bool up = fraction > 0x400000 || (fraction == 0x400000 && code & 1);
  return code + up > 0xfe ? 0xfe : code + up;
}
)hiplib"
