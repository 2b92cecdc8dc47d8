#pragma once
// The pass list: what turns a tile program as a sketch built it into one that can be printed. Each pass is a file pair
// with its own name and a header that says what it rewrites, what it needs, what holds after and why it stands there.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/target.h"
#include "tile/program.h"

namespace hipvault::tile {

struct PassContext {
  const target::Arch* arch = nullptr;
  // Facts about scalar arguments that the plan's `when` guarantees: the argument is a multiple of this power of two.
  std::map<std::string, int64_t> multiple_of;
  // Byte alignment of each buffer's first element, likewise guaranteed; default: the element's size.
  std::map<std::string, int64_t> alignment;
  // Called after each pass with its name and the program's text, or "unchanged".
  std::function<void(const std::string&, const std::string&)> show;
};

std::vector<std::string> pass_names();
Status run_passes(Kernel& kernel, const PassContext& context);

}  // namespace hipvault::tile
