// findings: missing-wait hazard
// Inline assembly without the wait and the wait states that it needs. The result is right here, and on a card by luck.
#include "check.h"
__global__ void no_wait(const int* x, int* y) {
  int value;
  asm volatile("global_load_dword %0, %1, off" : "=&v"(value) : "v"(x + threadIdx.x));
  y[threadIdx.x] = value + 1;
}
__global__ void no_wait_states(int* y) {
  int value;
  asm volatile("v_readfirstlane_b32 s20, %1\nv_mov_b32 %0, s20" : "=v"(value) : "v"(7) : "s20");
  y[threadIdx.x] = value;
}
int main() {
  std::vector<int> numbers(64, 1);
  int *x = to_device(numbers), *y = to_device(numbers);
  no_wait<<<1, 64>>>(x, y);
  HIP(hipMemcpy(numbers.data(), y, 256, hipMemcpyDeviceToHost));
  EXPECT(numbers[5] == 2);
  no_wait_states<<<1, 64>>>(y);
  HIP(hipMemcpy(numbers.data(), y, 256, hipMemcpyDeviceToHost));
  EXPECT(numbers[5] == 7);
  HIP(hipFree(x));
  HIP(hipFree(y));
}
