#pragma once
// The gpus there are, for front doors.

#include <string>
#include <vector>

namespace hipvault::engine {

struct GpuEntry {
  std::string name, arch, title;
  int cus = 0, xcds = 0;
  double clock_mhz = 0, achievable_read = 0, achievable_copy = 0, peak_bandwidth = 0;  // bytes/s
  long memory_bytes = 0;
};
std::vector<GpuEntry> list_gpus();

}  // namespace hipvault::engine
