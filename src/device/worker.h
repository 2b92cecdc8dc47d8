#pragma once
// The run kind of jail workers: what main() registers. A run worker gets the bytes of a RunRequest, executes it on the
// simulated GPU, and gives back the bytes of a RunResult; it shares no memory with the judge.

#include "jail/workers.h"

namespace hipvault::device {

jail::Kind worker_kind();

}  // namespace hipvault::device
