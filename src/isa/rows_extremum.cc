// Largest, smallest and middle of two or three floats. "num": a NaN loses (IEEE 754-2008 maxNum). "maximum": a NaN wins
// (IEEE 754-2019). Plain v_max of older archs: a signalling NaN comes out quiet, because kernels run with MODE.IEEE
// set.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

#define HV_TWO(name, f, suffix, type) row<[](type a, type b) { return f(a, b); }>("v_" name "_" suffix)
#define HV_THREE(name, f, g, suffix, type) \
  row<[](type a, type b, type c) { return g(f(a, b), c); }>("v_" name "_" suffix)

#define HV_PLAIN(suffix, type) HV_TWO("max", max_ieee<type>, suffix, type), HV_TWO("min", min_ieee<type>, suffix, type)
#define HV_NUM(suffix, type) \
  HV_TWO("max_num", max_number<type>, suffix, type), HV_TWO("min_num", min_number<type>, suffix, type)
#define HV_NAN(suffix, type) \
  HV_TWO("maximum", maximum_of<type>, suffix, type), HV_TWO("minimum", minimum_of<type>, suffix, type)
#define HV_MIXED(suffix, type)                                                      \
  HV_THREE("max3_num", max_number<type>, max_number<type>, suffix, type),           \
      HV_THREE("min3_num", min_number<type>, min_number<type>, suffix, type),       \
      HV_THREE("maxmin_num", max_number<type>, min_number<type>, suffix, type),     \
      HV_THREE("minmax_num", min_number<type>, max_number<type>, suffix, type),     \
      HV_THREE("maximum3", maximum_of<type>, maximum_of<type>, suffix, type),       \
      HV_THREE("minimum3", minimum_of<type>, minimum_of<type>, suffix, type),       \
      HV_THREE("maximumminimum", maximum_of<type>, minimum_of<type>, suffix, type), \
      HV_THREE("minimummaximum", minimum_of<type>, maximum_of<type>, suffix, type), \
      row<[](type a, type b, type c) { return median<type>(a, b, c); }>("v_med3_num_" suffix)

template <class T>
inline T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
inline T smaller(T a, T b) {
  return a < b ? a : b;
}
#define HV_INT(suffix, type)                                     \
  HV_THREE("maxmin", larger<type>, smaller<type>, suffix, type), \
      HV_THREE("minmax", smaller<type>, larger<type>, suffix, type)

template <auto F>
inline Half2 halves(Half2 a, Half2 b) {
  auto part = [](Half2 x, int i) { return std::bit_cast<f16>(static_cast<u16>(x.bits >> (16 * i))); };
  return {std::bit_cast<u16>(F(part(a, 0), part(b, 0))) |
          static_cast<u32>(std::bit_cast<u16>(F(part(a, 1), part(b, 1)))) << 16};
}
#define HV_PACKED(name, f) row<[](Half2 a, Half2 b) { return halves<f>(a, b); }>("v_pk_" name "_f16")

constexpr Operation kRows[] = {
    HV_PLAIN("f32", f32),
    HV_PLAIN("f16", f16),
    HV_PLAIN("f64", f64),
    HV_NUM("f32", f32),
    HV_NUM("f16", f16),
    HV_NUM("f64", f64),
    HV_NAN("f32", f32),
    HV_NAN("f16", f16),
    HV_NAN("f64", f64),
    HV_MIXED("f32", f32),
    HV_MIXED("f16", f16),
    HV_INT("i32", i32),
    HV_INT("u32", u32),
    HV_THREE("max3", max_ieee<f32>, max_ieee<f32>, "f32", f32),
    HV_THREE("min3", min_ieee<f32>, min_ieee<f32>, "f32", f32),
    row<[](f32 a, f32 b, f32 c) { return median<f32>(a, b, c); }>("v_med3_f32"),
    HV_THREE("max3", max_ieee<f16>, max_ieee<f16>, "f16", f16).with(kKeepHighHalf),
    HV_THREE("min3", min_ieee<f16>, min_ieee<f16>, "f16", f16).with(kKeepHighHalf),
    row<[](f16 a, f16 b, f16 c) { return median<f16>(a, b, c); }>("v_med3_f16").with(kKeepHighHalf),
    HV_PACKED("max", max_ieee<f16>),
    HV_PACKED("min", min_ieee<f16>),
    HV_PACKED("max_num", max_number<f16>),
    HV_PACKED("min_num", min_number<f16>),
    HV_PACKED("maximum", maximum_of<f16>),
    HV_PACKED("minimum", minimum_of<f16>),
    row<[](Half2 a, Half2 b, Half2 c) { return halves<maximum_of<f16>>(halves<maximum_of<f16>>(a, b), c); }>(
        "v_pk_maximum3_f16"),
    row<[](Half2 a, Half2 b, Half2 c) { return halves<minimum_of<f16>>(halves<minimum_of<f16>>(a, b), c); }>(
        "v_pk_minimum3_f16"),
};

}  // namespace

std::span<const Operation> extremum_rows() { return kRows; }

}  // namespace hipvault::isa
