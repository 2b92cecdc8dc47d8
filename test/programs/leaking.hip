// Two of three allocations are never freed; everything else is right. `hipvault check` says so, `run` does not.
#include "check.h"

__managed__ int counter;  // not the program's to free

__global__ void fill(int* to) {
  to[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) counter = 1;
}

int main() {
  int *device = nullptr, *freed = nullptr, *pinned = nullptr;
  HIP(hipMalloc(&device, 64 * sizeof(int)));
  HIP(hipMalloc(&freed, 64 * sizeof(int)));
  HIP(hipHostMalloc(&pinned, 64 * sizeof(int)));
  fill<<<1, 64>>>(device);
  fill<<<1, 64>>>(freed);
  HIP(hipDeviceSynchronize());
  HIP(hipFree(freed));
  return 0;
}
