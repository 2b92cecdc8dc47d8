// Device functions against the host's, with bounds in units of the last place.
#include "check.h"
#include <cmath>
#include <cstring>
struct Row {
  const char* name;
  double low, high, bound_f64, bound_f32;
};
#define FUNCTIONS(F)                                                                                                \
  F(sin, -20, 20, 2, 1) F(cos, -20, 20, 2, 1) F(tan, -1.5, 1.5, 3, 1) F(exp, -50, 50, 2, 2) F(exp2, -50, 50, 2, 2)  \
  F(log, 1e-3, 1e3, 2, 2) F(log2, 1e-3, 1e3, 2, 2) F(log10, 1e-3, 1e3, 2, 2) F(log1p, -0.5, 5, 3, 1)                \
  F(expm1, -2, 2, 4, 1) F(asin, -1, 1, 4, 1) F(acos, -1, 1, 4, 1) F(atan, -9, 9, 2, 1) F(sinh, -5, 5, 4, 1)         \
  F(cosh, -5, 5, 3, 1) F(tanh, -3, 3, 4, 1) F(asinh, -9, 9, 4, 1) F(acosh, 1, 9, 4, 1) F(atanh, -0.9, 0.9, 4, 1)    \
  F(cbrt, -100, 100, 2, 1) F(sqrt, 0, 100, 1, 1) F(erf, -3, 3, 8, 1) F(erfc, -2, 5, 64, 1) F(tgamma, 0.5, 10, 64, 1) \
  F(lgamma, 3, 30, 64, 1)
#define KERNEL(name, low, high, b64, b32)                                                  \
  __global__ void name##_kernel(const double* x, double* y, const float* u, float* v) {    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                         \
    y[i] = name(x[i]);                                                                     \
    v[i] = name##f(u[i]);                                                                  \
  }
FUNCTIONS(KERNEL)
__global__ void powers(const double* x, const double* y, double* z) {
  int i = threadIdx.x;
  z[i] = pow(x[i], y[i]), z[i + 64] = fmod(x[i], y[i]), z[i + 128] = atan2(x[i], y[i]), z[i + 192] = hypot(x[i], y[i]);
}
double ulps(double got, double want, double unit) {
  if (got == want || (got != got && want != want)) return 0;
  int e;
  std::frexp(want, &e);
  return std::fabs(got - want) / std::ldexp(unit, e);
}
template <class K, class F, class G>
void check(const char* name, K kernel, double low, double high, double b64, double b32, F f, G g) {
  int n = 512;
  std::vector<double> x(n);
  std::vector<float> u(n);
  for (int i = 0; i < n; ++i) x[i] = low + (high - low) * ((i * 193) % n + 0.37) / n, u[i] = (float)x[i];
  double *dx = to_device(x), *dy;
  float *du = to_device(u), *dv;
  HIP(hipMalloc(&dy, n * 8));
  HIP(hipMalloc(&dv, n * 4));
  kernel<<<n / 256, 256>>>(dx, dy, du, dv);
  std::vector<double> y = to_host(dy, n);
  std::vector<float> v = to_host(dv, n);
  double worst64 = 0, worst32 = 0;
  for (int i = 0; i < n; ++i)
    worst64 = std::max(worst64, ulps(y[i], f(x[i]), 0x1p-53)), worst32 = std::max(worst32, ulps(v[i], g((double)u[i]), 0x1p-24));
  std::printf("%s: %.2f %.2f\n", name, worst64, worst32);
  EXPECT(worst64 <= b64 && worst32 <= b32);
  HIP(hipFree(dx)); HIP(hipFree(dy)); HIP(hipFree(du)); HIP(hipFree(dv));
}
int main() {
#define CHECK(name, low, high, b64, b32) \
  check(#name, name##_kernel, low, high, b64, b32, [](double a) { return std::name(a); }, [](double a) { return std::name(a); });
  FUNCTIONS(CHECK)
  std::vector<double> a(64), b(64);
  for (int i = 0; i < 64; ++i) a[i] = 0.1 + i * 1.7, b[i] = i % 9 - 4.3;
  double *da = to_device(a), *db = to_device(b), *dz;
  HIP(hipMalloc(&dz, 256 * 8));
  powers<<<1, 64>>>(da, db, dz);
  std::vector<double> z = to_host(dz, 256);
  for (int i = 0; i < 64; ++i) {
    EXPECT(ulps(z[i], std::pow(a[i], b[i]), 0x1p-53) <= 2);
    EXPECT(z[i + 64] == std::fmod(a[i], b[i]));
    EXPECT(ulps(z[i + 128], std::atan2(a[i], b[i]), 0x1p-53) <= 3);
    EXPECT(ulps(z[i + 192], std::hypot(a[i], b[i]), 0x1p-53) <= 2);
  }
}
