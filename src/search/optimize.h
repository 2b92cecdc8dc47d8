#pragma once
// The main job: from an op, a case and a gpu to a verified and timed kernel.

#include "engine/record.h"
#include "search/campaign.h"

namespace hipvault::search {

struct OptimizeOptions {
  engine::TaskRequest task;
  engine::ToolOptions tools;
  engine::Budget budget;
  std::map<std::string, std::string> pins;
  int threads = 2;
  std::string vault;  // path of the database
  uint64_t seed = 0;
  std::function<void(const Progress&)> progress;
  const std::atomic<bool>* stop = nullptr;
};

struct OptimizeResult {
  engine::LoadedTask task;
  CampaignResult campaign;
  measure::Work work;
  std::string device, toolchain, generator;
  double seconds = 0;  // of the whole job
};

Result<OptimizeResult> optimize(const OptimizeOptions& options, FileSystem& files);

// Everything that makes two searches the same one.
std::string campaign_key(const engine::LoadedTask& task, const OptimizeOptions& options, const std::string& toolchain);

}  // namespace hipvault::search
