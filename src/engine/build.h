#pragma once
// Exactly one candidate: `hipvault build OP --schedule FILE`.

#include "engine/evaluate.h"

namespace hipvault::engine {

struct Built {
  LoadedTask task;
  Candidate candidate;
  measure::Work work;
  int64_t attempt = 0;  // in the vault; 0: none was given
};
struct BuildRequest {
  TaskRequest task;
  ToolOptions tools;
  std::string schedule, schedule_file;  // text, and its file's name for messages; "": the default schedule
  Depth depth = Depth::full;
  std::string vault;  // "": not recorded
  int threads = 1;
  std::function<void(const std::string&)> progress;
};
// A schedule that is refused is an error with the reason; a kernel that is wrong is a candidate with a verdict.
Result<Built> build(const BuildRequest& request, FileSystem& files);

}  // namespace hipvault::engine
