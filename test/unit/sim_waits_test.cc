// Missing waits: kernels whose waits stand in inline assembly, which clang does not look into. Each one is found
// without its wait and silent with it, on the archs it is written for; the counts needed are those of the ISA manuals.
#include <gtest/gtest.h>

#include <optional>

#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

// W is the wait under test: empty, too weak or right.
std::string with_wait(const std::string& wait, const std::string& body) {
  std::string prelude = "#define W \"" + wait + "\\n\"\n#line 1 \"kernel.hip\"\n";
  return prelude + body;
}

struct Case {
  std::string gpu, arch;
  std::string load, load16;  // of global memory
  std::string read, write;   // of LDS
  std::string scalar_load;
  std::string memory_0, memory_1, lds_0, lds_1, scalar_0, all_0;  // waits
};
const Case kGfx942 = {"mi300x",
                      "gfx942",
                      "global_load_dword",
                      "global_load_dwordx4",
                      "ds_read_b32",
                      "ds_write_b32",
                      "s_load_dword",
                      "s_waitcnt vmcnt(0)",
                      "s_waitcnt vmcnt(1)",
                      "s_waitcnt lgkmcnt(0)",
                      "s_waitcnt lgkmcnt(1)",
                      "s_waitcnt lgkmcnt(0)",
                      "s_waitcnt vmcnt(0) lgkmcnt(0)"};
const Case kGfx1201 = {"r9700",
                       "gfx1201",
                       "global_load_b32",
                       "global_load_b128",
                       "ds_load_b32",
                       "ds_store_b32",
                       "s_load_b32",
                       "s_wait_loadcnt 0x0",
                       "s_wait_loadcnt 0x1",
                       "s_wait_dscnt 0x0",
                       "s_wait_dscnt 0x1",
                       "s_wait_kmcnt 0x0",
                       "s_wait_loadcnt_dscnt 0x0"};

const Finding* missing_wait(const hipvault::Run& run) {
  for (const Finding& f : run.findings)
    if (f.kind == "missing-wait") return &f;
  return nullptr;
}

std::vector<float> ramp(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  return values;
}

// One input and one output of 256 floats, one wave.
class SimWaits : public testing::TestWithParam<const Case*> {
 protected:
  const hipvault::Run& launch(const std::string& wait, const std::string& body, int64_t block = 64) {
    const Case& c = *GetParam();
    run_.emplace(compile_kernels(with_wait(wait, body), "-O3 -g1", c.arch), "k", c.gpu);
    run_->input(ramp(1024)).output<float>(1024);
    return run_->launch(1, block);
  }
  void expect_found(const std::string& wait, const std::string& body, const std::string& counter, int64_t block = 64) {
    const hipvault::Run& r = launch(wait, body, block);
    const Finding* f = missing_wait(r);
    ASSERT_TRUE(f) << "with \"" << wait << "\": " << summary(r);
    EXPECT_NE(f->message.find(counter), std::string::npos) << f->message;
    EXPECT_EQ(f->source.substr(0, 11), "kernel.hip:");
    EXPECT_EQ(f->other_source.substr(0, 11), "kernel.hip:");
    EXPECT_NE(f->lanes, 0u);
  }
  void expect_silent(const std::string& wait, const std::string& body, int64_t block = 64) {
    EXPECT_EQ(summary(launch(wait, body, block)), "completed") << "with \"" << wait << "\"";
  }
  std::optional<SimRun> run_;
};

TEST_P(SimWaits, LoadedRegisterIsReadTooEarly) {
  const Case& c = *GetParam();
  std::string body = "extern \"C\" __global__ void k(const float* x, float* y) { float v;\n asm volatile(\"" + c.load +
                     " %0, %1, off\\n\" W : \"=&v\"(v) : \"v\"(x + TID));\n y[TID] = v * 2; }";
  expect_found("", body, c.memory_0.substr(0, c.memory_0.size() - 3));
  EXPECT_NE(missing_wait(run_->result().run)->message.find(c.load), std::string::npos);  // the other side
  EXPECT_EQ(missing_wait(run_->result().run)->lanes, c.arch == "gfx942" ? ~uint64_t{0} : 0xffffffffu);
  expect_found(c.memory_1, body, c.memory_0.substr(0, c.memory_0.size() - 3));
  expect_found(c.lds_0, body, c.memory_0.substr(0, c.memory_0.size() - 3));
  expect_silent(c.memory_0, body);
  expect_silent(c.all_0, body);
}

// The older of two loads is there after a wait that leaves one; the younger is not.
TEST_P(SimWaits, LoadsReturnInOrder) {
  const Case& c = *GetParam();
  std::string loads = "float a, b;\n asm volatile(\"" + c.load + " %0, %2, off\\n" + c.load +
                      " %1, %2, off offset:64\\n\" W : \"=&v\"(a), \"=&v\"(b) : \"v\"(x + TID));\n";
  std::string head = "extern \"C\" __global__ void k(const float* x, float* y) { " + loads;
  std::string rest = "asm volatile(\"" + c.memory_0 + "\"); }";
  expect_silent(c.memory_1, head + "y[TID] = a;" + rest);
  expect_found(c.memory_1, head + "y[TID] = b;" + rest, "");
  expect_silent(c.memory_0, head + "y[TID] = a + b;" + rest);
}

