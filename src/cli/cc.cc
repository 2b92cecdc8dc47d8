#include <unistd.h>

#include "cli/commands.h"
#include "hipfront/toolchain.h"

namespace hipvault::cli {
namespace {

// Takes our own options out; everything else is clang's.
Result<hipfront::CcRequest> read_request(const Arguments& arguments) {
  hipfront::CcRequest request;
  auto value = [&](size_t& i, const std::string& name) -> std::string {
    const std::string& word = arguments[i];
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
    if (word == name && i + 1 < arguments.size()) return arguments[++i];
    return "";
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") continue;
    if (word == "--gpu" || word.starts_with("--gpu=")) {
      Result<target::Gpu> gpu = target::find_gpu(value(i, "--gpu"));
      if (!gpu) return fail(gpu.error());
      request.archs.push_back(gpu->arch);
    } else if (word.starts_with("--offload-arch=")) {
      request.archs.push_back(value(i, "--offload-arch"));
    } else if (word == "--rocm" || word.starts_with("--rocm=")) {
      request.rocm = value(i, "--rocm");
    } else {
      request.arguments.push_back(word);
    }
  }
  if (request.archs.empty()) request.archs.push_back(target::all_archs().front().name);
  return request;
}

constexpr const char* kUsage =
    "Compiles a HIP program for the simulated GPU: hipvault cc prog.hip -o prog [--gpu mi300x] [clang options]\n\n"
    "  --gpu GPU              the gpu, or arch, to compile for (default mi300x); may be given several times\n"
    "  --offload-arch=ARCH    the same, as hipcc spells it\n"
    "  --rocm DIR             use ROCm's own headers and device libraries from DIR\n\n"
    "All other words go to clang++ 22. Run the program with `hipvault run ./prog`. The exit code is clang's.\n";

}  // namespace

int run_cc(const Arguments& arguments, Io& io) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    (arguments.empty() ? io.err : io.out) << kUsage;
    return arguments.empty() ? kBadInput : kPass;
  }
  Result<hipfront::CcRequest> request = read_request(arguments);
  if (!request) return report_error(request.error(), false, io);
  Result<std::vector<std::string>> words = hipfront::cc_command(*request);
  if (!words) return report_error(words.error(), false, io);
  std::vector<char*> argv;
  for (std::string& word : *words) argv.push_back(word.data());
  argv.push_back(nullptr);
  io.out.flush();
  ::execv(argv[0], argv.data());
  return report_error({"toolchain.clang", "clang++ cannot be started", "apt-get install clang-22 lld-22", {}}, false,
                      io);
}

}  // namespace hipvault::cli
