#pragma once
// The rows of matrix.h, one maker an arch.

#include <vector>

#include "target/matrix.h"

namespace hipvault::target {

std::vector<MatrixInstruction> gfx90a_matrix_rows();
std::vector<MatrixInstruction> gfx942_matrix_rows();
std::vector<MatrixInstruction> gfx950_matrix_rows();
std::vector<MatrixInstruction> gfx1201_matrix_rows();

}  // namespace hipvault::target
