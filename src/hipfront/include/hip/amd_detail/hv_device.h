#pragma once
// Device side: indices, synchronisation, lanes, atomics, bits, conversions, printf and assert.

#define __HV_DEV __attribute__((device)) __attribute__((always_inline)) inline
#define __HV_BOTH __attribute__((host)) __attribute__((device)) __attribute__((always_inline)) inline

// ---- indices
#define __HV_INDEX(name, ex, ey, ez)                           \
  struct __hv_##name##_t {                                     \
    __declspec(property(get = __x)) unsigned x;                \
    __declspec(property(get = __y)) unsigned y;                \
    __declspec(property(get = __z)) unsigned z;                \
    __HV_DEV unsigned __x() const { return ex; }               \
    __HV_DEV unsigned __y() const { return ey; }               \
    __HV_DEV unsigned __z() const { return ez; }               \
    __HV_DEV operator dim3() const { return dim3(x, y, z); }   \
    __HV_DEV operator uint3() const { return uint3(x, y, z); } \
  };                                                           \
  extern const __attribute__((device)) __attribute__((weak)) __hv_##name##_t name;
#define __HV_COUNT(axis) (((const unsigned*)__builtin_amdgcn_implicitarg_ptr())[axis])
__HV_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
           __builtin_amdgcn_workitem_id_z())
__HV_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
           __builtin_amdgcn_workgroup_id_z())
__HV_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
           __builtin_amdgcn_workgroup_size_z())
__HV_INDEX(gridDim, __HV_COUNT(0), __HV_COUNT(1), __HV_COUNT(2))
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// 64 or 32, as the kernel is compiled; not a constant expression, as in HIP 7. The host must ask for the device's.
struct __hv_warp_size_t {
#if defined(__HIP_DEVICE_COMPILE__)
  __HV_DEV operator int() const { return __builtin_amdgcn_wavefrontsize(); }
#else
  __attribute__((host)) __attribute__((device)) operator int() const { return 64; }
#endif
};
static constexpr __hv_warp_size_t warpSize{};

// ---- synchronisation and time
__HV_DEV void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__HV_DEV void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__HV_DEV void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__attribute__((device)) __attribute__((always_inline, convergent)) inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__attribute__((device)) __attribute__((always_inline, convergent)) inline void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
__HV_DEV long long clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }
__HV_DEV long long clock() { return clock64(); }
__HV_DEV long long wall_clock64() { return static_cast<long long>(__builtin_readsteadycounter()); }
__HV_DEV void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }

