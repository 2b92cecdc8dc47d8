#pragma once
// The law of tensor programs: names defined before use, ranks and types right, free dimensions of every stage among its
// outputs' dims, reductions over dimensions their operand uses, no reduce in scatter indices, dtypes legal per node.

#include "base/result.h"
#include "ir/program.h"

namespace hipvault::ir {

Status verify(const Program& program);

}  // namespace hipvault::ir
