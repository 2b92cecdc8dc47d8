// The null device: for work that stops after compiling. Asking it to run is a mistake of the caller, not of the
// candidate, so it is a Diagnostic and no verdict can come of it.

#include "device/devices.h"

namespace hipvault::device {
namespace {

class NullDevice : public Device {
 public:
  explicit NullDevice(target::Gpu gpu) : gpu_(std::move(gpu)) {}
  std::string name() const override { return "null"; }
  std::string gpu() const override { return gpu_.name; }
  Result<RunResult> run(const RunRequest&) override {
    return fail("device.null", "the null device compiles and never runs a kernel", "use --device sim to run it");
  }

 private:
  target::Gpu gpu_;
};

}  // namespace

std::unique_ptr<Device> make_null_device(const target::Gpu& gpu) { return std::make_unique<NullDevice>(gpu); }

}  // namespace hipvault::device
