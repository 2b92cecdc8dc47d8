#pragma once
// A run request on a real GPU, through its driver.
//
//   buffer x:   [guard 4 KiB] [bytes of the request] [guard 4 KiB]     guards hold a pattern and are looked at
//   afterwards
//
// A GPU has no checkers: of the simulator's findings only writes just outside a buffer can be seen here.
// Fills, launches and copies go to one stream in order; every launch of a plan follows the last without waiting.

#include "device/gpu_driver.h"
#include "record/run_request.h"

namespace hipvault::device {

// `modules` keeps what was loaded, by hash of the code, for the next request.
class GpuRunner {
 public:
  explicit GpuRunner(GpuDriver& driver) : driver_(driver) {}
  ~GpuRunner();
  GpuRunner(const GpuRunner&) = delete;
  GpuRunner& operator=(const GpuRunner&) = delete;

  RunResult run(const RunRequest& request);
  // Whether memory still holds what is written to it; false after an error that does not go away.
  bool still_works();

 private:
  Result<GpuHandle> kernel(const RunRequest& request, const std::string& name);
  Result<GpuHandle> module(const std::string& code);

  struct Module {
    std::string hash;
    GpuHandle handle = nullptr;
  };
  GpuDriver& driver_;
  std::vector<Module> modules_;
};

}  // namespace hipvault::device
