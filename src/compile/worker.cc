// Warming up: the first compilation in a process costs several times the second (lazy symbol binding over two large
// libraries, pages of code touched for the first time, pass registries). The zygote compiles one small kernel that uses
// the usual parts, so every forked child starts from a hot image that it shares with its siblings.

#include "compile/worker.h"

#include "compile/arguments.h"
#include "compile/pack.h"
#include "target/target.h"

namespace hipvault::compile {
namespace {

constexpr const char* kWarmUpSource = R"(
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4v __attribute__((ext_vector_type(4)));
template <int N> __attribute__((device)) inline float total(const float (&v)[N]) {
  float s = 0.0f;
#pragma unroll
  for (int i = 0; i < N; ++i) s += __builtin_expf(v[i]);
  return s;
}
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void warm(
    const float* __restrict__ x, const unsigned short* __restrict__ h, float* __restrict__ y, long n) {
  __shared__ float tile[256];
  int t = __builtin_amdgcn_workitem_id_x();
  long row = __builtin_amdgcn_workgroup_id_x();
  float v[4] = {};
  for (long c = t; c < n; c += 256)
    for (int i = 0; i < 4; ++i)
      if (c * 4 + i < n) v[i] = __builtin_fmaf(x[row * n + c * 4 + i], 2.0f, v[i]);
  tile[t] = total(v) / float(n + 1);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __builtin_amdgcn_s_barrier();
  }
  if (h) {
    half4 a = *reinterpret_cast<const half4*>(h + t * 4);
    float4v d = {};
#ifdef WARM_MATRIX
    d = WARM_MATRIX(a, a, d, 0, 0, 0);
#endif
    y[t] += d[0] + d[1] + float(a[0]);
  }
  if (t == 0) __atomic_fetch_add(reinterpret_cast<int*>(y + row), int(tile[0]), __ATOMIC_RELAXED);
}
)";

void warm_up() {
  initialise_llvm();
  const target::Arch& arch = target::all_archs().front();
  Flags flags;
  for (const target::MatrixOp& op : arch.matrix_ops) {
    bool half4_to_float4 = op.a == DType::f16 && op.map_a.element_bits.size() == 2 && op.map_c.element_bits.size() == 2;
    if (half4_to_float4 && flags.defines.empty()) flags.defines = {"-DWARM_MATRIX=" + op.builtin};
  }
  BuiltInOutput output =
      compile_in_memory("warm.hip", kWarmUpSource, cc1_arguments(arch.name, flags, "warm.hip"), llvm_arguments(flags));
  if (output.ok) return;
  std::fprintf(stderr, "the built-in compiler does not work: %s\n", output.diagnostics.c_str());
  std::_Exit(1);
}

std::string handle(std::string_view bytes) {
  std::vector<std::string> parts;
  if (!unpack(bytes, parts) || parts.size() < 3)
    return to_bytes(BuiltInOutput{false, "hipvault: a broken request\n", ""});
  std::vector<std::string> cc1_words, llvm_words;
  if (!unpack(parts[2], cc1_words) || parts.size() != 4 || !unpack(parts[3], llvm_words))
    return to_bytes(BuiltInOutput{});
  return to_bytes(compile_in_memory(parts[0], parts[1], cc1_words, llvm_words));
}

}  // namespace

jail::Kind worker_kind() { return {"compile", warm_up, handle}; }

std::string to_bytes(const WorkerRequest& request) {
  return pack({request.file, request.source, pack(request.cc1_words), pack(request.llvm_words)});
}

std::string to_bytes(const BuiltInOutput& output) {
  return pack({output.ok ? "1" : "0", output.diagnostics, output.code_object});
}

Result<BuiltInOutput> output_from_bytes(std::string_view bytes) {
  std::vector<std::string> parts;
  if (!unpack(bytes, parts) || parts.size() != 3)
    return fail("compile.worker", "a compile worker gave back something unreadable");
  return BuiltInOutput{parts[0] == "1", std::move(parts[1]), std::move(parts[2])};
}

}  // namespace hipvault::compile
