#include "compile/compiler.h"

#include "base/hash.h"
#include "compile/back_end.h"
#include "compile/cache.h"
#include "compile/resources.h"

namespace hipvault::compile {
namespace {

// A source that includes something gets clang's "file not found", which looks like a missing package without this.
void explain_includes(std::string& diagnostics) {
  if (diagnostics.find("file not found") == std::string::npos) return;
  diagnostics +=
      "hipvault: no file of this machine can be included: a kernel stands alone, with hip/hip_runtime.h, "
      "hip/hip_fp16.h, "
      "hip/hip_bf16.h, stdint.h and math.h as hipvault ships them. Guard host code and other includes with "
      "#ifndef HIPVAULT_DEVICE_ONLY\n";
}

class CachedCompiler : public Compiler {
 public:
  CachedCompiler(std::unique_ptr<BackEnd> back_end, Cache cache)
      : back_end_(std::move(back_end)), cache_(std::move(cache)) {}

  std::string toolchain() override { return back_end_->toolchain(); }

  Result<CompileOutput> compile(const CompileRequest& request) override {
    Result<Flags> flags = read_flags(request);
    if (!flags) return fail(flags.error());
    std::string file = plain_file_name(request.file_name);
    std::string key = cache_key(request, back_end_->words(request.arch, *flags, file), toolchain());
    if (std::optional<CompileOutput> kept = cache_.find(key)) return *kept;

    Result<BackEndOutput> made = back_end_->compile(request, *flags, file);
    if (!made) return fail(made.error());
    Result<CompileOutput> output = finish(std::move(made->output), request.arch, made->seconds);
    if (!output || !made->lasting) return output;
    if (Status stored = cache_.store(key, *output); !stored) return fail(stored.error());
    return output;
  }

 private:
  Result<CompileOutput> finish(BuiltInOutput made, const std::string& arch, double seconds) {
    CompileOutput output;
    output.ok = made.ok;
    output.diagnostics = std::move(made.diagnostics);
    output.toolchain = toolchain();
    output.seconds = seconds;
    explain_includes(output.diagnostics);
    if (!output.ok) return output;
    Result<std::vector<KernelResources>> kernels = read_resources(made.code_object, arch);
    if (!kernels) return fail(kernels.error());
    output.kernels = std::move(*kernels);
    output.hash = hash_hex(made.code_object);
    output.code_object = std::move(made.code_object);
    return output;
  }

  std::unique_ptr<BackEnd> back_end_;
  Cache cache_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> make_compiler(const CompilerOptions& options) {
  FileSystem& files = options.file_system ? *options.file_system : real_file_system();
  Cache cache(files, options.cache_directory);
  if (options.clang_path.empty()) return std::make_unique<CachedCompiler>(make_built_in_back_end(), std::move(cache));
  Result<std::unique_ptr<BackEnd>> program = make_program_back_end(options.clang_path);
  if (!program) return fail(program.error());
  return std::make_unique<CachedCompiler>(std::move(*program), std::move(cache));
}

}  // namespace hipvault::compile
