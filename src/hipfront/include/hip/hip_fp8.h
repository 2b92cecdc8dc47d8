#pragma once
// 8-bit floats in software, so that all four formats work on every gpu: e4m3 and e5m2, as OCP defines them and in the
// FNUZ form of gfx94x (no negative zero, no infinity, NaN is 0x80, one more exponent). Conversions round to nearest
// even and saturate.

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

typedef unsigned char __hip_fp8_storage_t;
typedef enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 } __hip_saturation_t;
typedef enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3
} __hip_fp8_interpretation_t;

template <int mantissa, bool fnuz>
struct __hv_fp8 {
  static constexpr int bias = (1 << (6 - mantissa)) - (fnuz ? 0 : 1);
  // OCP e4m3 gives its top exponent to numbers but for one NaN; e5m2 is like IEEE; FNUZ uses everything.
  static constexpr float most = mantissa == 3 ? (fnuz ? 240.0f : 448.0f) : 57344.0f;
  static __HV_BOTH unsigned char from(float x, bool saturate = true) {
    unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 31 << 7;
    float a = __builtin_bit_cast(float, bits & 0x7fffffffu);
    unsigned char nan = fnuz ? 0x80 : static_cast<unsigned char>(sign | 0x7f);
    if (a != a) return nan;
    int e = static_cast<int>((bits >> 23) & 255) - 127;
    if (e < 1 - bias) e = 1 - bias;
    // The value in units of the last place; both steps are exact.
    float unit = __builtin_bit_cast(float, static_cast<unsigned>(127 - e + mantissa) << 23);
    float scaled = __builtin_rintf(a * unit);
    if (e > 60) scaled = 0, a = __builtin_inff();
    float value = a == __builtin_inff() ? a : scaled / unit;
    if (value > most) {
      if (saturate)
        value = most;
      else
        return fnuz || mantissa == 3 ? nan : static_cast<unsigned char>(sign | 0x7c);
      bits = __builtin_bit_cast(unsigned, most);
      e = static_cast<int>(bits >> 23) - 127;
      scaled = most * __builtin_bit_cast(float, static_cast<unsigned>(127 - e + mantissa) << 23);
    }
    unsigned m = static_cast<unsigned>(scaled);
    unsigned code = m < (1u << mantissa) ? m : static_cast<unsigned>(e + bias - 1) * (1u << mantissa) + m;
    if (fnuz && code == 0) return 0;
    return static_cast<unsigned char>(sign | code);
  }
  static __HV_BOTH float to(unsigned char x) {
    unsigned code = x & 0x7f, m = code & ((1u << mantissa) - 1), e = code >> mantissa;
    if (fnuz && x == 0x80) return __builtin_nanf("");
    if (!fnuz && mantissa == 3 && code == 0x7f) return __builtin_nanf("");
    if (!fnuz && mantissa == 2 && e == 31)
      return m ? __builtin_nanf("") : (x & 0x80 ? -__builtin_inff() : __builtin_inff());
    float unit =
        __builtin_bit_cast(float, static_cast<unsigned>((e ? static_cast<int>(e) : 1) - bias - mantissa + 127) << 23);
    float a = static_cast<float>(e ? m + (1u << mantissa) : m) * unit;
    return x & 0x80 ? -a : a;
  }
};

#define __HV_FP8_TYPE(name, mantissa, fnuz)                                        \
  struct name {                                                                    \
    __hip_fp8_storage_t __x;                                                       \
    name() = default;                                                              \
    __HV_BOTH name(float x) : __x(__hv_fp8<mantissa, fnuz>::from(x)) {}            \
    __HV_BOTH name(double x) : name(static_cast<float>(x)) {}                      \
    __HV_BOTH name(__half x) : name(static_cast<float>(x)) {}                      \
    __HV_BOTH explicit name(int x) : name(static_cast<float>(x)) {}                \
    __HV_BOTH operator float() const { return __hv_fp8<mantissa, fnuz>::to(__x); } \
  };
__HV_FP8_TYPE(__hip_fp8_e4m3, 3, false)
__HV_FP8_TYPE(__hip_fp8_e5m2, 2, false)
__HV_FP8_TYPE(__hip_fp8_e4m3_fnuz, 3, true)
__HV_FP8_TYPE(__hip_fp8_e5m2_fnuz, 2, true)

__HV_BOTH __hip_fp8_storage_t __hip_cvt_float_to_fp8(float x, __hip_saturation_t saturate,
                                                     __hip_fp8_interpretation_t as) {
  bool s = saturate == __HIP_SATFINITE;
  return as == __HIP_E4M3        ? __hv_fp8<3, false>::from(x, s)
         : as == __HIP_E5M2      ? __hv_fp8<2, false>::from(x, s)
         : as == __HIP_E4M3_FNUZ ? __hv_fp8<3, true>::from(x, s)
                                 : __hv_fp8<2, true>::from(x, s);
}
__HV_BOTH float __hv_fp8_to_float(__hip_fp8_storage_t x, __hip_fp8_interpretation_t as) {
  return as == __HIP_E4M3        ? __hv_fp8<3, false>::to(x)
         : as == __HIP_E5M2      ? __hv_fp8<2, false>::to(x)
         : as == __HIP_E4M3_FNUZ ? __hv_fp8<3, true>::to(x)
                                 : __hv_fp8<2, true>::to(x);
}
__HV_BOTH __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x, __hip_fp8_interpretation_t as) {
  return __half(__hv_fp8_to_float(x, as));
}
