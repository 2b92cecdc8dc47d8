#pragma once
// Free values: tiles that cost little to compute anywhere from scalars and the work-item's number, such as ranges,
// offsets and masks. They are never held in registers or moved between lanes; whoever needs them computes them in
// place.

#include <vector>

#include "tile/program.h"

namespace hipvault::tile {

// One entry a value: the operations needed, or -1 where the value is not free. Scalars cost 0.
std::vector<int> free_costs(const Kernel& kernel);

}  // namespace hipvault::tile
