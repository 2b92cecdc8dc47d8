// Atomics in LDS and in memory, integer and float.
#include "check.h"
__global__ void histogram(const unsigned char* x, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
__global__ void others(int* i, float* f, double* d, unsigned long long* u) {
  int t = threadIdx.x;
  atomicMin(&i[0], t - 7);
  atomicMax(&i[1], t);
  atomicOr(&i[2], 1 << t % 31);
  atomicXor(&i[3], t);
  atomicSub(&i[4], 2);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(u, 1ull << 33);
  atomicInc((unsigned*)&i[5], 9);
  int seen = i[6], old;
  do old = seen, seen = atomicCAS(&i[6], old, old + 3);
  while (seen != old);
}
int main() {
  int n = 50000;
  std::vector<unsigned char> x(n);
  std::vector<unsigned> want(256);
  for (int i = 0; i < n; ++i) x[i] = (i * 7919u) >> 5, ++want[x[i]];
  unsigned char* dx = to_device(x);
  unsigned* bins = to_device(std::vector<unsigned>(256));
  histogram<<<6, 256>>>(dx, n, bins);
  EXPECT(to_host(bins, 256) == want);
  int* i = to_device(std::vector<int>(7));
  float* f = to_device(std::vector<float>(1));
  double* d = to_device(std::vector<double>(1));
  unsigned long long* u = to_device(std::vector<unsigned long long>(1));
  others<<<1, 128>>>(i, f, d, u);
  std::vector<int> v = to_host(i, 7);
  EXPECT(v[0] == -7 && v[1] == 127 && v[2] == 0x7fffffff && v[3] == 0 && v[4] == -256 && v[5] == 8 && v[6] == 384);
  EXPECT(to_host(f, 1)[0] == 64 && to_host(d, 1)[0] == 32 && to_host(u, 1)[0] == 128ull << 33);
}
