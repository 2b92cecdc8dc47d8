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

// Vectors of 512 bits stay whole where the host has them; clang would halve them for some processors.
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#pragma clang diagnostic ignored "-Wpsabi"  // no vector leaves this file

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
Floats<N> powers32(Ints<N> exponent) {
  return std::bit_cast<Floats<N>>((exponent + 127) << 23);
}

template <int N>
struct Rounded {
  Floats<N> value;
  Ints<N> odd;  // nonzero where the form by value has to decide
};

// Steps 2 and 3, in units of 2^(high - 32): the sum is 256 * upper + lower, so that 32-bit integers hold it.
template <int N>
Rounded<N> add_c(Ints<N> sum, Ints<N> exponent, Floats<N> c, bool drops_low_c) {
  using Words = Vector<uint32_t, N>;
  Ints<N> bits = std::bit_cast<Ints<N>>(c), field = (bits >> 23) & 255, sign = bits >> 31;
  Ints<N> exponent_c = __builtin_elementwise_max(field - 127, Ints<N>(-126));
  Ints<N> high = __builtin_elementwise_max(exponent, exponent_c), below = high - exponent;
  Ints<N> significand = (bits & 0x7fffff) | ((field != 0) & 0x800000);
  Ints<N> add = (((significand ^ sign) - sign) * 2) >> __builtin_elementwise_min(high - exponent_c, Ints<N>(31));
  if (drops_low_c) add &= exponent_c >= high - 25;
  Ints<N> upper = (sum >> __builtin_elementwise_min(below, Ints<N>(31))) + add;
  Ints<N> left = sum << __builtin_elementwise_max(8 - below, Ints<N>(0));
  Ints<N> right = sum >> __builtin_elementwise_min(__builtin_elementwise_max(below - 8, Ints<N>(0)), Ints<N>(31));
  Ints<N> lower = (below < 8 ? left : right) & 255;
  Words magnitude = std::bit_cast<Words>(upper ^ (upper >> 31));
  Ints<N> zeros = std::bit_cast<Ints<N>>(__builtin_elementwise_clzg(magnitude, Words(32)));
  lower &= Ints<N>(-1) << __builtin_elementwise_max(8 - zeros, Ints<N>(0));
  // Two parts of at most 20 bits are exact, and their sum is rounded once.
  Floats<N> tail = __builtin_convertvector(((upper & 0xfff) << 8) | lower, Floats<N>);
  Floats<N> value =
      __builtin_elementwise_fma(__builtin_convertvector(upper >> 12, Floats<N>), Floats<N>(1 << 20), tail);
  Ints<N> odd = (high > 127) | ((high < -94) & ((upper | lower) != 0));
  return {value * powers32<N>(__builtin_elementwise_max(high - 32, Ints<N>(-126))), odd};
}

template <int N>
struct Lanes {
  Ints<N> sum, exponent, odd;
};

// kRows rows of D at a time: what B contributes is loaded once for all of them.
template <int N, int kRows>
struct Tile {
  const MatrixSum<float>& s;
  const Exponents& e;
  int block, i, column;
  const uint16_t* row_a = s.row_a + block * s.shape.k;
  const uint16_t* row_b = s.row_b + block * s.shape.k_b;

  // f(row, a's place, b's place) for product t of every row.
  template <bool kSparse, class F>
  [[gnu::always_inline]] void each_row(int t, F f) const {
    const int a = row_a[t] + i;
    for (int r = 0; r < kRows; ++r) f(r, a + r, row_b[kSparse ? s.partner[a + r] : t] + column);
  }

  // Step 1 over products k, k + stride, … below `end`.
  template <bool kSparse>
  [[gnu::always_inline]] void cut_and_add(int k, int end, int stride, Lanes<N>* out) const {
    Ints<N> largest[kRows], sum[kRows];
    Floats<N> unit[kRows];
    for (int r = 0; r < kRows; ++r) largest[r] = 2 * kExponentOfZero, sum[r] = 0;
    for (int t = k; t < end; t += stride)
      each_row<kSparse>(t, [&](int r, int a, int b) {
        largest[r] = __builtin_elementwise_max(largest[r], e.a[a] + load<Ints<N>>(e.b + b));
      });
    for (int r = 0; r < kRows; ++r) {
      Ints<N> bounded = __builtin_elementwise_min(__builtin_elementwise_max(largest[r], Ints<N>(-100)), Ints<N>(126));
      unit[r] = powers32<N>(24 - bounded);
    }
    for (int t = k; t < end; t += stride)
      each_row<kSparse>(t, [&](int r, int a, int b) {
        Floats<N> product = s.a[a] * load<Floats<N>>(s.b + b);
        sum[r] += __builtin_convertvector(product * unit[r], Ints<N>);
      });
    for (int r = 0; r < kRows; ++r) {
      Ints<N> odd = (largest[r] > 125) | ((largest[r] < -100) & (largest[r] > -260));
      out[r] = {sum[r], __builtin_elementwise_max(largest[r], Ints<N>(-900)), odd};
    }
  }

