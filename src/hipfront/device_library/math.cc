// The device mathematics behind clang's HIP headers: what __ocml_* names mean on the simulated GPU, and as far as code
// objects go, on a real one too. Plain C++ for amdgcn, compiled to bitcode with the build and linked into each program.
//
// f32 functions are computed in f64 and rounded once, except where the compiler expands them itself (exp, log, their
// relatives, square root): short, and nearly always correctly rounded. AMD's own library is faster on f32; programs
// that care about time use the native forms. Bessel functions, inverse error functions and directed rounding are left
// out: a program that uses one gets a link error with its name.

#include "constants.h"

typedef unsigned long long u64;
typedef long long i64;
#define PRIVATE __attribute__((address_space(5)))

namespace {

constexpr double kInf = __builtin_inf();
double bits(u64 x) { return __builtin_bit_cast(double, x); }
u64 bits(double x) { return __builtin_bit_cast(u64, x); }
double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
double fabs(double x) { return __builtin_fabs(x); }
double sqrt(double x) { return __builtin_sqrt(x); }
bool odd(double y) { return fabs(y) < 0x1p53 && __builtin_trunc(y) == y && (static_cast<i64>(y) & 1); }
double nan() { return __builtin_nan(""); }

template <int N>
double polynomial(double x, const double (&c)[N]) {
  double sum = c[N - 1];
#pragma unroll
  for (int i = N - 2; i >= 0; --i) sum = fma(sum, x, c[i]);
  return sum;
}

// ---- exponential: 2^k e^r, |r| <= ln 2 / 2, Taylor
constexpr double kInverseFactorials[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
double exp_of(double x, double low) {  // of x + low
  double k = __builtin_rint(x * kLog2E);
  double r = fma(-k, kLn2Part2, fma(-k, kLn2Part1, x)) + low;
  double e = polynomial(r, kInverseFactorials);
  if (x > 710) return kInf;
  if (x < -746) return 0;
  return __builtin_ldexp(e, static_cast<int>(k));
}
double exp(double x) { return x != x ? x : exp_of(x, 0); }
double exp2(double x) {
  if (x != x) return x;
  if (x > 1025) return kInf;
  if (x < -1080) return 0;
  double k = __builtin_rint(x), r = x - k;
  return __builtin_ldexp(polynomial(fma(r, kLn2, r * kLn2Low), kInverseFactorials), static_cast<int>(k));
}
double exp10(double x) {
  double high = x * kLn10;
  return x != x ? x : fabs(x) > 400 ? (x > 0 ? kInf : 0) : exp_of(high, fma(x, kLn10, -high) + x * kLn10Low);
}
double expm1(double x) {
  if (fabs(x) > 0.4) return exp(x) - 1;
  double sum = 0;
#pragma unroll
  for (int i = 13; i >= 1; --i) sum = fma(sum, x, kInverseFactorials[i]);
  return sum * x;
}

// ---- logarithm in two parts: high + low, about 2^-65 relative, so that powers keep their last bit. Series of atanh.
struct Two {
  double high, low;
};
Two fast_sum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
Two log_parts(double x, int& exponent) {  // of the mantissa, near 1
  int e = __builtin_amdgcn_frexp_exp(x);
  double m = __builtin_amdgcn_frexp_mant(x);  // 0.5 … 1
  if (m < 0.70710678118654752) m *= 2, --e;
  exponent = e;
  double f = m - 1, d = m + 1, dl = m - (d - 1);  // d + dl = m + 1
  double s = f / d, rest = fma(-s, d, f) - s * dl, sl = rest / d;
  double z = s * s;
  constexpr double kOdd[] = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                             2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
  // 2 s + 2/3 s^3 with its low part, the rest in one part
  double zl = fma(s, s, -z) + 2 * s * sl;
  double c = z * s, cl = fma(z, s, -c) + zl * s + z * sl;
  constexpr double kThird = 2.0 / 3, kThirdLow = 0x1.5555555555555p-55;
  double t = kThird * c, tl = fma(kThird, c, -t) + kThirdLow * c + kThird * cl;
  Two sum = fast_sum(2 * s, t);
  double tail = polynomial(z, kOdd) * z * c;
  return fast_sum(sum.high, sum.low + 2 * sl + tl + tail);
}
bool special_log(double x, double& result) {
  if (x != x || x == kInf) return result = x, true;
  if (x == 0) return result = -kInf, true;
  if (x < 0) return result = nan(), true;
  return false;
}
double log(double x) {
  double result;
  if (special_log(x, result)) return result;
  int e;
  Two m = log_parts(x, e);
  Two sum = fast_sum(e * kLn2Part1, m.high);
  if (e == 0) return m.high + m.low;
  return sum.high + (sum.low + m.low + e * kLn2Part2);
}
double scaled_log(double x, double factor, double factor_low, double per_exponent, double per_exponent_low) {
  double result;
  if (special_log(x, result)) return result;
  int e;
  Two m = log_parts(x, e);
  double p = m.high * factor, pl = fma(m.high, factor, -p) + m.high * factor_low + m.low * factor;
  double k = e * per_exponent, kl = fma(e, per_exponent, -k) + e * per_exponent_low;
  if (e == 0) return p + pl;
  Two sum = fast_sum(k, p);
  return sum.high + (sum.low + pl + kl);
}
double log2(double x) { return scaled_log(x, kLog2E, kLog2ELow, 1, 0); }
double log10(double x) { return scaled_log(x, kLog10E, kLog10ELow, kLog10Of2, kLog10Of2Low); }
double log1p(double x) {
  double u = 1 + x;
  if (!(u > 0) || u == kInf) return log(u);
  double lost = x > 1 ? 1 - (u - x) : x - (u - 1);
  return u == 1 ? x : log(u) + lost / u;
}

// ---- power: exp(y log |x|) with the logarithm in two parts
double pow_magnitude(double x, double y) {
  int e;
  Two m = log_parts(x, e);
  Two sum = fast_sum(e * kLn2Part1, m.high);
  if (e == 0)
    sum = m;
  else
    sum = fast_sum(sum.high, sum.low + m.low + e * kLn2Part2);
  double p = sum.high * y, pl = fma(sum.high, y, -p) + sum.low * y;
  if (p > 720) return kInf;
  if (p < -760) return 0;
  return exp_of(p, pl);
}
double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  double a = fabs(x);
  if (fabs(y) == kInf) return a == 1 ? 1 : (a > 1) == (y > 0) ? kInf : 0;
  double sign = odd(y) && (bits(x) >> 63) ? -1.0 : 1.0;
  if (a == 0 || a == kInf) return sign * ((a == 0) == (y < 0) ? kInf : 0.0);
  if (x < 0 && __builtin_trunc(y) != y) return nan();
  return sign * pow_magnitude(a, y);
}
double pown(double x, int n) { return pow(x, n); }

// ---- sine and cosine: x = q pi/2 + r
u64 multiply_high(u64 a, u64 b) { return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64); }

