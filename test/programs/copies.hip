// Pitched memory, 2D and 3D copies, fills.
#include "check.h"
__global__ void bump(char* base, size_t pitch, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) ++*(int*)(base + y * pitch + 4 * x);
}
int main() {
  int width = 37, height = 11;
  std::vector<int> host(width * height), back(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i;
  char* device;
  size_t pitch = 0;
  HIP(hipMallocPitch((void**)&device, &pitch, width * 4, height));
  EXPECT(pitch >= 4u * width && pitch % 128 == 0);
  HIP(hipMemcpy2D(device, pitch, host.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
  bump<<<height, 64>>>(device, pitch, width, height);
  HIP(hipMemcpy2D(back.data(), width * 4, device, pitch, width * 4, height, hipMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i) EXPECT(back[i] == i + 1);
  EXPECT_ERROR(hipMemcpy2D(device, 8, host.data(), width * 4, width * 4, height, hipMemcpyHostToDevice),
               hipErrorInvalidPitchValue);

  hipPitchedPtr box;
  HIP(hipMalloc3D(&box, make_hipExtent(20, 5, 4)));
  std::vector<char> cube(20 * 5 * 4), out(20 * 5 * 4);
  for (size_t i = 0; i < cube.size(); ++i) cube[i] = (char)i;
  hipMemcpy3DParms p = {};
  p.srcPtr = make_hipPitchedPtr(cube.data(), 20, 20, 5);
  p.dstPtr = box;
  p.extent = make_hipExtent(20, 5, 4);
  p.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&p));
  p.dstPtr = make_hipPitchedPtr(out.data(), 20, 20, 5);
  p.srcPtr = box;
  p.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&p));
  EXPECT(out == cube);

  int* words;
  HIP(hipMalloc(&words, 400));
  HIP(hipMemsetD32(words, 0x12345678, 100));
  HIP(hipMemset(words + 10, 0xff, 8));
  std::vector<int> w = to_host(words, 100);
  EXPECT(w[9] == 0x12345678 && w[10] == -1 && w[11] == -1 && w[12] == 0x12345678 && w[99] == 0x12345678);
}
