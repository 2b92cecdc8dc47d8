R"hiplib(#if defined(HIPVAULT_DEVICE_ONLY)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#else
#include <hip/hip_runtime.h>
#endif
)hiplib"
