// Transcendentals. Hardware is within about one unit in the last place; these are correctly rounded but for rare cases,
// and so "approximate". f32 inputs and results that are denormal count as zero in v_exp, v_log, v_rcp and v_rsq (LLVM
// scales around that). Polynomials in double, without branches: about 100 host cycles a wave.
#include "isa/numbers.h"
#include "isa/scalar.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// 2^r on [-1/2, 1/2]: Taylor series in r ln 2, 12 terms; remainder below 1e-15.
inline f64 exp2_kernel(f64 x) {
  f64 whole = __builtin_elementwise_rint(x);
  f64 y = (x - whole) * 0.69314718055994530942;
  f64 p = 1.0 / 479001600;
  p = fma64(p, y, 1.0 / 39916800);
  p = fma64(p, y, 1.0 / 3628800);
  p = fma64(p, y, 1.0 / 362880);
  p = fma64(p, y, 1.0 / 40320);
  p = fma64(p, y, 1.0 / 5040);
  p = fma64(p, y, 1.0 / 720);
  p = fma64(p, y, 1.0 / 120);
  p = fma64(p, y, 1.0 / 24);
  p = fma64(p, y, 1.0 / 6);
  p = fma64(p, y, 0.5);
  p = fma64(p, y, 1.0);
  p = fma64(p, y, 1.0);
  return p * std::bit_cast<f64>(static_cast<u64>(static_cast<i64>(whole) + 1023) << 52);
}

inline f32 exp2_f32(f32 input) {
  f32 x = flush(input);
  f64 bounded = x > 130.0f ? 130.0 : x < -160.0f ? -160.0 : x == x ? static_cast<f64>(x) : 0.0;
  f32 r = flush(static_cast<f32>(exp2_kernel(bounded)));
  return x != x ? x : r;
}

// log2 m on [sqrt(1/2), sqrt 2): 2/ln 2 * atanh((m-1)/(m+1)), odd series to the 21st power.
inline f64 log2_kernel(f64 x) {
  u64 bits = std::bit_cast<u64>(x) - 0x3fe6a09e667f3bcdull;
  i64 exponent = static_cast<i64>(bits) >> 52;
  f64 m = std::bit_cast<f64>(std::bit_cast<u64>(x) - (static_cast<u64>(exponent) << 52));
  f64 s = (m - 1.0) / (m + 1.0), q = s * s;
  f64 p = 1.0 / 21;
  p = fma64(p, q, 1.0 / 19);
  p = fma64(p, q, 1.0 / 17);
  p = fma64(p, q, 1.0 / 15);
  p = fma64(p, q, 1.0 / 13);
  p = fma64(p, q, 1.0 / 11);
  p = fma64(p, q, 1.0 / 9);
  p = fma64(p, q, 1.0 / 7);
  p = fma64(p, q, 1.0 / 5);
  p = fma64(p, q, 1.0 / 3);
  p = fma64(p, q, 1.0);
  return fma64(s * 2.8853900817779268147, p, static_cast<f64>(exponent));
}

inline f32 log2_f32(f32 input) {
  f32 x = flush(input);
  bool usable = x > 0 && x <= 0x1.fffffep127f;
  f32 r = static_cast<f32>(log2_kernel(usable ? static_cast<f64>(x) : 1.0));
  f32 special = x == 0 ? -__builtin_inff() : x > 0 ? x : __builtin_nanf("");
  special = x != x ? x : special;
  return usable ? r : special;
}

// sin and cos of x revolutions; outside +-256 hardware gives 0 and 1.
inline f64 turn_kernel(f64 x, int quarter_offset) {
  f64 r = x - __builtin_elementwise_rint(x);
  f64 q = __builtin_elementwise_rint(r * 4.0);
  f64 y = (r - q * 0.25) * 6.28318530717958647693, z = y * y;
  f64 s = -1.0 / 1307674368000.0;
  s = fma64(s, z, 1.0 / 6227020800.0);
  s = fma64(s, z, -1.0 / 39916800);
  s = fma64(s, z, 1.0 / 362880);
  s = fma64(s, z, -1.0 / 5040);
  s = fma64(s, z, 1.0 / 120);
  s = fma64(s, z, -1.0 / 6);
  s = fma64(s * z, y, y);
  f64 c = 1.0 / 20922789888000.0;
  c = fma64(c, z, -1.0 / 87178291200.0);
  c = fma64(c, z, 1.0 / 479001600);
  c = fma64(c, z, -1.0 / 3628800);
  c = fma64(c, z, 1.0 / 40320);
  c = fma64(c, z, -1.0 / 720);
  c = fma64(c, z, 1.0 / 24);
  c = fma64(c, z, -0.5);
  c = fma64(c, z, 1.0);
  i64 quarter = static_cast<i64>(q) + quarter_offset;
  f64 v = quarter & 1 ? c : s;
  return quarter & 2 ? -v : v;
}
inline f32 turn_f32(f32 x, int quarter_offset) {
  f32 size = __builtin_elementwise_abs(x);
  bool inside = size <= 256.0f;
  f32 r = static_cast<f32>(turn_kernel(inside ? static_cast<f64>(x) : 0.0, quarter_offset));
  return size < __builtin_inff() ? r : __builtin_nanf("");
}

