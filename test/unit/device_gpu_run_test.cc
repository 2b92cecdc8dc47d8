// A run on a driver that is a piece of host memory: what the kernel is given, what is seen outside its buffers, what
// comes back, and what the errors of a driver become.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>

#include "device/gpu_run.h"

namespace hipvault::device {
namespace {

class HostDriver : public GpuDriver {
 public:
  std::function<void(HostDriver&, const GpuLaunch&)> kernel;
  std::string memory_error;
  int launches = 0, modules = 0;
  int64_t live_bytes = 0;

  uint8_t* at(GpuAddress address) { return reinterpret_cast<uint8_t*>(address); }

  GpuFacts facts() const override { return {"host", "sm_90", 1, 0, 0, 0, 0}; }
  Result<GpuHandle> load_module(const std::string& code) override {
    if (code == "broken") return fail("gpu.load", "no code");
    ++modules;
    return reinterpret_cast<GpuHandle>(1);
  }
  void unload_module(GpuHandle) override { --modules; }
  Result<GpuHandle> find_kernel(GpuHandle, const std::string& name) override {
    if (name != "k") return fail("gpu.no-kernel", "the code has no kernel named " + name);
    return reinterpret_cast<GpuHandle>(2);
  }
  Result<GpuAddress> allocate(int64_t bytes) override {
    if (!memory_error.empty()) return fail("gpu.memory", memory_error);
    auto* memory = new uint8_t[static_cast<size_t>(bytes)];
    auto address = reinterpret_cast<GpuAddress>(memory);
    sizes_[address] = bytes;
    live_bytes += bytes;
    return address;
  }
  void release(GpuAddress address) override {
    live_bytes -= sizes_.at(address);
    sizes_.erase(address);
    delete[] at(address);
  }
  Status write(GpuAddress to, const void* from, int64_t bytes) override {
    std::memcpy(at(to), from, static_cast<size_t>(bytes));
    return {};
  }
  Status read(void* to, GpuAddress from, int64_t bytes) override {
    std::memcpy(to, at(from), static_cast<size_t>(bytes));
    return {};
  }
  Status copy(GpuAddress to, GpuAddress from, int64_t bytes) override {
    std::memcpy(at(to), at(from), static_cast<size_t>(bytes));
    return {};
  }
  Status fill(GpuAddress to, uint8_t value, int64_t bytes) override {
    std::memset(at(to), value, static_cast<size_t>(bytes));
    return {};
  }
  Status launch(const GpuLaunch& l) override {
    ++launches;
    if (kernel) kernel(*this, l);
    return {};
  }
  Status synchronise() override { return {}; }
  Result<GpuHandle> make_event() override { return reinterpret_cast<GpuHandle>(3); }
  void drop_event(GpuHandle) override {}
  Status record(GpuHandle) override { return {}; }
  Result<double> microseconds(GpuHandle, GpuHandle) override { return 12.5; }

