#pragma once
// The pieces of src/hiplib that a printed text uses, with what they need themselves, in order.

#include <string>

namespace hipvault::print {

// Whether the text uses the identifier as a whole word.
bool uses_identifier(const std::string& text, const std::string& identifier);

// The device library for a text that names `hv::…` functions and short types such as bf16: a namespace with exactly
// those. `library` is the arch's (target::Spelling).
std::string hiplib_for(const std::string& text, const std::string& library = "amdgcn");

// All of it, for tests.
std::string whole_hiplib(const std::string& library = "amdgcn");

// What device code needs instead of hip_runtime.h, and the include otherwise.
std::string device_preamble();

}  // namespace hipvault::print
