#pragma once
// __hip_bfloat16 over __bf16: arithmetic in float, rounded to nearest even.

#include <hip/hip_runtime.h>

#define __HV_BF __HV_BOTH
struct __hip_bfloat16_raw {
  unsigned short x;
};
struct __hip_bfloat16 {
  __bf16 data;
  __hip_bfloat16() = default;
  __HV_BF __hip_bfloat16(__bf16 x) : data(x) {}
  __HV_BF __hip_bfloat16(float x) : data(static_cast<__bf16>(x)) {}
  __HV_BF __hip_bfloat16(double x) : data(static_cast<__bf16>(static_cast<float>(x))) {}
  __HV_BF __hip_bfloat16(int x) : data(static_cast<__bf16>(static_cast<float>(x))) {}
  __HV_BF __hip_bfloat16(unsigned x) : data(static_cast<__bf16>(static_cast<float>(x))) {}
  __HV_BF __hip_bfloat16(const __hip_bfloat16_raw& x) : data(__builtin_bit_cast(__bf16, x.x)) {}
  __HV_BF operator float() const { return static_cast<float>(data); }
  __HV_BF operator __hip_bfloat16_raw() const { return {__builtin_bit_cast(unsigned short, data)}; }
  __HV_BF __hip_bfloat16& operator+=(__hip_bfloat16 o) {
    return *this = static_cast<float>(*this) + static_cast<float>(o);
  }
  __HV_BF __hip_bfloat16& operator-=(__hip_bfloat16 o) {
    return *this = static_cast<float>(*this) - static_cast<float>(o);
  }
  __HV_BF __hip_bfloat16& operator*=(__hip_bfloat16 o) {
    return *this = static_cast<float>(*this) * static_cast<float>(o);
  }
  __HV_BF __hip_bfloat16& operator/=(__hip_bfloat16 o) {
    return *this = static_cast<float>(*this) / static_cast<float>(o);
  }
  __HV_BF __hip_bfloat16 operator-() const { return -static_cast<float>(*this); }
  static __HV_BF __hip_bfloat16 round_to_bfloat16(float x) { return x; }
};
#define __HV_BF_OP(op)                                                     \
  __HV_BF __hip_bfloat16 operator op(__hip_bfloat16 a, __hip_bfloat16 b) { \
    return static_cast<float>(a) op static_cast<float>(b);                 \
  }
#define __HV_BF_COMPARE(op)                                      \
  __HV_BF bool operator op(__hip_bfloat16 a, __hip_bfloat16 b) { \
    return static_cast<float>(a) op static_cast<float>(b);       \
  }
__HV_BF_OP(+)
__HV_BF_OP(-)
__HV_BF_OP(*)
__HV_BF_OP(/)
__HV_BF_COMPARE(==)
__HV_BF_COMPARE(!=)
__HV_BF_COMPARE(<)
__HV_BF_COMPARE(<=)
__HV_BF_COMPARE(>)
__HV_BF_COMPARE(>=)
struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;
  __hip_bfloat162() = default;
  __HV_BF __hip_bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) : x(a), y(b) {}
};
#define __HV_BF2_OP(op) \
  __HV_BF __hip_bfloat162 operator op(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.x op b.x, a.y op b.y}; }
__HV_BF2_OP(+)
__HV_BF2_OP(-)
__HV_BF2_OP(*)
__HV_BF2_OP(/)
typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;
__HV_BF __hip_bfloat16 __float2bfloat16(float x) { return x; }
__HV_BF __hip_bfloat16 __float2bfloat16_rn(float x) { return x; }
__HV_BF __hip_bfloat16 __double2bfloat16(double x) { return x; }
__HV_BF float __bfloat162float(__hip_bfloat16 x) { return x; }
__HV_BF __hip_bfloat162 __float22bfloat162_rn(float2 v) { return {v.x, v.y}; }
__HV_BF __hip_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
__HV_BF float2 __bfloat1622float2(__hip_bfloat162 v) { return float2(v.x, v.y); }
__HV_BF float __low2float(__hip_bfloat162 v) { return v.x; }
__HV_BF float __high2float(__hip_bfloat162 v) { return v.y; }
__HV_BF __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return {x, x}; }
__HV_BF __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return {x, y}; }
__HV_BF unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return __builtin_bit_cast(unsigned short, x.data); }
__HV_BF __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __builtin_bit_cast(__bf16, x); }
__HV_BF __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) { return a + b; }
__HV_BF __hip_bfloat16 __hsub(__hip_bfloat16 a, __hip_bfloat16 b) { return a - b; }
__HV_BF __hip_bfloat16 __hmul(__hip_bfloat16 a, __hip_bfloat16 b) { return a * b; }
__HV_BF __hip_bfloat16 __hdiv(__hip_bfloat16 a, __hip_bfloat16 b) { return a / b; }
__HV_BF __hip_bfloat16 __hneg(__hip_bfloat16 a) { return -a; }
__HV_BF __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) { return __builtin_fmaf(a, b, c); }
__HV_BF __hip_bfloat162 __hadd2(__hip_bfloat162 a, __hip_bfloat162 b) { return a + b; }
__HV_BF __hip_bfloat162 __hmul2(__hip_bfloat162 a, __hip_bfloat162 b) { return a * b; }
__HV_BF __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
__HV_BF bool __heq(__hip_bfloat16 a, __hip_bfloat16 b) { return a == b; }
__HV_BF bool __hlt(__hip_bfloat16 a, __hip_bfloat16 b) { return a < b; }
__HV_BF bool __hgt(__hip_bfloat16 a, __hip_bfloat16 b) { return a > b; }
__HV_BF __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) { return a != a ? b : b != b ? a : a > b ? a : b; }
__HV_BF __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) { return a != a ? b : b != b ? a : a < b ? a : b; }
__HV_BF bool __hisnan(__hip_bfloat16 a) { return a != a; }
__HV_DEV __hip_bfloat16 hexp(__hip_bfloat16 x) { return __builtin_expf(x); }
__HV_DEV __hip_bfloat16 hlog(__hip_bfloat16 x) { return __builtin_logf(x); }
__HV_DEV __hip_bfloat16 hsqrt(__hip_bfloat16 x) { return __builtin_sqrtf(x); }
