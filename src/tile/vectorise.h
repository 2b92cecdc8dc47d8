#pragma once
// vectorise: sets how many elements a lane moves in one load or store.
//
// Rewrites  attrs.vector of loads and stores.
// Needs     layouts; facts about scalars and alignment (PassContext).
// Holds     `vector` neighbouring registers of a lane hold consecutive elements of memory, aligned as the access needs,
// and
//           the mask, if any, is the same for all of them: the printer may test it once.
// Why here  last: other passes may still change layouts.

#include "tile/passes.h"

namespace hipvault::tile {

Status vectorise(Kernel& kernel, const PassContext& context);

}  // namespace hipvault::tile