// The fraction of x * 2/pi from the 192 bits of 2/pi that matter (Payne and Hanek).
int reduce_large(double x, double& high, double& low) {
  u64 mantissa = (bits(x) & 0xfffffffffffffull) | 0x10000000000000ull;
  int exponent = static_cast<int>(bits(x) >> 52 & 2047) - 1075;  // x = mantissa * 2^exponent
  int skip = exponent - 2 > 0 ? exponent - 2 : 0;                // bits of 2/pi that only add multiples of 4
  int word = skip / 64, shift = skip % 64;
  u64 t[3];
  for (int i = 0; i < 3; ++i)
    t[i] = shift ? kTwoOverPi[word + i] << shift | kTwoOverPi[word + i + 1] >> (64 - shift) : kTwoOverPi[word + i];
  // p = mantissa * t, as 256 bits; the point lies 2 bits below the top of t shifted by 2^(exponent - skip)
  u64 p0 = mantissa * t[2];
  unsigned __int128 m1 = static_cast<unsigned __int128>(mantissa) * t[1] + multiply_high(mantissa, t[2]);
  unsigned __int128 m0 = static_cast<unsigned __int128>(mantissa) * t[0] + static_cast<u64>(m1 >> 64);
  u64 a = static_cast<u64>(m0), b = static_cast<u64>(m1);  // a.b.p0 holds the 192 bits below 2^0 of mantissa * t
  int up = exponent - skip;                                // usually 2
  // value = (mantissa*t) * 2^(up) with t a fraction below 1: bits above are multiples of 2^up
  int q = static_cast<int>(a >> (64 - up)) & 3;
  u64 f0 = a << up | b >> (64 - up), f1 = b << up | p0 >> (64 - up);
  bool negative = f0 >> 63;
  if (negative) {
    ++q;
    f1 = ~f1 + 1, f0 = ~f0 + (f1 == 0);
  }
  double h = static_cast<double>(f0 >> 11) * 0x1p-53, l = static_cast<double>((f0 << 53) >> 11 | f1 >> 11 >> 0) * 0;
  l = static_cast<double>((f0 & 2047) << 42 | f1 >> 22) * 0x1p-106;
  double r = h * kHalfPi, rl = fma(h, kHalfPi, -r) + h * kHalfPiLow + l * kHalfPi;
  Two sum = fast_sum(r, rl);
  high = negative ? -sum.high : sum.high, low = negative ? -sum.low : sum.low;
  return q & 3;
}
int reduce(double x, double& high, double& low) {  // of |x|
  if (x <= 0.78539816339744830) return high = x, low = 0, 0;
  if (x > 0x1p20) return reduce_large(x, high, low);
  double q = __builtin_rint(x * (1 / kHalfPi));
  double a = fma(-q, kHalfPiPart1, x);  // exact: 32 bits times 20
  double b = q * kHalfPiPart2, bl = fma(q, kHalfPiPart2, -b);
  double r = a - b, lost = (a - r) - b;
  double rl = lost - bl - q * kHalfPiPart3;
  Two sum = fast_sum(r, rl);
  high = sum.high, low = sum.low;
  return static_cast<int>(static_cast<i64>(q) & 3);
}
double sin_near(double r, double low) {
  double z = r * r;
  constexpr double k[] = {-1.0 / 6,
                          1.0 / 120,
                          -1.0 / 5040,
                          1.0 / 362880,
                          -1.0 / 39916800,
                          1.0 / 6227020800.0,
                          -1.0 / 1307674368000.0,
                          1.0 / 355687428096000.0};
  return r + (low * (1 - z / 2) + r * z * polynomial(z, k));
}
double cos_near(double r, double low) {
  double z = r * r;
  constexpr double k[] = {1.0 / 24,        -1.0 / 720,           1.0 / 40320,           -1.0 / 3628800,
                          1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
  double half = z / 2, w = 1 - half;
  return w + ((1 - w - half) + (z * z * polynomial(z, k) - r * low));
}
double sin(double x) {
  if (!(fabs(x) < kInf)) return nan();
  double r, l;
  int q = reduce(fabs(x), r, l);
  double s = q & 1 ? cos_near(r, l) : sin_near(r, l);
  return __builtin_copysign(1.0, x) * (q & 2 ? -s : s);
}
double cos(double x) {
  if (!(fabs(x) < kInf)) return nan();
  double r, l;
  int q = reduce(fabs(x), r, l);
  double c = q & 1 ? sin_near(r, l) : cos_near(r, l);
  return (q == 1 || q == 2) ? -c : c;
}
double tan(double x) {
  if (!(fabs(x) < kInf)) return nan();
  double r, l;
  int q = reduce(fabs(x), r, l);
  double s = sin_near(r, l), c = cos_near(r, l);
  return __builtin_copysign(1.0, x) * (q & 1 ? -c / s : s / c);
}
double sinpi(double x) {
  double a = fabs(x), f = a - 2 * __builtin_floor(a / 2);  // exact, 0 … 2
  if (!(a < kInf)) return nan();
  int q = static_cast<int>(f * 2 + 0.5);
  double r = (f - q * 0.5) * kPi;
  double s = q & 1 ? cos_near(r, 0) : sin_near(r, 0);
  return __builtin_copysign(1.0, x) * (q & 2 ? -s : s);
}
double cospi(double x) {
  double a = fabs(x), f = a - 2 * __builtin_floor(a / 2);
  if (!(a < kInf)) return nan();
  int q = static_cast<int>(f * 2 + 0.5) & 3;
  double r = (f - static_cast<int>(f * 2 + 0.5) * 0.5) * kPi;
  double c = q & 1 ? sin_near(r, 0) : cos_near(r, 0);
  return q == 1 || q == 2 ? -c : c;
}

// ---- inverse functions: atan by eighths
double atan_positive(double x) {
  bool large = x > 1;
  double t = large ? 1 / x : x;
  int k = static_cast<int>(t * 8 + 0.5);
  double c = k * 0.125, u = (t - c) / fma(t, c, 1.0), z = u * u;
  constexpr double s[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15};
  double small = u + u * z * polynomial(z, s);
  double a = kAtanHigh[k] + (kAtanLow[k] + small);
  return large ? kHalfPi - (kAtanHigh[k] + (kAtanLow[k] + small - kHalfPiLow)) : a;
}
double atan(double x) { return x != x ? x : __builtin_copysign(atan_positive(fabs(x)), x); }
double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double ax = fabs(x), ay = fabs(y);
  double a = ay == 0 ? 0 : ax == ay ? kPi / 4 : ay > ax * 0x1p60 ? kHalfPi : atan_positive(ay / ax);
  if (bits(x) >> 63) a = kPi - (a - kPiLow);
  return __builtin_copysign(a, y);
}
double asin(double x) { return fabs(x) > 1 ? nan() : atan2(x, sqrt((1 - x) * (1 + x))); }
double acos(double x) { return fabs(x) > 1 ? nan() : x == 1 ? 0 : atan2(sqrt((1 - x) * (1 + x)), x); }

