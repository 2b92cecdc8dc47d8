#pragma once
// The simulated GPU: executes AMDGPU code objects as a GPU of the named product would, with checkers on. It knows code
// objects, launches and memory; it knows no tensors.
//
// run() never throws and never crashes on a hostile code object: whatever the program does is part of the RunResult.

#include <map>
#include <memory>
#include <string>

#include "isa/program.h"
#include "record/run_request.h"
#include "sim/memory.h"
#include "target/target.h"

namespace hipvault::sim {

RunResult run(const RunRequest& request, const target::Gpu& gpu);

// A run on memory that outlives it, as a whole HIP program needs: buffers and the loaded code object are regions of
// `memory` already, with what earlier launches wrote and which bytes are initialised. The request has launches with
// `raw_args` only: no code objects, no buffers.
struct Residence {
  Memory* memory = nullptr;
  std::shared_ptr<const isa::Program> program;  // the one whose kernels are launched
  uint64_t image_base = 0;
  Region* kernarg = nullptr;  // rewritten by every launch
  Region* packet = nullptr;
  std::map<std::string, uint64_t> hidden;  // hidden arguments that the caller provides, by value kind
};
RunResult run_resident(const RunRequest& request, const target::Gpu& gpu, const Residence& residence);

}  // namespace hipvault::sim
