#pragma once
// Device: the one interface behind which kernels run: sim (the simulated GPU in a confined worker), hip, cuda, null.
// The judge gives code objects, a plan with numbers and input buffers; it gets raw output buffers and findings.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/run_request.h"

namespace hipvault::device {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;  // "sim", "hip:0"
  virtual std::string gpu() const = 0;   // "mi300x"
  // Whether it can run chosen work-groups alone and says what they wrote. Real GPUs run all.
  virtual bool runs_chosen_groups() const { return true; }
  // A Diagnostic only for our own trouble (no worker can be started); what the candidate does is in RunResult::run.
  virtual Result<RunResult> run(const RunRequest& request) = 0;
};

// "sim", "hip:0", "cuda:0", "null"; the error lists the known names and why one is not available. `gpu` may be an
// arch's name.
Result<std::unique_ptr<Device>> open_device(const std::string& name, const std::string& gpu);

// What can be named here, for `doctor` and for messages.
struct DeviceInfo {
  std::string name;
  bool available = false;
  std::string detail;  // what it is, or why it is not available
};
std::vector<DeviceInfo> known_devices();

}  // namespace hipvault::device
