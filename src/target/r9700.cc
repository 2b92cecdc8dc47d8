// AMD Radeon AI PRO R9700.

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_r9700() {
  Gpu gpu;
  gpu.name = "r9700";
  gpu.arch = "gfx1201";
  gpu.title = "AMD Radeon AI PRO R9700";
  gpu.cus = 64;  // 32 WGPs [V]
  gpu.xcds = 1;
  gpu.clock_mhz = 2920;                      // [V]
  gpu.peak_bandwidth = 640e9;                // GDDR6, 256 bits at 20 Gb/s [V]
  gpu.achievable_read = 486e9;               // FluidX3D [M]
  gpu.achievable_copy = 486e9;               // the same run
  gpu.l2_bandwidth = 5.74e12;                // Origami's constant [V]
  gpu.last_level_bandwidth = 2.94e12;        // Origami's constant [V]
  gpu.l2_bytes = int64_t{8} << 20;           // [V]
  gpu.last_level_bytes = int64_t{64} << 20;  // [V]
  gpu.memory_bytes = int64_t{32} << 30;      // [V]
  gpu.launch_us = 3.0;                       // not found anywhere: MI308X's [A]
  gpu.memory_latency_ns = 370;               // cold load of 1087 cycles on gfx1200 [M], scaled by the clock [A]
  return gpu;
}

}  // namespace hipvault::target
