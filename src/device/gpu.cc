// A real GPU as a device of this process. A kernel that hangs or breaks the context takes the process with it, so
// whoever uses this is a process for one candidate.

#include "device/devices.h"
#include "device/gpu_run.h"

namespace hipvault::device {
namespace {

class GpuDevice : public Device {
 public:
  GpuDevice(std::string name, target::Gpu gpu, std::unique_ptr<GpuDriver> driver)
      : name_(std::move(name)), gpu_(std::move(gpu)), driver_(std::move(driver)), runner_(*driver_) {}
  std::string name() const override { return name_; }
  std::string gpu() const override { return gpu_.name; }
  bool runs_chosen_groups() const override { return false; }

  Result<RunResult> run(const RunRequest& request) override {
    if (broken_) return fail("device.broken", "the GPU does not work since an earlier run failed", "start again");
    RunResult result = runner_.run(request);
    broken_ = result.run.status == RunStatus::fault && !runner_.still_works();
    return result;
  }

 private:
  std::string name_;
  target::Gpu gpu_;
  std::unique_ptr<GpuDriver> driver_;
  GpuRunner runner_;
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<Device> make_gpu_device(std::string name, const target::Gpu& gpu, std::unique_ptr<GpuDriver> driver) {
  return std::make_unique<GpuDevice>(std::move(name), gpu, std::move(driver));
}

}  // namespace hipvault::device
