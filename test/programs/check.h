#pragma once
// What the programs of this folder share: they exit with 0 if everything held, and say what did not.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP(call)                                                                                       \
  do {                                                                                                  \
    hipError_t error_ = (call);                                                                         \
    if (error_ != hipSuccess)                                                                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_)), std::exit(1); \
  } while (0)
#define EXPECT(condition)                                                                               \
  do {                                                                                                  \
    if (!(condition)) std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), std::exit(1); \
  } while (0)
#define EXPECT_ERROR(call, wanted)                                                                          \
  do {                                                                                                      \
    hipError_t error_ = (call);                                                                             \
    if (error_ != (wanted))                                                                                 \
      std::printf("%s:%d: %s gave %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_)), std::exit(1); \
  } while (0)

template <class T>
T* to_device(const std::vector<T>& values) {
  T* device = nullptr;
  HIP(hipMalloc(&device, values.size() * sizeof(T)));
  HIP(hipMemcpy(device, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return device;
}
template <class T>
std::vector<T> to_host(const T* device, size_t count) {
  std::vector<T> values(count);
  HIP(hipMemcpy(values.data(), device, count * sizeof(T), hipMemcpyDeviceToHost));
  return values;
}