TEST_P(SimWaits, LoadedRegisterIsOverwrittenTooEarly) {
  const Case& c = *GetParam();
  std::string body = "extern \"C\" __global__ void k(const float* x, float* y) { float v;\n asm volatile(\"" + c.load +
                     " %0, %1, off\\n\" W \"v_mov_b32 %0, 1.0\\n" + c.memory_0 +
                     "\" : \"=&v\"(v) : \"v\"(x + TID));\n y[TID] = v; }";
  expect_found("", body, "");
  expect_silent(c.memory_0, body);
}

// A load may overwrite the result of a load: they return in order.
TEST_P(SimWaits, LoadOverLoadIsInOrder) {
  const Case& c = *GetParam();
  std::string body = "extern \"C\" __global__ void k(const float* x, float* y) { float v;\n asm volatile(\"" + c.load +
                     " %0, %1, off\\n" + c.load +
                     " %0, %1, off offset:64\\n\" W : \"=&v\"(v) : \"v\"(x + TID));\n y[TID] = v; }";
  expect_silent(c.memory_0, body);
}

TEST_P(SimWaits, LdsReadIsUsedTooEarly) {
  const Case& c = *GetParam();
  std::string body =
      "extern \"C\" __global__ void k(const float* x, float* y) { __shared__ float t[64]; float v;\n"
      " t[TID] = x[TID]; SYNC();\n asm volatile(\"" +
      c.read +
      " %0, %1\\n\" W : \"=&v\"(v) : \"v\"((unsigned)(unsigned long)(__attribute__((address_space(3))) float*)&t[TID ^ "
      "1]) : \"memory\");\n"
      " y[TID] = v; }";
  expect_found("", body, "");
  expect_found(c.memory_0, body, "");
  expect_silent(c.lds_0, body);
}

TEST_P(SimWaits, ScalarLoadIsUsedTooEarly) {
  const Case& c = *GetParam();
  std::string body = "extern \"C\" __global__ void k(const float* x, float* y) { int s, u;\n asm volatile(\"" +
                     c.scalar_load + " %0, %2, 0x0\\n" + c.scalar_load +
                     " %1, %2, 0x4\\n\" W : \"=&s\"(s), \"=&s\"(u) : \"s\"(x));\n"
                     " y[TID] = s; asm volatile(\"" +
                     c.scalar_0 + "\"); y[TID + 64] = u; }";
  expect_found("", body, "");
  if (c.arch == "gfx942") expect_found(c.lds_1, body, "");  // out of order: only 0 says something
  expect_silent(c.scalar_0, body);
}

// Only the path that is taken counts, and only its lanes.
TEST_P(SimWaits, WaitOnOnePathOnly) {
  const Case& c = *GetParam();
  std::string body = "extern \"C\" __global__ void k(const float* x, float* y, int n) { float v;\n asm volatile(\"" +
                     c.load +
                     " %0, %1, off\\n\" : \"=&v\"(v) : \"v\"(x + TID));\n"
                     " if (n) asm volatile(\"" +
                     c.memory_0 + "\" : \"+v\"(v));\n y[TID] = v; }";
  std::string code = compile_kernels(with_wait("", body), "-O3 -g1", c.arch);
  for (int n : {0, 1}) {
    SimRun run(code, "k", c.gpu);
    run.input(ramp(1024)).output<float>(1024).value(n);
    const hipvault::Run& r = run.launch(1, 64);
    EXPECT_EQ(missing_wait(r) == nullptr, n == 1) << summary(r);
  }
}

// In a loop the result of one round is used in the next, before any wait.
TEST_P(SimWaits, AroundALoop) {
  const Case& c = *GetParam();
  std::string body =
      "extern \"C\" __global__ void k(const float* x, float* y) { float v = 0, sum = 0;\n"
      " for (int i = 0; i < 4; ++i) {\n  sum += v;\n  asm volatile(\"" +
      c.load + " %0, %1, off\\n\" W : \"=&v\"(v) : \"v\"(x + TID + i * 64));\n }\n y[TID] = sum; asm volatile(\"" +
      c.memory_0 + "\"); }";
  expect_found("", body, "");
  expect_silent(c.memory_0, body);
}

// The other wave reads what this one's write may not have done when it came to the barrier.
TEST_P(SimWaits, LdsWriteBeforeABarrier) {
  const Case& c = *GetParam();
  std::string body =
      "extern \"C\" __global__ void k(const float* x, float* y) { __shared__ float t[128];\n"
      " unsigned to = (unsigned)(unsigned long)(__attribute__((address_space(3))) float*)&t[TID];\n"
      " asm volatile(\"" +
      c.write +
      " %0, %1\\n\" W : : \"v\"(to), \"v\"(x[TID]) : \"memory\");\n"
      " __builtin_amdgcn_s_barrier(); asm volatile(\"\" ::: \"memory\");\n y[TID] = ((volatile float*)t)[127 - TID]; "
      "(void)&t; }";
  expect_found("", body, "before the barrier", 128);
  expect_silent(c.lds_0, body, 128);
}

