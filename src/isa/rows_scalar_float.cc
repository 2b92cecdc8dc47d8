// Float arithmetic of the scalar unit, and the vector unit's transcendentals with scalar operands (v_s_…).
#include "isa/numbers.h"
#include "isa/scalar.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

template <class T>
inline f32 up(T a) {
  return static_cast<f32>(a);
}

// What the f32 and the f16 form have in common, by type: arithmetic in f32 rounds f16 results as exact arithmetic does.
#define HV_BOTH(suffix, T)                                                                                   \
  scalar<[](T a, T b) { return static_cast<T>(up(a) + up(b)); }>("s_add_" suffix),                           \
      scalar<[](T a, T b) { return static_cast<T>(up(a) - up(b)); }>("s_sub_" suffix),                       \
      scalar<[](T a, T b) { return static_cast<T>(up(a) * up(b)); }>("s_mul_" suffix),                       \
      scalar<[](T a, T b) { return max_number<T>(a, b); }>("s_max_num_" suffix),                             \
      scalar<[](T a, T b) { return min_number<T>(a, b); }>("s_min_num_" suffix),                             \
      scalar<[](T a, T b) { return maximum_of<T>(a, b); }>("s_maximum_" suffix),                             \
      scalar<[](T a, T b) { return minimum_of<T>(a, b); }>("s_minimum_" suffix),                             \
      scalar<[](T a) { return static_cast<T>(__builtin_elementwise_floor(up(a))); }>("s_floor_" suffix),     \
      scalar<[](T a) { return static_cast<T>(__builtin_elementwise_ceil(up(a))); }>("s_ceil_" suffix),       \
      scalar<[](T a) { return static_cast<T>(__builtin_elementwise_trunc(up(a))); }>("s_trunc_" suffix),     \
      scalar<[](T a) { return static_cast<T>(__builtin_elementwise_roundeven(up(a))); }>("s_rndne_" suffix), \
      scalar<[](T a, T b, bool& scc) { scc = a == b; }>("s_cmp_eq_" suffix),                                 \
      scalar<[](T a, T b, bool& scc) { scc = a < b; }>("s_cmp_lt_" suffix),                                  \
      scalar<[](T a, T b, bool& scc) { scc = a <= b; }>("s_cmp_le_" suffix),                                 \
      scalar<[](T a, T b, bool& scc) { scc = a > b; }>("s_cmp_gt_" suffix),                                  \
      scalar<[](T a, T b, bool& scc) { scc = a >= b; }>("s_cmp_ge_" suffix),                                 \
      scalar<[](T a, T b, bool& scc) { scc = (a < b) | (a > b); }>("s_cmp_lg_" suffix),                      \
      scalar<[](T a, T b, bool& scc) { scc = !(a == b); }>("s_cmp_neq_" suffix),                             \
      scalar<[](T a, T b, bool& scc) { scc = !(a < b); }>("s_cmp_nlt_" suffix),                              \
      scalar<[](T a, T b, bool& scc) { scc = !(a <= b); }>("s_cmp_nle_" suffix),                             \
      scalar<[](T a, T b, bool& scc) { scc = !(a > b); }>("s_cmp_ngt_" suffix),                              \
      scalar<[](T a, T b, bool& scc) { scc = !(a >= b); }>("s_cmp_nge_" suffix),                             \
      scalar<[](T a, T b, bool& scc) { scc = !((a < b) | (a > b)); }>("s_cmp_nlg_" suffix),                  \
      scalar<[](T a, T b, bool& scc) { scc = (a == a) & (b == b); }>("s_cmp_o_" suffix),                     \
      scalar<[](T a, T b, bool& scc) { scc = (a != a) | (b != b); }>("s_cmp_u_" suffix)

template <class I>
inline I to_int(f32 x) {
  if (x != x) return 0;
  constexpr f64 kLow = static_cast<f64>(std::numeric_limits<I>::min()),
                kHigh = static_cast<f64>(std::numeric_limits<I>::max());
  f64 wide = x;
  return static_cast<I>(wide < kLow ? kLow : wide > kHigh ? kHigh : wide);
}

constexpr Operation kRows[] = {
    HV_BOTH("f32", f32),
    HV_BOTH("f16", f16),
    scalar<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("s_fmac_f32").with(kTiedDestination),
    scalar<[](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("s_fmac_f16").with(kTiedDestination),
    scalar<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("s_fmaak_f32"),
    scalar<[](f32 a, f32 b, f32 c) { return fma32(a, b, c); }>("s_fmamk_f32"),
    scalar<[](i32 a) { return static_cast<f32>(a); }>("s_cvt_f32_i32"),
    scalar<[](u32 a) { return static_cast<f32>(a); }>("s_cvt_f32_u32"),
    scalar<[](f32 a) { return to_int<i32>(a); }>("s_cvt_i32_f32"),
    scalar<[](f32 a) { return to_int<u32>(a); }>("s_cvt_u32_f32"),
    scalar<[](f32 a) { return static_cast<f16>(a); }>("s_cvt_f16_f32"),
    scalar<[](f16 a) { return static_cast<f32>(a); }>("s_cvt_f32_f16"),
    scalar<[](u32 a) { return static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(a >> 16))); }>("s_cvt_hi_f32_f16"),
    scalar<[](f32 a, f32 b) { return toward_zero_f16(a) | static_cast<u32>(toward_zero_f16(b)) << 16; }>(
        "s_cvt_pk_rtz_f16_f32"),
};

}  // namespace

std::span<const Operation> scalar_float_rows() { return kRows; }

}  // namespace hipvault::isa
