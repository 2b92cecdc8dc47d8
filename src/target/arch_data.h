#pragma once
// What the arch files share, and the check of a finished arch. Matrix instructions are in matrix.h.
//
// Confidence tags behind numbers in this folder: [V] vendor document or source, [M] measured, [D] derived by
// arithmetic, [A] assumed, [R] recalled from papers or manuals.

#include <string>

#include "target/target.h"

namespace hipvault::target {

// Lane groups for LDS phases: `count` runs of `length` consecutive lanes from 0 on.
std::vector<std::vector<int>> consecutive_groups(int count, int length);

// What is wrong with the row, or "": sizes and every map must be a bijection of (lane, element) onto the operand.
std::string problem_of(const MatrixOp& op, int lanes);

// Returns `arch` after checking every matrix row and every LDS phase list; an inconsistent one is our own mistake
// (CHECK).
Arch checked(Arch arch);

Arch make_gfx90a();
Arch make_gfx942();
Arch make_gfx950();
Arch make_gfx1201();
Arch make_sm_90();
Gpu make_mi250x();
Gpu make_mi300a();
Gpu make_mi300x();
Gpu make_mi308x();
Gpu make_mi355x();
Gpu make_r9700();
Gpu make_h200();

}  // namespace hipvault::target
