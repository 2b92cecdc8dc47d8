#pragma once
// What a code object's kernels use, with the occupancy that follows on the arch.

#include <string>
#include <vector>

#include "compile/compiler.h"

namespace hipvault::compile {

// Error: the bytes are no code object of `arch` that our reader takes.
Result<std::vector<KernelResources>> read_resources(const std::string& code_object, const std::string& arch);

}  // namespace hipvault::compile
