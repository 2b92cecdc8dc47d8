#pragma once
// How much of each arch is modelled: mnemonics that LLVM can encode and decode for it (opcodes.h), against those that
// bind to a row of meaning. A mnemonic counts as modelled only if every encoding of it binds (e32, e64, SDWA, DPP).

#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault::isa {

struct MissingMnemonic {
  std::string mnemonic, example, why;
};

struct Coverage {
  std::string arch;
  std::vector<int> wave_sizes;
  int encodings = 0;  // LLVM opcodes of the arch
  int mnemonics = 0, modelled = 0, out_of_scope = 0;
  std::vector<std::string> modelled_names, out_of_scope_names;
  std::vector<MissingMnemonic> missing;
};

// Of one arch, over all its wave sizes; some seconds. Error "isa.decode": LLVM has no AMDGPU.
Result<Coverage> coverage_of(const std::string& arch);
// Of every arch of target/.
Result<std::vector<Coverage>> coverage_of_all();

}  // namespace hipvault::isa
