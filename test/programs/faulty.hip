// findings: out-of-bounds uninitialised-read
// Runs to its end; the checkers report what it did, with the line.
#include "check.h"
__global__ void past_the_end(int* x, int n) { x[threadIdx.x + n] = 1; }
__global__ void unwritten(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
int main() {
  int *x, *y;
  HIP(hipMalloc(&x, 256));
  HIP(hipMalloc(&y, 256));
  past_the_end<<<1, 64>>>(x, 32);
  unwritten<<<1, 16>>>(x, y);
  HIP(hipDeviceSynchronize());
}
