#pragma once
// simplify: integer arithmetic on constants, operations that change nothing, repeated operations, dead operations.
//
// Rewrites  x * 1, x + 0, x // 1, `true and m`, arithmetic on integer constants; a pure operation that an enclosing or
//           earlier operation has computed already; operations without effect whose results nobody uses.
// Needs     a verified program without layouts.
// Holds     the same results, bit for bit: float arithmetic is left alone.
// Why here  first: sketches write index arithmetic in full and need not care; what is left is what gets a layout.

#include "tile/passes.h"

namespace hipvault::tile {

Status simplify(Kernel& kernel, const PassContext& context);

}  // namespace hipvault::tile
