// Sums of matrix instructions.
//
// CDNA3's 16-bit and xf32 products, as measured by others (doc/matrix-arithmetic.md): per step of `chunk` products
//   1. a product is the product of two significands in [1, 2) (below 1 for denormals), not normalised, with the sum of
//      their exponents; each is cut towards zero at 2^-24 of the largest of these exponents; the cut ones add exactly;
//   2. this sum is rounded down at 2^-32, C at 2^-24, of the larger of the two exponents;
//   3. their exact sum is rounded down to 31 bits behind its leading one, then to f32, to nearest even.
// fp8 sums even and odd products apart in step 1, rounds both down at 2^-24 of the larger exponent, and drops a C that
// lies more than 25 binades lower.
//
// The vector form computes step 1 in f32: a product of two significands of at most 12 bits is exact there, scaling it
// so that 2^-24 becomes 1 is exact too, and converting to integer cuts towards zero. A result that meets infinities,
// NaN, overflow or products below 2^-100 is left to the form by value. Rejected: integers throughout (twice the
// instructions a product), and 64-bit floats (half the lanes).

#include "isa/matrix_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace hipvault::isa {
namespace {

template <class T, int N>
using Vector = T __attribute__((ext_vector_type(N)));
template <int N>
using Floats = Vector<float, N>;
template <int N>
using Ints = Vector<int32_t, N>;

template <class V, class T>
V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
void store(T* to, V v) {
  std::memcpy(to, &v, sizeof v);
}

// Which NaN an operation on NaNs gives depends on the host; the hardware's is not known for these sums.
template <int N>
Floats<N> one_nan(Floats<N> x) {
  Ints<N> bits = std::bit_cast<Ints<N>>(x);
  return std::bit_cast<Floats<N>>(x != x ? Ints<N>(0x7fc00000) : bits);
}

// Calls f with the width of the vectors that rows of n values are handled in.
template <int kWidest, class F>
void with_width(int n, F f) {
  if (n == 4)
    f(std::integral_constant<int, 4>{});
  else if (n == 32 && kWidest == 32)
    f(std::integral_constant<int, kWidest>{});
  else
    f(std::integral_constant<int, 16>{});
}

// ---- chains --------------------------------------------------------------------------------------------------------

// kRows rows of D at a time, so that a row of B is loaded once for all of them and the additions overlap.
template <int N, int kRows, class T, class Step>
void chain_rows(const MatrixSum<T>& s, int block, int i, int column, Step step) {
  using V = Vector<T, N>;
  const MatrixShape& shape = s.shape;
  const uint16_t *row_a = s.row_a + block * shape.k, *row_b = s.row_b + block * shape.k_b;
  T* d[kRows];
  V sum[kRows];
  for (int r = 0; r < kRows; ++r) d[r] = s.d + s.row_d[block * shape.m + i + r] + column;
  for (int r = 0; r < kRows; ++r) sum[r] = load<V>(d[r]);
  for (int k = 0; k < shape.k; ++k) {
    const T* a = s.a + row_a[k] + i;
    if (s.partner) {
      const uint8_t* partner = s.partner + row_a[k] + i;
      for (int r = 0; r < kRows; ++r) sum[r] = step(V(a[r]), load<V>(s.b + row_b[partner[r]] + column), sum[r]);
    } else {
      V right = load<V>(s.b + row_b[k] + column);
      for (int r = 0; r < kRows; ++r) sum[r] = step(V(a[r]), right, sum[r]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    if constexpr (std::is_same_v<T, float>) sum[r] = one_nan<N>(sum[r]);
    store(d[r], sum[r]);
  }
}

template <class T, class Step>
void chain(const MatrixSum<T>& s, Step step) {
  with_width<sizeof(T) == 4 ? 32 : 16>(s.shape.n, [&](auto width) {
    constexpr int kRows = width.value == 4 ? 4 : 8;
    for (int block = 0; block < s.shape.blocks; ++block)
      for (int i = 0; i < s.shape.m; i += kRows)
        for (int column = 0; column < s.shape.n; column += width.value)
          chain_rows<width.value, kRows>(s, block, i, column, step);
  });
}

// ---- truncated sums, by value --------------------------------------------------------------------------------------

struct Partial {
  double sum = 0;  // in units of 2^(exponent - 24)
  int exponent = kExponentOfZero * 2;
};

double power(int exponent) { return std::ldexp(1.0, exponent); }

struct Step {
  float a[16], b[16];
  int exponent[16];
  int count = 0;
};

// One group of products: cut to 24 bits below the largest exponent.
Partial cut_and_add(const Step& step, int first, int stride) {
  Partial out;
  for (int t = first; t < step.count; t += stride) out.exponent = std::max(out.exponent, step.exponent[t]);
  for (int t = first; t < step.count; t += stride)
    out.sum += std::trunc(static_cast<double>(step.a[t]) * step.b[t] * power(24 - out.exponent));
  return out;
}

Partial joined(const Partial& even, const Partial& odd) {
  int exponent = std::max(even.exponent, odd.exponent);
  return {std::floor(even.sum * power(even.exponent - exponent)) + std::floor(odd.sum * power(odd.exponent - exponent)),
          exponent};
}

float add_c(const Partial& dot, float c, bool drops_low_c) {
  int exponent_c = std::max(c == 0 ? -126 : std::ilogb(c), -126);
  int exponent = std::max(dot.exponent, exponent_c);
  double sum = std::floor(dot.sum * power(dot.exponent - exponent + 8));
  if (!drops_low_c || exponent_c >= exponent - 25)
    sum += std::floor(static_cast<double>(c) * power(24 - exponent)) * 256;
  if (sum == 0) return 0;
  double value = sum * power(exponent - 32);
  int leading = std::max(std::ilogb(value), -126);
  return static_cast<float>(std::floor(value * power(31 - leading)) * power(leading - 31));
}

// Infinities and NaN by the rules of IEEE; a product of 2^128 and more counts as infinite. 0 if there is none.
float special_sum(const Step& step, float c) {
  float sum = std::isfinite(c) ? 0 : c;
  for (int t = 0; t < step.count; ++t) {
    double product = static_cast<double>(step.a[t]) * step.b[t];
    if (!(std::fabs(product) < power(128))) sum += static_cast<float>(product);
  }
  return sum;
}

constexpr uint32_t kNan = 0x7fffffff;  // of the truncated sums

float truncated_step(const Step& step, float c, int scale, bool halves) {
  float special = scale >= kExponentOfSpecial / 2 ? NAN : special_sum(step, c);
  if (special != 0) return std::isnan(special) ? std::bit_cast<float>(kNan) : special;
  Partial dot = halves ? joined(cut_and_add(step, 0, 2), cut_and_add(step, 1, 2)) : cut_and_add(step, 0, 1);
  dot.exponent += scale;
  return add_c(dot, c, halves);
}

int exponent_of(float x, int lowest) { return x == 0 ? kExponentOfZero : std::max(std::ilogb(x), lowest); }

int scale_at(const MatrixShape& shape, const Exponents& e, int i, int j, int k) {
  return e.scale_a ? e.scale_a[k / 32 * shape.m + i] + e.scale_b[k / 32 * shape.n + j] : 0;
}

// Steps from product `k` on for one result.
float truncated_result(const MatrixSum<float>& s, const Exponents& e, int block, int i, int j, int k, int chunk,
                       bool halves, float c) {
  const MatrixShape& shape = s.shape;
  Step step;
  step.count = std::min(chunk, shape.k - k);
  for (int t = 0; t < step.count; ++t) {
    int at = s.row_a[block * shape.k + k + t] + i, row = s.partner ? s.partner[at] : k + t;
    step.a[t] = s.a[at];
    step.b[t] = s.b[s.row_b[block * shape.k_b + row] + j];
    int sum = exponent_of(step.a[t], e.lowest_a) + exponent_of(step.b[t], e.lowest_b);
    bool zero = step.a[t] == 0 || step.b[t] == 0;
    step.exponent[t] = zero ? 2 * kExponentOfZero : sum;
  }
  return truncated_step(step, c, scale_at(shape, e, i, j, k), halves);
}

// ---- truncated sums, vectors ---------------------------------------------------------------------------------------

template <int N>
Vector<double, N> powers(Vector<int64_t, N> exponent) {
  return std::bit_cast<Vector<double, N>>((exponent + 1023) << 52);
}
template <int N>
Floats<N> powers32(Ints<N> exponent) {
  return std::bit_cast<Floats<N>>((exponent + 127) << 23);
}

// Steps 2 and 3.
template <int N>
Floats<N> add_c(Ints<N> sum, Ints<N> exponent, Floats<N> c, bool drops_low_c) {
  using Doubles = Vector<double, N>;
  using Longs = Vector<int64_t, N>;
  Ints<N> exponent_c = __builtin_elementwise_max(((std::bit_cast<Ints<N>>(c) >> 23) & 255) - 127, Ints<N>(-126));
  Ints<N> high = __builtin_elementwise_max(exponent, exponent_c);
  Longs top = __builtin_convertvector(high, Longs);
  Longs lower = __builtin_convertvector(exponent - high + 8, Longs);
  Doubles dot = __builtin_elementwise_floor(__builtin_convertvector(sum, Doubles) * powers<N>(lower));
  Doubles add = __builtin_elementwise_floor(__builtin_convertvector(c, Doubles) * powers<N>(24 - top)) * 256.0;
  if (drops_low_c) {
    Longs keep = __builtin_convertvector(exponent_c >= high - 25, Longs);
    add = std::bit_cast<Doubles>(std::bit_cast<Longs>(add) & keep);
  }
  Doubles value = (dot + add) * powers<N>(top - 32);
  Longs leading = ((std::bit_cast<Longs>(value) >> 52) & 2047) - 1023;
  leading = __builtin_elementwise_max(leading, Longs(-126));
  value = __builtin_elementwise_floor(value * powers<N>(31 - leading)) * powers<N>(leading - 31);
  return __builtin_convertvector(value, Floats<N>);
}

template <int N>
struct Lanes {
  Ints<N> sum, exponent, odd;  // odd: nonzero where the form by value has to decide
};

// Step 1 over products k, k + stride, … below `end`.
template <int N>
Lanes<N> cut_and_add(const MatrixSum<float>& s, const Exponents& e, int block, int i, int column, int k, int end,
                     int stride) {
  const MatrixShape& shape = s.shape;
  const uint16_t *row_a = s.row_a + block * shape.k, *row_b = s.row_b + block * shape.k_b;
  auto at_a = [&](int t) { return row_a[t] + i; };
  auto at_b = [&](int t) { return row_b[s.partner ? s.partner[at_a(t)] : t] + column; };
  Ints<N> largest = 2 * kExponentOfZero;
  for (int t = k; t < end; t += stride)
    largest = __builtin_elementwise_max(largest, e.a[at_a(t)] + load<Ints<N>>(e.b + at_b(t)));
  Ints<N> bounded = __builtin_elementwise_min(__builtin_elementwise_max(largest, Ints<N>(-100)), Ints<N>(126));
  Floats<N> unit = powers32<N>(24 - bounded);
  Ints<N> sum = 0;
  for (int t = k; t < end; t += stride) {
    Floats<N> product = s.a[at_a(t)] * load<Floats<N>>(s.b + at_b(t));
    sum += __builtin_convertvector(product * unit, Ints<N>);
  }
  Ints<N> odd = (largest > 125) | ((largest < -100) & (largest > -260));
  return {sum, __builtin_elementwise_max(largest, Ints<N>(-900)), odd};
}

template <int N>
Lanes<N> joined(const Lanes<N>& even, const Lanes<N>& odd) {
  Ints<N> high = __builtin_elementwise_max(even.exponent, odd.exponent);
  auto down = [&](const Lanes<N>& part) {
    return part.sum >> __builtin_elementwise_min(high - part.exponent, Ints<N>(31));
  };
  return {down(even) + down(odd), high, even.odd | odd.odd};
}

template <int N>
void truncated_row(const MatrixSum<float>& s, const Exponents& e, int block, int i, int column, int chunk,
                   bool halves) {
  const MatrixShape& shape = s.shape;
  float* d = s.d + s.row_d[block * shape.m + i] + column;
  Floats<N> c = load<Floats<N>>(d);
  for (int k = 0; k < shape.k; k += chunk) {
    int end = std::min(k + chunk, shape.k);
    Lanes<N> dot = halves ? joined<N>(cut_and_add<N>(s, e, block, i, column, k, end, 2),
                                      cut_and_add<N>(s, e, block, i, column, k + 1, end, 2))
                          : cut_and_add<N>(s, e, block, i, column, k, end, 1);
    Ints<N> odd = dot.odd | (((std::bit_cast<Ints<N>>(c) >> 23) & 255) == 255);
    if (e.scale_a) {
      Ints<N> scale = e.scale_a[k / 32 * shape.m + i] + load<Ints<N>>(e.scale_b + k / 32 * shape.n + column);
      dot.exponent = __builtin_elementwise_min(dot.exponent + scale, Ints<N>(900));
      odd |= scale >= kExponentOfSpecial / 2;
    }
    Floats<N> before = c;
    c = add_c<N>(dot.sum, dot.exponent, c, halves);
    if (__builtin_reduce_or(odd) == 0) continue;
    for (int j = 0; j < N; ++j)
      if (odd[j]) c[j] = truncated_result(s, e, block, i, column + j, k, chunk, halves, before[j]);
  }
  store(d, c);
}

}  // namespace

namespace {

template <class T, class F>
void for_each_row_of_d(const MatrixSum<T>& s, F f) {
  for (int row = 0; row < s.shape.blocks * s.shape.m; ++row) f(s.row_d[row]);
}

}  // namespace

void sum_integers(const MatrixSum<int32_t>& s, bool saturate) {
  auto step = [](auto a, auto b, auto sum) { return a * b + sum; };
  if (!saturate) return chain(s, step);
  // The products of one instruction fit into 32 bits; only C can make the sum leave them.
  alignas(64) int32_t dot[kMatrixCapacity] = {};
  MatrixSum<int32_t> without_c = s;
  without_c.d = dot;
  chain(without_c, step);
  for_each_row_of_d(s, [&](int row) {
    for (int at = row; at < row + s.shape.n; ++at)
      s.d[at] = static_cast<int32_t>(std::clamp<int64_t>(int64_t{s.d[at]} + dot[at], INT32_MIN, INT32_MAX));
  });
}

void sum_fma_chain(const MatrixSum<float>& s) {
  chain(s, [](auto a, auto b, auto sum) { return __builtin_elementwise_fma(a, b, sum); });
}
void sum_fma_chain(const MatrixSum<double>& s) {
  chain(s, [](auto a, auto b, auto sum) { return __builtin_elementwise_fma(a, b, sum); });
  for_each_row_of_d(s, [&](int row) {
    for (int at = row; at < row + s.shape.n; ++at)
      if (s.d[at] != s.d[at]) s.d[at] = std::bit_cast<double>(uint64_t{0x7ff8} << 48);
  });
}

namespace {

template <int N>
Floats<N> flushed(Floats<N> x) {
  Ints<N> bits = std::bit_cast<Ints<N>>(x);
  Ints<N> keep = (bits & 0x7f800000) != 0;
  return std::bit_cast<Floats<N>>(bits & (keep | static_cast<int32_t>(0x80000000)));
}

// The tree of one chunk: (p0 + p1) + (p2 + p3), each sum rounded and flushed.
template <int N>
void flushed_row(const MatrixSum<float>& s, int block, int i, int column, int chunk) {
  const MatrixShape& shape = s.shape;
  const uint16_t *row_a = s.row_a + block * shape.k, *row_b = s.row_b + block * shape.k_b;
  float* d = s.d + s.row_d[block * shape.m + i] + column;
  auto product = [&](int k) {
    return flushed<N>(s.a[row_a[k] + i] * load<Floats<N>>(s.b + row_b[k] + column));
  };
  Floats<N> c = load<Floats<N>>(d);
  Ints<N> normal = (std::bit_cast<Ints<N>>(c) & 0x7f800000) != 0;
  c = std::bit_cast<Floats<N>>(std::bit_cast<Ints<N>>(c) & normal);
  for (int k = 0; k < shape.k; k += chunk) {
    Floats<N> pair = flushed<N>(product(k) + product(k + 1));
    if (chunk == 4) pair = flushed<N>(pair + flushed<N>(product(k + 2) + product(k + 3)));
    c = flushed<N>(c + pair);
  }
  store(d, one_nan<N>(c));
}

template <class F>
void for_each_row(const MatrixShape& shape, F f) {
  with_width<16>(shape.n, [&](auto width) {
    for (int block = 0; block < shape.blocks; ++block)
      for (int i = 0; i < shape.m; ++i)
        for (int column = 0; column < shape.n; column += width.value) f(width, block, i, column);
  });
}

}  // namespace

void sum_flushed_pairs(const MatrixSum<float>& s, int chunk) {
  for_each_row(s.shape,
               [&](auto width, int block, int i, int column) { flushed_row<width.value>(s, block, i, column, chunk); });
}

void sum_truncated(const MatrixSum<float>& s, const Exponents& e, int chunk, bool halves) {
  for_each_row(s.shape, [&](auto width, int block, int i, int column) {
    truncated_row<width.value>(s, e, block, i, column, chunk, halves);
  });
}

void sum_truncated_by_value(const MatrixSum<float>& s, const Exponents& e, int chunk, bool halves) {
  const MatrixShape& shape = s.shape;
  for (int block = 0; block < shape.blocks; ++block)
    for (int i = 0; i < shape.m; ++i)
      for (int j = 0; j < shape.n; ++j) {
        float& d = s.d[s.row_d[block * shape.m + i] + j];
        for (int k = 0; k < shape.k; k += chunk) d = truncated_result(s, e, block, i, j, k, chunk, halves, d);
      }
}

void fill_exponents(const float* values, int count, int lowest, int32_t* out) {
  for (int at = 0; at < count; ++at) {
    uint32_t bits = std::bit_cast<uint32_t>(values[at]);
    int32_t field = static_cast<int32_t>(bits >> 23 & 255);
    int32_t exponent = std::max(field - 127, lowest);
    exponent = (bits & 0x7fffffff) == 0 ? kExponentOfZero : exponent;
    out[at] = field == 255 ? kExponentOfSpecial : exponent;
  }
}

}  // namespace hipvault::isa
