// Loads its own device code as a module: argv[1] is a code object or bundle of this file.
#include "check.h"
extern "C" __device__ int offset = 100;
extern "C" __global__ void fill(int* x, int n, short first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = first + i + offset;
}
int main(int argc, char** argv) {
  EXPECT(argc == 2);
  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&function, module, "fill"));
  EXPECT_ERROR(hipModuleGetFunction(&function, module, "nothing"), hipErrorNotFound);
  hipDeviceptr_t global;
  size_t size = 0;
  HIP(hipModuleGetGlobal(&global, &size, module, "offset"));
  int thousand = 1000;
  EXPECT(size == 4);
  HIP(hipMemcpyHtoD(global, &thousand, 4));
  int* x;
  int n = 100;
  short first = 7;
  HIP(hipMalloc(&x, 400));
  void* args[] = {&x, &n, &first};
  HIP(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, 0, args, nullptr));
  std::vector<int> v = to_host(x, 100);
  for (int i = 0; i < n; ++i) EXPECT(v[i] == 1007 + i);
  struct {
    int* x;
    int n;
    short first;
  } packed = {x, n, 9};
  size_t bytes = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, 0, nullptr, extra));
  EXPECT(to_host(x, 100)[3] == 1012);
  fill<<<2, 64>>>(x, n, first);  // the program's own copy has its own variable
  EXPECT(to_host(x, 100)[3] == 110);
  HIP(hipModuleUnload(module));
  EXPECT_ERROR(hipModuleLoad(&module, "/nowhere/at/all"), hipErrorFileNotFound);
  char junk[64] = "this is no code object";
  EXPECT_ERROR(hipModuleLoadData(&module, junk), hipErrorInvalidImage);
}
