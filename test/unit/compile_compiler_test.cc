// The compiler as its users see it. Kernels here are written by hand; what they use is compared with what the clang
// program and LLVM's own reading of the code object say.

#include "compile/compiler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/subprocess.h"
#include "compile/worker.h"
#include "support/fake_file_system.h"
#include "support/process_count.h"
#include "target/target.h"

namespace hipvault::compile {
namespace {

constexpr const char* kVectorAdd = R"(#define __global__ __attribute__((global))
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
void vector_add(const float* x, const float* y, float* z, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < n) z[i] = x[i] + y[i];
}
)";

std::unique_ptr<Compiler> compiler(CompilerOptions options = {}) {
  Result<std::unique_ptr<Compiler>> made = make_compiler(options);
  EXPECT_TRUE(made) << render(made.error());
  return std::move(*made);
}

CompileRequest request(const std::string& source, const std::string& arch = "gfx942") {
  CompileRequest request;
  request.source = source;
  request.arch = arch;
  return request;
}

CompileOutput compile(const CompileRequest& request) {
  Result<CompileOutput> output = compiler()->compile(request);
  EXPECT_TRUE(output) << render(output.error());
  return output ? *output : CompileOutput{};
}

TEST(Compile, MakesACodeObjectForEveryArch) {
  for (const target::Arch& arch : target::simulated_archs()) {
    CompileOutput output = compile(request(kVectorAdd, arch.name));
    ASSERT_TRUE(output.ok) << arch.name << ": " << output.diagnostics;
    EXPECT_EQ(output.diagnostics, "");
    EXPECT_EQ(output.code_object.substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_EQ(output.hash.size(), 32u);
    EXPECT_GT(output.seconds, 0);
    ASSERT_EQ(output.kernels.size(), 1u);
    EXPECT_EQ(output.kernels[0].kernel, "vector_add");
    EXPECT_EQ(output.kernels[0].max_group_size, 256);
    EXPECT_EQ(output.kernels[0].wave_size, arch.wave_sizes[0]);
    EXPECT_EQ(output.kernels[0].occupancy, arch.max_waves_per_simd) << arch.name;
  }
}

TEST(Compile, GivesTheSameBytesEveryTime) {
  EXPECT_EQ(compile(request(kVectorAdd)).code_object, compile(request(kVectorAdd)).code_object);
}

// LDS by hand: 1000 floats; accumulators: 16 of the 32x32 product, held in either file.
TEST(Compile, ReportsResources) {
  CompileOutput output = compile(request(R"(#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void k(h4* a, f16v* c, float* p, int n) {
  __shared__ float tile[1000];
  tile[__builtin_amdgcn_workitem_id_x()] = p[n];
  __builtin_amdgcn_s_barrier();
  f16v d = *c;
  for (int i = 0; i < n; ++i) d = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i], a[i + 1], d, 0, 0, 0);
  *c = d;
  p[0] = tile[n];
})"));
  ASSERT_TRUE(output.ok) << output.diagnostics;
  const KernelResources& kernel = output.kernels.at(0);
  EXPECT_EQ(kernel.lds_bytes, 4000);
  EXPECT_EQ(kernel.vgpr_spills, 0);
  EXPECT_EQ(kernel.scratch_bytes, 0);
  EXPECT_GE(kernel.vgprs + kernel.agprs, 16);
  EXPECT_EQ(kernel.occupancy, 4);  // 64 KiB / 4096 B = 16 groups of one wave on 4 SIMDs
}

TEST(Compile, ASpillIsSeen) {
  std::string source =
      R"(extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1024, 1024))) void k(float* p) {
  float v[160]; int t = __builtin_amdgcn_workitem_id_x();
#pragma unroll
  for (int i = 0; i < 160; ++i) v[i] = p[i * 1024 + t];
  __builtin_amdgcn_s_barrier();
#pragma unroll
  for (int i = 0; i < 160; ++i) p[i * 1024 + t] = v[159 - i] * v[i];
})";
  CompileOutput output = compile(request(source));
  ASSERT_TRUE(output.ok) << output.diagnostics;
  EXPECT_GT(output.kernels[0].vgpr_spills, 0);
  EXPECT_GT(output.kernels[0].scratch_bytes, 0);
}

