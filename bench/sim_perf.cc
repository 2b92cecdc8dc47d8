// Speed of the simulated GPU: millions of wave-instructions a second of one core, with checks and without, and what a
// run costs before its first instruction. Seconds are user CPU time of this thread.
//
//   perf_sim [NAME]     only kernels whose name holds NAME; clang-22 must be installed

#include <sys/resource.h>

#include <cstdio>

#include "../test/support/hip_kernels.h"
#include "../test/support/sim_run.h"
#include "isa/program.h"

using namespace hipvault;

namespace {

constexpr const char* kSource = R"(
typedef float f4 __attribute__((ext_vector_type(4)));
__device__ float wave_sum(float x) {
  for (int d = 32; d > 0; d >>= 1) x += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(((TID & 63) ^ d) * 4, __builtin_bit_cast(int, x)));
  return x;
}
__device__ float wave_max(float x) {
  for (int d = 32; d > 0; d >>= 1) x = __builtin_fmaxf(x, __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(((TID & 63) ^ d) * 4, __builtin_bit_cast(int, x))));
  return x;
}
extern "C" __global__ void tiny(const float* x, float* y, int n) { if (TID < n) y[TID] = x[TID] + 1; }
// A row of n floats a group, four a lane and step, kept in registers.
extern "C" __global__ void softmax(const float* x, float* y, int n) {
  __shared__ float part[4];
  const f4* row = (const f4*)(x + (long)BID * n);
  f4 v[4];
  float m = -__builtin_inff(), s = 0;
  for (int i = 0; i < 4; ++i) {
    v[i] = i * 1024 + TID * 4 < n ? row[i * 256 + TID] : (f4)(-__builtin_inff());
    for (int j = 0; j < 4; ++j) m = __builtin_fmaxf(m, v[i][j]);
  }
  m = wave_max(m);
  if ((TID & 63) == 0) part[TID >> 6] = m;
  SYNC();
  m = __builtin_fmaxf(__builtin_fmaxf(part[0], part[1]), __builtin_fmaxf(part[2], part[3]));
  SYNC();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) s += v[i][j] = __builtin_exp2f((v[i][j] - m) * 1.44269504f);
  s = wave_sum(s);
  if ((TID & 63) == 0) part[TID >> 6] = s;
  SYNC();
  s = 1 / (part[0] + part[1] + part[2] + part[3]);
  for (int i = 0; i < 4; ++i)
    if (i * 1024 + TID * 4 < n) ((f4*)(y + (long)BID * n))[i * 256 + TID] = v[i] * s;
}
extern "C" __global__ void copy16(const f4* x, f4* y, int n) { for (int i = GID(256); i < n / 4; i += 256 * 16) y[i] = x[i]; }
extern "C" __global__ void copy2(const u16* x, u16* y, int n) { for (int i = GID(256); i < n; i += 256 * 16) y[i] = x[i]; }
// C = A B of n x n floats, tiles of 16 x 16 in LDS.
extern "C" __global__ void matmul(const float* a, float* c, int n) {
  __shared__ float ta[16][16], tb[16][17];
  int tx = TID & 15, ty = TID >> 4, per = n / 16, row = BID / per * 16 + ty, col = BID % per * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[ty][tx] = a[row * n + t + tx];
    tb[ty][tx] = a[(t + ty) * n + col];
    SYNC();
    for (int i = 0; i < 16; ++i) sum += ta[ty][i] * tb[i][tx];
    SYNC();
  }
  c[row * n + col] = sum;
}
// Rows staged in LDS by 16-byte accesses and read back transposed, four at a time.
extern "C" __global__ void stage16(const f4* x, f4* y, int n) {
  __shared__ f4 t[1024];
  f4 s = 0;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < 4; ++i) t[i * 256 + TID] = x[i * 256 + TID];
    SYNC();
    for (int i = 0; i < 4; ++i) s += t[(TID * 4 + i) & 1023];
    SYNC();
  }
  y[GID(256)] = s;
}
)";

struct Kernel {
  const char* name;
  size_t floats;  // in and out
  int64_t n, groups, block;
  int runs;
};
constexpr Kernel kKernels[] = {{"tiny", 64, 64, 1, 64, 200},
                               {"softmax", 256 * 4096, 4096, 256, 256, 3},
                               {"copy16", 1 << 22, 1 << 22, 16, 256, 2},
                               {"copy2", 1 << 20, 1 << 20, 16, 256, 2},
                               {"matmul", 128 * 128, 128, 64, 256, 3},
                               {"stage16", 1 << 13, 64, 8, 256, 3}};

double user_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec) +
         static_cast<double>(usage.ru_stime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_stime.tv_usec);
}

void measure(const std::string& code, const Kernel& k, bool check) {
  test::SimRun run(code, k.name);
  run.request().check = check;
  run.input(std::vector<float>(k.floats, 1.0f)).output<float>(k.floats).value(k.n);
  Run result = run.launch(k.groups, k.block);  // untimed: the first run of a process sets up LLVM
  double begin = user_seconds();
  int64_t steps = 0;
  for (int i = 0; i < k.runs; ++i) {
    result = run.launch(k.groups, k.block);
    for (const auto& [kind, count] : result.launches.at(0).instructions) steps += count;
  }
  double seconds = user_seconds() - begin;
  std::printf("%-8s checks %-3s  %7.2f ms a run  %7.2f M wave-instructions/s  %s\n", k.name, check ? "on" : "off",
              1e3 * seconds / k.runs, 1e-6 * static_cast<double>(steps) / seconds,
              result.findings.empty() ? "" : test::summary(result).c_str());
}

// What a worker that never saw the code object pays; sim::run() remembers the last few.
void measure_loading(const std::string& code) {
  constexpr int kRuns = 50;
  size_t instructions = isa::load_program(code, "gfx942").value()->decoded.size();
  double begin = user_seconds();
  for (int i = 0; i < kRuns; ++i) (void)isa::load_program(code, "gfx942");
  std::printf("loading %zu instructions  %7.2f ms\n", instructions, 1e3 * (user_seconds() - begin) / kRuns);
}

}  // namespace

int main(int argc, char** argv) {
  std::string code = test::compile_kernels(kSource);
  measure_loading(code);
  for (const Kernel& k : kKernels)
    for (bool check : {true, false})
      if (argc < 2 || std::string(k.name).find(argv[1]) != std::string::npos) measure(code, k, check);
  return 0;
}
