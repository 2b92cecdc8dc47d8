#pragma once
// A code object made executable: every instruction bound to its row of meaning, side by side, with a map from
// addresses.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "isa/code_object.h"
#include "isa/decode.h"
#include "isa/instruction.h"
#include "target/target.h"

namespace hipvault::isa {

constexpr int kHiddenRegisters = 2;  // for lane permutations

struct Program {
  const target::Arch* arch = nullptr;
  int wave_size = 64;  // lanes of the waves this code is for
  CodeObject object;
  std::vector<Decoded> decoded;           // in address order
  std::vector<Instruction> instructions;  // as decoded, then one end mark that stops a wave which runs off the code
  std::vector<std::string> problems;      // by instruction: why it cannot be executed; usually empty
  std::vector<std::unique_ptr<std::array<Instruction, 2>>> pairs;  // dual issue
  std::vector<int32_t> index_at;  // by address / 4 - first_address / 4; -1 inside an instruction
  uint64_t first_address = 0;
  int accumulators_at = 0;   // where a0 lies behind the v registers
  int vector_registers = 0;  // that a wave needs: v, then a, then two hidden ones for lane permutations

  const Instruction* at(uint64_t address) const;  // null where no instruction begins
};

// Error: the code object cannot be read or decoded. Unknown instructions are no error until they are reached.
// A code object whose kernels have different wave sizes is read for the first one's.
Result<std::shared_ptr<const Program>> load_program(std::string_view code_object_bytes, const std::string& cpu);
// The same for instructions without a code object, at address 0; wave_size 0 is the arch's usual one.
Result<std::shared_ptr<const Program>> program_of_code(std::string_view code, const std::string& cpu, int wave_size);

}  // namespace hipvault::isa
