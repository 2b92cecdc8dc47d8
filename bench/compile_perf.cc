// What a compilation costs in a warm worker: seconds of one core as the child reports them, and wall clock seen by the
// caller.
//
//   perf_compile [FILE.hip…]     without files: a small row softmax

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/file_system.h"
#include "compile/compiler.h"
#include "compile/worker.h"

using namespace hipvault;

namespace {

constexpr const char* kSoftmax = R"(#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
__attribute__((device)) inline float wave_max(float v) {
  for (int s = 1; s < 64; s *= 2) v = __builtin_fmaxf(v, __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((__lane ^ s) * 4, __builtin_bit_cast(int, v))));
  return v;
}
__attribute__((device)) inline float wave_sum(float v) {
  for (int s = 1; s < 64; s *= 2) v += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((__lane ^ s) * 4, __builtin_bit_cast(int, v)));
  return v;
}
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void softmax(const float* __restrict__ x, float* __restrict__ y, long n) {
  __shared__ float partial[4];
  int t = __builtin_amdgcn_workitem_id_x(), wave = t / 64;
  const float* row = x + __builtin_amdgcn_workgroup_id_x() * n;
  float v[16], largest = -__builtin_inff(), sum = 0;
  for (int i = 0; i < 16; ++i) { v[i] = t + i * 256 < n ? row[t + i * 256] : -__builtin_inff(); largest = __builtin_fmaxf(largest, v[i]); }
  largest = wave_max(largest);
  if (t % 64 == 0) partial[wave] = largest;
  __builtin_amdgcn_s_barrier();
  largest = __builtin_fmaxf(__builtin_fmaxf(partial[0], partial[1]), __builtin_fmaxf(partial[2], partial[3]));
  __builtin_amdgcn_s_barrier();
  for (int i = 0; i < 16; ++i) { v[i] = __builtin_expf(v[i] - largest); sum += v[i]; }
  sum = wave_sum(sum);
  if (t % 64 == 0) partial[wave] = sum;
  __builtin_amdgcn_s_barrier();
  sum = partial[0] + partial[1] + partial[2] + partial[3];
  for (int i = 0; i < 16; ++i) if (t + i * 256 < n) y[__builtin_amdgcn_workgroup_id_x() * n + t + i * 256] = v[i] / sum;
}
)";

void measure(compile::Compiler& compiler, const std::string& name, std::string source) {
  std::vector<double> core, wall;
  for (int i = 0; i < 11; ++i) {
    compile::CompileRequest request;
    request.source = source + "\n// " + std::to_string(i) + "\n";
    request.arch = "gfx942";
    double begin = real_clock().seconds();
    Result<compile::CompileOutput> output = compiler.compile(request);
    double seconds = real_clock().seconds() - begin;
    if (!output || !output->ok) {
      std::printf("%s: %s\n", name.c_str(), output ? output->diagnostics.c_str() : output.error().message.c_str());
      return;
    }
    if (i > 0) core.push_back(output->seconds), wall.push_back(seconds);
  }
  std::sort(core.begin(), core.end());
  std::sort(wall.begin(), wall.end());
  std::printf("%-28s core %.4f … %.4f median %.4f s   wall %.4f … %.4f median %.4f s\n", name.c_str(), core.front(),
              core.back(), core[5], wall.front(), wall.back(), wall[5]);
}

}  // namespace

int main(int argc, char** argv) {
  const jail::Kind kinds[] = {compile::worker_kind()};
  if (argc > 1 && std::string(argv[1]) == "__zygote") return jail::zygote_main(argc, argv, kinds);
  jail::use_own_program();
  std::unique_ptr<compile::Compiler> compiler = std::move(*compile::make_compiler({}));
  double begin = real_clock().seconds();
  compile::CompileRequest first;
  first.source = "int x;";
  first.arch = "gfx942";
  (void)compiler->compile(first);
  std::printf("zygote start and first job: %.3f s\n", real_clock().seconds() - begin);
  std::string head = std::string(kSoftmax);
  for (size_t at; (at = head.find("__lane")) != std::string::npos;)
    head.replace(at, 6, "int(__builtin_amdgcn_workitem_id_x() % 64)");
  measure(*compiler, "softmax (built in here)", head);
  for (int i = 1; i < argc; ++i) {
    Result<std::string> source = real_file_system().read(argv[i]);
    if (source) measure(*compiler, argv[i], *source);
  }
}
