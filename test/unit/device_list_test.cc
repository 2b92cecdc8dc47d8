#include <gtest/gtest.h>

#include "device/device.h"
#include "device/worker.h"

namespace hipvault::device {
namespace {

TEST(OpenDevice, KnowsTheSimulatorAndTheNullDevice) {
  Result<std::unique_ptr<Device>> sim = open_device("sim", "gfx942");
  ASSERT_TRUE(sim) << render(sim.error());
  EXPECT_EQ((*sim)->name(), "sim");
  EXPECT_EQ((*sim)->gpu(), "mi300x");
  Result<std::unique_ptr<Device>> null = open_device("null", "mi355x");
  ASSERT_TRUE(null);
  EXPECT_EQ((*null)->gpu(), "mi355x");
  Result<RunResult> run = (*null)->run({});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "device.null");
}

TEST(OpenDevice, SaysWhyAndWhatElse) {
  struct Refusal {
    const char *name, *code, *words;
  };
  const Refusal refusals[] = {{"hip:0", "device.unavailable", "real AMD GPU"},
                              {"cuda:0", "device.unavailable", "NVIDIA"},
                              {"tpu", "device.unknown", "tpu"},
                              {"sim:1", "device.unknown", "no number"}};
  for (const Refusal& refusal : refusals) {
    Result<std::unique_ptr<Device>> device = open_device(refusal.name, "mi300x");
    ASSERT_FALSE(device) << refusal.name;
    EXPECT_EQ(device.error().code, refusal.code);
    EXPECT_NE(device.error().message.find(refusal.words), std::string::npos) << device.error().message;
    EXPECT_NE(device.error().hint.find("sim"), std::string::npos) << device.error().hint;
  }
}

TEST(OpenDevice, AnUnknownGpuListsTheKnownOnes) {
  Result<std::unique_ptr<Device>> device = open_device("sim", "mi1");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().hint.find("mi300x"), std::string::npos);
}

TEST(KnownDevices, AreListedWithTheirState) {
  std::vector<DeviceInfo> list = known_devices();
  ASSERT_EQ(list.size(), 4u);
  EXPECT_TRUE(list[0].available);
  EXPECT_FALSE(list[1].available);
}

}  // namespace
}  // namespace hipvault::device
