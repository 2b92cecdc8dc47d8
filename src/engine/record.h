#pragma once
// Between candidates and the vault.

#include "corpus/attempt.h"
#include "engine/evaluate.h"

namespace hipvault::engine {

// Stands behind the toolchain of an attempt whose kernels were compiled one by one.
inline constexpr const char* kByKernel = ", kernel by kernel";

// The attempt as the vault keeps it. `agent`, `parent` and `campaign` are the caller's to fill.
corpus::Attempt attempt_of(const LoadedTask& task, const Candidate& candidate, const Tools& tools);

// The task an attempt was made for, from the texts kept with it.
Result<LoadedTask> task_of(const corpus::Attempt& attempt);

struct ReplayOptions {
  ToolOptions tools;
  std::function<void(const std::string&)> progress;
};
struct Replay {
  bool same_source = false, same_code_object = false, same_verdict = false, fresh_seed_agrees = false;
  std::vector<std::string> differences;  // in words
  Candidate candidate;                   // as made and judged now
  bool same() const { return same_source && same_code_object && same_verdict && fresh_seed_agrees; }
};
// Makes the kernel again from op and schedule, compiles it, judges it with the stored seed and with a fresh one.
// An error: the attempt's task cannot be loaded, or tools are missing.
Result<Replay> replay(const corpus::Attempt& attempt, const ReplayOptions& options);

}  // namespace hipvault::engine