// ---- lanes
__HV_DEV unsigned __lane_id() {
  unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  return __builtin_amdgcn_wavefrontsize() == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
__HV_DEV unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate != 0); }
__HV_DEV unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
__HV_DEV unsigned long long __activemask() { return __ballot(1); }
__HV_DEV int __any(int predicate) { return __ballot(predicate) != 0; }
__HV_DEV int __all(int predicate) { return __ballot(predicate) == __activemask(); }
template <class M>
__HV_DEV unsigned long long __ballot_sync(M mask, int predicate) {
  return __ballot(predicate) & mask;
}
template <class M>
__HV_DEV int __any_sync(M mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <class M>
__HV_DEV int __all_sync(M mask, int predicate) {
  return __ballot_sync(mask, predicate) == (__activemask() & mask);
}
__HV_DEV unsigned __lastbit_u32_u64(unsigned long long x) { return x ? __builtin_ctzll(x) : ~0u; }

// Any type of whole dwords, or smaller than one.
template <class T>
__HV_DEV T __hv_from_lane(T value, int lane) {
  constexpr int words = (sizeof(T) + 3) / 4;
  int from[words] = {}, to[words];
  __builtin_memcpy(from, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) to[i] = __builtin_amdgcn_ds_bpermute(lane << 2, from[i]);
  __builtin_memcpy(&value, to, sizeof(T));
  return value;
}
template <class T>
__HV_DEV T __shfl(T value, int source, int width = __builtin_amdgcn_wavefrontsize()) {
  int self = __lane_id();
  return __hv_from_lane(value, (source & (width - 1)) + (self & ~(width - 1)));
}
template <class T>
__HV_DEV T __shfl_up(T value, unsigned delta, int width = __builtin_amdgcn_wavefrontsize()) {
  int self = __lane_id(), from = self - static_cast<int>(delta);
  return __hv_from_lane(value, from < (self & ~(width - 1)) ? self : from);
}
template <class T>
__HV_DEV T __shfl_down(T value, unsigned delta, int width = __builtin_amdgcn_wavefrontsize()) {
  int self = __lane_id(), from = self + static_cast<int>(delta);
  return __hv_from_lane(value, static_cast<int>((self & (width - 1)) + delta) >= width ? self : from);
}
template <class T>
__HV_DEV T __shfl_xor(T value, int mask, int width = __builtin_amdgcn_wavefrontsize()) {
  int self = __lane_id(), from = self ^ mask;
  return __hv_from_lane(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}
template <class M, class T>
__HV_DEV T __shfl_sync(M, T value, int source, int width = __builtin_amdgcn_wavefrontsize()) {
  return __shfl(value, source, width);
}
template <class M, class T>
__HV_DEV T __shfl_up_sync(M, T value, unsigned delta, int width = __builtin_amdgcn_wavefrontsize()) {
  return __shfl_up(value, delta, width);
}
template <class M, class T>
__HV_DEV T __shfl_down_sync(M, T value, unsigned delta, int width = __builtin_amdgcn_wavefrontsize()) {
  return __shfl_down(value, delta, width);
}
template <class M, class T>
__HV_DEV T __shfl_xor_sync(M, T value, int mask, int width = __builtin_amdgcn_wavefrontsize()) {
  return __shfl_xor(value, mask, width);
}
template <class M, class T>
__HV_DEV unsigned long long __match_any_sync(M mask, T value) {
  unsigned long long mine = 0;
  for (unsigned long long left = mask; left; left &= left - 1) {
    int lane = __builtin_ctzll(left);
    if (__hv_from_lane(value, lane) == value) mine |= 1ull << lane;
  }
  return mine & __activemask();
}
#define __hip_ds_bpermute(index, src) __builtin_amdgcn_ds_bpermute(index, src)
#define __hip_ds_permute(index, src) __builtin_amdgcn_ds_permute(index, src)
#define __hip_ds_swizzle(src, pattern) __builtin_amdgcn_ds_swizzle(src, pattern)
#define __hip_move_dpp(src, ctrl, row, bank, bound) __builtin_amdgcn_mov_dpp(src, ctrl, row, bank, bound)

__attribute__((device)) __attribute__((convergent)) inline int __hv_sync_reduce(int predicate, int how) {
  __attribute__((shared)) static int state[3];
  bool first = threadIdx.x + threadIdx.y + threadIdx.z == 0;
  if (first) state[0] = 0;
  __syncthreads();
  if (predicate) __hip_atomic_fetch_add(&state[0], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  int count = state[0], items = blockDim.x * blockDim.y * blockDim.z;
  __syncthreads();
  return how == 0 ? count : how == 1 ? count == items : count != 0;
}
__attribute__((device)) inline int __syncthreads_count(int predicate) { return __hv_sync_reduce(predicate, 0); }
__attribute__((device)) inline int __syncthreads_and(int predicate) { return __hv_sync_reduce(predicate, 1); }
__attribute__((device)) inline int __syncthreads_or(int predicate) { return __hv_sync_reduce(predicate, 2); }

// ---- atomics; relaxed, on the whole device; _block and _system for the other scopes
#define __HV_SCOPES(M)                    \
  M(, __HIP_MEMORY_SCOPE_AGENT)           \
  M(_block, __HIP_MEMORY_SCOPE_WORKGROUP) \
  M(_system, __HIP_MEMORY_SCOPE_SYSTEM)
template <class T>
struct __hv_same {
  typedef T type;
};
#define __HV_ATOMICS(suffix, scope)                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicAdd##suffix(T* at, typename __hv_same<T>::type v) {                                      \
    return __hip_atomic_fetch_add(at, v, __ATOMIC_RELAXED, scope);                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicSub##suffix(T* at, typename __hv_same<T>::type v) {                                      \
    return __hip_atomic_fetch_add(at, static_cast<T>(-v), __ATOMIC_RELAXED, scope);                         \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicMin##suffix(T* at, typename __hv_same<T>::type v) {                                      \
    return __hip_atomic_fetch_min(at, v, __ATOMIC_RELAXED, scope);                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicMax##suffix(T* at, typename __hv_same<T>::type v) {                                      \
    return __hip_atomic_fetch_max(at, v, __ATOMIC_RELAXED, scope);                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicAnd##suffix(T* at, typename __hv_same<T>::type v) {                                      \
    return __hip_atomic_fetch_and(at, v, __ATOMIC_RELAXED, scope);                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicOr##suffix(T* at, typename __hv_same<T>::type v) {                                       \
    return __hip_atomic_fetch_or(at, v, __ATOMIC_RELAXED, scope);                                           \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicXor##suffix(T* at, typename __hv_same<T>::type v) {                                      \
    return __hip_atomic_fetch_xor(at, v, __ATOMIC_RELAXED, scope);                                          \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicExch##suffix(T* at, typename __hv_same<T>::type v) {                                     \
    return __hip_atomic_exchange(at, v, __ATOMIC_RELAXED, scope);                                           \
  }                                                                                                         \
  template <class T>                                                                                        \
  __HV_DEV T atomicCAS##suffix(T* at, typename __hv_same<T>::type compare, typename __hv_same<T>::type v) { \
    __hip_atomic_compare_exchange_strong(at, &compare, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);       \
    return compare;                                                                                         \
  }
__HV_SCOPES(__HV_ATOMICS)
__HV_DEV unsigned atomicInc(unsigned* at, unsigned v) {
  return __builtin_amdgcn_atomic_inc32(at, v, __ATOMIC_RELAXED, "agent");
}
__HV_DEV unsigned atomicDec(unsigned* at, unsigned v) {
  return __builtin_amdgcn_atomic_dec32(at, v, __ATOMIC_RELAXED, "agent");
}
template <class T>
__HV_DEV void atomicAddNoRet(T* at, typename __hv_same<T>::type v) {
  (void)atomicAdd(at, v);
}
template <class T>
__HV_DEV T unsafeAtomicAdd(T* at, typename __hv_same<T>::type v) {
  return __hip_atomic_fetch_add(at, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__HV_DEV T safeAtomicAdd(T* at, typename __hv_same<T>::type v) {
  return atomicAdd(at, v);
}

// ---- bits and integers
__HV_DEV int __popc(unsigned x) { return __builtin_popcount(x); }
__HV_DEV int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__HV_DEV int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
__HV_DEV int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
template <class T>
__HV_DEV int __ffs(T x) {
  return sizeof(T) == 8 ? __builtin_ffsll(static_cast<long long>(x)) : __builtin_ffs(static_cast<int>(x));
}
__HV_DEV int __ffsll(unsigned long long x) { return __builtin_ffsll(static_cast<long long>(x)); }
__HV_DEV unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__HV_DEV unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
__HV_DEV unsigned __fns32(unsigned long long mask, unsigned base, int offset) {
  for (int i = static_cast<int>(base); i >= 0 && i < 64; i += offset < 0 ? -1 : 1)
    if (mask >> i & 1) {
      if (offset == 0) return static_cast<unsigned>(i);
      offset -= offset > 0 ? 1 : -1;
      if (offset == 0) return static_cast<unsigned>(i);
    }
  return ~0u;
}
__HV_DEV unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned long long all = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= static_cast<unsigned>(all >> ((s >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return result;
}
__HV_DEV int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
__HV_DEV unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
__HV_DEV int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
__HV_DEV unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
__HV_DEV long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
__HV_DEV unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
__HV_DEV unsigned __sad(int x, int y, unsigned z) { return z + static_cast<unsigned>(x > y ? x - y : y - x); }
__HV_DEV unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
__HV_DEV int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
__HV_DEV int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
__HV_DEV unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
__HV_DEV unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
__HV_DEV unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  offset &= 31, width &= 31;
  return width == 0
             ? 0
             : x << (offset + width > 32 ? 0 : 32 - offset - width) >> (offset + width > 32 ? offset : 32 - width);
}
__HV_DEV unsigned long long __bitextract_u64(unsigned long long x, unsigned offset, unsigned width) {
  offset &= 63, width &= 63;
  return width == 0 ? 0 : x >> offset & (~0ull >> (64 - width));
}
__HV_DEV unsigned __bitinsert_u32(unsigned x, unsigned y, unsigned offset, unsigned width) {
  offset &= 31, width &= 31;
  unsigned mask = ((1u << width) - 1) << offset;
  return (x & ~mask) | (y << offset & mask);
}
__HV_DEV unsigned long long __bitinsert_u64(unsigned long long x, unsigned long long y, unsigned offset,
                                            unsigned width) {
  offset &= 63, width &= 63;
  unsigned long long mask = ((1ull << width) - 1) << offset;
  return (x & ~mask) | (y << offset & mask);
}
__HV_DEV unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return n & 31 ? hi << (n & 31) | lo >> (32 - (n & 31)) : hi;
}
__HV_DEV unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return n & 31 ? lo >> (n & 31) | hi << (32 - (n & 31)) : lo;
}
__HV_DEV int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<int>(static_cast<signed char>(a >> (8 * i))) * static_cast<signed char>(b >> (8 * i));
  return c;
}
template <class T>
__HV_DEV T __ldg(const T* p) {
  return *p;
}
template <class T>
__HV_DEV T __ldcg(const T* p) {
  return *p;
}
template <class T>
__HV_DEV T __ldcs(const T* p) {
  return __builtin_nontemporal_load(p);
}
template <class T>
__HV_DEV void __stcs(T* p, T v) {
  __builtin_nontemporal_store(v, p);
}
__HV_DEV bool __isGlobal(const void* p) { return !__builtin_amdgcn_is_shared(p) && !__builtin_amdgcn_is_private(p); }
__HV_DEV bool __isShared(const void* p) { return __builtin_amdgcn_is_shared(p); }

// ---- conversions
#define __HV_CAST_BITS(name, from, to) \
  __HV_DEV to name(from x) { return __builtin_bit_cast(to, x); }
__HV_CAST_BITS(__float_as_int, float, int)
__HV_CAST_BITS(__float_as_uint, float, unsigned)
__HV_CAST_BITS(__int_as_float, int, float)
__HV_CAST_BITS(__uint_as_float, unsigned, float)
__HV_CAST_BITS(__double_as_longlong, double, long long)
__HV_CAST_BITS(__longlong_as_double, long long, double)
__HV_DEV int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
__HV_DEV int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__HV_DEV double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(static_cast<long long>(hi) << 32 | static_cast<unsigned>(lo));
}
#define __HV_ROUNDED(from, FROM, to, TO)                                                   \
  __HV_DEV to __##FROM##2##TO##_rn(from x) { return static_cast<to>(__builtin_rint(x)); }  \
  __HV_DEV to __##FROM##2##TO##_rz(from x) { return static_cast<to>(x); }                  \
  __HV_DEV to __##FROM##2##TO##_rd(from x) { return static_cast<to>(__builtin_floor(x)); } \
  __HV_DEV to __##FROM##2##TO##_ru(from x) { return static_cast<to>(__builtin_ceil(x)); }
