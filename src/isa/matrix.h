#pragma once
// Matrix instructions: executed from the rows of target/matrix.h, so that an arch's shapes, layouts and sums are data.
//
// An execution has three parts. The values of A and B are read out of their registers, a register of 64 lanes at a
// time. C moves to where D will be. One of the arithmetics of matrix_sums.h forms the sums there. EXEC is ignored, as
// in hardware.

#include <span>
#include <string>

#include "isa/instruction.h"
#include "target/matrix.h"

namespace hipvault::isa {

// Null if the arch has no matrix instruction of that name. Safe on all threads.
const Operation* find_matrix_operation(const std::string& mnemonic, const target::Arch& arch);

// The form for waves of that size becomes the instruction's operation, and the operands are checked against it. What is
// wrong, or "".
std::string bind_matrix(Instruction& in, int wave_size);

// The row behind an operation of find_matrix_operation.
const target::MatrixInstruction& matrix_row(const Operation& operation);

}  // namespace hipvault::isa
