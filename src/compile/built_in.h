#pragma once
// clang and lld inside this process, from memory to memory. Only called in a zygote (to warm up) and in its sealed
// children: LLVM may abort on a hostile source.

#include <string>
#include <vector>

namespace hipvault::compile {

struct BuiltInOutput {
  bool ok = false;
  std::string diagnostics;
  std::string code_object;
};

// cc1_words and llvm_words as arguments.h makes them; `file` is the only file that exists for clang.
BuiltInOutput compile_in_memory(const std::string& file, const std::string& source,
                                const std::vector<std::string>& cc1_words, const std::vector<std::string>& llvm_words);

// Registers the AMDGPU target. Once a process.
void initialise_llvm();

// "22.1.8"
std::string built_in_version();

}  // namespace hipvault::compile
