#include "engine/gpus.h"

#include "target/target.h"

namespace hipvault::engine {

std::vector<GpuEntry> list_gpus() {
  std::vector<GpuEntry> entries;
  for (const target::Gpu& gpu : target::all_gpus())
    entries.push_back({gpu.name, gpu.arch, gpu.title, gpu.cus, gpu.xcds, gpu.clock_mhz, gpu.achievable_read,
                       gpu.achievable_copy, gpu.peak_bandwidth, gpu.memory_bytes});
  return entries;
}

}  // namespace hipvault::engine
