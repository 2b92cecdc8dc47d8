#pragma once
// DPP: the first operand is taken from other lanes. The handler permutes it into a hidden register, narrows EXEC to the
// lanes that take part, and calls the meaning behind.

#include "isa/instruction.h"

namespace hipvault::isa {

bool dpp_is_modelled(const Modifiers& modifiers);
void execute_dpp(const Instruction& in, Wave& wave);

}  // namespace hipvault::isa
