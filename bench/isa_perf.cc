// Speed of matrix instructions on the host: nanoseconds an execution and GFLOP/s of one core, in both modes, beside the
// core's peak of fused multiply-adds in f32. Seconds are CPU time of this thread.
//
//   perf_isa [PART]     only instructions whose name holds PART

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "../test/support/matrix_run.h"

using namespace hipvault;

namespace {

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class F>
double best_of(int repetitions, F f) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    double begin = cpu_seconds();
    f();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

// Sixteen independent chains of 16 lanes: enough to fill two units of latency four.
[[clang::min_vector_width(512)]] double peak_gflops() {
  using Floats = float __attribute__((ext_vector_type(16)));
  constexpr int kSteps = 200000;
  double best = 1e9;
  for (int repetition = 0; repetition < 10; ++repetition) {
    Floats sum[16];
    for (int i = 0; i < 16; ++i) sum[i] = Floats(0.1f * static_cast<float>(i));
    double begin = cpu_seconds();
    for (int step = 0; step < kSteps; ++step) {
      for (Floats& s : sum) s = __builtin_elementwise_fma(s, Floats(0.999f), Floats(0.001f));
      asm volatile("");  // the sixteen chains stay one loop
    }
    best = std::min(best, cpu_seconds() - begin);
    for (const Floats& s : sum) {
      volatile float kept = s[0];
      (void)kept;
    }
  }
  return 16.0 * 32 * kSteps / best / 1e9;
}

// Every value of A and B the same ordinary number: special ones take a slower road.
void fill(test::MatrixRun& run) {
  const target::MatrixInstruction& op = run.row();
  int k_a = is_sparse(op.family) ? op.k / 2 : op.k;
  for (int block = 0; block < op.blocks; ++block)
    for (int i = 0; i < op.m; ++i) {
      for (int k = 0; k < k_a; ++k) run.put_a(block, i, k, uint64_t{3} << (bits_of(run.type_a()) - 4));
      for (int k = 0; k < op.k; ++k) run.put_b(block, k, i, uint64_t{3} << (bits_of(run.type_b()) - 4));
    }
  if (op.scaled)
    for (int lane = 0; lane < op.lanes; ++lane) run.scale_a()[lane] = run.scale_b()[lane] = 0x7f7f7f7f;
}

void measure(const std::string& arch, const target::MatrixInstruction& op, double peak) {
  constexpr int kRuns = 2000;
  for (bool fast : {false, true}) {
    test::MatrixRun run(arch, op.mnemonic, op.lanes);
    run.wave().fast_matrix = fast;
    fill(run);
    if (std::string problem = run.execute(); !problem.empty()) return;
    const isa::Instruction& in = run.instruction();
    double seconds = best_of(7,
                             [&] {
                               for (int i = 0; i < kRuns; ++i) in.operation->execute(in, run.wave());
                             }) /
                     kRuns;
    double gflops = 2e-9 * op.m * op.n * op.k * op.blocks / seconds;
    std::printf("%-8s %-36s w%d %-5s %8.0f ns  %7.2f GFLOP/s  %5.1f %% of peak\n", arch.c_str(), op.mnemonic.c_str(),
                op.lanes, fast ? "fast" : "exact", 1e9 * seconds, gflops, 100 * gflops / peak);
  }
}

}  // namespace

int main(int argc, char** argv) {
  double peak = peak_gflops();
  std::printf("peak of one core: %.1f GFLOP/s (f32)\n", peak);
  for (const target::Arch& arch : target::simulated_archs())
    for (const target::MatrixInstruction& op : target::matrix_instructions(arch.name))
      if (argc < 2 || op.mnemonic.find(argv[1]) != std::string::npos) measure(arch.name, op, peak);
  return 0;
}
