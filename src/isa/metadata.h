#pragma once
// The msgpack note of a code object (LLVM AMDGPUUsage, "Code Object V3 Metadata" and later): names, arguments and
// resource use of its kernels. The descriptor fields of the result are still empty.

#include "isa/code_object.h"

namespace hipvault::isa {

// Error "code-object.metadata": not msgpack, or a field is missing or has the wrong type; the message names the field.
Result<std::vector<KernelInfo>> read_metadata(const std::string& note);

}  // namespace hipvault::isa
