#pragma once
// What a run needs of a real GPU's driver, so that CUDA and HIP share everything above it.
//
// The driver's library is opened at run time: a program without a GPU has no dependency on one. All calls act on one
// device and its default stream, from one thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault::device {

using GpuAddress = uint64_t;
using GpuHandle = void*;  // of a module, a kernel or an event

struct GpuFacts {
  std::string title;  // "NVIDIA H200"
  std::string arch;   // "sm_90"
  int units = 0;      // multiprocessors
  int64_t memory_bytes = 0, l2_bytes = 0;
  double clock_mhz = 0;  // the highest
  int driver_version = 0;
};

struct GpuLaunch {
  GpuHandle kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};  // grid: in blocks
  uint32_t dynamic_lds = 0;
  std::vector<uint64_t> arguments;  // each holds one argument in its low bytes
};

// Errors have the code "gpu.CALL" and the driver's own name of what went wrong. After one that is not about memory or
// a missing kernel the device is not to be used again by this process.
class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  virtual GpuFacts facts() const = 0;
  virtual Result<GpuHandle> load_module(const std::string& code) = 0;
  virtual void unload_module(GpuHandle module) = 0;
  virtual Result<GpuHandle> find_kernel(GpuHandle module, const std::string& name) = 0;
  virtual Result<GpuAddress> allocate(int64_t bytes) = 0;
  virtual void release(GpuAddress address) = 0;
  virtual Status write(GpuAddress to, const void* from, int64_t bytes) = 0;
  virtual Status read(void* to, GpuAddress from, int64_t bytes) = 0;
  virtual Status copy(GpuAddress to, GpuAddress from, int64_t bytes) = 0;
  virtual Status fill(GpuAddress to, uint8_t value, int64_t bytes) = 0;
  virtual Status launch(const GpuLaunch& launch) = 0;
  virtual Status synchronise() = 0;
  virtual Result<GpuHandle> make_event() = 0;
  virtual void drop_event(GpuHandle event) = 0;
  virtual Status record(GpuHandle event) = 0;
  virtual Result<double> microseconds(GpuHandle begin, GpuHandle end) = 0;  // after synchronise()
};

// Error "gpu.missing": no driver library, no device of that number; with what to do.
Result<std::unique_ptr<GpuDriver>> open_cuda_driver(int number);

}  // namespace hipvault::device