TEST(Compile, KeepsDiagnosticsWhole) {
  CompileRequest bad = request("extern \"C\" __attribute__((global)) void k(float* p) {\n  p[0] = q;\n  r();\n}\n");
  bad.file_name = "../mine/broken.hip";
  CompileOutput output = compile(bad);
  EXPECT_FALSE(output.ok);
  EXPECT_EQ(output.diagnostics,
            "broken.hip:2:10: error: use of undeclared identifier 'q'\n"
            "    2 |   p[0] = q;\n"
            "      |          ^\n"
            "broken.hip:3:3: error: use of undeclared identifier 'r'\n"
            "    3 |   r();\n"
            "      |   ^\n"
            "2 errors generated when compiling for gfx942.\n");
}

TEST(Compile, AWarningComesBesideTheCode) {
  CompileOutput output =
      compile(request("extern \"C\" __attribute__((global)) void k(float* p) { int unused = 3; *p = 1; }\n"));
  EXPECT_TRUE(output.ok);
  EXPECT_NE(output.diagnostics.find("warning: unused variable 'unused'"), std::string::npos) << output.diagnostics;
}

TEST(Compile, NoFileOfTheMachineCanBeRead) {
  const char* sources[] = {"#include \"/etc/passwd\"\n", "#include </usr/include/stdio.h>\n",
                           "const char x[] = {\n#embed \"/etc/passwd\"\n};\n"};
  for (const char* source : sources) {
    CompileOutput output = compile(request(source));
    EXPECT_FALSE(output.ok) << source;
    EXPECT_NE(output.diagnostics.find("file not found"), std::string::npos) << output.diagnostics;
    EXPECT_NE(output.diagnostics.find("a kernel stands alone"), std::string::npos) << output.diagnostics;
    EXPECT_EQ(output.diagnostics.find("root:"), std::string::npos);
  }
  CompileOutput assembled = compile(
      request("extern \"C\" __attribute__((global)) void k() { asm volatile(\".incbin \\\"/etc/passwd\\\"\"); }\n"));
  EXPECT_FALSE(assembled.ok);
  EXPECT_NE(assembled.diagnostics.find("/etc/passwd"), std::string::npos) << assembled.diagnostics;
  EXPECT_EQ(assembled.code_object, "");
}

TEST(Compile, AnOrdinaryHipKernelFindsItsHeaders) {
  std::string source = R"(#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>
#include <cstdint>
#include <cmath>
template <int B> __device__ float block_sum(float v) {
  __shared__ float part[B / 32];
  for (int s = warpSize / 2; s > 0; s /= 2) v += __shfl_down(v, s);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < blockDim.x / warpSize; ++i) sum += part[i];
  return sum;
}
extern "C" __global__ __launch_bounds__(256) void k(const __half* x, const __hip_bfloat16* y, float* z, int64_t n) {
  float s = 0;
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += fmaxf(expf(__half2float(x[i])), tanhf(__bfloat162float(y[i]))) + __shfl_xor(s, 1) + make_float2(s, 1).y;
  s = block_sum<256>(s);
  if (threadIdx.x == 0) { atomicAdd(z, s); atomicMax(reinterpret_cast<int*>(z) + 1, __popcll(__ballot(s > 0))); }
}
extern "C" __global__ __launch_bounds__(64, 2) void two(double* p) { p[threadIdx.x] = fma(p[0], sqrt(p[1]), fabs(p[2])); }
)";
  for (const target::Arch& arch : target::simulated_archs()) {
    CompileOutput output = compile(request(source, arch.name));
    ASSERT_TRUE(output.ok) << arch.name << "\n" << output.diagnostics;
    EXPECT_EQ(output.diagnostics, "");
    ASSERT_EQ(output.kernels.size(), 2u);
    EXPECT_EQ(output.kernels[0].max_group_size, 256);
    EXPECT_EQ(output.kernels[1].max_group_size, 64);
  }
}

