#pragma once
// What the simulated GPU can execute, arch by arch: for `hipvault sim coverage` and doc/simulator.md.

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace hipvault::report {

struct CoverageReport {
  Json json;         // [{arch, encodings, mnemonics, modelled, out_of_scope, missing: [{mnemonic, example, why}]}]
  std::string text;  // a table for people, then what is missing
};

// Some seconds of work. `arch` empty: all. Error: there is no such arch, or LLVM has no AMDGPU.
Result<CoverageReport> simulator_coverage(const std::string& arch);

}  // namespace hipvault::report
