#pragma once
// The simulated GPU: executes AMDGPU code objects as a GPU of the named product would, with checkers on. It knows code
// objects, launches and memory; it knows no tensors.
//
// run() never throws and never crashes on a hostile code object: whatever the program does is part of the RunResult.

#include <string>

#include "record/run_request.h"
#include "target/target.h"

namespace hipvault::sim {

RunResult run(const RunRequest& request, const target::Gpu& gpu);

}  // namespace hipvault::sim
