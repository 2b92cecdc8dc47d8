#pragma once
// Kernels that somebody else wrote: judged by the plan in their source, from the same raw output buffers as our own.

#include "engine/evaluate.h"

namespace hipvault::engine {

struct VerifyRequest {
  std::string file;  // a HIP source with a `// hv-plan: {json}` block
  TaskRequest task;
  ToolOptions tools;
  std::string inputs;  // a safetensors file with values for some inputs; "": as the op file says
  Depth depth = Depth::full;
  uint64_t seed = 0;  // 0: fresh and secret
  int threads = 1;
  std::function<void(const std::string&)> progress;
};
struct Verified {
  LoadedTask task;
  Candidate candidate;  // compile_failed and plan_invalid are verdicts too
  Sizes sizes;
};
// An error: the file has no plan, the op or the inputs cannot be read, tools are missing.
Result<Verified> verify_file(const VerifyRequest& request, FileSystem& files);

// A template for a kernel of the op: its plan and an empty kernel with the right arguments that writes nothing yet.
Result<std::string> new_kernel(const LoadedTask& task);

}  // namespace hipvault::engine
