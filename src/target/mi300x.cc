// AMD Instinct MI300X.

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_mi300x() {
  Gpu gpu;
  gpu.name = "mi300x";
  gpu.arch = "gfx942";
  gpu.title = "AMD Instinct MI300X";
  gpu.cus = 304;  // 8 XCDs of 38 [V]
  gpu.xcds = 8;
  gpu.clock_mhz = 2100;                       // boost [V]; under matrix load about 1200 (750 W cap) [M]
  gpu.peak_bandwidth = 5.3e12;                // HBM3 [V]
  gpu.achievable_read = 4.2e12;               // gpu-benches gpu-stream, read [M]
  gpu.achievable_copy = 4.0e12;               // gpu-stream triad 4.00, Triton copy 4.02 [M]
  gpu.l2_bandwidth = 13.8e12;                 // streaming read [M]; 34.4 is the channels' peak [D]
  gpu.last_level_bandwidth = 7.3e12;          // Origami's constant [V]; 17.2 is the peak
  gpu.l2_bytes = int64_t{4} << 20;            // per XCD [V]
  gpu.last_level_bytes = int64_t{256} << 20;  // [V]
  gpu.memory_bytes = int64_t{192} << 30;      // [V]
  gpu.launch_us = 3.0;                        // measured on MI308X (gcnasm) [M], same part family
  gpu.memory_latency_ns = 420;                // gpu-latency [M]
  return gpu;
}

}  // namespace hipvault::target
