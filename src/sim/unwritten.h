#pragma once
// Reads of registers that nothing wrote on any way from the kernel's begin: like hazards (hazards.h) a scan once a
// program, and a finding only where a launch executed the read.
//
// What a compiler leaves undefined on purpose is no finding: data of stores, copies and selections, a result that is
// only partly replaced (tied operands), a part of a wide operand (64-bit sums whose upper half nobody wants). Functions
// are taken to find everything written. A register that one way writes and another does not counts as written, as a
// scan cannot tell which ways belong together.

#include <memory>
#include <string>
#include <vector>

#include "isa/program.h"

namespace hipvault::sim {

struct UnwrittenRead {
  uint32_t instruction = 0;
  std::string registers;  // "v7"
};
using UnwrittenReads = std::vector<UnwrittenRead>;
std::shared_ptr<const UnwrittenReads> unwritten_reads_of(const std::shared_ptr<const isa::Program>& program);

}  // namespace hipvault::sim
