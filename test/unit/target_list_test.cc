#include <gtest/gtest.h>

#include "target/target.h"

namespace hipvault::target {
namespace {

TEST(FindGpu, TakesProductsAndArchs) {
  EXPECT_EQ(find_gpu("mi308x")->cus, 80);
  EXPECT_EQ(find_gpu("gfx942")->name, "mi300x");
  EXPECT_EQ(find_gpu("gfx950")->name, "mi355x");
  EXPECT_EQ(find_gpu("gfx90a")->name, "mi250x");
  EXPECT_EQ(find_gpu("gfx1201")->name, "r9700");
}

TEST(FindGpu, ListsTheKnownOnesOtherwise) {
  Result<Gpu> gpu = find_gpu("mi9000");
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().code, "target.unknown-gpu");
  EXPECT_NE(gpu.error().message.find("\"mi9000\""), std::string::npos);
  for (const char* name : {"mi300x", "mi308x", "mi300a", "mi355x", "mi250x", "r9700", "gfx942", "gfx1201"}) {
    EXPECT_NE(gpu.error().hint.find(name), std::string::npos) << name;
  }
}

TEST(Gpus, AreConsistentWithThemselves) {
  for (const Gpu& gpu : all_gpus()) {
    EXPECT_EQ(arch_of(gpu).name, gpu.arch);
    EXPECT_EQ(gpu.cus % gpu.xcds, 0) << gpu.name;
    EXPECT_LE(gpu.achievable_read, gpu.peak_bandwidth) << gpu.name;
    EXPECT_LE(gpu.achievable_copy, gpu.peak_bandwidth) << gpu.name;
    EXPECT_GT(gpu.achievable_copy, gpu.peak_bandwidth / 2) << gpu.name;
    EXPECT_GT(gpu.l2_bandwidth, gpu.achievable_read) << gpu.name;
    EXPECT_EQ(gpu.last_level_bytes == 0, gpu.last_level_bandwidth == 0) << gpu.name;
    EXPECT_GT(gpu.launch_us, 0) << gpu.name;
    EXPECT_GT(gpu.memory_latency_ns, 0) << gpu.name;
  }
}

// The phases as measured on hardware, spelled out.
TEST(LdsPhases, OfWideReadsAreTheMeasuredGroups) {
  const Arch::LdsPhases& wide = find_arch("gfx942")->lds_read_phases[2];
  ASSERT_EQ(wide.bytes, 16);
  ASSERT_EQ(wide.groups.size(), 8u);
  EXPECT_EQ(wide.groups[0], (std::vector<int>{0, 1, 2, 3, 20, 21, 22, 23}));
  EXPECT_EQ(wide.groups[1], (std::vector<int>{4, 5, 6, 7, 16, 17, 18, 19}));
  EXPECT_EQ(wide.groups[2], (std::vector<int>{8, 9, 10, 11, 28, 29, 30, 31}));
  EXPECT_EQ(wide.groups[3], (std::vector<int>{12, 13, 14, 15, 24, 25, 26, 27}));
  EXPECT_EQ(wide.groups[7], (std::vector<int>{44, 45, 46, 47, 56, 57, 58, 59}));
  EXPECT_EQ(find_arch("gfx950")->lds_read_phases[2].groups.size(), 4u);
}

}  // namespace
}  // namespace hipvault::target
