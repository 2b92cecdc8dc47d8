#pragma once
// The child a job gets: limits, seal, work, result, end.

#include <span>

#include "jail/protocol.h"
#include "jail/workers.h"

namespace hipvault::jail {

[[noreturn]] void run_sealed_child(const Kind& kind, const JobMessage& message, std::span<UniqueFd> fds,
                                   int64_t mapped_bytes, bool namespaced);

}  // namespace hipvault::jail
