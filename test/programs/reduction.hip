// Block sums through shuffles and dynamic LDS; whole sum through an atomic.
#include "check.h"
__global__ void sum(const int* x, int n, long long* total) {
  extern __shared__ int part[];
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int step = warpSize / 2; step; step /= 2) v += __shfl_down(v, step);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < (int)blockDim.x / warpSize; ++w) v += part[w];
    atomicAdd((unsigned long long*)total, (unsigned long long)(long long)v);
  }
}
__global__ void votes(unsigned long long* out) {
  unsigned long long even = __ballot(threadIdx.x % 2 == 0);
  if (threadIdx.x == 0) out[0] = even, out[1] = __popcll(even);
  if (threadIdx.x < 3) out[2 + threadIdx.x] = __any(threadIdx.x == 1) + 2 * __all(threadIdx.x < 3);
  int rotated = __shfl(threadIdx.x, (threadIdx.x + 1) % warpSize);
  if (threadIdx.x == 5) out[5] = rotated;
  int swapped = __shfl_xor(threadIdx.x, 8), up = __shfl_up(threadIdx.x, 2, 16);
  if (threadIdx.x == 17) out[6] = swapped, out[7] = up;
}
int main() {
  int n = 100000;
  std::vector<int> x(n);
  long long want = 0;
  for (int i = 0; i < n; ++i) x[i] = i % 1000 - 300, want += x[i];
  int* dx = to_device(x);
  long long* total = to_device(std::vector<long long>(1));
  sum<<<8, 256, 4 * sizeof(int) * 2>>>(dx, n, total);
  EXPECT(to_host(total, 1)[0] == want);
  unsigned long long* out = to_device(std::vector<unsigned long long>(8));
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  votes<<<1, properties.warpSize>>>(out);
  std::vector<unsigned long long> v = to_host(out, 8);
  unsigned long long lanes = properties.warpSize == 64 ? 0x5555555555555555ull : 0x55555555ull;
  EXPECT(v[0] == lanes && v[1] == (unsigned long long)properties.warpSize / 2);
  EXPECT(v[2] == 3 && v[3] == 3 && v[4] == 3);
  EXPECT(v[5] == 6 && v[6] == 25 && v[7] == 17);
}
