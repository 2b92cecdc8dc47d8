#include "ir/interpret_scalar.h"

#include <algorithm>

#include "base/check.h"

namespace hipvault::ir {
namespace {

constexpr double kTwoOverRootPi = 1.1283791670955126;

double function(Op op, double x) {
  switch (op) {
    case Op::exp2:
      return std::exp2(x);
    case Op::expm1:
      return std::expm1(x);
    case Op::log:
      return std::log(x);
    case Op::log2:
      return std::log2(x);
    case Op::log1p:
      return std::log1p(x);
    case Op::sqrt:
      return std::sqrt(x);
    case Op::rsqrt:
      return 1 / std::sqrt(x);
    case Op::sin:
      return std::sin(x);
    case Op::cos:
      return std::cos(x);
    case Op::tan:
      return std::tan(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::erf:
      return std::erf(x);
    case Op::floor:
      return std::floor(x);
    case Op::ceil:
      return std::ceil(x);
    case Op::round:
      return std::nearbyint(x);  // ties to even
    case Op::trunc:
      return std::trunc(x);
    case Op::sign:
      return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : x;
    default:
      CHECK(false) << "not a function of one real: " << op_name(op);
  }
  return 0;
}

// |f'| where the function is smooth; negative: use both ends of the interval instead.
double slope(Op op, double x, double r) {
  switch (op) {
    case Op::exp2:
      return r * 0.6931471805599453;
    case Op::expm1:
      return r + 1;
    case Op::tanh:
      return 1 - r * r;
    case Op::erf:
      return kTwoOverRootPi * std::exp(-x * x);
    case Op::sin:
      return std::fabs(std::cos(x));
    case Op::cos:
      return std::fabs(std::sin(x));
    case Op::tan:
      return 1 + r * r;
    case Op::log:
      return 1 / x;
    case Op::log2:
      return 1.4426950408889634 / x;
    case Op::log1p:
      return 1 / (1 + x);
    case Op::sqrt:
      return 0.5 / r;
    case Op::rsqrt:
      return 0.5 * r / x;
    default:
      return -1;
  }
}

bool is_step(Op op) { return op >= Op::floor && op <= Op::sign; }

// Both ends, for functions that are monotone between them. NaN at an end: the value may be undefined there.
double spread_at_ends(Op op, const V& a, double r) {
  double low = function(op, a.r - a.e), high = function(op, a.r + a.e);
  if (op == Op::sin || op == Op::cos) return std::min(a.e, 2.0);
  if (op == Op::sqrt && a.r - a.e < 0) low = 0;
  if (std::isnan(low) || std::isnan(high)) return kInfinity;
  return std::max(std::fabs(low - r), std::fabs(high - r));
}

}  // namespace

V Scalars::quotient(const V& a, const V& b) const {
  double r = a.r / b.r;
  if (a.e + b.e == 0) return finish(r, fu * std::fabs(r) + tiny, 0);
  if (std::isinf(b.r)) return finish(r, tiny, a.e + b.e);
  if (std::fabs(b.r) <= b.e) return {r, 0, kInfinity};
  return finish(r, (a.e + std::fabs(r) * b.e) / (std::fabs(b.r) - b.e) + fu * std::fabs(r) + tiny, a.e + b.e);
}

V Scalars::overflowed(Op op, const V& a, const V& b, const V& result) const {
  if (!may_overflow(a) && !may_overflow(b)) return result;
  double x = as_overflowed(a).r, y = as_overflowed(b).r;
  double reached = op == Op::add ? x + y : op == Op::sub ? x - y : op == Op::mul ? x * y : x / y;
  bool beyond = std::fabs(result.r) + result.e >= largest;  // its users will ask the same
  return beyond && !std::isnan(reached) ? result : widened(result, reached);
}

V Scalars::unary(Op op, const V& a) const {
  if (op == Op::neg) return {-a.r, 0, a.e};
  if (op == Op::abs) return {std::fabs(a.r), 0, a.e};
  V result = op == Op::exp ? exp(a) : function_value(op, a);
  if (!may_overflow(a) || std::fabs(result.r) + result.e >= largest) return result;
  double infinite = std::copysign(kInfinity, a.r);
  return widened(result, op == Op::exp ? std::exp(infinite) : function(op, infinite));
}

V Scalars::function_value(Op op, const V& a) const {
  double r = function(op, a.r);
  if (is_step(op)) return a.e == 0 || std::isnan(r) ? V{r, 0, 0} : V{r, 0, spread_at_ends(op, a, r)};
  double own =
      fu * std::fabs(r) + (op == Op::sqrt || op == Op::rsqrt ? 0 : u * std::min(1.0, std::fabs(r) + std::fabs(a.r)));
  if (a.e == 0) return finish(r, own + tiny, 0);
  double steep = slope(op, a.r, r);
  bool smooth = steep >= 0 && a.e < 1e-4 * std::min(1.0, std::fabs(a.r));
  if (op == Op::log1p) smooth = smooth && a.e < 1e-4 * (1 + a.r);
  return finish(r, (smooth ? 1.001 * steep * a.e : spread_at_ends(op, a, r)) + own + tiny, a.e);
}

V Scalars::maximum(const V& a, const V& b) const {
  if (std::isnan(a.r)) return a;
  if (std::isnan(b.r)) return b;
  double r = std::max(a.r, b.r);
  if (a.e + b.e == 0) return {r, 0, 0};
  double low = std::max(a.r - a.e, b.r - b.e), high = std::max(a.r + a.e, b.r + b.e);
  return {r, 0, r == low && r == high ? 0 : std::max(high - r, r - low)};
}

V Scalars::minimum(const V& a, const V& b) const {
  V m = maximum({-a.r, 0, a.e}, {-b.r, 0, b.e});
  return {-m.r, 0, m.e};
}

static V power(const Scalars& s, const V& a, const V& b) {
  double r = std::pow(a.r, b.r);
  double relative = 0;
  if (a.e > 0 && b.r != 0) relative += std::fabs(b.r) * a.e / std::max(std::fabs(a.r) - a.e, 0.0);
  if (b.e > 0) relative += std::fabs(std::log(std::fabs(a.r))) * b.e;
  // A zero base: the error is the power of its error.
  if (a.e > 0 && std::fabs(a.r) <= 2 * a.e && b.r > 0) return {r, 0, std::pow(std::fabs(a.r) + a.e, b.r) + s.tiny};
  return Scalars::finish(
      r, std::fabs(r) * relative * (1 + relative) + s.fu * std::fabs(r) * std::max(1.0, std::fabs(b.r)) + s.tiny,
      a.e + b.e);
}

V Scalars::binary(Op op, const V& a, const V& b) const {
  switch (op) {
    case Op::add:
      return add(a, b);
    case Op::sub:
      return sub(a, b);
    case Op::mul:
      return mul(a, b);
    case Op::div:
      return div(a, b);
    case Op::pow:
      return power(*this, a, b);
    case Op::minimum:
      return minimum(a, b);
    case Op::maximum:
      return maximum(a, b);
    case Op::floordiv:
      return a.e + b.e == 0 ? V{std::floor(a.r / b.r), 0, 0} : unary(Op::floor, div(a, b));
    case Op::mod: {
      V quotient = binary(Op::floordiv, a, b);
      double r = a.r - quotient.r * b.r;
      return finish(r, quotient.e > 0 ? std::fabs(b.r) : a.e + std::fabs(quotient.r) * b.e + u * std::fabs(r),
                    a.e + b.e);
    }
    case Op::atan2: {
      double r = std::atan2(a.r, b.r), norm = a.r * a.r + b.r * b.r;
      double moved = a.e + b.e == 0 ? 0 : norm == 0 ? kInfinity : (std::fabs(b.r) * a.e + std::fabs(a.r) * b.e) / norm;
      return finish(r, moved + fu * std::fabs(r), a.e + b.e);
    }
    default:
      CHECK(false) << "not an operation on two reals: " << op_name(op);
  }
  return {};
}

V Scalars::compare(Op op, double a, double b, double error) {
  bool result = false;
  switch (op) {
    case Op::lt:
      result = a < b;
      break;
    case Op::le:
      result = a <= b;
      break;
    case Op::gt:
      result = a > b;
      break;
    case Op::ge:
      result = a >= b;
      break;
    case Op::eq:
      result = a == b;
      break;
    default:
      result = a != b;
  }
  bool unsure = error > 0 && !(std::fabs(a - b) > error) && !std::isnan(a) && !std::isnan(b);
  return integer_value(result, unsure ? 1 : 0);
}

double round_fast(DType dtype, double value) {
  if (dtype == DType::f64) return value;
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(value));
  return round_to(dtype, value);
}

V Scalars::round(DType dtype, const V& a) {
  double r = round_fast(dtype, a.r);
  if (a.e == 0 || std::isnan(a.r)) return {r, 0, 0};
  if (std::isinf(a.e)) return {r, 0, kInfinity};
  double low = round_fast(dtype, a.r - a.e), high = round_fast(dtype, a.r + a.e);
  double e = std::max(high == r ? 0 : std::fabs(high - r), low == r ? 0 : std::fabs(r - low));
  return {r, 0, std::isnan(e) ? kInfinity : e};
}

namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

bool integer_power(int64_t base, int64_t exponent, int64_t& result, const char*& why) {
  if (exponent < 0) return why = "a negative power of an integer", false;
  result = 1;
  for (; exponent > 0; --exponent) {
    if (base == 0 || base == 1) return result = base, true;
    if (base == -1) return result = exponent % 2 ? -1 : 1, true;
    if (__builtin_mul_overflow(result, base, &result)) return why = "an integer overflow", false;
  }
  return true;
}

double integer_error(Op op, const V& a, const V& b) {
  if (a.e + b.e == 0) return 0;
  switch (op) {
    case Op::neg:
    case Op::abs:
      return a.e;
    case Op::add:
    case Op::sub:
      return a.e + b.e;
    case Op::minimum:
    case Op::maximum:
      return std::max(a.e, b.e);
    case Op::mul:
      return std::fabs(a.r) * b.e + std::fabs(b.r) * a.e + a.e * b.e;
    case Op::floordiv:
      return b.e == 0 ? a.e / std::fabs(b.r) + 1 : kInfinity;
    case Op::mod:
      return std::fabs(b.r) + b.e;
    default:
      return kInfinity;
  }
}

}  // namespace