// The back end cannot select this builtin on this arch and aborts the process: a value here, not our end.
TEST(Compile, ABackEndThatDiesIsAFailedCompilation) {
  CompileOutput output = compile(request(R"(typedef int i4 __attribute__((ext_vector_type(4)));
extern "C" __attribute__((global)) void k(i4* p, int* q) { *p = __builtin_amdgcn_mfma_i32_16x16x16i8(q[0], q[1], *p, 0, 0, 0); })"));
  EXPECT_FALSE(output.ok);
  EXPECT_NE(output.diagnostics.find("Cannot select"), std::string::npos) << output.diagnostics;
  EXPECT_NE(output.diagnostics.find("hipvault: the compiler crashed"), std::string::npos) << output.diagnostics;
}

TEST(Compile, ACompilationThatDoesNotEndIsKilled) {
  CompileRequest endless = request(
      R"(constexpr unsigned spin(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; ++i) s += i; return s; }
static_assert(spin(1u << 31) == 0);
)");
  endless.source =
      "#define A(x) x x x x x x x x\n#define B(x) A(A(A(x)))\nconst char* t = B(B(B(B(\"0123456789abcdef\"))));\n" +
      endless.source;
  endless.deadline_s = 0.3;
  CompileOutput output = compile(endless);
  EXPECT_FALSE(output.ok);
  EXPECT_NE(output.diagnostics.find("hipvault: the compiler"), std::string::npos) << output.diagnostics.substr(0, 1000);
}

TEST(CompileFlags, OutsideTheListAreRefused) {
  for (const char* flag : {"-fplugin=/tmp/x.so", "-I/etc", "@/etc/passwd", "-o", "-DX=1 -I/etc@", "-O4", "-MF"}) {
    CompileRequest bad = request(kVectorAdd);
    bad.flags = {flag};
    Result<CompileOutput> output = compiler()->compile(bad);
    if (std::string(flag).starts_with("-DX")) {
      EXPECT_TRUE(output) << "a define is one word for the compiler, whatever it holds";
      continue;
    }
    ASSERT_FALSE(output) << flag;
    EXPECT_EQ(output.error().code, "compile.flag");
    EXPECT_NE(output.error().message.find(flag), std::string::npos);
  }
}

TEST(CompileFlags, AllowedOnesReachTheCompiler) {
  CompileRequest defined = request("#if SIZE != 7\n#error SIZE is not here\n#endif\n");
  EXPECT_FALSE(compile(defined).ok);
  defined.flags = {"-DSIZE=7", "-O1"};
  EXPECT_TRUE(compile(defined).ok);
  CompileRequest preload = request(kVectorAdd);
  preload.flags = {"-mllvm", "-amdgpu-kernarg-preload-count=8"};
  EXPECT_TRUE(compile(preload).ok);
  EXPECT_NE(compile(preload).hash, compile(request(kVectorAdd)).hash);
}

TEST(CompileArch, ThatIsUnknownListsTheKnownOnes) {
  Result<CompileOutput> output = compiler()->compile(request(kVectorAdd, "gfx1"));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, "compile.arch");
  EXPECT_NE(output.error().hint.find("gfx942"), std::string::npos);
}

CompilerOptions cached_in(test::FakeFileSystem& files) {
  CompilerOptions options;
  options.cache_directory = "/cache";
  options.file_system = &files;
  return options;
}

TEST(CompileCache, GivesBackWhatWasCompiled) {
  test::FakeFileSystem files;
  Result<CompileOutput> first = compiler(cached_in(files))->compile(request(kVectorAdd));
  Result<CompileOutput> second = compiler(cached_in(files))->compile(request(kVectorAdd));
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->cached);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(second->seconds, 0);
  EXPECT_EQ(second->code_object, first->code_object);
  EXPECT_EQ(second->hash, first->hash);
  EXPECT_EQ(second->kernels.at(0).vgprs, first->kernels.at(0).vgprs);
  EXPECT_EQ(second->kernels.at(0).kernarg_bytes, first->kernels.at(0).kernarg_bytes);
  EXPECT_EQ(second->toolchain, first->toolchain);
}

TEST(CompileCache, TellsRequestsApart) {
  test::FakeFileSystem files;
  CompileRequest plain = request(kVectorAdd), flags = plain, arch = plain, named = plain;
  flags.flags = {"-O1"};
  arch.arch = "gfx950";
  named.file_name = "other.hip";
  for (const CompileRequest& one : {plain, flags, arch, named, request(std::string(kVectorAdd) + "\n")}) {
    EXPECT_FALSE(compiler(cached_in(files))->compile(one)->cached);
  }
  EXPECT_EQ(files.files.size(), 5u);
}

