#include "compile/back_end.h"
#include "compile/worker.h"

namespace hipvault::compile {
namespace {

constexpr int64_t kMemory = int64_t{4} << 30, kResult = int64_t{256} << 20;

// One zygote serves every compiler of the process. It is never destroyed in a running program's threads: the
// function-local static goes at exit.
jail::Workers& compile_workers() {
  static jail::Workers workers(worker_kind());
  return workers;
}

tl::unexpected<Diagnostic> missing_toolchain(const Diagnostic& why) {
  return fail("toolchain.missing", "the built-in clang cannot be started: " + why.message,
              "install it with: apt-get install libclang-cpp22 libllvm22, and see `hipvault doctor`");
}

class BuiltInBackEnd : public BackEnd {
 public:
  BuiltInBackEnd() { compile_workers().launch(); }

  std::string toolchain() const override { return "clang " + built_in_version() + " (built in)"; }

  std::vector<std::string> words(const std::string& arch, const Flags& flags, const std::string& file) const override {
    std::vector<std::string> all = cc1_arguments(arch, flags, file), llvm = llvm_arguments(flags);
    all.insert(all.end(), llvm.begin(), llvm.end());
    return all;
  }

  Result<BackEndOutput> compile(const CompileRequest& request, const Flags& flags, const std::string& file) override {
    jail::Limits limits;
    limits.deadline_s = request.deadline_s;
    limits.memory_bytes = kMemory;
    limits.result_bytes = kResult;
    std::string bytes =
        to_bytes(WorkerRequest{file, request.source, cc1_arguments(request.arch, flags, file), llvm_arguments(flags)});
    Result<jail::Outcome> outcome = compile_workers().run(bytes, limits);
    if (!outcome) return missing_toolchain(outcome.error());
    BackEndOutput result;
    result.seconds = outcome->cpu_seconds;
    result.lasting = outcome->end == jail::End::finished;
    if (!result.lasting) {
      result.output.diagnostics = outcome->errors + "hipvault: the compiler " + describe(*outcome, limits) + "\n";
      return result;
    }
    Result<BuiltInOutput> output = output_from_bytes(outcome->result);
    if (!output) return fail(output.error());
    result.output = std::move(*output);
    result.output.diagnostics += outcome->errors;
    return result;
  }
};

}  // namespace

std::unique_ptr<BackEnd> make_built_in_back_end() { return std::make_unique<BuiltInBackEnd>(); }

}  // namespace hipvault::compile
