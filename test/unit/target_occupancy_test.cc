// Expected values: the waves-per-SIMD table that LLVM 22's llc gives for these register counts (compiled, not
// computed), and cases counted by hand.

#include <gtest/gtest.h>

#include "target/target.h"

namespace hipvault::target {
namespace {

const Arch& arch(const char* name) { return *find_arch(name); }

TEST(Occupancy, FollowsTheRegisterTableOfCdna) {
  const std::pair<int, int> table[] = {{1, 8},   {64, 8},  {65, 7},  {72, 7},  {73, 6},  {80, 6},  {96, 5}, {97, 4},
                                       {128, 4}, {129, 3}, {168, 3}, {169, 2}, {256, 2}, {257, 1}, {512, 1}};
  for (const char* name : {"gfx90a", "gfx942", "gfx950"}) {
    for (const auto& [vgprs, waves] : table)
      EXPECT_EQ(occupancy(arch(name), vgprs, 0, 0, 64), waves) << name << " " << vgprs;
  }
}

TEST(Occupancy, FollowsTheRegisterTableOfRdna4) {
  const std::pair<int, int> table[] = {{96, 16}, {120, 12}, {144, 10}, {168, 9},
                                       {192, 8}, {216, 7},  {240, 6},  {256, 5}};
  for (const auto& [vgprs, waves] : table) EXPECT_EQ(occupancy(arch("gfx1201"), vgprs, 0, 0, 32), waves) << vgprs;
}

TEST(Occupancy, AddsAccumulatorsBehindArchRegistersRoundedToFour) {
  EXPECT_EQ(occupancy(arch("gfx942"), 61, 64, 0, 64), 4);  // 64 + 64 = 128
  EXPECT_EQ(occupancy(arch("gfx942"), 65, 64, 0, 64), 3);  // 68 + 64 = 132 -> 136
  EXPECT_EQ(occupancy(arch("gfx942"), 256, 256, 0, 64), 1);
}

TEST(Occupancy, IsLimitedByLdsAndByWholeGroups) {
  const Arch& gfx942 = arch("gfx942");
  EXPECT_EQ(occupancy(gfx942, 32, 0, 40 * 1024, 256), 1);  // one group of 4 waves on 4 SIMDs
  EXPECT_EQ(occupancy(gfx942, 32, 0, 32 * 1024, 256), 2);
  EXPECT_EQ(occupancy(gfx942, 32, 0, 32 * 1024 + 1, 256), 1);
  EXPECT_EQ(occupancy(gfx942, 32, 0, 64 * 1024, 1024), 4);
  EXPECT_EQ(occupancy(gfx942, 100, 0, 0, 1024), 4);  // 4 waves a SIMD = exactly one group of 16
  EXPECT_EQ(occupancy(gfx942, 72, 0, 0, 1024), 4);   // 28 waves a CU hold one whole group of 16
  EXPECT_EQ(occupancy(arch("gfx950"), 32, 0, 40 * 1024, 256), 4);
}

TEST(Occupancy, IsZeroForWhatCannotRun) {
  const Arch& gfx942 = arch("gfx942");
  EXPECT_EQ(occupancy(gfx942, 32, 0, 64 * 1024 + 1, 256), 0);
  EXPECT_EQ(occupancy(gfx942, 32, 0, 0, 1025), 0);
  EXPECT_EQ(occupancy(gfx942, 513, 0, 0, 64), 0);
  EXPECT_EQ(occupancy(gfx942, 256, 0, 0, 1024), 0);  // 16 waves need 4 a SIMD; registers allow 2
}

}  // namespace
}  // namespace hipvault::target