INSTANTIATE_TEST_SUITE_P(Archs, SimWaits, testing::Values(&kGfx942, &kGfx1201),
                         [](const auto& info) { return info.param->arch; });

// Stores sit in the same queue as loads on gfx9: two stores behind a load let vmcnt(2) prove it.
TEST(SimWaitsGfx9, StoresCountAsWell) {
  for (int left : {1, 2, 3}) {
    std::string body =
        "extern \"C\" __global__ void k(const float* x, float* y) { float v;\n"
        "asm volatile(\"global_load_dword %0, %1, off\\nglobal_store_dword %2, %3, off\\nglobal_store_dword %2, %3, "
        "off offset:512\\n\" W"
        " : \"=&v\"(v) : \"v\"(x + TID), \"v\"(y + TID), \"v\"(1.0f) : \"memory\");\n y[TID + 256] = v; }";
    SimRun run(compile_kernels(with_wait("s_waitcnt vmcnt(" + std::to_string(left) + ")", body)), "k");
    run.input(ramp(1024)).output<float>(1024);
    const hipvault::Run& r = run.launch(1, 64);
    EXPECT_EQ(missing_wait(r) == nullptr, left <= 2) << left << summary(r);
  }
}

// On gfx12 stores have a counter of their own: they prove nothing about loads.
TEST(SimWaitsGfx12, StoresDoNotCount) {
  std::string body =
      "extern \"C\" __global__ void k(const float* x, float* y) { float v;\n"
      "asm volatile(\"global_load_b32 %0, %1, off\\nglobal_store_b32 %2, %3, off\\n\" W"
      " : \"=&v\"(v) : \"v\"(x + TID), \"v\"(y + TID), \"v\"(1.0f) : \"memory\");\n y[TID + 256] = v; }";
  for (const char* wait : {"s_wait_loadcnt 0x1", "s_wait_storecnt 0x0", "s_wait_loadcnt 0x0", "s_wait_idle"}) {
    SimRun run(compile_kernels(with_wait(wait, body), "-O3 -g1", "gfx1201"), "k", "r9700");
    run.input(ramp(1024)).output<float>(1024);
    const hipvault::Run& r = run.launch(1, 64);
    bool right = std::string(wait) == "s_wait_loadcnt 0x0" || std::string(wait) == "s_wait_idle";
    EXPECT_EQ(missing_wait(r) == nullptr, right) << wait << summary(r);
  }
}

// From memory straight into LDS: the wave itself must wait for vmcnt before it reads, and before the barrier if others
// read.
std::string direct_to_lds(const std::string& before, const std::string& after, const std::string& index) {
  return "extern \"C\" __global__ void k(const float* x, float* y) { __shared__ float t[128];\n"
         " unsigned to = (unsigned)(unsigned long)(__attribute__((address_space(3))) float*)&t[TID & ~63];\n"
         " asm volatile(\"s_mov_b32 m0, %0\\ns_nop 4\\nglobal_load_lds_dword %1, off\\n" +
         before +
         "\" : : \"s\"(__builtin_amdgcn_readfirstlane(to)), \"v\"(x + TID) : \"memory\");\n"
         " __builtin_amdgcn_s_barrier();\n float v; asm volatile(\"" +
         after +
         "\\nds_read_b32 %0, %1\\ns_waitcnt lgkmcnt(0)\" : \"=&v\"(v) : \"v\"((unsigned)(unsigned "
         "long)(__attribute__((address_space(3))) float*)&t[" +
         index + "]) : \"memory\");\n y[TID] = v; }";
}
TEST(SimWaitsGfx9, LoadsStraightIntoLds) {
  struct {
    const char *before, *after, *index;
    bool found;
  } cases[] = {
      {"", "", "TID", true},
      {"s_waitcnt vmcnt(0)", "", "TID", false},
      {"", "s_waitcnt vmcnt(0)", "TID", false},  // its own data: no barrier needed
      {"", "", "127 - TID", true},
      {"s_waitcnt vmcnt(0)", "", "127 - TID", false},
      {"", "s_waitcnt vmcnt(0)", "127 - TID", true},  // the other wave may not have waited yet
  };
  for (const auto& c : cases) {
    SimRun run(compile_kernels(direct_to_lds(c.before, c.after, c.index)), "k");
    run.input(ramp(1024)).output<float>(1024);
    const hipvault::Run& r = run.launch(1, 128);
    EXPECT_EQ(missing_wait(r) != nullptr, c.found) << c.before << "|" << c.after << "|" << c.index << summary(r);
    for (const Finding& f : r.findings) EXPECT_EQ(f.kind, "missing-wait") << f.message;
  }
}

}  // namespace
}  // namespace hipvault
