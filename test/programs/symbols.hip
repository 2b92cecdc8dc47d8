// Constant, device and managed variables.
#include "check.h"
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ int table[8];
__managed__ int shared_value = 40;
__global__ void use(float* out) {
  out[threadIdx.x] = factors[threadIdx.x] * table[threadIdx.x];
  atomicAdd(&counter, 1);
  if (threadIdx.x == 0) shared_value += 2;
}
int main() {
  std::vector<int> numbers = {10, 20, 30, 40, 50, 60, 70, 80};
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), numbers.data(), 32));
  float three = 30;
  HIP(hipMemcpyToSymbol(factors, &three, 4, 8));
  float* out = to_device(std::vector<float>(4));
  use<<<1, 4>>>(out);
  HIP(hipDeviceSynchronize());
  std::vector<float> v = to_host(out, 4);
  EXPECT(v[0] == 10 && v[1] == 40 && v[2] == 900 && v[3] == 160);
  int count = 0;
  HIP(hipMemcpyFromSymbol(&count, counter, 4));
  EXPECT(count == 9 && shared_value == 42);
  void* address = nullptr;
  size_t size = 0;
  HIP(hipGetSymbolAddress(&address, table));
  HIP(hipGetSymbolSize(&size, table));
  EXPECT(size == 32 && to_host((int*)address, 8)[7] == 80);
  EXPECT_ERROR(hipMemcpyToSymbol(table, numbers.data(), 36), hipErrorInvalidValue);
  int not_a_symbol = 0;
  EXPECT_ERROR(hipGetSymbolSize(&size, (const void*)&not_a_symbol), hipErrorInvalidSymbol);
}
