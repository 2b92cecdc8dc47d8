#pragma once
// LLVM's assembler in this process: for tests of single instructions, and for whoever wants to look at one.

#include <string>

#include "base/result.h"

namespace hipvault::isa {

// Machine code of `text`, one instruction or label a line in LLVM's assembly language. wave_size 0: the arch's usual
// one. Error "isa.assemble": what LLVM says of the first wrong line.
Result<std::string> assemble(const std::string& text, const std::string& cpu, int wave_size);

}  // namespace hipvault::isa
