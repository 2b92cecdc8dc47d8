#pragma once
// Every instruction of an arch that LLVM can encode and decode: the yardstick of coverage, which must not come from our
// own tables.
//
// LLVM installs no list "opcode -> subtarget". So each opcode of MCInstrInfo that is no pseudo is filled with plausible
// operands, encoded, and decoded again for the subtarget: what comes back is an instruction of the arch, whatever went
// in. Where the operands were not plausible for an opcode, others are tried. Rejected: random words to the decoder
// (10 million of them reached 2,719 opcodes of gfx942, and there is no end at which one knows to be done).

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault::isa {

struct OpcodeSample {
  std::string opcode;  // LLVM's name, V_ADD_F32_e64_vi
  std::string text;    // one instruction of it, as LLVM prints it
  std::string bytes;   // its encoding
};

// One sample an opcode. Error "isa.decode": LLVM has no AMDGPU.
Result<std::vector<OpcodeSample>> list_opcodes(const std::string& cpu, int wave_size);

}  // namespace hipvault::isa
