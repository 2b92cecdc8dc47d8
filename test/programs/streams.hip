// Streams, events with simulated time, host functions, graphs.
#include "check.h"
__global__ void scale(float* x, int n, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= by;
}
int calls = 0;
int main() {
  int n = 1 << 16;
  std::vector<float> ones(n, 1.0f);
  float* pinned;
  HIP(hipHostMalloc(&pinned, n * sizeof(float), hipHostMallocDefault));
  float *a = to_device(ones), *b = to_device(ones);
  hipStream_t first, second;
  HIP(hipStreamCreate(&first));
  HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipEvent_t start, middle, end;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&middle));
  HIP(hipEventCreate(&end));
  HIP(hipEventRecord(start, first));
  scale<<<32, 256, 0, first>>>(a, n, 2);
  HIP(hipEventRecord(middle, first));
  for (int i = 0; i < 4; ++i) scale<<<32, 256, 0, first>>>(a, n, 2);
  HIP(hipEventRecord(end, first));
  HIP(hipStreamWaitEvent(second, end, 0));
  HIP(hipMemcpyAsync(pinned, a, n * sizeof(float), hipMemcpyDeviceToHost, second));
  HIP(hipLaunchHostFunc(second, [](void* p) { ++*static_cast<int*>(p); }, &calls));
  HIP(hipStreamSynchronize(second));
  EXPECT(calls == 1);
  for (int i = 0; i < n; ++i) EXPECT(pinned[i] == 32);
  float one, four;
  HIP(hipEventElapsedTime(&one, start, middle));
  HIP(hipEventElapsedTime(&four, middle, end));
  EXPECT(one > 0 && four > 2 * one && four < 8 * one);  // simulated: the same every time
  hipEvent_t never;
  HIP(hipEventCreate(&never));
  EXPECT_ERROR(hipEventElapsedTime(&one, start, never), hipErrorInvalidHandle);

  hipGraph_t graph;
  hipGraphExec_t exec;
  HIP(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
  scale<<<32, 256, 0, first>>>(b, n, 3);
  HIP(hipMemcpyAsync(pinned, b, n * sizeof(float), hipMemcpyDeviceToHost, first));
  HIP(hipStreamEndCapture(first, &graph));
  EXPECT(to_host(b, n)[7] == 1);  // nothing ran yet
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(exec, first));
  HIP(hipGraphLaunch(exec, first));
  HIP(hipStreamSynchronize(first));
  for (int i = 0; i < n; ++i) EXPECT(pinned[i] == 9);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));
  HIP(hipStreamDestroy(first));
  EXPECT_ERROR(hipStreamSynchronize(first), hipErrorInvalidHandle);
}
