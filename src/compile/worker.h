#pragma once
// The compile kind of jail workers: what main() registers, and the two ends of its messages.

#include "compile/built_in.h"
#include "jail/workers.h"

namespace hipvault::compile {

jail::Kind worker_kind();

struct WorkerRequest {
  std::string file, source;
  std::vector<std::string> cc1_words, llvm_words;
};
std::string to_bytes(const WorkerRequest& request);
std::string to_bytes(const BuiltInOutput& output);
Result<BuiltInOutput> output_from_bytes(std::string_view bytes);

}  // namespace hipvault::compile
