// Every checker: a faulty kernel is found, with place; its repaired twin is silent.
#include <gtest/gtest.h>

#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

const std::string& kernels() {
  static const std::string code =
      compile_kernels(R"(extern "C" __global__ void past_end(const float* x, float* y, int n) { int i = GID(64);
  y[i] = x[i + 1];
}
extern "C" __global__ void store_past_end(float* y, int n) { int i = GID(64);
  if (i <= n) y[i] = 1.0f;
}
extern "C" __global__ void unset_lds(float* y, int fill) { __shared__ float t[64];
  if (TID < fill) t[TID] = TID;
  SYNC();
  y[TID] = t[63 - TID];
}
extern "C" __global__ void lds_race(float* y, int barrier) { __shared__ volatile float t[128];
  t[TID] = TID;
  if (barrier) SYNC();
  y[TID] = t[127 - TID];
}
extern "C" __global__ void global_race(float* w, float* y) {
  w[TID] = TID;
  y[TID] = w[(TID + 64) & 127];
}
extern "C" __global__ void group_race(float* y, int shared_cell) {
  if (TID == 0) y[shared_cell ? 0 : BID] = BID;
}
// Bytes in one wave, dwords in the other, both ways round.
extern "C" __global__ void mixed_race(u8* y, u32* out, int first_is_bytes) {
  if (first_is_bytes) { if (TID < 64) y[TID] = TID; else out[TID] = ((u32*)y)[TID - 64]; }
  else { if (TID < 64) ((u32*)y)[TID] = TID; else out[TID] = y[TID - 64]; }
}
typedef u32 uint4v __attribute__((ext_vector_type(4)));
extern "C" __global__ void wide_race(uint4v* y, uint4v* out) {
  if (TID < 64) y[TID] = (uint4v)((u32)TID); else out[TID] = y[TID - 64 + 60];
}
extern "C" __global__ void byte_writers(u8* y) { y[TID] = TID; }
extern "C" __global__ void uninitialised(const float* w, float* y) { y[TID] = w[TID] + 1; }
extern "C" __global__ void write_input(float* x) { x[TID] = 2; }
extern "C" __global__ void divergent(float* y, int limit) { __shared__ float t[256];
  t[TID] = 1;
  if (TID < limit) SYNC();
  y[TID] = t[TID];
}
extern "C" __global__ void endless(volatile int* flag) { while (*flag == 0) {} }
extern "C" __global__ void spin_between_waves(int* y) { __shared__ int flag;
  if (TID == 0) flag = 0;
  SYNC();
  if (TID >= 64) { if (TID == 64) __hip_atomic_store(&flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP); }
  else if (TID == 0) while (__hip_atomic_fetch_add(&flag, 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) __builtin_amdgcn_s_sleep(1);
  y[TID] = 1;
}
extern "C" __global__ void wild(const float* x, float* y, long offset) { y[TID] = x[offset] + 1; }
extern "C" __global__ void misaligned(const char* x, int* y) { y[TID] = *(const int*)(x + TID * 4 + 2); }
extern "C" __global__ void misaligned_lds(int* y) { __shared__ u8 t[256]; for (int i = 0; i < 4; ++i) t[TID * 4 + i] = TID * 4 + i;
  SYNC(); int v; __builtin_memcpy(&v, t + TID * 3, 4); y[TID] = v;
}
extern "C" __global__ void misaligned_atomic(int* y, int offset) {
  __hip_atomic_fetch_add((int*)((u64)y + TID * 4 + offset), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
extern "C" __global__ void misaligned_lds_atomic(int* y, int offset) { __shared__ int t[80]; t[TID] = 0; t[64 + (TID & 15)] = 0; SYNC();
  u32 at = (u32)(u64)(__attribute__((address_space(3))) int*)t + TID * 4 + offset;
  asm volatile("ds_add_u32 %0, %0\ns_waitcnt lgkmcnt(0) " : : "v"(at) : "memory"); SYNC(); y[TID] = t[TID];
}
extern "C" __global__ void big_lds(float* y) { extern __shared__ float t[]; t[TID] = 1; SYNC(); y[TID] = t[TID]; }
extern "C" __global__ void trapped(float* y) { if (TID > 1000) y[0] = 1; __builtin_trap(); }
extern "C" __global__ void add3(const float* x, float* y, double d) { y[TID] = x[TID] + (float)d; }
)");
  return code;
}

const Finding* find_kind(const hipvault::Run& run, const std::string& kind) {
  for (const Finding& f : run.findings)
    if (f.kind == kind) return &f;
  return nullptr;
}

std::vector<float> ones(size_t n) { return std::vector<float>(n, 1.0f); }

TEST(SimCheckers, LoadPastTheEnd) {
  SimRun run(kernels(), "past_end");
  run.input(ones(128)).output<float>(128).value(128);
  const hipvault::Run& r = run.launch(2, 64);
  ASSERT_EQ(r.status, RunStatus::completed);
  ASSERT_EQ(r.findings.size(), 1u) << summary(r);
  const Finding& f = r.findings[0];
  EXPECT_EQ(f.kind, "out-of-bounds");
  EXPECT_EQ(f.kernel, "past_end");
  EXPECT_EQ(f.source, "kernel.hip:2");
  EXPECT_EQ(f.lanes, uint64_t{1} << 63);
  EXPECT_EQ(f.group[0], 1);
  EXPECT_EQ(f.count, 1);
  EXPECT_NE(f.instruction.find("global_load_dword"), std::string::npos);
  EXPECT_NE(f.message.find("4 bytes past the end of buffer 0 (512 bytes)"), std::string::npos) << f.message;
  EXPECT_EQ(run.values<float>(1)[127], 0.0f);
}

TEST(SimCheckers, StorePastTheEndIsDropped) {
  SimRun run(kernels(), "store_past_end");
  run.output<float>(100).value(100);
  const hipvault::Run& r = run.launch(2, 64);
  ASSERT_EQ(r.findings.size(), 1u) << summary(r);
  EXPECT_EQ(r.findings[0].kind, "out-of-bounds");
  EXPECT_EQ(r.findings[0].lanes, uint64_t{1} << 36);
  run.launch(1, 64);
  EXPECT_EQ(summary(run.result().run), "completed");
}

TEST(SimCheckers, ValidRangeInsideAnAllocation) {
  SimRun run(kernels(), "past_end");
  run.input(ones(256)).output<float>(128).value(128);
  run.request().buffers[0].valid_end = 128 * 4;
  EXPECT_TRUE(find_kind(run.launch(2, 64), "out-of-bounds"));
  run.request().buffers[0].valid_end = 129 * 4;
  EXPECT_EQ(summary(run.launch(2, 64)), "completed");
}

TEST(SimCheckers, WildAddress) {
  SimRun run(kernels(), "wild");
  run.input(ones(64)).output<float>(64).value(int64_t{1} << 44, DType::i64);
  const hipvault::Run& r = run.launch(1, 64);
  ASSERT_EQ(r.status, RunStatus::completed);
  ASSERT_TRUE(find_kind(r, "out-of-bounds")) << summary(r);
  EXPECT_NE(r.findings[0].message.find("where no buffer is"), std::string::npos) << r.findings[0].message;
  EXPECT_EQ(run.values<float>(1)[0], 1.0f);
}

TEST(SimCheckers, UninitialisedLds) {
  SimRun run(kernels(), "unset_lds");
  run.output<float>(64).value(60);
  const hipvault::Run& r = run.launch(1, 64);
  const Finding* f = find_kind(r, "uninitialised-read");
  ASSERT_TRUE(f) << summary(r);
  EXPECT_EQ(f->lanes, 0xfu);
  EXPECT_EQ(f->source, "kernel.hip:10");
  SimRun clean(kernels(), "unset_lds");
  clean.output<float>(64).value(64);
  EXPECT_EQ(summary(clean.launch(1, 64)), "completed");
}

TEST(SimCheckers, UninitialisedMemory) {
  SimRun run(kernels(), "uninitialised");
  run.workspace(256).output<float>(64);
  const Finding* f = find_kind(run.launch(1, 64), "uninitialised-read");
  ASSERT_TRUE(f);
  EXPECT_NE(f->message.find("the workspace"), std::string::npos) << f->message;
  SimRun clean(kernels(), "uninitialised");
  clean.input(ones(64)).output<float>(64);
  EXPECT_EQ(summary(clean.launch(1, 64)), "completed");
}

// v100 and s90 are nobody's: the first half of each pair gives them a value.
TEST(SimCheckers, UnwrittenRegisters) {
  struct Case {
    const char *before, *read, *registers;
  };
  for (const Case& c : {Case{"v_mov_b32 v100, 0", "v_add_u32 %0, v100, %0", "v100"},
                        Case{"s_mov_b32 s90, 0", "v_add_u32 %0, s90, %0", "s90"},
                        Case{"s_mov_b32 s90, 0", "s_add_u32 s91, s90, 1", "s90"},
                        Case{"v_mov_b32 v100, 0", "ds_read_b32 %0, v100", "v100"}})
    for (bool written : {false, true}) {
      std::string body = std::string(
                             "extern \"C\" __global__ void k(int* y) { __shared__ int t[64]; t[TID] = 1; SYNC(); int v "
                             "= t[TID ^ 1];\n asm volatile(\"") +
                         (written ? c.before : "") + "\\ns_nop 1\\n" + c.read +
                         "\\ns_waitcnt lgkmcnt(0)\" : \"+v\"(v) : : \"s91\");\n y[TID] = v; }";
      SimRun run(compile_kernels(body), "k");
      run.output<int>(64);
      const hipvault::Run& r = run.launch(1, 64);
      const Finding* f = find_kind(r, "uninitialised-read");
      EXPECT_EQ(f == nullptr, written) << c.read << summary(r);
      if (f) EXPECT_NE(f->message.find(std::string("it reads ") + c.registers + ","), std::string::npos) << f->message;
    }
}

TEST(SimCheckers, ClearedWorkspaceIsInitialised) {
  SimRun run(kernels(), "uninitialised");
  run.workspace(256).output<float>(64);
  ResolvedLaunch launch;
  launch.kernel = "uninitialised";
  launch.grid = {1, 1, 1};
  launch.block = 64;
  launch.clear = {{0, 256}};
  ResolvedArg workspace, out;
  workspace.kind = KernelArg::Kind::workspace;
  launch.args = {workspace, out};
  run.request().plan.launches = {launch};
  RunResult result = sim::run(run.request(), *target::find_gpu("mi300x"));
  EXPECT_EQ(summary(result.run), "completed");
  float first;
  std::memcpy(&first, result.buffers[0].data(), 4);
  EXPECT_EQ(first, 1.0f);
}

TEST(SimCheckers, RaceInLds) {
  SimRun run(kernels(), "lds_race");
  run.output<float>(128).value(0);
  const hipvault::Run& r = run.launch(1, 128);
  const Finding* f = find_kind(r, "race");
  ASSERT_TRUE(f) << summary(r);
  EXPECT_NE(f->other_wave, f->wave);
  EXPECT_GE(f->other_wave, 0);
  EXPECT_EQ(f->source.substr(0, 10), "kernel.hip");
  EXPECT_EQ(f->other_source.substr(0, 10), "kernel.hip");
  SimRun clean(kernels(), "lds_race");
  clean.output<float>(128).value(1);
  EXPECT_EQ(summary(clean.launch(1, 128)), "completed");
}

TEST(SimCheckers, RaceInMemoryWithinAGroup) {
  SimRun run(kernels(), "global_race");
  run.output<float>(128).output<float>(128);
  const hipvault::Run& r = run.launch(1, 128);
  EXPECT_TRUE(find_kind(r, "race")) << summary(r);
}

TEST(SimCheckers, RaceBetweenBytesAndDwords) {
  for (int bytes_first : {0, 1}) {
    SimRun run(kernels(), "mixed_race");
    run.inout(std::vector<uint8_t>(256)).output<uint32_t>(128).value(bytes_first);
    const hipvault::Run& r = run.launch(1, 128);
    const Finding* f = find_kind(r, "race");
    ASSERT_TRUE(f) << bytes_first << summary(r);
    EXPECT_EQ(f->count, bytes_first ? 16 * 4 : 64);  // dwords 0 to 15 look at 4 bytes each; all 64 bytes were written
  }
}

// Only the first four of the reader's 64 lanes meet what the other wave wrote.
TEST(SimCheckers, RaceOfAPartOfAWideAccess) {
  SimRun run(kernels(), "wide_race");
  run.inout(std::vector<uint32_t>(4 * 128)).output<uint32_t>(4 * 128);
  const hipvault::Run& r = run.launch(1, 128);
  const Finding* f = find_kind(r, "race");
  ASSERT_TRUE(f) << summary(r);
  EXPECT_EQ(f->lanes, 1u);  // of the first sight
  EXPECT_EQ(f->count, 4 * 4);
}

TEST(SimCheckers, RaceBetweenGroups) {
  for (int threads : {1, 2}) {
    SimRun run(kernels(), "group_race");
    run.output<float>(16).value(1);
    run.request().threads = threads;
    const Finding* f = find_kind(run.launch(16, 64), "race");
    ASSERT_TRUE(f) << threads;
    EXPECT_NE(f->message.find("another work-group"), std::string::npos) << f->message;
    SimRun clean(kernels(), "group_race");
    clean.output<float>(16).value(0);
    clean.request().threads = threads;
    EXPECT_EQ(summary(clean.launch(16, 64)), "completed");
  }
}

// The last group adds up what the others wrote: fences of the device order them, those of a work-group do not.
TEST(SimCheckers, FencesBetweenGroups) {
  for (const char* scope : {"agent", "workgroup"}) {
    std::string body =
        std::string("extern \"C\" __global__ void k(float* y, int* done, float* sum, int n) { __shared__ int last;\n") +
        " y[GID(64)] = 1; __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"" + scope +
        "\"); SYNC();\n"
        " if (TID == 0) last = __hip_atomic_fetch_add(done, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == n - 1;\n"
        " SYNC(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"" +
        scope +
        "\");\n"
        " if (last) { float s = 0; for (int i = 0; i < n; ++i) s += y[i * 64 + TID]; sum[TID] = s; } }";
    for (auto [gpu, arch] :
         {std::pair("mi300x", "gfx942"), std::pair("mi250x", "gfx90a"), std::pair("r9700", "gfx1201")}) {
      SimRun run(compile_kernels(body, "-O3 -g1", arch), "k", gpu);
      run.output<float>(64 * 8).inout(std::vector<int>(1)).output<float>(64).value(8);
      const hipvault::Run& r = run.launch(8, 64);
      EXPECT_EQ(find_kind(r, "race") == nullptr, std::string(scope) == "agent") << arch << " " << scope << summary(r);
    }
  }
}

// Two launches of one plan are ordered: the second may read what groups of the first wrote.
TEST(SimCheckers, LaunchesAreOrdered) {
  SimRun run(kernels(), "group_race");
  run.output<float>(16).value(1);
  run.launch(1, 64);
  run.request().plan.launches.push_back(run.request().plan.launches[0]);
  RunResult result = sim::run(run.request(), *target::find_gpu("mi300x"));
  EXPECT_EQ(summary(result.run), "completed");
}

// Neighbouring halves and bytes of one dword belong to different waves: no race.
TEST(SimCheckers, SmallNeighboursDoNotRace) {
  SimRun run(kernels(), "byte_writers");
  run.output<uint8_t>(256);
  EXPECT_EQ(summary(run.launch(1, 256)), "completed");
  std::vector<uint8_t> y = run.values<uint8_t>(0);
  for (size_t i = 0; i < 256; ++i) EXPECT_EQ(y[i], i);
}

TEST(SimCheckers, WriteToAnInput) {
  SimRun run(kernels(), "write_input");
  run.input(ones(64));
  EXPECT_TRUE(find_kind(run.launch(1, 64), "read-only-write"));
  SimRun clean(kernels(), "write_input");
  clean.output<float>(64);
  EXPECT_EQ(summary(clean.launch(1, 64)), "completed");
}

TEST(SimCheckers, BarrierDivergence) {
  SimRun run(kernels(), "divergent");
  run.output<float>(256).value(128);
  const hipvault::Run& r = run.launch(1, 256);
  const Finding* f = find_kind(r, "barrier-divergence");
  ASSERT_TRUE(f) << summary(r);
  EXPECT_NE(f->message.find("2 of 4 waves have ended"), std::string::npos) << f->message;
  SimRun clean(kernels(), "divergent");
  clean.output<float>(256).value(256);
  EXPECT_EQ(summary(clean.launch(1, 256)), "completed");
}

// Loads and stores may be unaligned, in memory and in LDS; clang makes such accesses of neighbouring bytes.
TEST(SimCheckers, UnalignedLoadsAreAllowed) {
  SimRun run(kernels(), "misaligned");
  std::vector<char> bytes(300);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  run.input(bytes).output<int>(64);
  EXPECT_EQ(summary(run.launch(1, 64)), "completed");
  EXPECT_EQ(run.values<int>(1)[1], 0x09080706);
  SimRun lds(kernels(), "misaligned_lds");
  lds.output<int>(64);
  EXPECT_EQ(summary(lds.launch(1, 64)), "completed");
  EXPECT_EQ(lds.values<int>(0)[1], 0x06050403);
}

TEST(SimCheckers, MisalignedAtomics) {
  for (int offset : {0, 2}) {
    SimRun run(kernels(), "misaligned_atomic");
    run.inout(std::vector<int>(80)).value(offset);
    const hipvault::Run& r = run.launch(1, 64);
    EXPECT_EQ(find_kind(r, "misaligned") != nullptr, offset != 0) << summary(r);
    EXPECT_EQ(r.status, offset ? RunStatus::fault : RunStatus::completed);
    SimRun lds(kernels(), "misaligned_lds_atomic");
    lds.output<int>(64).value(offset);
    const hipvault::Run& l = lds.launch(1, 64);
    EXPECT_EQ(find_kind(l, "misaligned") != nullptr, offset != 0) << summary(l);
  }
}

TEST(SimCheckers, CheckersOffAreSilent) {
  SimRun run(kernels(), "global_race");
  run.output<float>(128).output<float>(128);
  run.request().check = false;
  EXPECT_EQ(summary(run.launch(1, 128)), "completed");
}

TEST(SimEnds, EndlessLoopUsesUpTheBudget) {
  SimRun run(kernels(), "endless");
  run.inout(std::vector<int>(1));
  run.request().step_budget = 100000;
  const hipvault::Run& r = run.launch(1, 64);
  EXPECT_EQ(r.status, RunStatus::step_budget);
  EXPECT_TRUE(run.result().buffers[0].empty());
}

TEST(SimEnds, Deadline) {
  SimRun run(kernels(), "endless");
  run.inout(std::vector<int>(1));
  run.request().deadline_s = 0.05;
  EXPECT_EQ(run.launch(1, 64).status, RunStatus::deadline);
}

TEST(SimEnds, WavesThatWaitForEachOtherFinish) {
  SimRun run(kernels(), "spin_between_waves");
  run.output<int>(128);
  run.request().step_budget = 10'000'000;
  EXPECT_EQ(run.launch(1, 128).status, RunStatus::completed);
}

TEST(SimEnds, Trap) {
  SimRun run(kernels(), "trapped");
  run.output<float>(64);
  const hipvault::Run& r = run.launch(1, 64);
  EXPECT_EQ(r.status, RunStatus::fault) << summary(r);
  EXPECT_NE(r.message.find("trap"), std::string::npos) << r.message;
}

TEST(SimEnds, LimitsOfTheGpuRefuseTheLaunch) {
  SimRun run(kernels(), "big_lds");
  run.output<float>(64);
  EXPECT_EQ(summary(run.launch(1, 64, 64 * 1024)), "completed");
  const hipvault::Run& r = run.launch(1, 64, 64 * 1024 + 4);
  EXPECT_EQ(r.status, RunStatus::launch_refused);
  EXPECT_NE(r.message.find("bytes of LDS"), std::string::npos) << r.message;
  EXPECT_EQ(run.launch(1, 2000).status, RunStatus::launch_refused);
}

TEST(SimEnds, ArgumentsThatDoNotFit) {
  SimRun few(kernels(), "add3");
  few.input(ones(64)).output<float>(64);
  EXPECT_NE(few.launch(1, 64).message.find("takes 3 arguments, the plan gives 2"), std::string::npos)
      << few.result().run.message;
  SimRun narrow(kernels(), "add3");
  narrow.input(ones(64)).output<float>(64).value(1);
  EXPECT_NE(narrow.launch(1, 64).message.find("has 8 bytes in the kernel and 4 in the plan"), std::string::npos)
      << narrow.result().run.message;
  SimRun unknown(kernels(), "no_such_kernel");
  EXPECT_EQ(unknown.launch(1, 64).status, RunStatus::launch_refused);
}

TEST(SimEnds, UnmodelledInstructionStopsByName) {
  std::string code = compile_kernels(R"(extern "C" __global__ void k(float* y) {
    float r; asm volatile("v_screen_partition_4se_b32 %0, %1" : "=v"(r) : "v"(1.0f)); y[TID] = r; })");
  SimRun run(code, "k");
  run.output<float>(64);
  const hipvault::Run& r = run.launch(1, 64);
  EXPECT_EQ(r.status, RunStatus::not_modelled);
  EXPECT_NE(r.message.find("not modelled: v_screen_partition_4se_b32"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("kernel.hip:2"), std::string::npos) << r.message;
}

TEST(SimRuns, OnlyChosenGroupsAndTheirBytes) {
  std::string code = compile_kernels("extern \"C\" __global__ void fill(int* y) { y[GID(64)] = BID; }");
  SimRun run(code, "fill");
  run.output<int>(64 * 10);
  run.request().only_groups = {7, 2, 3, 99, -1};
  ASSERT_EQ(summary(run.launch(10, 64)), "completed");
  EXPECT_EQ(run.result().run.launches[0].groups, 10);
  EXPECT_EQ(run.result().run.launches[0].groups_run, 3);
  std::vector<std::pair<int64_t, int64_t>> expected = {{512, 1024}, {1792, 2048}};
  EXPECT_EQ(run.result().written[0], expected);
  EXPECT_EQ(run.values<int>(0)[64 * 7], 7);
}

TEST(SimRuns, CountsInstructionsBytesAndLines) {
  std::string code = compile_kernels(
      "extern \"C\" __global__ void copy(const float* x, float* y) { y[GID(64)] = x[GID(64)]; }\n"
      "extern \"C\" __global__ void strided(const float* x, float* y) { y[TID] = x[TID * 32]; }\n"
      "extern \"C\" __global__ void banks(float* y, int stride) { __shared__ float t[64 * 32]; for (int i = TID; i < "
      "2048; i += 64) t[i] = i; SYNC(); y[TID] = t[TID * stride]; }");
  SimRun run(code, "copy");
  run.input(ones(64 * 8)).output<float>(64 * 8);
  run.request().count_lines = true;
  const LaunchProfile p = run.launch(8, 64).launches[0];
  EXPECT_EQ(p.bytes_loaded, 64 * 8 * 4);
  EXPECT_EQ(p.lines_loaded, 16);
  EXPECT_EQ(p.lines_stored, 16);
  EXPECT_EQ(p.unique_bytes_loaded, 64 * 8 * 4);
  EXPECT_EQ(p.unique_bytes_stored, 64 * 8 * 4);
  EXPECT_EQ(p.instructions.at("vmem_load"), 8);
  EXPECT_EQ(p.instructions.at("vmem_store"), 8);
  SimRun wide(code, "strided");
  wide.input(ones(64 * 32)).output<float>(64);
  EXPECT_EQ(wide.launch(1, 64).launches[0].lines_loaded, 64);
  // Stride 1 has no conflicts; stride 32 puts all 32 lanes of a phase in one bank: 31 extra cycles in each of two
  // phases.
  std::vector<int64_t> conflicts;
  for (int stride : {1, 32}) {
    SimRun banks(code, "banks");
    banks.output<float>(64).value(stride);
    conflicts.push_back(banks.launch(1, 64).launches[0].lds_conflict_cycles);
  }
  EXPECT_EQ(conflicts[1] - conflicts[0], 62);
}

}  // namespace
}  // namespace hipvault
