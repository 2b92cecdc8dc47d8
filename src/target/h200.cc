// NVIDIA H200 (SXM).

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_h200() {
  Gpu gpu;
  gpu.name = "h200";
  gpu.arch = "sm_90";
  gpu.title = "NVIDIA H200";
  gpu.cus = 132;  // multiprocessors [M]
  gpu.xcds = 1;
  gpu.clock_mhz = 1980;                                  // under load [M]
  gpu.peak_bandwidth = 4.8e12;                           // HBM3e, data sheet [V]
  gpu.achievable_read = 4.4e12;                          // assumed a little above the copy [A]
  gpu.achievable_copy = 4.3e12;                          // device-to-device copy of 8.6 GB through PyTorch, 2.0 ms [M]
  gpu.l2_bandwidth = 5.5e12;                             // published H100 microbenchmarks [R]
  gpu.l2_bytes = int64_t{50} << 20;                      // data sheet of the H100 family [V]
  gpu.memory_bytes = int64_t{141} * 1000 * 1000 * 1000;  // [V]
  gpu.launch_us = 2.5;                                   // an empty kernel, back to back [A]
  gpu.memory_latency_ns = 550;                           // published H100 microbenchmarks [R]
  return gpu;
}

}  // namespace hipvault::target
