R"hiplib(// Elementary functions in f32 and f64 without device libraries: hardware instructions where they are exact enough, otherwise
// range reduction and polynomials fitted for this library. Errors stay below 4 units in the last place (test/unit/
// print_math_test.cc asserts the bounds); infinities, NaN and denormal numbers give what IEEE 754 says.
//@ polynomial
// Horner's rule, highest power first.
template <class T, int N> __device__ inline T polynomial(T x, const T (&c)[N]) {
  T sum = c[0];
#pragma unroll
  for (int k = 1; k < N; ++k) sum = __builtin_elementwise_fma(sum, x, c[k]);
  return sum;
}
//@ ldexp
__device__ inline float ldexp(float x, int n) { return __builtin_amdgcn_ldexpf(x, n); }
__device__ inline double ldexp(double x, int n) { return __builtin_amdgcn_ldexp(x, n); }
//@ frexp_mant frexp_exp
// x = mant * 2^exp, 0.5 <= mant < 1.
__device__ inline double frexp_mant(double x) { return __builtin_amdgcn_frexp_mant(x); }
__device__ inline int frexp_exp(double x) { return __builtin_amdgcn_frexp_exp(x); }
//@ exp2
__device__ inline float exp2(float x) { return __builtin_elementwise_exp2(x); }
//@ exp2
__device__ inline double exp2(double x) {
  const double n = __builtin_elementwise_roundeven(x), r = (x - n) * 0.6931471805599453;
  constexpr double c[] = {1.6059043836821613e-10, 2.08767569878681e-09,  2.505210838544172e-08, 2.755731922398589e-07, 2.7557319223985893e-06,
                          2.48015873015873e-05,   0.0001984126984126984, 0.001388888888888889,  0.008333333333333333,  0.041666666666666664,
                          0.16666666666666666,    0.5,                   1.0,                   1.0};
  const double y = ldexp(polynomial(r, c), (int)__builtin_fmax(__builtin_fmin(n, 2000.0), -2000.0));
  return x > 1024.0 ? __builtin_inf() : x < -1080.0 ? 0.0 : y;
}
//@ exp2_flush
// The hardware's own 2^x: results below 2^-126 become zero.
__device__ inline float exp2_flush(float x) { return __builtin_amdgcn_exp2f(x); }
//@ exp2_flush
__device__ inline double exp2_flush(double x) { return exp2(x); }
//@ exp
__device__ inline float exp(float x) { return __builtin_elementwise_exp(x); }
//@ exp
__device__ inline double exp(double x) {
  const double n = __builtin_elementwise_roundeven(x * 1.4426950408889634);
  const double r = __builtin_elementwise_fma(n, -1.9082149292705877e-10, __builtin_elementwise_fma(n, -0.6931471803691238, x));
  constexpr double c[] = {1.6059043836821613e-10, 2.08767569878681e-09,  2.505210838544172e-08, 2.755731922398589e-07, 2.7557319223985893e-06,
                          2.48015873015873e-05,   0.0001984126984126984, 0.001388888888888889,  0.008333333333333333,  0.041666666666666664,
                          0.16666666666666666,    0.5,                   1.0,                   1.0};
  const double y = ldexp(polynomial(r, c), (int)__builtin_fmax(__builtin_fmin(n, 2000.0), -2000.0));
  return x > 709.782712893384 ? __builtin_inf() : x < -745.2 ? 0.0 : y;
}
//@ expm1
__device__ inline float expm1(float x) {
  const float n = __builtin_elementwise_roundeven(x * 1.44269504f);
  const float r = __builtin_elementwise_fma(n, 1.90465421e-9f, __builtin_elementwise_fma(n, -0.693147182f, x));
  constexpr float c[] = {0.00019883514f, 0.0013926918f, 0.00833332039f, 0.0416665502f, 0.166666667f};
  const float p = __builtin_elementwise_fma(r * r, __builtin_elementwise_fma(r, polynomial(r, c), 0.5f), r);
  // 2^n (p + 1) - 1 without losing p; half the scale first, because 2^128 alone would overflow.
  const float half = ldexp(1.0f, (int)n - 1);
  const float y = 2.0f * __builtin_elementwise_fma(half, p, half - 0.5f);
  return x > 88.7228394f ? __builtin_inff() : x < -17.5f ? -1.0f : n == 0.0f ? p : y;
}
__device__ inline double expm1(double x) {
  if (__builtin_fabs(x) < 0.3) {
    double sum = 1.0;
    for (int k = 16; k > 1; --k) sum = __builtin_elementwise_fma(sum, x / k, 1.0);
    return sum * x;
  }
  return exp(x) - 1.0;
}
//@ log2
__device__ inline float log2(float x) { return __builtin_elementwise_log2(x); }
//@ log
__device__ inline float log(float x) { return __builtin_elementwise_log(x); }
//@ log
__device__ inline double log(double x) {
  double m = frexp_mant(x);
  int e = frexp_exp(x);
  const bool low = m < 0.7071067811865476;
  m = low ? m + m : m;
  e -= low;
  const double s = (m - 1.0) / (m + 1.0), t = s * s;
  double sum = 0.0;
#pragma unroll
  for (int k = 25; k > 1; k -= 2) sum = __builtin_elementwise_fma(sum, t, 1.0 / k);
  const double near = __builtin_elementwise_fma(2.0 * s * t, sum, 2.0 * s);
  const double y = __builtin_elementwise_fma((double)e, 0.6931471805599453, __builtin_elementwise_fma((double)e, 2.3190468138462996e-17, near));
  return x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x == __builtin_inf() ? x : y;
}
//@ log2
__device__ inline double log2(double x) { return log(x) * 1.4426950408889634; }
//@ log1p
__device__ inline float log1p(float x) {
  if (x > -0.3f && x < 0.42f) {
    constexpr float c[] = {0.0565231746f, -0.0985586988f, 0.0983241362f, -0.0991310532f, 0.11042028f,  -0.125007022f,
                           0.142882242f,  -0.166667109f,  0.199999682f,  -0.249999995f,  0.333333334f};
    const float t = x * x;
    return __builtin_elementwise_fma(t, __builtin_elementwise_fma(x, polynomial(x, c), -0.5f), x);
  }
  // 1 + x is rounded; what was lost enters in first order.
  const float u = 1.0f + x, lost = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
  return x == __builtin_inff() || x <= -1.0f ? log(u) : log(u) + lost / u;
}
__device__ inline double log1p(double x) {
  const double u = 1.0 + x, lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  return x == __builtin_inf() || x <= -1.0 ? log(u) : log(u) + lost / u;
}
//@ sqrt
__device__ inline float sqrt(float x) { return __builtin_elementwise_sqrt(x); }
__device__ inline double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
//@ rsqrt
__device__ inline float rsqrt(float x) {
  const bool tiny = x < 0x1p-126f;
  const float y = __builtin_amdgcn_rsqf(tiny ? x * 0x1p24f : x);
  return tiny ? y * 0x1p12f : y;
}
//@ rsqrt
__device__ inline double rsqrt(double x) { return 1.0 / __builtin_elementwise_sqrt(x); }
//@ Angle
// An angle as quadrant and remainder in [-pi/4, pi/4].
template <class T> struct Angle {
  int quadrant;
  T rest;
};
//@ two_over_pi
// Bits of 2/pi after 32 zero bits.
__device__ const unsigned two_over_pi[] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
//@ reduce_angle
__device__ inline Angle<double> reduce_angle(double x) {
  const double n = __builtin_elementwise_roundeven(x * 0.6366197723675814);
  double r = __builtin_elementwise_fma(n, -1.5707963267948966, x);
  r = __builtin_elementwise_fma(n, -6.123233995736766e-17, r);
  return {(int)(long)n & 3, r};
}
__device__ inline Angle<float> reduce_angle(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const int exponent = (int)(bits >> 23 & 255) - 150;
  if (exponent <= 0 || exponent > 104) {
    const Angle<double> wide = reduce_angle((double)x);
    return {wide.quadrant, (float)wide.rest};
  }
  // x = m * 2^exponent: the bits of 2/pi that weigh more than 2 / m give whole turns. 96 of the others are enough.
  const unsigned long m = (bits & 0x7fffff) | 0x800000;
  const int start = exponent + 30, word = start / 32, shift = start % 32;
  unsigned w[3];
#pragma unroll
  for (int k = 0; k < 3; ++k)
    w[k] = shift ? two_over_pi[word + k] << shift | two_over_pi[word + k + 1] >> (32 - shift) : two_over_pi[word + k];
  const unsigned long turn = (m * w[0] << 32) + m * w[1] + (m * w[2] >> 32);
  const int quadrant = (int)((turn + (1ul << 61)) >> 62);
  const long rest = (long)(turn << 2) >> 2 << 2;
  const float r = (float)((double)rest * (1.5707963267948966 * 0x1p-64));
  return {(x < 0 ? -quadrant : quadrant) & 3, x < 0 ? -r : r};
}
//@ sin_kernel cos_kernel
__device__ inline float sin_kernel(float r) {
  constexpr float c[] = {2.72434093e-6f, -0.000198400359f, 0.00833333178f, -0.166666667f};
  const float t = r * r;
  return __builtin_elementwise_fma(r * t, polynomial(t, c), r);
}
__device__ inline float cos_kernel(float r) {
  constexpr float c[] = {-2.72955202e-7f, 2.48005580e-5f, -0.00138888876f, 0.0416666667f};
  const float t = r * r;
  return __builtin_elementwise_fma(t * t, polynomial(t, c), __builtin_elementwise_fma(t, -0.5f, 1.0f));
}
__device__ inline double sin_kernel(double r) {
  constexpr double c[] = {2.8114572543455206e-15, -7.647163731819816e-13, 1.6059043836821613e-10, -2.505210838544172e-08,
                          2.7557319223985893e-06, -0.0001984126984126984, 0.008333333333333333,   -0.16666666666666666};
  const double t = r * r;
  return __builtin_elementwise_fma(r * t, polynomial(t, c), r);
}
__device__ inline double cos_kernel(double r) {
  constexpr double c[] = {4.779477332387385e-14, -1.1470745597729725e-11, 2.08767569878681e-09, -2.755731922398589e-07,
                          2.48015873015873e-05,  -0.001388888888888889,   0.041666666666666664};
  const double t = r * r;
  return __builtin_elementwise_fma(t * t, polynomial(t, c), __builtin_elementwise_fma(t, -0.5, 1.0));
}
//@ sin
template <class T> __device__ inline T sin(T x) {
  const Angle<T> a = reduce_angle(x);
  const T y = a.quadrant & 1 ? cos_kernel(a.rest) : sin_kernel(a.rest);
  return x - x != 0 ? x - x : a.quadrant & 2 ? -y : y;
}
//@ cos
template <class T> __device__ inline T cos(T x) {
  const Angle<T> a = reduce_angle(x);
  const T y = a.quadrant & 1 ? sin_kernel(a.rest) : cos_kernel(a.rest);
  return x - x != 0 ? x - x : (a.quadrant + 1) & 2 ? -y : y;
}
//@ tan
template <class T> __device__ inline T tan(T x) {
  const Angle<T> a = reduce_angle(x);
  const T s = sin_kernel(a.rest), c = cos_kernel(a.rest);
  return x - x != 0 ? x - x : a.quadrant & 1 ? -c / s : s / c;
}
//@ tanh
__device__ inline float tanh(float x) {
  const float a = __builtin_fabsf(x);
  constexpr float c[] = {0.00226950168f, -0.00832318706f, 0.0217625029f, -0.0539584616f, 0.133333001f, -0.333333331f};
  const float t = x * x;
  const float small = __builtin_elementwise_fma(x * t, polynomial(t, c), x);
  const float large = 1.0f - 2.0f / (exp(2.0f * a) + 1.0f);
  return a < 0.6f ? small : __builtin_copysignf(large, x);
}
__device__ inline double tanh(double x) {
  const double a = __builtin_fabs(x), e = expm1(2.0 * a);
  return x != x ? x : __builtin_copysign(a > 20.0 ? 1.0 : e / (e + 2.0), x);
}
//@ erf
__device__ inline float erf(float x) {
  const float a = __builtin_fabsf(x), t = x * x;
  constexpr float near[] = {-9.66704457e-6f, 0.00011265959f, -0.000848408041f, 0.00522103181f, -0.0268654307f, 0.112837825f, -0.376126385f, 1.12837917f};
  constexpr float far[] = {-5.53232308e-8f, 1.28765173e-6f, -1.07726724e-5f, 1.07445814e-5f, 0.000572011677f, -0.0061474596f,
                           0.0369141359f,   -0.157475533f,  -0.912474793f,   -1.6302008f,    0.000394541266f};
  const float tail = 1.0f - exp2(polynomial(__builtin_fminf(a, 4.0f), far));
  return a < 1.0f ? x * polynomial(t, near) : x != x ? x : __builtin_copysignf(a >= 4.0f ? 1.0f : tail, x);
}
__device__ inline double erf(double x) {
  const double a = __builtin_fabs(x), t = x * x;
  if (a >= 6.0) return x != x ? x : __builtin_copysign(1.0, x);
  if (a < 1.2) {
    // 2/sqrt(pi) exp(-x^2) sum (2x^2)^n x / (2n+1)!!: all terms positive.
    double sum = 1.0;
    for (int n = 30; n > 0; --n) sum = __builtin_elementwise_fma(sum, 2.0 * t / (2 * n + 1), 1.0);
    return 1.1283791670955126 * (x * sum) * exp(-t);
  }
  double fraction = a;
  for (int n = 120; n > 0; --n) fraction = a + n * 0.5 / fraction;
  return __builtin_copysign(1.0 - 0.5641895835477563 * exp(-t) / fraction, x);
}
//@ log_sum
// log(x) as an unevaluated sum, for x > 0: y * log(x) in one double would be off by |y log(x)| units.
struct LogSum {
  double high, low;
};
__device__ inline LogSum log_sum(double x) {
  double m = frexp_mant(x);
  int e = frexp_exp(x);
  const bool under = m < 0.7071067811865476;
  m = under ? m + m : m;
  e -= under;
  const double f = m - 1.0, d = m + 1.0, s = f / d, t = s * s;
  const double rest = (__builtin_elementwise_fma(-s, d, f) - s * (m - (d - 1.0))) / d;
  double sum = 0.0;
#pragma unroll
  for (int k = 25; k > 1; k -= 2) sum = __builtin_elementwise_fma(sum, t, 1.0 / k);
  const double whole = e * 0.6931471803691238, high = whole + 2.0 * s, part = high - whole;
  const double lost = (whole - (high - part)) + (2.0 * s - part);
  const double low = lost + 2.0 * (rest + s * t * sum) + e * 1.9082149292705877e-10;
  return {high + low, low - ((high + low) - high)};
}
//@ pow
__device__ inline double pow(double x, double y) {
  const double a = __builtin_fabs(x);
  const bool whole = __builtin_elementwise_trunc(y) == y;
  const bool odd = whole && __builtin_fabs(y) < 0x1p53 && ((long)y & 1);
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  double r = 1.0;
  if (a == 0.0 || a == __builtin_inf() || y - y != 0.0) {
    r = a == 1.0 ? 1.0 : exp(y * log(a));
  } else {
    const LogSum l = log_sum(a);
    const double power = y * l.high, lost = __builtin_elementwise_fma(y, l.high, -power) + y * l.low, e = exp(power);
    r = power > 800.0 || power < -800.0 ? e : __builtin_elementwise_fma(e, lost, e);
  }
  if (x < 0.0 && !whole && a != __builtin_inf()) return __builtin_nan("");
  return odd && (x < 0.0 || (x == 0.0 && __builtin_signbit(x))) ? -r : r;
}
__device__ inline float pow(float x, float y) { return (float)pow((double)x, (double)y); }
//@ atan2
__device__ inline float atan2(float y, float x) {
  const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
  const float big = __builtin_fmaxf(ax, ay), small = __builtin_fminf(ax, ay);
  const float q = big == 0.0f ? 0.0f : small == big ? 1.0f : small / big, t = q * q;
  constexpr float c[] = {-0.000936299472f, 0.00620725453f, -0.0192610813f, 0.0383274460f, -0.0576071608f, 0.0741749696f,
                         -0.0903674234f,   0.111047068f,   -0.142853180f,  0.199999903f,  -0.333333333f};
  float r = __builtin_elementwise_fma(q * t, polynomial(t, c), q);
  r = ay > ax ? 1.57079637f - r : r;
  r = __builtin_signbit(x) ? 3.14159274f - r : r;
  return x != x || y != y ? x + y : __builtin_copysignf(r, y);
}
__device__ inline double atan2(double y, double x) {
  const double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
  const double big = __builtin_fmax(ax, ay), small = __builtin_fmin(ax, ay);
  // atan(q) = pi/4 + atan((q - 1) / (q + 1)) brings the quotient below tan(pi/8), where the series needs 22 terms.
  const bool steep = small > 0.41421356237309503 * big;
  const double q = big == 0.0 ? 0.0 : big == small ? 0.0 : steep ? (small - big) / (small + big) : small / big, t = q * q;
  double sum = 0.0;
#pragma unroll
  for (int k = 43; k > 1; k -= 2) sum = __builtin_elementwise_fma(sum, -t, 1.0 / k);
  double r = __builtin_elementwise_fma(-q * t, sum, q) + (steep ? 0.7853981633974483 : 0.0);
  r = ay > ax ? 1.5707963267948966 - (r - 6.123233995736766e-17) : r;
  r = __builtin_signbit(x) ? 3.141592653589793 - (r - 1.2246467991473532e-16) : r;
  return x != x || y != y ? x + y : __builtin_copysign(r, y);
}
)hiplib"
