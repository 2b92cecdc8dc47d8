#pragma once
#include <hip/hip_runtime.h>
typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;
#define __HV_COMPLEX(C, T, f, s)                                                               \
  __HV_BOTH C make_hip##s##Complex(T a, T b) { return C(a, b); }                               \
  __HV_BOTH T hipCreal##f(C z) { return z.x; }                                                 \
  __HV_BOTH T hipCimag##f(C z) { return z.y; }                                                 \
  __HV_BOTH C hipConj##f(C z) { return C(z.x, -z.y); }                                         \
  __HV_BOTH T hipCsqabs##f(C z) { return z.x * z.x + z.y * z.y; }                              \
  __HV_BOTH C hipCadd##f(C a, C b) { return C(a.x + b.x, a.y + b.y); }                         \
  __HV_BOTH C hipCsub##f(C a, C b) { return C(a.x - b.x, a.y - b.y); }                         \
  __HV_BOTH C hipCmul##f(C a, C b) { return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  __HV_BOTH C hipCdiv##f(C a, C b) {                                                           \
    T d = hipCsqabs##f(b);                                                                     \
    return C((a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d);                        \
  }                                                                                            \
  __HV_BOTH T hipCabs##f(C z) { return sqrt(hipCsqabs##f(z)); }
__HV_COMPLEX(hipFloatComplex, float, f, Float)
__HV_COMPLEX(hipDoubleComplex, double, , Double)
__HV_BOTH hipComplex make_hipComplex(float a, float b) { return hipComplex(a, b); }
__HV_BOTH hipComplex hipCfmaf(hipComplex p, hipComplex q, hipComplex r) { return hipCaddf(hipCmulf(p, q), r); }
__HV_BOTH hipDoubleComplex hipCfma(hipDoubleComplex p, hipDoubleComplex q, hipDoubleComplex r) {
  return hipCadd(hipCmul(p, q), r);
}
