#pragma once
// Tile programs to HIP C++ that reads as if an expert wrote it, and the stand-alone file that users take home.
//
// The file needs nothing but a compiler: with hip_runtime.h present it compiles with plain hipcc and has a launcher and
// the C entry; with HIPVAULT_DEVICE_ONLY defined only the kernels remain, and no header is included at all. Only what
// is used of hiplib is pasted in. The bytes the judge saw are the bytes the user gets.

#include <string>
#include <vector>

#include "base/result.h"
#include "record/plan.h"
#include "target/target.h"
#include "tile/program.h"

namespace hipvault::print {

// One kernel, after run_passes. An operation the printer has no spelling for is a Diagnostic that names it.
Result<std::string> print_kernel(const tile::Kernel& kernel, const target::Arch& arch);

struct FileInfo {
  std::string title;                  // one line: "softmax, bf16, for gfx942"
  std::string op_text;                // the op in the op language, as a comment
  std::string schedule;               // the decisions, as a comment
  std::vector<std::string> promises;  // alignment, aliasing, accepted strides, accumulate dtype, reproducibility
};
// Kernels after run_passes; the launcher, workspace function and C entry `int <op>(void* const* buffers, const int64_t*
// sizes, const int64_t* strides, void* workspace, size_t workspace_bytes, hipStream_t stream)` come from the plan, and
// the plan itself stands in the file as `// hv-plan: {json}`. A kernel with the op's name is a Diagnostic: it is the
// entry's.
Result<std::string> print_file(const Plan& plan, const std::vector<tile::Kernel>& kernels, const target::Arch& arch,
                               const FileInfo& info);

// One kernel alone, as a device-only source: what a search compiles. Its text depends on nothing but the kernel, so
// that the general variant, which all candidates of a family share, is compiled once.
Result<std::string> print_device_source(const tile::Kernel& kernel, const target::Arch& arch);

// The plan of a file with a `// hv-plan:` block. Error: none found, or not a plan.
Result<Plan> plan_in_source(const std::string& source);

}  // namespace hipvault::print