inline f32 reciprocal(f32 a) { return flush(1.0f / flush(a)); }
inline f32 reciprocal_root(f32 a) {
  return static_cast<f32>(1.0 / __builtin_elementwise_sqrt(static_cast<f64>(flush(a))));
}

constexpr InstructionClass kTrans = InstructionClass::trans;
constexpr Fidelity kNear = Fidelity::approximate;

constexpr Operation kRows[] = {
    row<[](f32 a) { return exp2_f32(a); }>("v_exp_f32").as(kTrans, kNear),
    row<[](f32 a) { return log2_f32(a); }>("v_log_f32").as(kTrans, kNear),
    row<[](f32 a) { return exp2_f32(a); }>("v_exp_legacy_f32").as(kTrans, kNear),
    row<[](f32 a) { return log2_f32(a); }>("v_log_legacy_f32").as(kTrans, kNear),
    row<[](f32 a) { return turn_f32(a, 0); }>("v_sin_f32").as(kTrans, kNear),
    row<[](f32 a) { return turn_f32(a, 1); }>("v_cos_f32").as(kTrans, kNear),
    row<[](f32 a) { return reciprocal(a); }>("v_rcp_f32").as(kTrans, kNear),
    row<[](f32 a) { return reciprocal(a); }>("v_rcp_iflag_f32").as(kTrans, kNear),
    row<[](f32 a) { return reciprocal_root(a); }>("v_rsq_f32").as(kTrans, kNear),
    scalar<[](f32 a) { return exp2_f32(a); }>("v_s_exp_f32").as(kTrans, kNear),
    scalar<[](f32 a) { return log2_f32(a); }>("v_s_log_f32").as(kTrans, kNear),
    scalar<[](f32 a) { return reciprocal(a); }>("v_s_rcp_f32").as(kTrans, kNear),
    scalar<[](f32 a) { return reciprocal_root(a); }>("v_s_rsq_f32").as(kTrans, kNear),
    scalar<[](f32 a) { return __builtin_elementwise_sqrt(a); }>("v_s_sqrt_f32").as(kTrans, kNear),
    scalar<[](f16 a) { return static_cast<f16>(exp2_f32(static_cast<f32>(a))); }>("v_s_exp_f16").as(kTrans, kNear),
    scalar<[](f16 a) { return static_cast<f16>(log2_f32(static_cast<f32>(a))); }>("v_s_log_f16").as(kTrans, kNear),
    scalar<[](f16 a) { return static_cast<f16>(1.0f / static_cast<f32>(a)); }>("v_s_rcp_f16").as(kTrans, kNear),
    scalar<[](f16 a) { return static_cast<f16>(1.0f / __builtin_elementwise_sqrt(static_cast<f32>(a))); }>(
        "v_s_rsq_f16")
        .as(kTrans, kNear),
    scalar<[](f16 a) { return static_cast<f16>(__builtin_elementwise_sqrt(static_cast<f32>(a))); }>("v_s_sqrt_f16")
        .as(kTrans, kNear),
    row<[](f32 a) { return __builtin_elementwise_sqrt(a); }>("v_sqrt_f32").as(kTrans, kNear),
    row<[](f64 a) { return 1.0 / a; }>("v_rcp_f64").as(kTrans, kNear),
    row<[](f64 a) { return 1.0 / __builtin_elementwise_sqrt(a); }>("v_rsq_f64").as(kTrans, kNear),
    row<[](f64 a) { return __builtin_elementwise_sqrt(a); }>("v_sqrt_f64").as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(1.0f / static_cast<f32>(a)); }>("v_rcp_f16").as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(1.0f / __builtin_elementwise_sqrt(static_cast<f32>(a))); }>("v_rsq_f16")
        .as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(__builtin_elementwise_sqrt(static_cast<f32>(a))); }>("v_sqrt_f16")
        .as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(exp2_f32(static_cast<f32>(a))); }>("v_exp_f16").as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(log2_f32(static_cast<f32>(a))); }>("v_log_f16").as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(turn_f32(static_cast<f32>(a), 0)); }>("v_sin_f16").as(kTrans, kNear),
    row<[](f16 a) { return static_cast<f16>(turn_f32(static_cast<f32>(a), 1)); }>("v_cos_f16").as(kTrans, kNear),
};

}  // namespace

std::span<const Operation> vector_trans_rows() { return kRows; }

}  // namespace hipvault::isa
