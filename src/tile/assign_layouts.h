#pragma once
// assign_layouts: decides which work-item holds which elements of every tile.
//
// Rewrites  each tile value gets a layout. Values that cost little to compute anywhere (ranges, constants, index
// arithmetic)
//           and pure changes of shape have no place of their own: they are computed where and in the layout they are
//           asked for. Everything else is held in one layout, and a use that asks for another gets a convert_layout.
// Needs     a verified program as a sketch built it; facts about scalars and alignment (PassContext) for vector widths.
// Holds     all tiles have a layout; operands of elementwise operations agree; a reduction's result has its operand's
//           layout without the axis; operands of dot have the layouts of the matrix instruction in attrs.matrix.
// Why here  first: every later pass asks who holds what.
//
// Example: rows [4,1024] of f32 on 4 waves, contiguous along axis 1 → a lane holds 4 neighbours, 64 lanes side by side,
// a wave a row, and 4 such groups in registers: no LDS is needed to reduce a row.

#include "tile/passes.h"

namespace hipvault::tile {

Status assign_layouts(Kernel& kernel, const PassContext& context);

}  // namespace hipvault::tile