// ---- hyperbolic
double sinh(double x) {
  double a = fabs(x);
  if (a > 709) {
    double h = exp(a / 2);
    return __builtin_copysign(h / 2 * h, x);
  }
  double e = expm1(a);
  return __builtin_copysign((e + e / (e + 1)) / 2, x);
}
double cosh(double x) {
  double a = fabs(x), h = exp(a > 709 ? a / 2 : a);
  return a > 709 ? h / 2 * h : (h + 1 / h) / 2;
}
double tanh(double x) {
  double a = fabs(x);
  if (x != x) return x;
  if (a > 22) return __builtin_copysign(1.0, x);
  double e = expm1(2 * a);
  return __builtin_copysign(e / (e + 2), x);
}
double asinh(double x) {
  double a = fabs(x);
  if (!(a < 0x1p500)) return a == kInf || x != x ? x : __builtin_copysign(log(a) + kLn2, x);
  return __builtin_copysign(log1p(a + a * a / (1 + sqrt(a * a + 1))), x);
}
double acosh(double x) {
  if (x > 0x1p500) return log(x) + kLn2;
  double t = x - 1;
  return x < 1 ? nan() : log1p(t + sqrt(2 * t + t * t));
}
double atanh(double x) {
  double a = fabs(x);
  return a > 1 ? nan() : __builtin_copysign(0.5 * log1p(2 * a / (1 - a)), x);
}

