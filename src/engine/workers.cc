#include "engine/workers.h"

#include "compile/compiler.h"
#include "compile/worker.h"
#include "device/device.h"
#include "device/worker.h"
#include "jail/workers.h"
#include "target/target.h"

namespace hipvault::engine {
namespace {

constexpr const char* kProbe = R"(extern "C" __attribute__((global)) void probe(float* p) { *p = 1.0f; })";

SystemFact examine_compiler() {
  SystemFact fact{"compiler", "built-in clang", false, ""};
  Result<std::unique_ptr<compile::Compiler>> compiler = compile::make_compiler({});
  if (!compiler) return {"compiler", "built-in clang", false, compiler.error().message + "; " + compiler.error().hint};
  compile::CompileRequest request;
  request.source = kProbe;
  request.arch = target::all_archs().front().name;
  Result<compile::CompileOutput> output = (*compiler)->compile(request);
  fact.name = (*compiler)->toolchain();
  fact.good = output && output->ok;
  fact.detail = fact.good ? "compiles for " + request.arch
                : output  ? output->diagnostics
                          : output.error().message + "; " + output.error().hint;
  return fact;
}

}  // namespace

std::optional<int> serve_as_worker(int argc, char** argv) {
  const jail::Kind kinds[] = {compile::worker_kind(), device::worker_kind()};
  if (argc > 1 && std::string(argv[1]) == "__zygote") return jail::zygote_main(argc, argv, kinds);
  jail::use_own_program();
  return std::nullopt;
}

std::vector<SystemFact> examine_system() {
  std::vector<SystemFact> facts = {examine_compiler()};
  for (const jail::Layer& layer : jail::layers()) facts.push_back({"jail", layer.name, layer.live, layer.detail});
  for (const device::DeviceInfo& device : device::known_devices())
    facts.push_back({"device", device.name, device.available, device.detail});
  return facts;
}

}  // namespace hipvault::engine
