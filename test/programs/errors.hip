// Error codes and the last error.
#include "check.h"
__global__ void __launch_bounds__(64) small(int* x) { x[0] = 1; }
__global__ void big(int* x) { x[threadIdx.x] = 1; }
int main() {
  void* p = nullptr;
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  EXPECT_ERROR(hipMalloc(&p, properties.totalGlobalMem + 1), hipErrorOutOfMemory);
  EXPECT(p == nullptr);
  EXPECT_ERROR(hipGetLastError(), hipErrorOutOfMemory);
  EXPECT_ERROR(hipGetLastError(), hipSuccess);
  EXPECT_ERROR(hipMalloc((void**)nullptr, 4), hipErrorInvalidValue);
  EXPECT_ERROR(hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_ERROR(hipGetLastError(), hipErrorInvalidValue);
  HIP(hipMalloc(&p, 256));
  char host[512];
  EXPECT_ERROR(hipMemcpy(p, host, 257, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemcpy(host, p, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemcpy(host, p, 4, (hipMemcpyKind)9), hipErrorInvalidMemcpyDirection);
  EXPECT_ERROR(hipSetDevice(3), hipErrorInvalidDevice);
  EXPECT_ERROR(hipFree(host), hipErrorInvalidValue);
  HIP(hipFree(nullptr));
  (void)hipGetLastError();
  big<<<1, 2048>>>((int*)p);
  EXPECT_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
  big<<<0, 64>>>((int*)p);
  EXPECT_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
  small<<<1, 128>>>((int*)p);
  EXPECT_ERROR(hipGetLastError(), hipErrorLaunchFailure);
  big<<<1, 64, 1 << 20>>>((int*)p);
  EXPECT_ERROR(hipGetLastError(), hipErrorInvalidValue);
  EXPECT_ERROR(hipLaunchKernel((const void*)&main, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
  (void)hipGetLastError();
  big<<<1, 64>>>((int*)p);
  HIP(hipGetLastError());
  int blocks = 0, grid = 0, block = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, big, 256, 0));
  EXPECT(blocks >= 1 && blocks <= 8);
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, big, 0, 0));
  EXPECT(block >= 64 && block <= 1024 && grid >= properties.multiProcessorCount);
  HIP(hipFree(p));
  EXPECT_ERROR(hipFree(p), hipErrorInvalidValue);
}
