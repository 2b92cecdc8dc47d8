#pragma once
// The devices behind open_device, one file each.

#include <memory>

#include "device/device.h"
#include "device/gpu_driver.h"
#include "target/target.h"

namespace hipvault::device {

std::unique_ptr<Device> make_sim_device(const target::Gpu& gpu);
std::unique_ptr<Device> make_null_device(const target::Gpu& gpu);
// A real GPU, in this process: one that can be thrown away.
std::unique_ptr<Device> make_gpu_device(std::string name, const target::Gpu& gpu, std::unique_ptr<GpuDriver> driver);

}  // namespace hipvault::device
