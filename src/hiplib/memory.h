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
//@ atomic_max
template <class T> __device__ inline T atomic_max(T* at, T value) { return __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_min
template <class T> __device__ inline T atomic_min(T* at, T value) { return __hip_atomic_fetch_min(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_and
template <class T> __device__ inline T atomic_and(T* at, T value) { return __hip_atomic_fetch_and(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_or
template <class T> __device__ inline T atomic_or(T* at, T value) { return __hip_atomic_fetch_or(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
//@ atomic_exchange
template <class T> __device__ inline T atomic_exchange(T* at, T value) { return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
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
