#pragma once
// Scalar operations on values with error bounds: what the exact operation gives, and how far an honest kernel may be
// off (running error analysis, see ir/interpret.h).
//
//   error of a*b:  |a|·eb + |b|·ea + ea·eb  +  u·|a·b|
//
// Beyond the largest number of the accumulate type an honest kernel has an infinity, and below the smallest normal one
// it may have zero. The reference has neither: its doubles reach further. So a value of 1e39 with its small error
// stands for "1e39 or infinity" under the f32 model, and whoever uses it widens its own bound to what infinity would
// give:
//
//   x / (1 + exp(-x)) at x = -89:  exp(89) = 4.5e38 may be infinity, so the quotient -2e-37 may be 0
//
// Integers and truth values are exact unless they came from a real near a border: then `e` says how far they may be off
// (for a truth value: 1, it may be either).

#include <cmath>
#include <limits>

#include "ir/interpret.h"

namespace hipvault::ir {

struct V {
  double r = 0;   // the value; for integers and truth values too
  int64_t i = 0;  // exact, unless the type is real
  double e = 0;
};

inline V real_value(double r, double e = 0) { return {r, 0, e}; }
inline V integer_value(int64_t i, double e = 0) { return {static_cast<double>(i), i, e}; }

// Σ with Neumaier's correction, so that the reference is far more exact than any kernel.
struct ExactSum {
  double sum = 0, correction = 0;
  void add(double x) {
    double t = sum + x;
    correction += std::fabs(sum) >= std::fabs(x) ? (sum - t) + x : (x - t) + sum;
    sum = t;
  }
  double value() const { return std::isfinite(sum) ? sum + correction : sum; }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scalars {
  explicit Scalars(const ErrorModel& model)
      // A kernel that computes in f64 is compared with a reference that does so too (sums apart, which are
      // compensated). The analysis bounds the errors of both alike, so they are at most twice as far apart.
      : u(model.unit_roundoff * (is_narrow(model) ? 1 : 2)),
        fu(u * model.function_ulps),
        // Below the smallest normal number a kernel may flush to zero.
        tiny(is_narrow(model) ? 0x1p-126 : 0x1p-1022),
        // Half a unit above f32's largest number; doubles that overflow are infinities themselves.
        largest(is_narrow(model) ? 0x1.ffffffp127 : std::numeric_limits<double>::max()),
        model(model) {}

  static bool is_narrow(const ErrorModel& model) { return model.unit_roundoff > 0x1p-40; }

  double u, fu, tiny, largest;
  ErrorModel model;

  // Whether an honest kernel may have an infinity where the reference has a finite number.
  bool may_overflow(const V& a) const { return std::fabs(a.r) + a.e >= largest && std::isfinite(a.r); }
  // Some operand may overflow, or is infinite or of unknown size: worth a second look. False for NaN.
  bool is_huge(const V& a, const V& b) const { return std::fabs(a.r) + a.e + std::fabs(b.r) + b.e >= largest; }
  V as_overflowed(const V& a) const { return may_overflow(a) ? real_value(std::copysign(kInfinity, a.r)) : a; }
  // `result` of finite operands, widened to include what it would be if those that may overflow did.
  static V widened(const V& result, double overflowed) {
    if (!std::isfinite(result.r)) return result;
    double apart = std::fabs(overflowed - result.r);
    return {result.r, 0, std::isnan(apart) ? kInfinity : std::max(result.e, apart)};
  }
  // The sum of terms of this magnitude, some of which (or of their sums) may overflow on the way.
  V overflowing_sum(const V& sum, double magnitude) const {
    if (magnitude < largest || !std::isfinite(sum.r)) return sum;
    // Beyond the largest itself: infinite, or NaN where terms of the other sign overflow too.
    bool inside = std::fabs(sum.r) + sum.e < largest, both_signs = (magnitude - std::fabs(sum.r)) / 2 >= largest;
    return inside || both_signs ? V{sum.r, 0, kInfinity} : sum;
  }

  // Infinity and NaN that come from infinite or NaN operands are certain.
  static V finish(double r, double e, double operand_errors) {
    if (!std::isfinite(r)) return {r, 0, operand_errors < kInfinity ? 0 : kInfinity};
    return {r, 0, std::isnan(e) ? kInfinity : e};
  }
  double growth(double n) const { return model.sum_base + model.sum_sqrt * std::sqrt(n); }

  V add(const V& a, const V& b) const {
    double r = a.r + b.r;
    V result = finish(r, a.e + b.e + u * std::fabs(r), a.e + b.e);
    return is_huge(a, b) ? overflowed(Op::add, a, b, result) : result;
  }
  V sub(const V& a, const V& b) const {
    double r = a.r - b.r;
    V result = finish(r, a.e + b.e + u * std::fabs(r), a.e + b.e);
    return is_huge(a, b) ? overflowed(Op::sub, a, b, result) : result;
  }
  V mul(const V& a, const V& b) const {
    double r = a.r * b.r;
    double e = std::fabs(a.r) * b.e + std::fabs(b.r) * a.e + a.e * b.e + u * std::fabs(r) + tiny;
    V result = finish(r, e, a.e + b.e);
    return is_huge(a, b) ? overflowed(Op::mul, a, b, result) : result;
  }
  V div(const V& a, const V& b) const {
    V result = quotient(a, b);
    return is_huge(a, b) ? overflowed(Op::div, a, b, result) : result;
  }
  V quotient(const V& a, const V& b) const;
  V exp(const V& a) const {
    double r = std::exp(a.r);
    double spread = a.e < 1e-3 ? a.e * (1 + a.e) : std::expm1(a.e);
    return finish(r, r * spread + fu * r + tiny, a.e);
  }
  // `result` of the operation, seen again for operands of which one may overflow.
  V overflowed(Op op, const V& a, const V& b, const V& result) const;
  // A constant or parameter that the accumulate type cannot hold is off by its rounding from the start.
  V constant(double value) const {
    return real_value(value, is_narrow(model) && std::isfinite(value)
                                 ? std::fabs(value - static_cast<double>(static_cast<float>(value)))
                                 : 0);
  }
  V from_integer(const V& a) const {  // as an operand among reals
    return std::fabs(a.r) <= 0x1p24 ? real_value(a.r, a.e) : real_value(a.r, a.e + constant(a.r).e);
  }
  V unary(Op op, const V& a) const;  // operands and result real
  V function_value(Op op, const V& a) const;
  V binary(Op op, const V& a, const V& b) const;
  V maximum(const V& a, const V& b) const;  // NaN propagates
  V minimum(const V& a, const V& b) const;
  static V compare(Op op, double a, double b, double error);
  V compare(Op op, const V& a, const V& b) const {
    // Two infinities of one sign are equal, whatever order their finite values have.
    bool both = may_overflow(a) && may_overflow(b) && (a.r < 0) == (b.r < 0);
    return compare(op, a.r, b.r, both ? kInfinity : a.e + b.e);
  }
  // The value after rounding to `dtype`, which an honest kernel does to a value within the error: exact when there is
  // none.
  static V round(DType dtype, const V& a);
};

// Integer operations; false: an overflow, a division by zero or a shift out of range, with the reason.
bool integer_operation(Op op, const V& a, const V& b, V& out, const char*& why);

uint32_t philox_word(uint64_t seed, uint64_t counter);  // word 0 of Philox4x32-10, counter (c, 0)

// The stored value nearest to `value`, fast for the formats that references use most.
double round_fast(DType dtype, double value);

}  // namespace hipvault::ir
