// The devices by name. A name may carry a number ("hip:1"), which the row's device reads.

#include "device/devices.h"

namespace hipvault::device {
namespace {

struct Row {
  const char* name;                                         // before the ":"
  const char* example;                                      // how it is written
  std::unique_ptr<Device> (*make)(const target::Gpu& gpu);  // null: not in this version
  const char* detail;
};

constexpr Row kDevices[] = {
    {"sim", "sim", make_sim_device, "the simulated GPU, in a confined worker process"},
    {"hip", "hip:0", nullptr, "a real AMD GPU through the HIP runtime: not in this version"},
    {"cuda", "cuda:0", nullptr, "an NVIDIA GPU: not in this version"},
    {"null", "null", make_null_device, "compiles and never runs"},
};

std::string list_of_names() {
  std::string names;
  for (const Row& row : kDevices)
    names += std::string(names.empty() ? "" : ", ") + row.example + (row.make ? "" : " (not in this version)");
  return names;
}

}  // namespace

std::vector<DeviceInfo> known_devices() {
  std::vector<DeviceInfo> list;
  for (const Row& row : kDevices) list.push_back({row.example, row.make != nullptr, row.detail});
  return list;
}

Result<std::unique_ptr<Device>> open_device(const std::string& name, const std::string& gpu_name) {
  Result<target::Gpu> gpu = target::find_gpu(gpu_name);
  if (!gpu) return fail(gpu.error());
  std::string kind = name.substr(0, name.find(':'));
  for (const Row& row : kDevices) {
    if (kind != row.name) continue;
    if (!row.make) {
      return fail("device.unavailable", "the device \"" + name + "\" is not available: " + row.detail,
                  "use --device sim, which needs no GPU");
    }
    if (kind != name)
      return fail("device.unknown", "the device \"" + kind + "\" has no number", "write --device " + kind);
    return row.make(*gpu);
  }
  return fail("device.unknown", "there is no device named \"" + name + "\"", "known: " + list_of_names());
}

}  // namespace hipvault::device
