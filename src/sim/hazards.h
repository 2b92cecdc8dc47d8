#pragma once
// Software hazards of gfx9: pairs of instructions between which the hardware does not wait and the program must, with
// s_nop or other work. Example, gfx942: `v_readfirstlane_b32 s4, v0` and `global_load_dword v1, v2, s[4:5]` need five
// wait states between; with fewer the load may use the old s4. The simulator, like a careful machine, always gives the
// new value, so nothing but this table finds it.
//
// Every instruction is one wait state, s_nop N is N + 1: LLVM counts so too (GCNHazardRecognizer, the source of the
// numbers beside AMD's ISA manuals, "manually inserted wait states"), and what clang emits is silent. A row is about
// one relation between two kinds of instructions; what matrix instructions need depends on their passes and is
// computed. The code is scanned once a program, from each first instruction over all ways on as far as its rows reach;
// a pair is a finding only if a launch executed both and all between. Not followed: calls and returns.

#include <memory>
#include <string>
#include <vector>

#include "isa/program.h"

namespace hipvault::sim {

struct Hazard {
  uint32_t first = 0, second = 0;  // instructions
  int needed = 0, present = 0;     // wait states
  std::string what;
  std::vector<uint32_t> between;
};

using Hazards = std::vector<Hazard>;
// How many of its operands, from the first, an instruction gives a value.
size_t results_of(const isa::Instruction& instruction);

std::shared_ptr<const Hazards> hazards_of(const std::shared_ptr<const isa::Program>& program);

}  // namespace hipvault::sim
