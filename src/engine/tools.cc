// A file of its own: a program that only measures what was compiled elsewhere links no compiler and no simulator.

#include "engine/evaluate.h"

namespace hipvault::engine {

Result<Tools> open_tools(const ToolOptions& options, const target::Gpu& gpu) {
  Tools tools;
  Result<std::unique_ptr<compile::Compiler>> compiler =
      compile::make_compiler({options.cache_directory, options.clang_path});
  if (!compiler) return fail(compiler.error());
  Result<std::unique_ptr<device::Device>> device = device::open_device(options.device, gpu.name);
  if (!device) return fail(device.error());
  tools.compiler = std::move(*compiler);
  tools.device = std::move(*device);
  return tools;
}

}  // namespace hipvault::engine
