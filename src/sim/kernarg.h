#pragma once
// The kernarg segment of a launch, laid out by the code object's own metadata.

#include <map>
#include <string>

#include "isa/code_object.h"
#include "record/run_request.h"

namespace hipvault::sim {

struct ArgumentAddresses {
  std::vector<uint64_t> buffers;  // of the element a kernel gets
  uint64_t workspace = 0;
  uint64_t shared_base = 0, private_base = 0;
  std::map<std::string, uint64_t> hidden;  // further hidden arguments, by value kind: "hidden_hostcall_buffer"
};

// Error: the plan's arguments do not fit the kernel's (number, size), with both sides named.
Result<std::string> make_kernarg(const isa::KernelInfo& kernel, const ResolvedLaunch& launch, const RunRequest& request,
                                 const ArgumentAddresses& addresses);

// The 64-byte AQL dispatch packet, for kernels that ask for it.
std::string make_dispatch_packet(const isa::KernelInfo& kernel, const ResolvedLaunch& launch, uint64_t kernel_object,
                                 uint64_t kernarg);

}  // namespace hipvault::sim
