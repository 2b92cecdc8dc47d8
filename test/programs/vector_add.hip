#include "check.h"
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main() {
  int n = 10007;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = 0.5f * i, b[i] = 3 - i;
  float *da = to_device(a), *db = to_device(b), *dc;
  HIP(hipMalloc(&dc, n * sizeof(float)));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  HIP(hipGetLastError());
  std::vector<float> c = to_host(dc, n);
  for (int i = 0; i < n; ++i) EXPECT(c[i] == a[i] + b[i]);
  HIP(hipMemset(dc, 0, n * sizeof(float)));
  hipLaunchKernelGGL(add, dim3((n + 63) / 64), dim3(64), 0, 0, da, db, dc, n);
  c = to_host(dc, n);
  for (int i = 0; i < n; ++i) EXPECT(c[i] == a[i] + b[i]);
  HIP(hipFree(da));
  HIP(hipFree(db));
  HIP(hipFree(dc));
}
