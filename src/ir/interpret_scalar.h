#pragma once
// Scalar operations on values with error bounds: what the exact operation gives, and how far an honest kernel may be
// off (running error analysis, see ir/interpret.h).
//
//   error of a*b:  |a|·eb + |b|·ea + ea·eb  +  u·|a·b|
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
      : u(model.unit_roundoff),
        fu(model.unit_roundoff * model.function_ulps),
        // Below the smallest normal number a kernel may flush to zero.
        tiny(model.unit_roundoff > 0x1p-40 ? 0x1p-126 : 0x1p-1022),
        model(model) {}

  double u, fu, tiny;
  ErrorModel model;

  // Infinity and NaN that come from infinite or NaN operands are certain.
  static V finish(double r, double e, double operand_errors) {
    if (!std::isfinite(r)) return {r, 0, operand_errors < kInfinity ? 0 : kInfinity};
    return {r, 0, std::isnan(e) ? kInfinity : e};
  }
  double growth(double n) const { return model.sum_base + model.sum_sqrt * std::sqrt(n); }

  V add(const V& a, const V& b) const {
    double r = a.r + b.r;
    return finish(r, a.e + b.e + u * std::fabs(r), a.e + b.e);
  }
  V sub(const V& a, const V& b) const {
    double r = a.r - b.r;
    return finish(r, a.e + b.e + u * std::fabs(r), a.e + b.e);
  }
  V mul(const V& a, const V& b) const {
    double r = a.r * b.r;
    return finish(r, std::fabs(a.r) * b.e + std::fabs(b.r) * a.e + a.e * b.e + u * std::fabs(r) + tiny, a.e + b.e);
  }
  V div(const V& a, const V& b) const;
  V exp(const V& a) const {
    double r = std::exp(a.r);
    double spread = a.e < 1e-3 ? a.e * (1 + a.e) : std::expm1(a.e);
    return finish(r, r * spread + fu * r + tiny, a.e);
  }
  V unary(Op op, const V& a) const;  // operands and result real
  V binary(Op op, const V& a, const V& b) const;
  V maximum(const V& a, const V& b) const;  // NaN propagates
  V minimum(const V& a, const V& b) const;
  static V compare(Op op, double a, double b, double error);
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
