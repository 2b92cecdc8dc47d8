// Elementary functions in f32 and f64 without device libraries.
//@ exp2
__device__ inline float exp2(float x) { return __builtin_elementwise_exp2(x); }
//@ exp
__device__ inline float exp(float x) { return __builtin_elementwise_exp(x); }
//@ log2
__device__ inline float log2(float x) { return __builtin_elementwise_log2(x); }
//@ log
__device__ inline float log(float x) { return __builtin_elementwise_log(x); }
//@ sqrt
__device__ inline float sqrt(float x) { return __builtin_elementwise_sqrt(x); }
__device__ inline double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
//@ rsqrt
__device__ inline float rsqrt(float x) {
  const bool tiny = x < 0x1p-126f;
  const float y = __builtin_amdgcn_rsqf(tiny ? x * 0x1p24f : x);
  return tiny ? y * 0x1p12f : y;
}
__device__ inline double rsqrt(double x) { return 1.0 / __builtin_elementwise_sqrt(x); }