__HV_ROUNDED(float, float, int, int)
__HV_ROUNDED(float, float, unsigned, uint)
__HV_ROUNDED(float, float, long long, ll)
__HV_ROUNDED(float, float, unsigned long long, ull)
__HV_ROUNDED(double, double, int, int)
__HV_ROUNDED(double, double, unsigned, uint)
__HV_ROUNDED(double, double, long long, ll)
__HV_ROUNDED(double, double, unsigned long long, ull)
__HV_DEV float __double2float_rn(double x) { return static_cast<float>(x); }
__HV_DEV float __int2float_rn(int x) { return static_cast<float>(x); }
__HV_DEV float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
__HV_DEV float __ll2float_rn(long long x) { return static_cast<float>(x); }
__HV_DEV float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
__HV_DEV double __int2double_rn(int x) { return x; }
__HV_DEV double __uint2double_rn(unsigned x) { return x; }
__HV_DEV double __ll2double_rn(long long x) { return static_cast<double>(x); }
__HV_DEV double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }

// ---- printf and assert; the device library writes into a buffer that the host prints after the kernel
extern "C" {
__attribute__((device)) int printf(const char* format, ...);
__attribute__((device)) __attribute__((noinline)) void __assert_fail(const char* expression, const char* file,
                                                                     unsigned line, const char* function);
}
__HV_DEV void abort() { __builtin_trap(); }
#define __trap() __builtin_trap()
#define __brkpt() __builtin_debugtrap()

template <class T>
__HV_BOTH T* __hv_symbol(T* p) {
  return p;
}
__HV_DEV unsigned __smid() { return 0; }
