#pragma once
// An AMDGPU object file to a code object that a loader takes, with lld inside this process and no file.

#include <string>
#include <string_view>

namespace hipvault::compile {

// False if lld refuses; what it said is appended to `diagnostics`.
bool link_object(std::string_view object, std::string& code_object, std::string& diagnostics);

}  // namespace hipvault::compile
