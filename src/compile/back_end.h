#pragma once
// The two compilers behind the cache: the built-in clang in a jail worker, and a clang program in a confined
// subprocess.

#include <memory>
#include <string>
#include <vector>

#include "compile/arguments.h"
#include "compile/built_in.h"

namespace hipvault::compile {

struct BackEndOutput {
  BuiltInOutput output;
  double seconds = 0;
  bool lasting = true;  // the same request gives the same again: worth keeping. Not so after a deadline or a crash.
};

class BackEnd {
 public:
  virtual ~BackEnd() = default;
  virtual std::string toolchain() const = 0;
  // All that decides about the output beside source, file name and arch; part of the cache key.
  virtual std::vector<std::string> words(const std::string& arch, const Flags& flags,
                                         const std::string& file) const = 0;
  virtual Result<BackEndOutput> compile(const CompileRequest& request, const Flags& flags, const std::string& file) = 0;
};

std::unique_ptr<BackEnd> make_built_in_back_end();
// Error "toolchain.missing": there is no such program, or it is no clang.
Result<std::unique_ptr<BackEnd>> make_program_back_end(const std::string& clang_path);

}  // namespace hipvault::compile