bool integer_operation(Op op, const V& a, const V& b, V& out, const char*& why) {
  int64_t x = a.i, y = b.i, r = 0;
  bool overflow = false;
  switch (op) {
    case Op::neg:
      overflow = __builtin_sub_overflow(int64_t{0}, x, &r);
      break;
    case Op::abs:
      overflow = x < 0 ? __builtin_sub_overflow(int64_t{0}, x, &r) : (r = x, false);
      break;
    case Op::sign:
      r = (x > 0) - (x < 0);
      break;
    case Op::add:
      overflow = __builtin_add_overflow(x, y, &r);
      break;
    case Op::sub:
      overflow = __builtin_sub_overflow(x, y, &r);
      break;
    case Op::mul:
      overflow = __builtin_mul_overflow(x, y, &r);
      break;
    case Op::floordiv:
    case Op::mod:
      if (y == 0) return why = "an integer division by zero", false;
      if (x == INT64_MIN && y == -1) return why = "an integer overflow", false;
      r = op == Op::floordiv ? floor_divide(x, y) : x - floor_divide(x, y) * y;
      break;
    case Op::pow:
      if (!integer_power(x, y, r, why)) return false;
      break;
    case Op::minimum:
      r = std::min(x, y);
      break;
    case Op::maximum:
      r = std::max(x, y);
      break;
    case Op::bit_and:
      r = x & y;
      break;
    case Op::bit_or:
      r = x | y;
      break;
    case Op::bit_xor:
      r = x ^ y;
      break;
    case Op::shift_left:
    case Op::shift_right:
      if (y < 0 || y > 63) return why = "a shift by less than 0 or more than 63 bits", false;
      if (op == Op::shift_right) {
        r = x >> y;
      } else {
        r = static_cast<int64_t>(static_cast<uint64_t>(x) << y);
        overflow = (r >> y) != x;
      }
      break;
    default:
      CHECK(false) << "not an operation on integers: " << op_name(op);
  }
  if (overflow) return why = "an integer overflow", false;
  out = integer_value(r, integer_error(op, a, b));
  return true;
}

// Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", table 2 and section 4.3.
uint32_t philox_word(uint64_t seed, uint64_t counter) {
  uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32), c2 = 0, c3 = 0;
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t{0xD2511F53} * c0, p1 = uint64_t{0xCD9E8D57} * c2;
    uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0, n2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c0;
}

}  // namespace hipvault::ir
