R"hiplib(// Vector loads and stores. Snippets start at a line `//@ names`; only those whose names a kernel uses are pasted.
//@ load
// N neighbours at once. The address is aligned to the whole vector.
template <int N, class T, class S> __device__ inline void load(T* out, const S* from) {
  typedef S Vector __attribute__((ext_vector_type(N)));
  const Vector v = *(const Vector*)from;
#pragma unroll
  for (int k = 0; k < N; ++k) out[k] = v[k];
}
//@ store
template <int N, class T, class S> __device__ inline void store(S* to, const T* in) {
  typedef S Vector __attribute__((ext_vector_type(N)));
  Vector v;
#pragma unroll
  for (int k = 0; k < N; ++k) v[k] = in[k];
  *(Vector*)to = v;
}
//@ fill
template <int N, class T> __device__ inline void fill(T* out, T value) {
#pragma unroll
  for (int k = 0; k < N; ++k) out[k] = value;
}
//@ groups_x
__device__ inline int groups_x() { return ((const unsigned*)__builtin_amdgcn_implicitarg_ptr())[0]; }
//@ groups_y
__device__ inline int groups_y() { return ((const unsigned*)__builtin_amdgcn_implicitarg_ptr())[1]; }
//@ groups_z
__device__ inline int groups_z() { return ((const unsigned*)__builtin_amdgcn_implicitarg_ptr())[2]; }
//@ barrier
// All waves of the work-group arrive; what they wrote to LDS before is seen after.
__device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
//@ nibble_u4
__device__ inline u8 nibble_u4(const u8* from, i64 at) { return from[at >> 1] >> (at & 1) * 4 & 15; }
//@ nibble_i4
__device__ inline i8 nibble_i4(const u8* from, i64 at) { return (i8)(from[at >> 1] << (at & 1 ? 0 : 4)) >> 4; }
//@ nibble_f4
__device__ inline u8 nibble_f4(const u8* from, i64 at) { return from[at >> 1] >> (at & 1) * 4 & 15; }
//@ atomic_sum
template <class T> __device__ inline T atomic_sum(T* at, T value) { return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_update
// Replaces *at by next(*at) in one step; gives the old value.
template <class T, class Next> __device__ inline T atomic_update(T* at, Next next) {
  T old = __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_weak(at, &old, next(old), __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {}
  return old;
}
//@ atomic_max
// Of floats, NaN wins, which no instruction does.
template <class T> __device__ inline T atomic_max(T* at, T value) { return __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
template <> __device__ inline float atomic_max(float* at, float value) { return atomic_update(at, [=](float old) { return maximum(old, value); }); }
template <> __device__ inline double atomic_max(double* at, double value) { return atomic_update(at, [=](double old) { return maximum(old, value); }); }
//@ atomic_min
template <class T> __device__ inline T atomic_min(T* at, T value) { return __hip_atomic_fetch_min(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
template <> __device__ inline float atomic_min(float* at, float value) { return atomic_update(at, [=](float old) { return minimum(old, value); }); }
template <> __device__ inline double atomic_min(double* at, double value) { return atomic_update(at, [=](double old) { return minimum(old, value); }); }
//@ atomic_and
template <class T> __device__ inline T atomic_and(T* at, T value) { return __hip_atomic_fetch_and(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_or
template <class T> __device__ inline T atomic_or(T* at, T value) { return __hip_atomic_fetch_or(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_exchange
template <class T> __device__ inline T atomic_exchange(T* at, T value) { return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_update_16
// 16 bits within the 32-bit word that holds them: the buffer's size is a multiple of 4 bytes.
template <class Next> __device__ inline u16 atomic_update_16(void* at, Next next) {
  const int high = (u64)at & 2, shift = high * 8;
  const unsigned old = atomic_update((unsigned*)((char*)at - high), [=](unsigned whole) {
    return (whole & ~(0xffffu << shift)) | (unsigned)(u16)next((u16)(whole >> shift)) << shift;
  });
  return old >> shift;
}
//@ atomic_sum_f16
__device__ inline f16 atomic_sum_f16(f16* at, f16 value) { return bits_as<f16>(atomic_update_16(at, [=](u16 old) { return bits_as<u16>((f16)(bits_as<f16>(old) + value)); })); }
//@ atomic_max_f16
__device__ inline f16 atomic_max_f16(f16* at, f16 value) { return bits_as<f16>(atomic_update_16(at, [=](u16 old) { return bits_as<u16>(maximum(bits_as<f16>(old), value)); })); }
//@ atomic_min_f16
__device__ inline f16 atomic_min_f16(f16* at, f16 value) { return bits_as<f16>(atomic_update_16(at, [=](u16 old) { return bits_as<u16>(minimum(bits_as<f16>(old), value)); })); }
//@ atomic_exchange_f16
__device__ inline f16 atomic_exchange_f16(f16* at, f16 value) { return bits_as<f16>(atomic_update_16(at, [=](u16) { return bits_as<u16>(value); })); }
//@ atomic_sum_bf16
__device__ inline bf16 atomic_sum_bf16(bf16* at, bf16 value) { return atomic_update_16(at, [=](u16 old) { return to_bf16(from_bf16(old) + from_bf16(value)); }); }
//@ atomic_max_bf16
__device__ inline bf16 atomic_max_bf16(bf16* at, bf16 value) { return atomic_update_16(at, [=](u16 old) { return to_bf16(maximum(from_bf16(old), from_bf16(value))); }); }
//@ atomic_min_bf16
__device__ inline bf16 atomic_min_bf16(bf16* at, bf16 value) { return atomic_update_16(at, [=](u16 old) { return to_bf16(minimum(from_bf16(old), from_bf16(value))); }); }
//@ atomic_exchange_bf16
__device__ inline bf16 atomic_exchange_bf16(bf16* at, bf16 value) { return atomic_update_16(at, [=](u16) { return value; }); }
//@ Vector
template <class T, int N> using Vector = T __attribute__((ext_vector_type(N)));
//@ packed
// Registers of a lane as one operand of a matrix instruction, and back.
template <class V, class T> __device__ inline V packed(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
//@ unpack
template <class V, class T> __device__ inline void unpack(T* to, V v) { __builtin_memcpy(to, &v, sizeof(V)); }
)hiplib"
