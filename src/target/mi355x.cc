// AMD Instinct MI355X.

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_mi355x() {
  Gpu gpu;
  gpu.name = "mi355x";
  gpu.arch = "gfx950";
  gpu.title = "AMD Instinct MI355X";
  gpu.cus = 256;  // 8 XCDs of 32 [V]
  gpu.xcds = 8;
  gpu.clock_mhz = 2400;                       // [V]
  gpu.peak_bandwidth = 8.0e12;                // HBM3E [V]
  gpu.achievable_read = 6.8e12;               // best pure read found: aiter's tuned table, 6.83 [M]
  gpu.achievable_copy = 5.8e12;               // best read + write found: FlyDSL softmax backward, 5.79 [M]
  gpu.l2_bandwidth = 17e12;                   // Origami's constant [V]
  gpu.last_level_bandwidth = 8.5e12;          // Origami's constant [V]
  gpu.l2_bytes = int64_t{4} << 20;            // per XCD [V]
  gpu.last_level_bytes = int64_t{256} << 20;  // [V]
  gpu.memory_bytes = int64_t{288} << 30;      // [V]
  gpu.launch_us = 3.5;                        // smallest aiter kernels, 3.5-4.6 [M]
  gpu.memory_latency_ns = 420;                // MI300X's [A]
  return gpu;
}

}  // namespace hipvault::target
