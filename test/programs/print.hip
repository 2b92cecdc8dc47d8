// expect: lane 2: -5 and 4000000000, 1.500 |  x| 0xbeef %
// expect: text "abc" wide 123456789012
#include "check.h"
__global__ void speak(const char* text, long long wide) {
  if (threadIdx.x == 2) printf("lane %d: %d and %u, %.3f |%3c| %#x %%\n", threadIdx.x, -5, 4000000000u, 1.5f, 'x', 0xbeef);
  if (threadIdx.x == 0 && blockIdx.x == 1) printf("text \"%s\" wide %lld\n", text, wide);
}
int main() {
  char* text;
  HIP(hipMallocManaged(&text, 4));
  text[0] = 'a', text[1] = 'b', text[2] = 'c', text[3] = 0;
  speak<<<2, 3>>>(text, 123456789012ll);
  HIP(hipDeviceSynchronize());
}
