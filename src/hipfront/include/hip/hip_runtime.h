#pragma once
// HIP for the simulated GPU: host API, launches, and what device code is written with. Device mathematics comes from
// clang's own HIP wrapper over our device library.

#include <hip/hip_runtime_api.h>
#if !defined(__HIPCC_RTC__)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif
#include <hip/hip_vector_types.h>

#ifndef __host__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#endif
#if defined(__HIP__)
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __hip_launch_bounds_1(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#define __hip_launch_bounds_2(n, w) __attribute__((amdgpu_flat_work_group_size(1, n), amdgpu_waves_per_eu(w)))
#define __hip_launch_bounds_pick(a, b, name, ...) name
#define __launch_bounds__(...) \
  __hip_launch_bounds_pick(__VA_ARGS__, __hip_launch_bounds_2, __hip_launch_bounds_1, )(__VA_ARGS__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#if defined(HIP_TEMPLATE_KERNEL_LAUNCH)
// As a function, so that commas between template arguments do no harm; a template's name alone takes the types of the
// arguments.
template <class... Arguments, class Kernel = void (*)(Arguments...)>
inline void hipLaunchKernelGGL(Kernel kernel, const dim3& grid, const dim3& block, unsigned sharedMem,
                               hipStream_t stream, Arguments... arguments) {
  kernel<<<grid, block, sharedMem, stream>>>(arguments...);
}
#else
#define hipLaunchKernelGGL(kernel, grid, block, sharedMem, stream, ...) \
  do {                                                                  \
    (kernel)<<<(grid), (block), (sharedMem), (stream)>>>(__VA_ARGS__);  \
  } while (0)
#endif
#define hipLaunchKernel_ hipLaunchKernelGGL

#include <hip/amd_detail/hv_device.h>
#endif
