// expect: Device-side assertion `x[i] != 7' failed.
// A failed assert ends the context: its error sticks.
#include "check.h"
#include <cassert>
__global__ void test(const int* x) {
  int i = threadIdx.x;
  assert(x[i] != 7);
}
int main() {
  std::vector<int> x(64);
  int* d = to_device(x);
  test<<<1, 64>>>(d);
  HIP(hipDeviceSynchronize());
  x[11] = 7;
  HIP(hipMemcpy(d, x.data(), 256, hipMemcpyHostToDevice));
  test<<<1, 64>>>(d);
  EXPECT_ERROR(hipDeviceSynchronize(), hipErrorAssert);
  EXPECT_ERROR(hipGetLastError(), hipErrorAssert);
  EXPECT_ERROR(hipGetLastError(), hipErrorAssert);
  EXPECT_ERROR(hipMalloc(&d, 4), hipErrorAssert);
}
