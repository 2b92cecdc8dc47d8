// Tiled product in a template, float and half.
#include "check.h"
#include <hip/hip_fp16.h>
template <class T, int kTile>
__global__ void product(const T* a, const T* b, float* c, int n) {
  __shared__ float x[kTile][kTile], y[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
template <class T>
void check(int n) {
  std::vector<T> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = T(float(i % 13 - 6)), b[i] = T(float(i % 7 - 3));
  T *da = to_device(a), *db = to_device(b);
  float* dc;
  HIP(hipMalloc(&dc, n * n * sizeof(float)));
  product<T, 16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
  std::vector<float> c = to_host(dc, n * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += float(a[y * n + k]) * float(b[k * n + x]);
      EXPECT(c[y * n + x] == sum);  // small integers: exact in any order
    }
}
int main() {
  check<float>(64);
  check<__half>(48);
}
