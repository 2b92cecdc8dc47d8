// AMD Instinct MI308X: MI300X's memory with 80 CUs.

#include "target/arch_data.h"

namespace hipvault::target {

Gpu make_mi308x() {
  Gpu gpu = make_mi300x();
  gpu.name = "mi308x";
  gpu.title = "AMD Instinct MI308X";
  gpu.cus = 80;                        // [V]
  gpu.xcds = 4;                        // of 20 CUs [R]
  gpu.achievable_read = 4.31e12;       // gcnasm bandwidth_memread, 1.74 GB [M]
  gpu.achievable_copy = 3.33e12;       // the same, copy 3.30-3.36 [M]
  gpu.l2_bandwidth = 13.8e12 * 4 / 8;  // by XCDs [D]
  gpu.launch_us = 3.0;                 // gcnasm [M]
  return gpu;
}

}  // namespace hipvault::target
