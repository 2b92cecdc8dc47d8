R"hiplib(// Elementary arithmetic with the meaning of the op language.
//@ bits_as
template <class To, class From> __device__ inline To bits_as(From value) { return __builtin_bit_cast(To, value); }
//@ abs
template <class T> __device__ inline T abs(T x) { return x < 0 ? -x : x; }
template <> __device__ inline float abs(float x) { return __builtin_fabsf(x); }
template <> __device__ inline double abs(double x) { return __builtin_fabs(x); }
//@ maximum
// NaN wins.
template <class T> __device__ inline T maximum(T a, T b) { return a > b ? a : b; }
template <> __device__ inline float maximum(float a, float b) { return __builtin_isunordered(a, b) ? a + b : __builtin_fmaxf(a, b); }
template <> __device__ inline double maximum(double a, double b) { return __builtin_isunordered(a, b) ? a + b : __builtin_fmax(a, b); }
template <> __device__ inline _Float16 maximum(_Float16 a, _Float16 b) { return a != a ? a : b != b ? b : a > b ? a : b; }
//@ minimum
template <class T> __device__ inline T minimum(T a, T b) { return a < b ? a : b; }
template <> __device__ inline float minimum(float a, float b) { return __builtin_isunordered(a, b) ? a + b : __builtin_fminf(a, b); }
template <> __device__ inline double minimum(double a, double b) { return __builtin_isunordered(a, b) ? a + b : __builtin_fmin(a, b); }
template <> __device__ inline _Float16 minimum(_Float16 a, _Float16 b) { return a != a ? a : b != b ? b : a < b ? a : b; }
//@ floor
__device__ inline float floor(float x) { return __builtin_elementwise_floor(x); }
__device__ inline double floor(double x) { return __builtin_elementwise_floor(x); }
//@ ceil
__device__ inline float ceil(float x) { return __builtin_elementwise_ceil(x); }
__device__ inline double ceil(double x) { return __builtin_elementwise_ceil(x); }
//@ trunc
__device__ inline float trunc(float x) { return __builtin_elementwise_trunc(x); }
__device__ inline double trunc(double x) { return __builtin_elementwise_trunc(x); }
//@ round
// Ties to even.
__device__ inline float round(float x) { return __builtin_elementwise_roundeven(x); }
__device__ inline double round(double x) { return __builtin_elementwise_roundeven(x); }
//@ sign
template <class T> __device__ inline T sign(T x) { return x != x ? x : (T)((x > 0) - (x < 0)); }
//@ isnan
template <class T> __device__ inline bool isnan(T x) { return x != x; }
//@ isinf
__device__ inline bool isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
__device__ inline bool isinf(double x) { return __builtin_fabs(x) == __builtin_inf(); }
//@ floordiv
// Rounds to minus infinity.
template <class T> __device__ inline T floordiv(T a, T b) {
  if constexpr ((T)-1 > 0) return a / b;
  const T q = a / b, r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
template <> __device__ inline float floordiv(float a, float b) { return __builtin_elementwise_floor(a / b); }
template <> __device__ inline double floordiv(double a, double b) { return __builtin_elementwise_floor(a / b); }
//@ mod
// Has the sign of the divisor.
template <class T> __device__ inline T mod(T a, T b) {
  if constexpr ((T)-1 > 0) return a % b;
  const T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <class T> __device__ inline T float_mod(T a, T b) {
  const T r = __builtin_elementwise_fma(-__builtin_elementwise_floor(a / b), b, a);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <> __device__ inline float mod(float a, float b) { return float_mod(a, b); }
template <> __device__ inline double mod(double a, double b) { return float_mod(a, b); }
//@ ipow
template <class T> __device__ inline T ipow(T base, T exponent) {
  T result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}
//@ mul_high
__device__ inline unsigned mul_high(unsigned a, unsigned b) { return (unsigned)((unsigned long)a * b >> 32); }
//@ wrap_i4
__device__ inline signed char wrap_i4(int x) { return (signed char)(x << 28 >> 28); }
//@ fma
__device__ inline float fma(float a, float b, float c) { return __builtin_elementwise_fma(a, b, c); }
__device__ inline double fma(double a, double b, double c) { return __builtin_elementwise_fma(a, b, c); }
//@ div
__device__ inline float div(float a, float b) { return a / b; }
__device__ inline double div(double a, double b) { return a / b; }
//@ rcp
// One unit in the last place; f32 results or operands below 2^-126 become zero or infinity.
__device__ inline float rcp(float x) { return __builtin_amdgcn_rcpf(x); }
//@ rcp
__device__ inline double rcp(double x) { return 1.0 / x; }
)hiplib"
