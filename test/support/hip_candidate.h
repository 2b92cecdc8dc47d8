#pragma once
// A HIP source with a plan, compiled and judged: what the cheat catalogue and the mutation program share. Below the
// engine on purpose, so that the judge is tried without the rooms that generate kernels.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "device/device.h"
#include "frontend/hv.h"
#include "print/hip.h"
#include "target/target.h"
#include "verify/judge.h"

namespace hipvault::test {

inline std::string text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Whether the program's tensors have the plan's dtypes.
inline bool dtypes_fit(const ir::Program& program, const Plan& plan) {
  for (const BufferSpec& buffer : plan.buffers) {
    const ir::Tensor* tensor = program.tensor(buffer.name);
    if (tensor == nullptr || tensor->dtype != buffer.dtype) return false;
  }
  return true;
}

// The op that a plan names, from `folder`, with the type variables that give the plan's dtypes.
inline Result<ir::Program> program_of(const Plan& plan, const std::string& folder) {
  std::string standard = text_of_file(folder + "/std.hv");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hv" || entry.path().filename() == "std.hv") continue;
    Result<frontend::OpFileRef> file = frontend::parse_file(text_of_file(entry.path()), entry.path(), standard);
    if (!file) continue;
    std::vector<std::string> names = frontend::op_names(*file);
    if (std::find(names.begin(), names.end(), plan.op) == names.end()) continue;
    auto variables = frontend::type_variables(*file, plan.op);
    if (!variables) return fail(variables.error());
    size_t total = 1;
    for (const auto& [name, choices] : *variables) total *= choices.size();
    for (size_t choice = 0; choice < total; ++choice) {
      std::map<std::string, DType> types;
      size_t rest = choice;
      for (const auto& [name, choices] : *variables) {
        types[name] = choices[rest % choices.size()];
        rest /= choices.size();
      }
      DType fp8 = target::find_arch(plan.arch.empty() ? "gfx942" : plan.arch)->fp8;
      Result<ir::Program> program = frontend::instantiate(*file, plan.op, types, fp8);
      if (program && dtypes_fit(*program, plan)) return program;
    }
    return fail("test.dtypes", "no dtypes of the op " + plan.op + " give those of the plan's buffers");
  }
  return fail("test.op", "no file in " + folder + " has an op " + plan.op);
}

// Compiles and judges sources that all have the same plan. One a thread.
class HipTrial {
 public:
  static Result<std::unique_ptr<HipTrial>> open(const std::string& gpu, const std::string& arch) {
    Result<std::unique_ptr<compile::Compiler>> compiler = compile::make_compiler({});
    if (!compiler) return fail(compiler.error());
    Result<std::unique_ptr<device::Device>> device = device::open_device("sim", gpu);
    if (!device) return fail(device.error());
    auto trial = std::make_unique<HipTrial>();
    trial->compiler_ = std::move(*compiler);
    trial->device_ = std::move(*device);
    trial->arch_ = arch;
    return trial;
  }

  Result<compile::CompileOutput> compile(const std::string& source) {
    compile::CompileRequest request;
    request.source = source;
    request.arch = arch_;
    return compiler_->compile(request);
  }

  Result<Verdict> judge(verify::Judge& judge, const Plan& plan, const std::string& code_object,
                        const verify::JudgeOptions& options) {
    std::optional<DType> accumulate = dtype_by_name(plan.accumulate);
    double roundoff =
        accumulate && is_float(*accumulate) ? std::ldexp(1.0, -info(*accumulate).mantissa_bits - 1) : 0x1p-24;
    return judge.judge({plan, {code_object}, roundoff}, *device_, options);
  }

 private:
  std::unique_ptr<compile::Compiler> compiler_;
  std::unique_ptr<device::Device> device_;
  std::string arch_;
};

}  // namespace hipvault::test