// ---- roots and lengths
double cbrt(double x) {
  double a = fabs(x);
  if (!(a > 0) || a == kInf) return x;
  int e = __builtin_amdgcn_frexp_exp(a), third = (e + 3000) / 3 - 1000;
  double m = __builtin_ldexp(a, -3 * third);
  double r = exp2(log2(m) / 3);
  r = r - (fma(r * r, r, -m)) / (3 * r * r);
  return __builtin_copysign(__builtin_ldexp(r, third), x);
}
double hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (a == kInf || b == kInf) return kInf;
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (!(a > 0)) return a + b;
  int e = __builtin_amdgcn_frexp_exp(a);
  a = __builtin_ldexp(a, -e), b = __builtin_ldexp(b, -e);
  double h = a * a, hl = fma(a, a, -h), s = h + b * b;
  return __builtin_ldexp(sqrt(s + (fma(b, b, -(s - h)) + hl)), e);
}
double len3(double x, double y, double z) { return hypot(hypot(x, y), z); }
double len4(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }

// ---- error function: e^(-x^2) times a series of positive terms; beyond 2.5 a continued fraction
double erfc_tail(double x) {
  double f = 0;
  // The error falls like e^(-2 x sqrt(2 k)).
  for (int k = x < 2 ? 220 : 60; k >= 1; --k) f = k * 0.5 / (x + f);
  double h = x * x, l = fma(x, x, -h);
  return exp_of(-h, -l) / (x + f) * 0.56418958354775629;
}
double erf_near(double x) {
  double term = x, sum = x;
  for (int n = 1; n < 60; ++n) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  double h = x * x, l = fma(x, x, -h);
  return 1.1283791670955126 * exp_of(-h, -l) * sum;
}
double erf(double x) {
  double a = fabs(x);
  if (x != x) return x;
  return __builtin_copysign(a < 2.5 ? erf_near(a) : a > 6 ? 1.0 : 1 - erfc_tail(a), x);
}
double erfc(double x) {
  if (x != x) return x;
  if (x < 0) return 1 + erf(-x);
  return x < 1 ? 1 - erf_near(x) : x > 27.3 ? 0 : erfc_tail(x);
}
double ncdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }

