#pragma once
// __half and __half2 over _Float16.

#include <hip/hip_runtime.h>

#define __HV_HALF __HV_BOTH
struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};
struct __half {
  _Float16 data;
  __half() = default;
  __HV_HALF constexpr __half(_Float16 x) : data(x) {}
  __HV_HALF constexpr __half(float x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(double x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(int x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(unsigned x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(long x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(unsigned long x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(long long x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF constexpr __half(unsigned long long x) : data(static_cast<_Float16>(x)) {}
  __HV_HALF __half(const __half_raw& x) : data(__builtin_bit_cast(_Float16, x.x)) {}
  __HV_HALF operator float() const { return data; }
  __HV_HALF operator __half_raw() const { return {__builtin_bit_cast(unsigned short, data)}; }
  __HV_HALF explicit operator _Float16() const { return data; }
  __HV_HALF explicit operator int() const { return static_cast<int>(data); }
  __HV_HALF explicit operator bool() const { return data != 0; }
  __HV_HALF __half& operator+=(__half o) { return data += o.data, *this; }
  __HV_HALF __half& operator-=(__half o) { return data -= o.data, *this; }
  __HV_HALF __half& operator*=(__half o) { return data *= o.data, *this; }
  __HV_HALF __half& operator/=(__half o) { return data /= o.data, *this; }
  __HV_HALF __half operator-() const { return static_cast<_Float16>(-data); }
  __HV_HALF __half operator+() const { return *this; }
};
typedef __half half;
#define __HV_HALF_OP(op) \
  __HV_HALF __half operator op(__half a, __half b) { return static_cast<_Float16>(a.data op b.data); }
#define __HV_HALF_COMPARE(op) \
  __HV_HALF bool operator op(__half a, __half b) { return a.data op b.data; }
__HV_HALF_OP(+)
__HV_HALF_OP(-)
__HV_HALF_OP(*)
__HV_HALF_OP(/)
__HV_HALF_COMPARE(==)
__HV_HALF_COMPARE(!=)
__HV_HALF_COMPARE(<)
__HV_HALF_COMPARE(<=)
__HV_HALF_COMPARE(>)
__HV_HALF_COMPARE(>=)

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __HV_HALF constexpr __half2(__half a, __half b) : x(a), y(b) {}
  __HV_HALF __half2& operator+=(__half2 o) { return x += o.x, y += o.y, *this; }
  __HV_HALF __half2& operator-=(__half2 o) { return x -= o.x, y -= o.y, *this; }
  __HV_HALF __half2& operator*=(__half2 o) { return x *= o.x, y *= o.y, *this; }
  __HV_HALF __half2& operator/=(__half2 o) { return x /= o.x, y /= o.y, *this; }
  __HV_HALF __half2 operator-() const { return {-x, -y}; }
};
typedef __half2 half2;
#define __HV_HALF2_OP(op) \
  __HV_HALF __half2 operator op(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; }
__HV_HALF2_OP(+)
__HV_HALF2_OP(-)
__HV_HALF2_OP(*)
__HV_HALF2_OP(/)
__HV_HALF bool operator==(__half2 a, __half2 b) { return a.x == b.x && a.y == b.y; }
__HV_HALF bool operator!=(__half2 a, __half2 b) { return !(a == b); }

__HV_HALF __half __float2half(float x) { return x; }
__HV_HALF __half __float2half_rn(float x) { return x; }
__HV_HALF __half __double2half(double x) { return x; }
__HV_HALF float __half2float(__half x) { return x.data; }
__HV_HALF __half2 __float2half2_rn(float x) { return {x, x}; }
__HV_HALF __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
__HV_HALF __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
__HV_HALF float2 __half22float2(__half2 v) { return float2(v.x, v.y); }
__HV_HALF float __low2float(__half2 v) { return v.x; }
__HV_HALF float __high2float(__half2 v) { return v.y; }
__HV_HALF __half __low2half(__half2 v) { return v.x; }
__HV_HALF __half __high2half(__half2 v) { return v.y; }
__HV_HALF __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
__HV_HALF __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
__HV_HALF __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
__HV_HALF __half2 __half2half2(__half x) { return {x, x}; }
__HV_HALF __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__HV_HALF __half2 make_half2(__half x, __half y) { return {x, y}; }
__HV_HALF unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.data); }
__HV_HALF short __half_as_short(__half x) { return __builtin_bit_cast(short, x.data); }
__HV_HALF __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
__HV_HALF __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }
__HV_HALF int __half2int_rn(__half x) { return static_cast<int>(__builtin_rintf(x.data)); }
__HV_HALF int __half2int_rz(__half x) { return static_cast<int>(x.data); }
__HV_HALF int __half2int_rd(__half x) { return static_cast<int>(__builtin_floorf(x.data)); }
__HV_HALF int __half2int_ru(__half x) { return static_cast<int>(__builtin_ceilf(x.data)); }
__HV_HALF __half __int2half_rn(int x) { return x; }
__HV_HALF __half __uint2half_rn(unsigned x) { return x; }

#define __HV_HALF_BINARY(name, op)                             \
  __HV_HALF __half name(__half a, __half b) { return a op b; } \
  __HV_HALF __half2 name##2(__half2 a, __half2 b) { return a op b; }
__HV_HALF_BINARY(__hadd, +)
__HV_HALF_BINARY(__hsub, -)
__HV_HALF_BINARY(__hmul, *)
__HV_HALF __half __hdiv(__half a, __half b) { return a / b; }
__HV_HALF __half2 __h2div(__half2 a, __half2 b) { return a / b; }
__HV_HALF __half __hneg(__half a) { return -a; }
__HV_HALF __half2 __hneg2(__half2 a) { return -a; }
__HV_HALF __half __habs(__half a) { return static_cast<_Float16>(a.data < 0 ? -a.data : a.data); }
__HV_DEV __half __hfma(__half a, __half b, __half c) { return __builtin_fmaf16(a.data, b.data, c.data); }
__HV_DEV __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
#define __HV_HALF_TEST(name, op)                             \
  __HV_HALF bool name(__half a, __half b) { return a op b; } \
  __HV_HALF __half2 name##2(__half2 a, __half2 b) { return {a.x op b.x ? 1.0f : 0.0f, a.y op b.y ? 1.0f : 0.0f}; }
__HV_HALF_TEST(__heq, ==)
__HV_HALF_TEST(__hne, !=)
__HV_HALF_TEST(__hlt, <)
__HV_HALF_TEST(__hle, <=)
__HV_HALF_TEST(__hgt, >)
__HV_HALF_TEST(__hge, >=)
__HV_HALF __half __hmax(__half a, __half b) { return a.data != a.data ? b : b.data != b.data ? a : a > b ? a : b; }
__HV_HALF __half __hmin(__half a, __half b) { return a.data != a.data ? b : b.data != b.data ? a : a < b ? a : b; }
__HV_HALF __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__HV_HALF __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__HV_HALF bool __hisnan(__half a) { return a.data != a.data; }
__HV_HALF int __hisinf(__half a) { return __habs(a).data == static_cast<_Float16>(__builtin_inff()); }
#define __HV_HALF_MATH(name, f)                                               \
  __HV_DEV __half h##name(__half x) { return f(static_cast<float>(x.data)); } \
  __HV_DEV __half2 h2##name(__half2 v) { return {h##name(v.x), h##name(v.y)}; }
__HV_HALF_MATH(exp, __builtin_expf)
__HV_HALF_MATH(exp2, __builtin_exp2f)
__HV_HALF_MATH(log, __builtin_logf)
__HV_HALF_MATH(log2, __builtin_log2f)
__HV_HALF_MATH(log10, __builtin_log10f)
__HV_HALF_MATH(sqrt, __builtin_sqrtf)
__HV_HALF_MATH(rsqrt, ::rsqrtf)
__HV_HALF_MATH(rcp, 1.0f /)
__HV_HALF_MATH(sin, ::sinf)
__HV_HALF_MATH(cos, ::cosf)
__HV_HALF_MATH(floor, __builtin_floorf)
__HV_HALF_MATH(ceil, __builtin_ceilf)
__HV_HALF_MATH(trunc, __builtin_truncf)
__HV_HALF_MATH(rint, __builtin_rintf)
