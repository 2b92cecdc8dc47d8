#pragma once
// The devices behind open_device, one file each.

#include <memory>

#include "device/device.h"
#include "target/target.h"

namespace hipvault::device {

std::unique_ptr<Device> make_sim_device(const target::Gpu& gpu);
std::unique_ptr<Device> make_null_device(const target::Gpu& gpu);

}  // namespace hipvault::device