// ---- gamma: Lanczos' series, g = 7
double lanczos(double x) {
  constexpr double k[] = {676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                          12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  double sum = 0.99999999999980993;
  for (int i = 0; i < 8; ++i) sum += k[i] / (x + i);
  return sum;
}
double lgamma_positive(double x) {
  if (x == 1 || x == 2) return 0;
  double t = x + 6.5;
  return (x - 0.5) * log(t) - t + log(2.5066282746310005 * lanczos(x));
}
double lgamma(double x) {
  if (x != x) return x;
  if (fabs(x) == kInf || (x <= 0 && __builtin_floor(x) == x)) return kInf;
  if (x < 0.5) return log(kPi / fabs(sinpi(x) * 1.0)) - lgamma_positive(1 - x);
  return lgamma_positive(x);
}
double tgamma(double x) {
  if (x != x || x == kInf) return x;
  if (x == 0) return 1 / x;
  if (x < 0 && __builtin_floor(x) == x) return nan();
  if (x < 0.5) return kPi / (sinpi(x) * tgamma(1 - x));
  if (x > 172) return kInf;
  if (x == __builtin_floor(x) && x < 24) {
    double product = 1;
    for (double i = 2; i < x; ++i) product *= i;
    return product;
  }
  double t = x + 6.5, p = pow(t, (x - 0.5) / 2);
  return 2.5066282746310005 * lanczos(x) * p * exp(-t) * p;
}

// ---- remainders, exact: long division on integers
double fmod(double x, double y, int* quotient = nullptr) {
  double a = fabs(x), b = fabs(y);
  if (!(a < kInf) || !(b > 0)) return nan();
  if (a < b || b == kInf) return x;
  int ea = __builtin_amdgcn_frexp_exp(a), eb = __builtin_amdgcn_frexp_exp(b);
  u64 m = static_cast<u64>(__builtin_amdgcn_frexp_mant(a) * 0x1p53),
      d = static_cast<u64>(__builtin_amdgcn_frexp_mant(b) * 0x1p53), q = 0;
  for (int i = ea - eb; i >= 0; --i) {
    q <<= 1;
    if (m >= d) m -= d, q |= 1;
    if (i) m <<= 1;
  }
  if (quotient) *quotient = static_cast<int>(q & 0x7fffffff);
  return __builtin_copysign(__builtin_ldexp(static_cast<double>(m), eb - 53), x);
}
double remquo(double x, double y, int* quotient) {
  int q = 0;
  double r = fmod(x, y, &q), a = fabs(r), b = fabs(y);
  if (r != r) return *quotient = 0, r;
  if (b < kInf && (a > b - a || (a == b - a && (q & 1)))) a -= b, ++q;
  bool negative = (bits(x) ^ bits(y)) >> 63;
  *quotient = negative ? -(q & 127) : q & 127;
  return bits(x) >> 63 ? -a : __builtin_copysign(a, a == 0 ? x : a);
}
double nextafter(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return __builtin_copysign(bits(u64{1}), y);
  return bits(bits(x) + ((x < y) == (x > 0) ? 1 : -1));
}
float nextafter(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return __builtin_copysignf(__builtin_bit_cast(float, 1u), y);
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) + ((x < y) == (x > 0) ? 1u : ~0u));
}
int ilogb(double x) {
  double a = fabs(x);
  return x != x      ? static_cast<int>(0x80000000u)
         : a == 0    ? -2147483647 - 0
         : a == kInf ? 2147483647
                     : __builtin_amdgcn_frexp_exp(a) - 1;
}
double logb(double x) { return x == 0 ? -kInf : !(fabs(x) < kInf) ? x * x : ilogb(x); }
double rsqrt(double x) { return 1 / sqrt(x); }
double rcbrt(double x) { return 1 / cbrt(x); }

}  // namespace

