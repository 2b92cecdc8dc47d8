// Half, bfloat16, the four 8-bit formats and vector types.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <cmath>
#include "check.h"
// Every code survives float and back.
template <class F>
bool round_trip() {
  for (int c = 0; c < 256; ++c) {
    F x;
    x.__x = (unsigned char)c;
    float v = x;
    if (v != v) {
      F n(v);
      float w = n;
      if (w == w) return printf("nan %d\n", c), false;
      continue;
    }
    if (std::isinf(v)) continue;
    F back(v);
    if (back.__x != c) return printf("code %02x -> %g -> %02x\n", c, v, back.__x), false;
  }
  return true;
}
template <class F>
bool nearest() {
  std::vector<float> values;
  for (int c = 0; c < 128; ++c) {
    F x;
    x.__x = (unsigned char)c;
    float v = x;
    if (v == v && !std::isinf(v)) values.push_back(v);
  }
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    float a = values[i], b = values[i + 1], mid = (a + b) / 2;
    F lo(std::nextafter(mid, a)), hi(std::nextafter(mid, b)), m(mid);
    if ((float)lo != a || (float)hi != b) return printf("%g %g: %g %g\n", a, b, (float)lo, (float)hi), false;
    if ((float)m != ((i & 1) ? b : a)) return printf("mid %g of %g %g -> %g\n", mid, a, b, (float)m), false;
  }
  return (float)F(1e9f) == values.back() && (float)F(-1e9f) == -values.back();
}
__global__ void halves(float* out) {
  __half a = __float2half(1.5f), b = __float2half(2.25f);
  __half2 p = __halves2half2(a, b);
  out[0] = __half2float(__hadd(a, b));
  out[1] = __half2float(__hfma(a, b, a));
  out[2] = __low2float(__hmul2(p, p));
  out[3] = __half2float(hexp(__float2half(0.0f)));
  out[4] = __hlt(a, b);
  __hip_bfloat16 c = __float2bfloat16(1.00390625f + 0.001f);
  out[5] = __bfloat162float(c);
  out[6] = __bfloat162float(c * __float2bfloat16(3.0f));
  out[7] = (float)__hip_fp8_e4m3_fnuz(0.3f);
  float4 v = make_float4(1, 2, 3, 4);
  v += make_float4(1, 1, 1, 1);
  v = v * 2.0f;
  out[8] = v.x + v.y + v.z + v.w;
}
int main() {
  EXPECT(round_trip<__hip_fp8_e4m3>());
  EXPECT(round_trip<__hip_fp8_e5m2>());
  EXPECT(round_trip<__hip_fp8_e4m3_fnuz>());
  EXPECT(round_trip<__hip_fp8_e5m2_fnuz>());
  EXPECT(nearest<__hip_fp8_e4m3>());
  EXPECT(nearest<__hip_fp8_e5m2>());
  EXPECT(nearest<__hip_fp8_e4m3_fnuz>());
  EXPECT(nearest<__hip_fp8_e5m2_fnuz>());
  float* d = to_device(std::vector<float>(9));
  halves<<<1, 1>>>(d);
  std::vector<float> v = to_host(d, 9);
  EXPECT(v[0] == 3.75f && v[1] == 4.875f && v[2] == 2.25f && v[3] == 1 && v[4] == 1);
  EXPECT(v[5] == 1.0078125f && v[6] == 3.03125f && v[7] == 0.3125f && v[8] == 28);
}