  template <bool kSparse>
  [[gnu::always_inline]] void cut_and_add_halves(int k, int end, Lanes<N>* out) const {
    Lanes<N> odd[kRows];
    cut_and_add<kSparse>(k, end, 2, out);
    cut_and_add<kSparse>(k + 1, end, 2, odd);
    for (int r = 0; r < kRows; ++r) {
      Ints<N> high = __builtin_elementwise_max(out[r].exponent, odd[r].exponent);
      auto down = [&](const Lanes<N>& part) {
        return part.sum >> __builtin_elementwise_min(high - part.exponent, Ints<N>(31));
      };
      out[r] = {down(out[r]) + down(odd[r]), high, out[r].odd | odd[r].odd};
    }
  }

  // Adds one step to row r of D.
  void finish(Lanes<N> dot, int r, int k, int chunk, bool halves, Floats<N>& c) const {
    const MatrixShape& shape = s.shape;
    Ints<N> odd = dot.odd | (((std::bit_cast<Ints<N>>(c) >> 23) & 255) == 255);
    if (e.scale_a) {
      Ints<N> scale = e.scale_a[k / 32 * shape.m + i + r] + load<Ints<N>>(e.scale_b + k / 32 * shape.n + column);
      dot.exponent = __builtin_elementwise_min(dot.exponent + scale, Ints<N>(900));
      odd |= scale >= kExponentOfSpecial / 2;
    }
    Floats<N> before = c;
    Rounded<N> rounded = add_c<N>(dot.sum, dot.exponent, c, halves);
    c = rounded.value;
    odd |= rounded.odd;
    if (__builtin_reduce_or(odd) == 0) return;
    for (int j = 0; j < N; ++j)
      if (odd[j]) c[j] = truncated_result(s, e, block, i + r, column + j, k, chunk, halves, before[j]);
  }
};

template <int N, int kRows, bool kSparse, bool kHalves>
void truncated_rows(const Tile<N, kRows>& tile, int chunk) {
  const MatrixSum<float>& s = tile.s;
  Floats<N> c[kRows];
  float* d[kRows];
  for (int r = 0; r < kRows; ++r) d[r] = s.d + s.row_d[tile.block * s.shape.m + tile.i + r] + tile.column;
  for (int r = 0; r < kRows; ++r) c[r] = load<Floats<N>>(d[r]);
  for (int k = 0; k < s.shape.k; k += chunk) {
    int end = std::min(k + chunk, s.shape.k);
    Lanes<N> dot[kRows];
    if constexpr (kHalves)
      tile.template cut_and_add_halves<kSparse>(k, end, dot);
    else
      tile.template cut_and_add<kSparse>(k, end, 1, dot);
    for (int r = 0; r < kRows; ++r) tile.finish(dot[r], r, k, chunk, kHalves, c[r]);
  }
  for (int r = 0; r < kRows; ++r) store(d[r], c[r]);
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
  auto product = [&](int k) { return flushed<N>(s.a[row_a[k] + i] * load<Floats<N>>(s.b + row_b[k] + column)); };
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
  constexpr int kRows = 4;
  with_width<16>(s.shape.n, [&](auto width) {
    for (int block = 0; block < s.shape.blocks; ++block)
      for (int i = 0; i < s.shape.m; i += kRows)
        for (int column = 0; column < s.shape.n; column += width.value) {
          Tile<width.value, kRows> tile{s, e, block, i, column};
          if (s.partner)
            halves ? truncated_rows<width.value, kRows, true, true>(tile, chunk)
                   : truncated_rows<width.value, kRows, true, false>(tile, chunk);
          else
            halves ? truncated_rows<width.value, kRows, false, true>(tile, chunk)
                   : truncated_rows<width.value, kRows, false, false>(tile, chunk);
        }
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

#pragma clang attribute pop