extern "C" {

// Both widths from one f64 function.
#define BOTH1(name)                                        \
  double __ocml_##name##_f64(double x) { return name(x); } \
  float __ocml_##name##_f32(float x) { return static_cast<float>(name(static_cast<double>(x))); }
#define BOTH2(name)                                                                  \
  double __ocml_##name##_f64(double x, double y) { return name(x, y); }              \
  float __ocml_##name##_f32(float x, float y) {                                      \
    return static_cast<float>(name(static_cast<double>(x), static_cast<double>(y))); \
  }
BOTH1(acos)
BOTH1(acosh)
BOTH1(asin)
BOTH1(asinh)
BOTH1(atan)
BOTH1(atanh)
BOTH1(cbrt)
BOTH1(cos)
BOTH1(cosh)
BOTH1(cospi)
BOTH1(erf)
BOTH1(erfc)
BOTH1(expm1)
BOTH1(lgamma)
BOTH1(log1p)
BOTH1(logb)
BOTH1(ncdf)
BOTH1(rcbrt)
BOTH1(sin)
BOTH1(sinh)
BOTH1(sinpi)
BOTH1(tan)
BOTH1(tanh)
BOTH1(tgamma)
BOTH2(atan2)
BOTH2(hypot)
BOTH2(pow)
double __ocml_fmod_f64(double x, double y) { return fmod(x, y); }
float __ocml_fmod_f32(float x, float y) { return static_cast<float>(fmod(x, y)); }

double __ocml_exp_f64(double x) { return exp(x); }
double __ocml_exp2_f64(double x) { return exp2(x); }
double __ocml_exp10_f64(double x) { return exp10(x); }
double __ocml_log_f64(double x) { return log(x); }
double __ocml_log2_f64(double x) { return log2(x); }
double __ocml_log10_f64(double x) { return log10(x); }
double __ocml_rsqrt_f64(double x) { return rsqrt(x); }
float __ocml_exp_f32(float x) { return __builtin_expf(x); }
float __ocml_exp2_f32(float x) { return __builtin_exp2f(x); }
float __ocml_exp10_f32(float x) { return __builtin_exp10f(x); }
float __ocml_log_f32(float x) { return __builtin_logf(x); }
float __ocml_log2_f32(float x) { return __builtin_log2f(x); }
float __ocml_log10_f32(float x) { return __builtin_log10f(x); }
float __ocml_rsqrt_f32(float x) { return static_cast<float>(1 / sqrt(static_cast<double>(x))); }
float __ocml_native_exp_f32(float x) { return __builtin_amdgcn_exp2f(x * 1.44269504f); }
float __ocml_native_exp10_f32(float x) { return __builtin_amdgcn_exp2f(x * 3.32192809f); }
float __ocml_native_log_f32(float x) { return __builtin_amdgcn_logf(x) * 0.693147181f; }
float __ocml_native_log2_f32(float x) { return __builtin_amdgcn_logf(x); }
float __ocml_native_log10_f32(float x) { return __builtin_amdgcn_logf(x) * 0.301029996f; }
float __ocml_native_sin_f32(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.159154943f)); }
float __ocml_native_cos_f32(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.159154943f)); }
float __ocml_native_sqrt_f32(float x) { return __builtin_amdgcn_sqrtf(x); }
float __ocml_native_recip_f32(float x) { return __builtin_amdgcn_rcpf(x); }
float __ocml_native_rsqrt_f32(float x) { return __builtin_amdgcn_rsqf(x); }

