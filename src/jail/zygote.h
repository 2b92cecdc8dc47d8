#pragma once
// The inside of a zygote process: waits for jobs, forks a child each, keeps deadlines, reports ends.

#include "jail/protocol.h"
#include "jail/workers.h"

namespace hipvault::jail {

// Warms up, says hello on `control`, serves until `control` is closed by the parent; then kills what still runs. Single
// threaded. `namespaced`: process ids are our own, so their number can be limited too.
int serve_jobs(const Kind& kind, int control, bool namespaced);

}  // namespace hipvault::jail