TEST(CompileCache, KeepsErrorsToo) {
  test::FakeFileSystem files;
  CompileRequest bad = request("int x = y;\n");
  std::string said = compiler(cached_in(files))->compile(bad)->diagnostics;
  Result<CompileOutput> again = compiler(cached_in(files))->compile(bad);
  EXPECT_TRUE(again->cached);
  EXPECT_FALSE(again->ok);
  EXPECT_EQ(again->diagnostics, said);
}

TEST(CompileCache, ADamagedEntryIsBuiltAgain) {
  test::FakeFileSystem files;
  std::string code = compiler(cached_in(files))->compile(request(kVectorAdd))->code_object;
  std::string good = files.files.begin()->second;
  std::string flipped = good, cut = good.substr(0, good.size() / 2);
  flipped[good.size() - 100] ^= 1;
  for (const std::string& damaged : {flipped, cut, std::string(), std::string("hello")}) {
    files.files.begin()->second = damaged;
    Result<CompileOutput> output = compiler(cached_in(files))->compile(request(kVectorAdd));
    ASSERT_TRUE(output);
    EXPECT_FALSE(output->cached);
    EXPECT_EQ(output->code_object, code);
    EXPECT_EQ(files.files.begin()->second, good);
  }
}

TEST(CompileCache, AFullDiskIsSaid) {
  test::FakeFileSystem files;
  files.full = true;
  Result<CompileOutput> output = compiler(cached_in(files))->compile(request(kVectorAdd));
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().message.find("No space left on device"), std::string::npos);
  files.full = false;
  EXPECT_TRUE(compiler(cached_in(files))->compile(request(kVectorAdd))->ok);
}

TEST(CompileWithProgram, SaysSoAndGivesTheSameKernel) {
  CompilerOptions options;
  options.clang_path = "/usr/bin/clang-22";
  std::unique_ptr<Compiler> program = compiler(options);
  EXPECT_NE(program->toolchain().find("clang at /usr/lib/llvm-22/bin/clang: "), std::string::npos)
      << program->toolchain();
  Result<CompileOutput> output = program->compile(request(kVectorAdd));
  ASSERT_TRUE(output) << render(output.error());
  ASSERT_TRUE(output->ok) << output->diagnostics;
  CompileOutput built_in = compile(request(kVectorAdd));
  ASSERT_EQ(output->kernels.size(), 1u);
  EXPECT_EQ(output->kernels[0].vgprs, built_in.kernels[0].vgprs);
  EXPECT_EQ(output->kernels[0].sgprs, built_in.kernels[0].sgprs);
  EXPECT_EQ(output->kernels[0].kernarg_bytes, built_in.kernels[0].kernarg_bytes);
  EXPECT_NE(output->toolchain, built_in.toolchain);

  Result<CompileOutput> bad = program->compile(request("int x = y;\n"));
  ASSERT_TRUE(bad);
  EXPECT_FALSE(bad->ok);
  EXPECT_NE(bad->diagnostics.find("kernel.hip:1:9: error: use of undeclared identifier 'y'"), std::string::npos)
      << bad->diagnostics;
}

TEST(CompileWithProgram, MissingOrWrongIsAToolchainError) {
  for (const char* path : {"/nowhere/clang", "/bin/true"}) {
    CompilerOptions options;
    options.clang_path = path;
    Result<std::unique_ptr<Compiler>> made = make_compiler(options);
    ASSERT_FALSE(made) << path;
    EXPECT_EQ(made.error().code, "toolchain.missing");
    EXPECT_NE(made.error().hint.find("apt-get install clang-22"), std::string::npos);
  }
}

}  // namespace
}  // namespace hipvault::compile

int main(int argc, char** argv) {
  const hipvault::jail::Kind kinds[] = {hipvault::compile::worker_kind()};
  if (argc > 1 && std::string(argv[1]) == "__zygote") return hipvault::jail::zygote_main(argc, argv, kinds);
  testing::InitGoogleTest(&argc, argv);
  hipvault::jail::use_own_program();
  return RUN_ALL_TESTS();
}
