#pragma once
// `hipvault cc` and `hipvault run`: the command lines behind them. The pieces lie beside the program: hip/include (our
// headers), hip/lib/libamdhip64.so (the stand-in), hip/lib/hipvault_device.bc (device mathematics and output).

#include <string>
#include <vector>

#include "base/result.h"
#include "target/target.h"

namespace hipvault::hipfront {

struct CcRequest {
  std::vector<std::string> archs;      // of --offload-arch; may have features: "gfx942:xnack-"
  std::vector<std::string> arguments;  // for clang, sources included
  std::string rocm;                    // use ROCm's own headers and device libraries from this folder instead
};

// Errors: `hip.files` where the pieces are missing, `toolchain.clang` where no clang++ 22 is found.
Result<std::vector<std::string>> cc_command(const CcRequest& request);

struct RunOptions {
  std::string gpu, json;
  int threads = 0;
  bool check = true;
  bool leaks = false;  // report memory that is not freed, and leave printing of findings to the caller
};
// The environment ("NAME=value") that puts the stand-in in front of a program.
Result<std::vector<std::string>> run_environment(const RunOptions& options);

}  // namespace hipvault::hipfront
