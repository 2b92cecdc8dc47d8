#pragma once
// Executes a tile program on the CPU, program by program, for differential tests: what the sketch built, before
// layouts, code generation or machine code can be to blame. f16, bf16, fp8 and f32 operations round after every
// operation in their own type; sums are in tree order of the tile. Loads and stores outside a buffer are errors with
// the operation's text.

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "tile/program.h"

namespace hipvault::tile {

struct Memory {
  std::vector<std::string*> buffers;  // bytes; element 0 is what the kernel's pointer points at, + base bytes
  std::vector<int64_t> base;          // byte offset of element 0 in each buffer
  std::vector<double> scalars;        // in the kernel's order; i64 exact up to 2^53
};

Status interpret(const Kernel& kernel, const std::array<int64_t, 3>& grid, const Memory& memory);

}  // namespace hipvault::tile
