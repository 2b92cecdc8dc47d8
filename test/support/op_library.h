#pragma once
// Ops of the library as tensor programs.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/hv.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace hipvault::test {

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline frontend::OpFileRef op_text(const std::string& text, const std::string& name = "test.hv") {
  Result<frontend::OpFileRef> parsed =
      frontend::parse_file(text, name, read_text(std::string(HIPVAULT_SOURCE_DIR) + "/ops/std.hv"));
  return parsed ? *parsed : nullptr;
}

inline frontend::OpFileRef op_file(const std::string& name) {
  std::string path = std::string(HIPVAULT_SOURCE_DIR) + "/ops/" + name + ".hv";
  return op_text(read_text(path), path);
}

// A task on an MI300X. `sizes` may lack derived ones; it must be valid.
inline schedule::Task task_of(const ir::Program& program, const Sizes& sizes) {
  Result<Sizes> bound = ir::bind_sizes(program, sizes);
  Result<target::Gpu> gpu = target::find_gpu("mi300x");
  return {program, ir::normalise(program), bound ? *bound : Sizes{}, *gpu};
}

}  // namespace hipvault::test
