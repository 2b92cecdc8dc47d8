#pragma once
// DWARF line tables, flattened into rows once at load: findings are made on many threads, and a sorted vector needs no
// lock.

#include <string>
#include <utility>
#include <vector>

#include "isa/code_object.h"

namespace hipvault::isa {

using DebugSections = std::vector<std::pair<std::string, std::string>>;  // ("debug_line", bytes)

// Fills `files` and `lines`. Broken debug information costs line numbers, nothing else.
void read_line_table(const DebugSections& sections, CodeObject& object);

}  // namespace hipvault::isa
