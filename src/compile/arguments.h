#pragma once
// The words that clang gets: the fixed ones, those of the arch, and the flags of a request after an allow-list.

#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compiler.h"

namespace hipvault::compile {

// What a request may ask for, taken apart. The Diagnostic ("compile.flag", "compile.arch") says what is allowed.
struct Flags {
  std::string optimisation = "-O3";
  std::vector<std::string> defines;  // "-DNAME=VALUE"
  std::vector<std::string> llvm;     // options behind -mllvm
  bool line_table = true;
};
Result<Flags> read_flags(const CompileRequest& request);

// Arguments of `clang -cc1`, for the built-in clang; `file` is the name of the source in its virtual file system.
// Options for LLVM itself are apart, because the embedding program sets those.
std::vector<std::string> cc1_arguments(const std::string& arch, const Flags& flags, const std::string& file);
std::vector<std::string> llvm_arguments(const Flags& flags);

// The same as arguments of the clang program.
std::vector<std::string> driver_arguments(const std::string& arch, const Flags& flags);

// The last part of the file name asked for, without anything that a path or a shell would read something into.
std::string plain_file_name(const std::string& name);

}  // namespace hipvault::compile
