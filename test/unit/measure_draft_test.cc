// The draft must rank candidates as the machine does; its absolute numbers are not promised. Bounds that are plain
// arithmetic (bytes over bandwidth, cycles over clock) are compared with that arithmetic.

#include "measure/draft.h"

#include <gtest/gtest.h>

#include "measure/roofline.h"
#include "support/fake_device.h"

namespace hipvault::measure {
namespace {

const target::Gpu& mi300x() {
  static const target::Gpu gpu = *target::find_gpu("mi300x");
  return gpu;
}

// A streaming copy of `bytes` (read) by `groups` work-groups of 256, each lane moving `width` bytes an instruction.
LaunchProfile copy_profile(int64_t bytes, int64_t groups, int64_t width) {
  LaunchProfile profile;
  profile.groups = groups;
  profile.groups_run = 3;
  profile.waves_run = 12;
  profile.block = 256;
  profile.vgprs = 32;
  int64_t sampled = bytes / groups * 3;
  int64_t accesses = sampled / (64 * width);
  profile.bytes_loaded = profile.bytes_stored = sampled;
  profile.lines_loaded = profile.lines_stored = sampled / 128;
  profile.unique_bytes_loaded = profile.unique_bytes_stored = sampled;
  profile.instructions = {
      {"vmem_load", accesses}, {"vmem_store", accesses}, {"wait", accesses}, {"valu", 6 * accesses}};
  return profile;
}

LaunchLimits limits_of(double bytes) { return {bytes, bytes, 0, true}; }

constexpr int64_t kGiB = int64_t{1} << 30;

TEST(Draft, LargeCopyIsBoundByMemoryAtTheCopyRate) {
  LaunchDraft draft = draft_launch(copy_profile(kGiB, 65536, 16), limits_of(kGiB), mi300x());
  double bytes_over_rate = 2.0 * kGiB / mi300x().achievable_copy * 1e6;
  EXPECT_EQ(draft.bound, "memory");
  EXPECT_NEAR(draft.terms_us.at("memory"), bytes_over_rate, 1e-6 * bytes_over_rate);
  EXPECT_GE(draft.time_us, bytes_over_rate);
  EXPECT_LT(draft.time_us, 1.5 * bytes_over_rate);
}

TEST(Draft, WideLoadsBeatNarrowOnes) {
  double wide = draft_launch(copy_profile(kGiB / 8, 2432, 16), limits_of(kGiB / 8), mi300x()).time_us;
  double narrow = draft_launch(copy_profile(kGiB / 8, 2432, 4), limits_of(kGiB / 8), mi300x()).time_us;
  double bytewise = draft_launch(copy_profile(kGiB / 8, 2432, 2), limits_of(kGiB / 8), mi300x()).time_us;
  EXPECT_LT(wide, narrow);
  EXPECT_LT(narrow, bytewise);
}

TEST(Draft, OnePassBeatsTwo) {
  LaunchProfile one = copy_profile(kGiB, 65536, 16), two = one;
  two.bytes_loaded *= 2;
  two.lines_loaded *= 2;  // the same bytes again: unique ones stay
  two.instructions["vmem_load"] *= 2;
  two.instructions["wait"] *= 2;
  EXPECT_LT(draft_launch(one, limits_of(kGiB), mi300x()).time_us, draft_launch(two, limits_of(kGiB), mi300x()).time_us);
}

TEST(Draft, FewWavesCannotFillTheMemoryPipe) {
  LaunchDraft few = draft_launch(copy_profile(kGiB / 4, 8, 16), limits_of(kGiB / 4), mi300x());
  LaunchDraft many = draft_launch(copy_profile(kGiB / 4, 4864, 16), limits_of(kGiB / 4), mi300x());
  EXPECT_GT(few.time_us, 5 * many.time_us);
  EXPECT_NE(few.bound, "memory");
}

TEST(Draft, SpilledOccupancyCosts) {
  LaunchProfile lean = copy_profile(kGiB / 4, 9728, 4), fat = lean;
  fat.vgprs = 256;  // two waves a SIMD instead of eight
  EXPECT_LT(draft_launch(lean, limits_of(kGiB / 4), mi300x()).time_us,
            draft_launch(fat, limits_of(kGiB / 4), mi300x()).time_us);
}

TEST(Draft, MatrixWorkTakesItsCycles) {
  LaunchProfile profile = copy_profile(1 << 20, 3040, 16);
  profile.mfma_cycles = 12 * 100000;  // 100,000 cycles of each sampled wave
  LaunchDraft draft = draft_launch(profile, limits_of(1 << 20), mi300x());
  // 3040 groups of 4 waves on 304 x 4 SIMDs: 10 waves each, one after another.
  EXPECT_NEAR(draft.terms_us.at("mfma"), 10 * 100000 / mi300x().clock_mhz, 1);
}

TEST(Draft, AnEmptyGridCostsTheLaunch) {
  LaunchProfile profile;
  LaunchDraft draft = draft_launch(profile, {}, mi300x());
  EXPECT_EQ(draft.bound, "launch");
  EXPECT_DOUBLE_EQ(draft.time_us, mi300x().launch_us);
}

TEST(Draft, SharedBuffersAreReadFromMemoryOnce) {
  LaunchProfile profile = copy_profile(kGiB, 65536, 16);
  LaunchDraft shared = draft_launch(profile, {1 << 20, static_cast<double>(kGiB), 0, true}, mi300x());
  EXPECT_NEAR(shared.terms_us.at("memory"), (kGiB + (1 << 20)) / mi300x().achievable_copy * 1e6, 0.1);
}

TEST(Roofline, BytesOverAchievableBandwidth) {
  EXPECT_NEAR(roofline_us({4.2e9, 0, 0, DType::f32}, mi300x()), 1000, 1e-6);
  EXPECT_NEAR(roofline_us({2e9, 2e9, 0, DType::f32}, mi300x()), 1000, 1e-6);
}

TEST(Roofline, MatrixPeakIsTheDataSheets) {
  // AMD states 1307.4 TFLOPS dense fp16 for MI300X at 2100 MHz.
  EXPECT_NEAR(matrix_peak(mi300x(), DType::f16) / 1e12, 1307.4, 2);
  EXPECT_NEAR(roofline_us({1, 1, 1307.4e12, DType::f16}, mi300x()), 1e6, 2e3);
}

// ---- measure() over a fake device -----------------------------------------------------------------------------------

MeasureRequest copy_request(int64_t count) {
  MeasureRequest request;
  request.plan.op = "copy";
  request.plan.sizes = {"N"};
  request.plan.buffers = {{"x", DType::f32, Role::input, {IntExpr::name("N")}},
                          {"y", DType::f32, Role::output, {IntExpr::name("N")}}};
  Launch launch;
  launch.kernel = "copy";
  launch.grid = {cdiv(IntExpr::name("N"), IntExpr(256)), IntExpr(1), IntExpr(1)};
  for (const char* name : {"x", "y"}) {
    KernelArg arg;
    arg.name = name;
    launch.args.push_back(arg);
  }
  Variant variant;
  variant.name = "only";
  variant.launches = {launch};
  request.plan.variants = {variant};
  request.sizes = {{"N", count}};
  for (const char* name : {"x", "y"}) {
    for (const char* part : {".stride.0", ".align"}) request.sizes[std::string(name) + part] = part[1] == 's' ? 1 : 256;
    BufferRequest buffer;
    buffer.name = name;
    buffer.data.assign(static_cast<size_t>(4 * count), '\0');
    buffer.valid_end = 4 * count;
    buffer.writable = name[0] == 'y';
    buffer.initialised = name[0] == 'x';
    request.buffers.push_back(buffer);
  }
  request.work = {4.0 * static_cast<double>(count), 4.0 * static_cast<double>(count), 0, DType::f32};
  return request;
}

TEST(Measure, RunsThreeWorkGroupsAndSaysDraft) {
  test::FakeDevice device;
  int64_t ran = 0;
  device.kernels["copy"] = [&](test::FakeGroup&) { ++ran; };
  device.profile = [](LaunchProfile& profile) {
    LaunchProfile counted = copy_profile(4 << 20, profile.groups, 4);
    counted.groups_run = profile.groups_run;
    profile = counted;
  };
  Result<Timing> timing = measure(copy_request(1 << 20), device, mi300x());
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(timing->kind, "draft");
  EXPECT_EQ(timing->launch_us.size(), 1u);
  EXPECT_GT(timing->time_us, timing->roofline_us);
  EXPECT_NEAR(timing->roofline_fraction, timing->roofline_us / timing->time_us, 1e-12);
}

TEST(Measure, FasterThanPhysicsIsHeldAtTheFloor) {
  test::FakeDevice device;
  device.kernels["copy"] = [](test::FakeGroup&) {};
  MeasureRequest request = copy_request(1 << 20);
  request.work.bytes_read = 1e12;
  Result<Timing> timing = measure(request, device, mi300x());
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_EQ(timing->bound, "floor");
  EXPECT_DOUBLE_EQ(timing->time_us, timing->roofline_us);
}

TEST(Measure, ACandidateThatFaultsHasNoTime) {
  test::FakeDevice device;
  device.kernels["copy"] = [](test::FakeGroup& group) { group.fault("page not mapped"); };
  Result<Timing> timing = measure(copy_request(1024), device, mi300x());
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().code, "measure.not-run");
  EXPECT_NE(timing.error().message.find("page not mapped"), std::string::npos);
}

}  // namespace
}  // namespace hipvault::measure
