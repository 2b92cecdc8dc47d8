#pragma once
// Finds the code object for an arch in what a HIP program carries: a clang offload bundle, plain or compressed
// ("CCOB"), or a bare ELF. The bytes come from a program or a file, so every length is checked; `fat.format` and
// `fat.arch` are the errors, the second names the archs that are there.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hipvault::hipfront {

// How many bytes the image at this address has, from its own header; 0 if it is none. It reads at most the first 32
// bytes, and the entry table of a bundle.
size_t image_size(const char* image);

// ELF bytes of the code object for `arch` ("gfx942").
Result<std::string> code_object_for(std::string_view image, const std::string& arch);

// The archs of a bundle's device entries: "gfx90a", "gfx942:sramecc+:xnack-".
Result<std::vector<std::string>> archs_in(std::string_view image);

}  // namespace hipvault::hipfront
