#pragma once
// Just enough of the HIP runtime's header for printed files to be compiled as a whole, both halves, without ROCm.
#include <stddef.h>
#include <stdint.h>
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 };
typedef struct ihipStream_t* hipStream_t;
struct dim3 {
  uint32_t x, y, z;
  __host__ __device__ constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};
extern "C" hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** args, size_t shared,
                                      hipStream_t stream);
extern "C" hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream);
extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
extern "C" hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, hipStream_t* stream);
