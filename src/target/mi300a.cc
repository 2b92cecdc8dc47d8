// AMD Instinct MI300A: six XCDs beside CPU dies on one memory.

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_mi300a() {
  Gpu gpu = make_mi300x();
  gpu.name = "mi300a";
  gpu.title = "AMD Instinct MI300A";
  gpu.cus = 228;  // [V]
  gpu.xcds = 6;
  gpu.achievable_read = 2.68e12;       // gpu-benches gpu-stream [M]
  gpu.achievable_copy = 2.96e12;       // the same, scale [M]
  gpu.l2_bandwidth = 13.8e12 * 6 / 8;  // by XCDs [D]
  gpu.memory_bytes = int64_t{128} << 30;
  gpu.launch_us = 4.4;          // events, 4.2-4.6 [M]
  gpu.memory_latency_ns = 370;  // 720-826 cycles at 2.1 GHz, gpu-latency [M]
  return gpu;
}

}  // namespace hipvault::target
