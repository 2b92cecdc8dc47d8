#pragma once
#include "isa/instruction.h"

namespace hipvault::isa {

// v_mov_b32 where the indexing mode of gfx9 may be on.
void move_indexed(const Instruction& in, Wave& wave);

}  // namespace hipvault::isa
