// What is here: qualifiers, indices, barriers, shuffles and votes, atomics, fences, float functions that AMDGPU's back
// end has without a device library, short vectors, half and bfloat16 as the compiler's own types. What is not: the host
// API. A file with host code guards it with #ifndef HIPVAULT_DEVICE_ONLY.

#include "compile/headers.h"

namespace hipvault::compile {
namespace {

constexpr const char* kRuntime = R"(#pragma once
// hip_runtime.h of hipvault: device side only.
#define HIP_VERSION_MAJOR 7
#define __HIP_PLATFORM_AMD__ 1
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define __hv_bounds1(T) __attribute__((amdgpu_flat_work_group_size(1, T)))
#define __hv_bounds2(T, W) __attribute__((amdgpu_flat_work_group_size(1, T), amdgpu_waves_per_eu(W)))
#define __hv_bounds(_1, _2, name, ...) name
#define __launch_bounds__(...) __hv_bounds(__VA_ARGS__, __hv_bounds2, __hv_bounds1)(__VA_ARGS__)
#define __hv static __device__ inline __attribute__((always_inline))
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#include <stdint.h>
typedef unsigned int uint;

#define __hv_index(name, of) \
  struct __hv_##name { \
    __declspec(property(get = get_x)) unsigned x; \
    __declspec(property(get = get_y)) unsigned y; \
    __declspec(property(get = get_z)) unsigned z; \
    __device__ unsigned get_x() const { return of(x); } \
    __device__ unsigned get_y() const { return of(y); } \
    __device__ unsigned get_z() const { return of(z); } \
  }; \
  extern const __device__ __attribute__((weak)) __hv_##name name;
#define __hv_thread(a) __builtin_amdgcn_workitem_id_##a()
#define __hv_block(a) __builtin_amdgcn_workgroup_id_##a()
#define __hv_size(a) __builtin_amdgcn_workgroup_size_##a()
#define __hv_grid(a) (__builtin_amdgcn_grid_size_##a() / __builtin_amdgcn_workgroup_size_##a())
__hv_index(threadIdx, __hv_thread)
__hv_index(blockIdx, __hv_block)
__hv_index(blockDim, __hv_size)
__hv_index(gridDim, __hv_grid)
#define warpSize static_cast<int>(__builtin_amdgcn_wavefrontsize())

__hv void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__hv void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__hv void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__hv void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__hv int __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
template <class T> __hv T __hv_from_lane(T v, int lane) {
  struct Words { int w[(sizeof(T) + 3) / 4]; } words{};
  __builtin_memcpy(&words, &v, sizeof(T));
  for (int& w : words.w) w = __builtin_amdgcn_ds_bpermute(lane * 4, w);
  __builtin_memcpy(&v, &words, sizeof(T));
  return v;
}
template <class T> __hv T __shfl(T v, int source, int width = warpSize) {
  int self = __lane_id();
  return __hv_from_lane(v, (self & ~(width - 1)) | (source & (width - 1)));
}
template <class T> __hv T __shfl_xor(T v, int mask, int width = warpSize) {
  int self = __lane_id(), from = self ^ mask;
  return __hv_from_lane(v, from >= ((self + width) & ~(width - 1)) ? self : from);
}
template <class T> __hv T __shfl_down(T v, unsigned by, int width = warpSize) {
  int self = __lane_id();
  return __hv_from_lane(v, (self & (width - 1)) + static_cast<int>(by) >= width ? self : self + static_cast<int>(by));
}
template <class T> __hv T __shfl_up(T v, unsigned by, int width = warpSize) {
  int self = __lane_id();
  return __hv_from_lane(v, (self & (width - 1)) < static_cast<int>(by) ? self : self - static_cast<int>(by));
}
template <class T> __hv T __shfl_sync(unsigned long long, T v, int s, int w = warpSize) { return __shfl(v, s, w); }
template <class T> __hv T __shfl_xor_sync(unsigned long long, T v, int m, int w = warpSize) { return __shfl_xor(v, m, w); }
template <class T> __hv T __shfl_down_sync(unsigned long long, T v, unsigned b, int w = warpSize) { return __shfl_down(v, b, w); }
template <class T> __hv T __shfl_up_sync(unsigned long long, T v, unsigned b, int w = warpSize) { return __shfl_up(v, b, w); }
#if __AMDGCN_WAVEFRONT_SIZE__ == 32 || defined(__gfx1201__)
__hv unsigned long long __ballot(int p) { return __builtin_amdgcn_ballot_w32(p != 0); }
#else
__hv unsigned long long __ballot(int p) { return __builtin_amdgcn_ballot_w64(p != 0); }
#endif
__hv unsigned long long __activemask() { return __ballot(1); }
__hv int __any(int p) { return __ballot(p) != 0; }
__hv int __all(int p) { return __ballot(!p) == 0; }
__hv int __popc(unsigned v) { return __builtin_popcount(v); }
__hv int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
__hv int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
__hv int __ffs(int v) { return __builtin_ffs(v); }
__hv int __ffsll(unsigned long long v) { return __builtin_ffsll(static_cast<long long>(v)); }

#define __hv_atomic(name, op) \
  template <class T> __hv T name(T* p, T v) { return op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
__hv_atomic(atomicAdd, __hip_atomic_fetch_add)
__hv_atomic(atomicMin, __hip_atomic_fetch_min)
__hv_atomic(atomicMax, __hip_atomic_fetch_max)
__hv_atomic(atomicAnd, __hip_atomic_fetch_and)
__hv_atomic(atomicOr, __hip_atomic_fetch_or)
__hv_atomic(atomicXor, __hip_atomic_fetch_xor)
__hv_atomic(atomicExch, __hip_atomic_exchange)
template <class T> __hv T atomicSub(T* p, T v) { return atomicAdd(p, static_cast<T>(-v)); }
template <class T> __hv T atomicCAS(T* p, T expected, T v) {
  __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}

#define __hv_math1(name) \
  __hv float name##f(float x) { return __builtin_##name##f(x); } \
  __hv float name(float x) { return __builtin_##name##f(x); }
#define __hv_math1d(name) __hv_math1(name) __hv double name(double x) { return __builtin_##name(x); }
#define __hv_math2d(name) \
  __hv float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  __hv float name(float x, float y) { return __builtin_##name##f(x, y); } \
  __hv double name(double x, double y) { return __builtin_##name(x, y); }
__hv_math1(exp) __hv_math1(exp2) __hv_math1(log) __hv_math1(log2) __hv_math1(log10) __hv_math1(sin) __hv_math1(cos)
__hv_math1d(sqrt) __hv_math1d(fabs) __hv_math1d(floor) __hv_math1d(ceil) __hv_math1d(trunc) __hv_math1d(rint) __hv_math1d(round)
__hv_math2d(fmin) __hv_math2d(fmax) __hv_math2d(copysign)
__hv float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__hv float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__hv double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__hv float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__hv float __expf(float x) { return __builtin_expf(x); }
__hv float __logf(float x) { return __builtin_logf(x); }
__hv float __fdividef(float x, float y) { return x / y; }
__hv float tanhf(float x) {
  float a = __builtin_fabsf(x), e = __builtin_expf(-2.0f * a);
  float large = (1.0f - e) / (1.0f + e), s = x * x;  // near 0 the difference cancels: a series there
  float small = a * (1.0f + s * (-1.0f / 3 + s * (2.0f / 15 + s * (-17.0f / 315 + s * (62.0f / 2835)))));
  return __builtin_copysignf(a < 0.25f ? small : large, x);
}
__hv int min(int a, int b) { return a < b ? a : b; }
__hv int max(int a, int b) { return a > b ? a : b; }
__hv float min(float a, float b) { return __builtin_fminf(a, b); }
__hv float max(float a, float b) { return __builtin_fmaxf(a, b); }
template <class T> __hv bool isnan(T x) { return __builtin_isnan(x); }
template <class T> __hv bool isinf(T x) { return __builtin_isinf(x); }
__hv int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__hv unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__hv float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__hv float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }

#define __hv_vectors(type, name) \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct alignas(4 * sizeof(type)) name##4 { type x, y, z, w; }; \
  __hv name##2 make_##name##2(type x, type y) { return {x, y}; } \
  __hv name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  __hv name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
__hv_vectors(float, float) __hv_vectors(int, int) __hv_vectors(unsigned, uint) __hv_vectors(double, double)
__hv_vectors(short, short) __hv_vectors(unsigned short, ushort) __hv_vectors(unsigned char, uchar)
struct dim3 { unsigned x = 1, y = 1, z = 1; };
)";

constexpr const char* kHalf = R"(#pragma once
#include <hip/hip_runtime.h>
typedef _Float16 __half;
typedef _Float16 half;
typedef _Float16 __half2 __attribute__((ext_vector_type(2)));
typedef __half2 half2;
__hv float __half2float(__half x) { return static_cast<float>(x); }
__hv __half __float2half(float x) { return static_cast<__half>(x); }
)";

constexpr const char* kBfloat = R"(#pragma once
#include <hip/hip_runtime.h>
typedef __bf16 __hip_bfloat16;
typedef __bf16 hip_bfloat16;
__hv float __bfloat162float(__hip_bfloat16 x) { return static_cast<float>(x); }
__hv __hip_bfloat16 __float2bfloat16(float x) { return static_cast<__hip_bfloat16>(x); }
)";

constexpr const char* kStdint = R"(#pragma once
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
)";

constexpr const char* kStddef = R"(#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
)";

constexpr const char* kMath = "#pragma once\n#include <hip/hip_runtime.h>\n";

constexpr ShippedHeader kHeaders[] = {
    {"hip/hip_runtime.h", kRuntime},
    {"hip/hip_fp16.h", kHalf},
    {"hip/hip_bf16.h", kBfloat},
    {"hip/hip_bfloat16.h", kBfloat},
    {"stdint.h", kStdint},
    {"cstdint", kStdint},
    {"stddef.h", kStddef},
    {"cstddef", kStddef},
    {"math.h", kMath},
    {"cmath", kMath},
};

}  // namespace

std::span<const ShippedHeader> shipped_headers() { return kHeaders; }

}  // namespace hipvault::compile
