#pragma once
// The headers that a kernel written elsewhere may include although it sees no file of the machine: a small
// hip_runtime.h of our own, so that `hipvault verify FILE.hip` takes an ordinary HIP kernel. The real one costs more
// than a second a compilation.

#include <span>

namespace hipvault::compile {

struct ShippedHeader {
  const char* path;  // below the include folder: "hip/hip_runtime.h"
  const char* text;
};
std::span<const ShippedHeader> shipped_headers();

inline constexpr const char* kIncludeFolder = "/include";  // in clang's virtual file system

}  // namespace hipvault::compile