// What the compiler knows itself.
#define BUILTIN1(name)                                                  \
  double __ocml_##name##_f64(double x) { return __builtin_##name(x); }  \
  float __ocml_##name##_f32(float x) { return __builtin_##name##f(x); } \
  _Float16 __ocml_##name##_f16(_Float16 x) { return __builtin_##name##f16(x); }
BUILTIN1(ceil)
BUILTIN1(fabs)
BUILTIN1(floor)
BUILTIN1(rint)
BUILTIN1(sqrt)
BUILTIN1(trunc)
double __ocml_round_f64(double x) { return __builtin_round(x); }
float __ocml_round_f32(float x) { return __builtin_roundf(x); }
double __ocml_nearbyint_f64(double x) { return __builtin_rint(x); }
float __ocml_nearbyint_f32(float x) { return __builtin_rintf(x); }
double __ocml_copysign_f64(double x, double y) { return __builtin_copysign(x, y); }
float __ocml_copysign_f32(float x, float y) { return __builtin_copysignf(x, y); }
double __ocml_fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }
float __ocml_fma_f32(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
_Float16 __ocml_fma_f16(_Float16 x, _Float16 y, _Float16 z) { return __builtin_fmaf16(x, y, z); }
#define ROUNDED(suffix, T, fused, root)                 \
  T __ocml_add_rte_##suffix(T x, T y) { return x + y; } \
  T __ocml_sub_rte_##suffix(T x, T y) { return x - y; } \
  T __ocml_mul_rte_##suffix(T x, T y) { return x * y; } \
  T __ocml_div_rte_##suffix(T x, T y) { return x / y; } \
  T __ocml_sqrt_rte_##suffix(T x) { return root(x); }   \
  T __ocml_fma_rte_##suffix(T x, T y, T z) { return fused(x, y, z); }
ROUNDED(f32, float, __builtin_fmaf, __builtin_sqrtf)
ROUNDED(f64, double, __builtin_fma, __builtin_sqrt)
double __ocml_fmax_f64(double x, double y) { return __builtin_fmax(x, y); }
float __ocml_fmax_f32(float x, float y) { return __builtin_fmaxf(x, y); }
_Float16 __ocml_fmax_f16(_Float16 x, _Float16 y) { return __builtin_fmaxf16(x, y); }
double __ocml_fmin_f64(double x, double y) { return __builtin_fmin(x, y); }
float __ocml_fmin_f32(float x, float y) { return __builtin_fminf(x, y); }
_Float16 __ocml_fmin_f16(_Float16 x, _Float16 y) { return __builtin_fminf16(x, y); }
double __ocml_fdim_f64(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }
float __ocml_fdim_f32(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }
double __ocml_ldexp_f64(double x, int n) { return __builtin_ldexp(x, n); }
float __ocml_ldexp_f32(float x, int n) { return __builtin_ldexpf(x, n); }
double __ocml_scalbn_f64(double x, int n) { return __builtin_ldexp(x, n); }
float __ocml_scalbn_f32(float x, int n) { return __builtin_ldexpf(x, n); }
int __ocml_ilogb_f64(double x) { return ilogb(x); }
int __ocml_ilogb_f32(float x) { return ilogb(x); }
int __ocml_isnan_f64(double x) { return x != x; }
int __ocml_isnan_f32(float x) { return x != x; }
int __ocml_isnan_f16(_Float16 x) { return x != x; }
int __ocml_isinf_f64(double x) { return fabs(x) == kInf; }
int __ocml_isinf_f32(float x) { return fabs(x) == kInf; }
int __ocml_isinf_f16(_Float16 x) { return fabs(x) == kInf; }
int __ocml_isfinite_f64(double x) { return fabs(x) < kInf; }
int __ocml_isfinite_f32(float x) { return fabs(x) < kInf; }
int __ocml_signbit_f64(double x) { return static_cast<int>(bits(x) >> 63); }
int __ocml_signbit_f32(float x) { return static_cast<int>(__builtin_bit_cast(unsigned, x) >> 31); }
double __ocml_nextafter_f64(double x, double y) { return nextafter(x, y); }
float __ocml_nextafter_f32(float x, float y) { return nextafter(x, y); }
double __ocml_pown_f64(double x, int n) { return pown(x, n); }
float __ocml_pown_f32(float x, int n) { return static_cast<float>(pown(x, n)); }
double __ocml_remainder_f64(double x, double y) {
  int q;
  return remquo(x, y, &q);
}
float __ocml_remainder_f32(float x, float y) {
  int q;
  return static_cast<float>(remquo(x, y, &q));
}
double __ocml_remquo_f64(double x, double y, PRIVATE int* out) {
  int q;
  double r = remquo(x, y, &q);
  *out = q;
  return r;
}
float __ocml_remquo_f32(float x, float y, PRIVATE int* out) {
  int q;
  double r = remquo(x, y, &q);
  *out = q;
  return static_cast<float>(r);
}
double __ocml_frexp_f64(double x, PRIVATE int* e) {
  bool plain = fabs(x) < kInf && x != 0;
  *e = plain ? __builtin_amdgcn_frexp_exp(x) : 0;
  return plain ? __builtin_amdgcn_frexp_mant(x) : x;
}
float __ocml_frexp_f32(float x, PRIVATE int* e) {
  bool plain = __builtin_fabsf(x) < __builtin_inff() && x != 0;
  *e = plain ? __builtin_amdgcn_frexp_expf(x) : 0;
  return plain ? __builtin_amdgcn_frexp_mantf(x) : x;
}
double __ocml_modf_f64(double x, PRIVATE double* whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(fabs(x) == kInf ? 0 : x - *whole, x);
}
float __ocml_modf_f32(float x, PRIVATE float* whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(fabs(x) == kInf ? 0 : x - *whole, x);
}
double __ocml_sincos_f64(double x, PRIVATE double* c) {
  *c = cos(x);
  return sin(x);
}
float __ocml_sincos_f32(float x, PRIVATE float* c) {
  *c = static_cast<float>(cos(x));
  return static_cast<float>(sin(x));
}
double __ocml_sincospi_f64(double x, PRIVATE double* c) {
  *c = cospi(x);
  return sinpi(x);
}
float __ocml_sincospi_f32(float x, PRIVATE float* c) {
  *c = static_cast<float>(cospi(x));
  return static_cast<float>(sinpi(x));
}
double __ocml_rhypot_f64(double x, double y) { return 1 / hypot(x, y); }
float __ocml_rhypot_f32(float x, float y) { return static_cast<float>(1 / hypot(x, y)); }
double __ocml_len3_f64(double x, double y, double z) { return len3(x, y, z); }
float __ocml_len3_f32(float x, float y, float z) { return static_cast<float>(len3(x, y, z)); }
double __ocml_rlen3_f64(double x, double y, double z) { return 1 / len3(x, y, z); }
float __ocml_rlen3_f32(float x, float y, float z) { return static_cast<float>(1 / len3(x, y, z)); }
double __ocml_len4_f64(double x, double y, double z, double w) { return len4(x, y, z, w); }
float __ocml_len4_f32(float x, float y, float z, float w) { return static_cast<float>(len4(x, y, z, w)); }
double __ocml_rlen4_f64(double x, double y, double z, double w) { return 1 / len4(x, y, z, w); }
float __ocml_rlen4_f32(float x, float y, float z, float w) { return static_cast<float>(1 / len4(x, y, z, w)); }

// f16 through f32; pairs by element.
#define HALF1(name, f) \
  _Float16 __ocml_##name##_f16(_Float16 x) { return static_cast<_Float16>(f(static_cast<float>(x))); }
HALF1(exp, __builtin_expf)
HALF1(exp2, __builtin_exp2f)
HALF1(exp10, __builtin_exp10f)
HALF1(log, __builtin_logf)
HALF1(log2, __builtin_log2f)
HALF1(log10, __builtin_log10f)
HALF1(sin, __ocml_sin_f32)
HALF1(cos, __ocml_cos_f32)
HALF1(rsqrt, __ocml_rsqrt_f32)
_Float16 __ocml_pown_f16(_Float16 x, int n) { return static_cast<_Float16>(pown(static_cast<double>(x), n)); }
}
