#pragma once
// stage_to_lds: carries tiles from one layout to another through LDS.
//
// Rewrites  every convert_layout that moves elements between lanes or waves into lds_alloc, lds_store, barrier,
// lds_load.
//           Neighbouring conversions share the barrier. One that only renames registers stays.
// Needs     layouts (assign_layouts).
// Holds     no convert_layout moves an element out of its lane; every lds_alloc has a layout, its swizzle, with the
// fewest
//           bank conflicts of those tried, counted with the arch's own groups of lanes that are served together.
// Why here  right after assign_layouts: later passes may pipeline the loads that feed LDS.
//
// Example: a [64,64] f16 operand written by rows and read as a matrix operand, 16 rows by 8 bytes at a time: in
// row-major order all 16 rows meet in the same banks; with the 8-byte column exclusive-ored by the row they spread over
// all.

#include "tile/passes.h"

namespace hipvault::tile {

Status stage_to_lds(Kernel& kernel, const PassContext& context);

// LDS cycles beyond the least for one access of `layout` (its first wave and first registers) to an LDS tile with this
// swizzle: the sum over phases of (most distinct words in one bank - 1).
int bank_conflicts(const Layout& layout, const Layout& shared, int element_bytes, const target::Arch& arch);
// Elements that a lane of `layout` moves at once to or from LDS, at most 16 bytes.
int lds_vector(const Layout& layout, const Layout& shared, int element_bytes);
// The best of the swizzles tried for a tile that `source` writes and `destination` reads.
Layout choose_swizzle(const Layout& source, const Layout& destination, int element_bytes, const target::Arch& arch);

}  // namespace hipvault::tile
