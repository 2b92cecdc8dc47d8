// AMD Instinct MI250X, one of its two dies (each is a device of its own).

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_mi250x() {
  Gpu gpu;
  gpu.name = "mi250x";
  gpu.arch = "gfx90a";
  gpu.title = "AMD Instinct MI250X (one GCD)";
  gpu.cus = 110;  // [V]
  gpu.xcds = 1;
  gpu.clock_mhz = 1700;             // [V]
  gpu.peak_bandwidth = 1.638e12;    // HBM2E [V]
  gpu.achievable_read = 1.40e12;    // gpu-stream on MI210 [M]
  gpu.achievable_copy = 1.40e12;    // scale 1.41 [M]
  gpu.l2_bandwidth = 5.0e12;        // rocprofiler-compute's microbenchmark on MI210 [M]
  gpu.last_level_bandwidth = 0;     // there is none
  gpu.l2_bytes = int64_t{8} << 20;  // [V]
  gpu.last_level_bytes = 0;
  gpu.memory_bytes = int64_t{64} << 30;  // [V]
  gpu.launch_us = 2.1;                   // back to back on MI210 [M]
  gpu.memory_latency_ns = 345;           // gpu-latency on MI210 [M]
  return gpu;
}

}  // namespace hipvault::target
