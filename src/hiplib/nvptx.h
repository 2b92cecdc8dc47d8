R"hiplib(// NVIDIA's spelling of what is written for AMD's instructions elsewhere. A snippet here stands for the first of its name
// in the other files; what they have more of that name (the double versions) stays.
//@ ldexp
// In two steps, so that a scale beyond the exponent's range is possible.
__device__ inline float ldexp(float x, int n) {
  const int half = n / 2;
  return x * __builtin_bit_cast(float, (unsigned)(half + 127) << 23) * __builtin_bit_cast(float, (unsigned)(n - half + 127) << 23);
}
__device__ inline double ldexp(double x, int n) {
  const int half = n / 2;
  return x * __builtin_bit_cast(double, (unsigned long)(half + 1023) << 52) * __builtin_bit_cast(double, (unsigned long)(n - half + 1023) << 52);
}
//@ frexp_mant frexp_exp
// x = mant * 2^exp, 0.5 <= mant < 1; numbers below the smallest normal one are scaled first.
__device__ inline double frexp_mant(double x) {
  const unsigned long bits = __builtin_bit_cast(unsigned long, __builtin_fabs(x) < 0x1p-1022 ? x * 0x1p54 : x);
  return __builtin_bit_cast(double, (bits & 0x800ffffffffffffful) | 0x3fe0000000000000ul);
}
__device__ inline int frexp_exp(double x) {
  const bool tiny = __builtin_fabs(x) < 0x1p-1022;
  return (int)(__builtin_bit_cast(unsigned long, tiny ? x * 0x1p54 : x) >> 52 & 0x7ff) - 1022 - (tiny ? 54 : 0);
}
//@ exp2
__device__ inline float exp2(float x) { return __nvvm_ex2_approx_f(x); }
//@ exp2_flush
__device__ inline float exp2_flush(float x) { return __nvvm_ex2_approx_ftz_f(x); }
//@ exp
__device__ inline float exp(float x) {
  const float a = __builtin_fminf(__builtin_fmaxf(x, -104.0f), 89.0f), n = __builtin_elementwise_roundeven(a * 1.44269504f);
  const float r = __builtin_elementwise_fma(n, 1.90465421e-9f, __builtin_elementwise_fma(n, -0.693147182f, a));
  const float y = ldexp(__nvvm_ex2_approx_f(r * 1.44269504f), (int)n);
  return x != x ? x : y;
}
//@ log_parts
// log(x) = high * log(2) + rest, for x > 0.
struct LogParts {
  float high, rest;
};
__device__ inline LogParts log_parts(float x) {
  constexpr float c[] = {0.0565231746f, -0.0985586988f, 0.0983241362f, -0.0991310532f, 0.11042028f,  -0.125007022f,
                         0.142882242f,  -0.166667109f,  0.199999682f,  -0.249999995f,  0.333333334f};
  const bool tiny = x < 0x1p-126f;
  const unsigned bits = __builtin_bit_cast(unsigned, tiny ? x * 0x1p24f : x);
  // The mantissa between 0.70 and 1.41, so that no digits cancel around 1.
  const int exponent = (int)(bits - 0x3f3504f3u) >> 23;
  const float f = __builtin_bit_cast(float, bits - ((unsigned)exponent << 23)) - 1.0f, t = f * f;
  return {(float)(exponent - (tiny ? 24 : 0)), __builtin_elementwise_fma(t, __builtin_elementwise_fma(f, polynomial(f, c), -0.5f), f)};
}
__device__ inline float log_special(float x, float y) {
  return x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x - x != 0.0f ? x : y;
}
//@ log2
__device__ inline float log2(float x) {
  const LogParts l = log_parts(x);
  return log_special(x, l.high + l.rest * 1.44269504f);
}
//@ log
__device__ inline float log(float x) {
  const LogParts l = log_parts(x);
  return log_special(x, __builtin_elementwise_fma(l.high, 0.693147182f, __builtin_elementwise_fma(l.high, -1.90465421e-9f, l.rest)));
}
//@ rsqrt
__device__ inline float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
//@ rcp
// One unit in the last place; f32 results or operands below 2^-126 become zero or infinity.
__device__ inline float rcp(float x) { return __nvvm_rcp_approx_ftz_f(x); }
//@ groups_x
__device__ inline int groups_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
//@ groups_y
__device__ inline int groups_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
//@ groups_z
__device__ inline int groups_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }
//@ barrier
// All warps of the block arrive; what they wrote to shared memory before is seen after.
__device__ inline void barrier() { __nvvm_barrier_sync(0); }
//@ atomic_sum
template <class T> __device__ inline T atomic_sum(T* at, T value) { return __scoped_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
//@ atomic_update
// Replaces *at by next(*at) in one step; gives the old value.
template <class T, class Next> __device__ inline T atomic_update(T* at, Next next) {
  T old;
  __scoped_atomic_load(at, &old, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  for (T wanted = next(old); !__scoped_atomic_compare_exchange(at, &old, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);) wanted = next(old);
  return old;
}
//@ atomic_max
// Of floats, NaN wins, which no instruction does.
template <class T> __device__ inline T atomic_max(T* at, T value) { return __scoped_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
template <> __device__ inline float atomic_max(float* at, float value) { return atomic_update(at, [=](float old) { return maximum(old, value); }); }
template <> __device__ inline double atomic_max(double* at, double value) { return atomic_update(at, [=](double old) { return maximum(old, value); }); }
//@ atomic_min
template <class T> __device__ inline T atomic_min(T* at, T value) { return __scoped_atomic_fetch_min(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
template <> __device__ inline float atomic_min(float* at, float value) { return atomic_update(at, [=](float old) { return minimum(old, value); }); }
template <> __device__ inline double atomic_min(double* at, double value) { return atomic_update(at, [=](double old) { return minimum(old, value); }); }
//@ atomic_and
template <class T> __device__ inline T atomic_and(T* at, T value) { return __scoped_atomic_fetch_and(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
//@ atomic_or
template <class T> __device__ inline T atomic_or(T* at, T value) { return __scoped_atomic_fetch_or(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
//@ atomic_exchange
template <class T> __device__ inline T atomic_exchange(T* at, T value) {
  T old;
  __scoped_atomic_exchange(at, &value, &old, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return old;
}
//@ lane_value
// The value of lane `from`, which may differ from lane to lane.
template <class T> __device__ inline T lane_value(T value, int from) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __nvvm_shfl_sync_idx_i32(-1, words[k], from, 31);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
//@ lane_xor
// The value of the lane whose number differs in bit `Bit`.
template <int Bit, class T> __device__ inline T lane_xor(T value, int) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __nvvm_shfl_sync_bfly_i32(-1, words[k], 1 << Bit, 31);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
//@ lane_reduce
// Over the lane bits set in Bits; lanes that differ only in them get the same result.
template <class Op, int Bits, class T> __device__ inline T lane_reduce(T value, int lane) {
  if constexpr (Bits & 16) value = Op::of(value, lane_xor<4>(value, lane));
  if constexpr (Bits & 8) value = Op::of(value, lane_xor<3>(value, lane));
  if constexpr (Bits & 4) value = Op::of(value, lane_xor<2>(value, lane));
  if constexpr (Bits & 2) value = Op::of(value, lane_xor<1>(value, lane));
  if constexpr (Bits & 1) value = Op::of(value, lane_xor<0>(value, lane));
  return value;
}
//@ wave_reduce
// Over all 32 lanes; every lane gets the result.
template <class Op, class T> __device__ inline T wave_reduce(T value) {
  value = Op::of(value, lane_xor<4>(value, 0));
  value = Op::of(value, lane_xor<3>(value, 0));
  value = Op::of(value, lane_xor<2>(value, 0));
  value = Op::of(value, lane_xor<1>(value, 0));
  return Op::of(value, lane_xor<0>(value, 0));
}
)hiplib"
