#pragma once
// What is refused without running: code objects that keep memory of their own between launches.
//
// A writable `__device__` variable lives as long as the module is loaded, so a kernel can remember the inputs of one
// call and answer the next from memory, or count calls and work only in the first ones. The judge's runs each load the
// module afresh and would never see it. State belongs into the plan's workspace, which the judge poisons.

#include <string>
#include <vector>

#include "record/run.h"

namespace hipvault::verify {

// One finding of kind "writable-global" for each writable variable (or writable section without a named variable) of
// the ELF, and for each `.global` variable of PTX. Other bytes give none: the device refuses those.
std::vector<Finding> writable_globals(const std::string& code_object);

}  // namespace hipvault::verify