 private:
  std::map<GpuAddress, int64_t> sizes_;
};

// x: 8 bytes in; y: 16 bytes out, the kernel's pointer 4 bytes in; n = 5; s = 0.5f; a workspace of 32 bytes.
RunRequest request() {
  RunRequest made;
  made.code_objects = {"code"};
  made.plan.workspace_bytes = 32;
  ResolvedLaunch launch;
  launch.kernel = "k";
  launch.grid = {3, 2, 1};
  launch.block = 64;
  launch.args = {{KernelArg::Kind::buffer, 0, 0, 0, DType::i32, "x"},
                 {KernelArg::Kind::buffer, 1, 0, 0, DType::i32, "y"},
                 {KernelArg::Kind::workspace, 0, 16, 0, DType::i32, "w"},
                 {KernelArg::Kind::integer, 0, 0, 5, DType::i32, "n"},
                 {KernelArg::Kind::scalar, 0, 0, 0, DType::f32, "s"}};
  launch.clear = {{16, 8}};
  made.plan.launches = {launch};
  made.buffers = {{"x", "abcdefgh", 0, 0, 8, false, true, false, 0}, {"y", "", 4, 4, 16, true, false, true, 16}};
  made.scalars = {0.5};
  made.workspace_poison = 0x77;
  return made;
}

TEST(GpuRun, GivesTheKernelWhatThePlanSaysAndReadsBack) {
  HostDriver driver;
  driver.kernel = [](HostDriver& d, const GpuLaunch& l) {
    EXPECT_EQ(l.grid[0], 3u);
    EXPECT_EQ(l.grid[1], 2u);
    EXPECT_EQ(l.block[0], 64u);
    ASSERT_EQ(l.arguments.size(), 5u);
    EXPECT_EQ(std::memcmp(d.at(l.arguments[0]), "abcdefgh", 8), 0);
    EXPECT_EQ(d.at(l.arguments[2])[-1], 0x77);  // poisoned before what is cleared
    EXPECT_EQ(d.at(l.arguments[2])[0], 0);
    EXPECT_EQ(d.at(l.arguments[2])[7], 0);
    EXPECT_EQ(d.at(l.arguments[2])[8], 0x77);
    EXPECT_EQ(l.arguments[3], 5u);
    EXPECT_EQ(l.arguments[4], 0x3f000000u);
    std::memcpy(d.at(l.arguments[1]), "answer", 6);
  };
  {
    GpuRunner runner(driver);
    RunResult result = runner.run(request());
    ASSERT_EQ(result.run.status, RunStatus::completed) << result.run.message;
    EXPECT_TRUE(result.run.findings.empty());
    EXPECT_EQ(result.buffers[0], "");
    EXPECT_EQ(result.buffers[1], std::string("\0\0\0\0answer\0\0\0\0\0\0", 16));
    runner.run(request());
    EXPECT_EQ(driver.modules, 1);
  }
  EXPECT_EQ(driver.modules, 0);
  EXPECT_EQ(driver.live_bytes, 0);
}

TEST(GpuRun, WritesJustOutsideABufferAreFound) {
  HostDriver driver;
  driver.kernel = [](HostDriver& d, const GpuLaunch& l) {
    d.at(l.arguments[1])[12] = 1;  // y has 16 bytes from 4 before the pointer on
    d.at(l.arguments[0])[-3] = 1;
  };
  RunResult result = GpuRunner(driver).run(request());
  ASSERT_EQ(result.run.findings.size(), 2u);
  EXPECT_EQ(result.run.findings[0].kind, "out-of-bounds");
  EXPECT_EQ(result.run.findings[0].message, "1 bytes before x were written");
  EXPECT_EQ(result.run.findings[1].message, "1 bytes behind y were written");
}

TEST(GpuRun, ShortDataRepeatsAndRepetitionsAreTimed) {
  HostDriver driver;
  driver.kernel = [](HostDriver& d, const GpuLaunch& l) {
    EXPECT_EQ(std::memcmp(d.at(l.arguments[0]), "abcabcabcabcabcabcab", 20), 0);
  };
  RunRequest asked = request();
  asked.buffers[0].data = "abc";
  asked.buffers[0].size = 20;
  asked.samples = 7;
  asked.flush_bytes = 100;
  RunResult result = GpuRunner(driver).run(asked);
  ASSERT_EQ(result.run.status, RunStatus::completed) << result.run.message;
  EXPECT_EQ(result.run.samples_us, std::vector<double>(7, 12.5));
  EXPECT_GE(driver.launches, 8);
}

TEST(GpuRun, ErrorsOfTheDriverAreTyped) {
  HostDriver driver;
  RunRequest asked = request();
  asked.plan.launches[0].kernel = "other";
  RunResult result = GpuRunner(driver).run(asked);
  EXPECT_EQ(result.run.status, RunStatus::launch_refused);
  EXPECT_NE(result.run.message.find("other"), std::string::npos);
  asked = request();
  asked.code_objects = {"broken"};
  EXPECT_EQ(GpuRunner(driver).run(asked).run.status, RunStatus::launch_refused);
  driver.memory_error = "the GPU has no 8200 bytes left";
  result = GpuRunner(driver).run(request());
  EXPECT_EQ(result.run.status, RunStatus::launch_refused);
  EXPECT_EQ(result.run.message, driver.memory_error);
}

TEST(GpuDriver, WithoutADriverTheErrorSaysWhatToDo) {
  Result<std::unique_ptr<GpuDriver>> driver = open_cuda_driver(4096);  // no machine has so many
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, "gpu.missing");
  EXPECT_NE(driver.error().hint.find("--device sim"), std::string::npos);
}

}  // namespace
}  // namespace hipvault::device
