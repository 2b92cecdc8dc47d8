#include "search/optimize.h"

#include <filesystem>

#include "base/hash.h"
#include "engine/generator.h"

namespace hipvault::search {
namespace {

Json settings_of(const engine::LoadedTask& task, const OptimizeOptions& options) {
  return Json{{"op", task.op_name},
              {"case", task.case_name},
              {"gpu", task.task.gpu.name},
              {"budget", engine::text(options.budget)},
              {"fix", options.pins}};
}

}  // namespace

std::string campaign_key(const engine::LoadedTask& task, const OptimizeOptions& options, const std::string& toolchain) {
  Json key{{"op", ir::text(task.task.program)},
           {"case", task.case_name},
           {"types", task.types()},
           {"sizes", task.task.sizes},
           {"scalars", task.timed.scalars},
           {"gpu", task.task.gpu.name},
           {"device", options.tools.device},
           {"toolchain", toolchain},
           {"generator", engine::generator_version()},
           {"fix", options.pins}};
  return hash_hex(key.dump());
}

Result<OptimizeResult> optimize(const OptimizeOptions& options, FileSystem& files) {
  double start = real_clock().seconds();
  Result<engine::LoadedTask> task = engine::load_task(options.task, files);
  if (!task) return fail(task.error());
  OptimizeResult result;
  result.task = std::move(*task);
  std::vector<engine::Tools> tools;
  for (int worker = 0; worker < options.threads; ++worker) {
    Result<engine::Tools> one = engine::open_tools(options.tools, result.task.task.gpu);
    if (!one) return fail(one.error());
    tools.push_back(std::move(*one));
  }
  std::string folder = std::filesystem::path(options.vault).parent_path().string();
  if (!folder.empty()) {
    Status made = files.make_directories(folder);
    if (!made) return fail(made.error());
  }
  Result<std::unique_ptr<corpus::Vault>> vault = corpus::Vault::open(options.vault);
  if (!vault) return fail(vault.error());
  Result<engine::Bench> bench = engine::make_bench(result.task);
  if (!bench) return fail(bench.error());
  result.work = bench->work;
  result.device = tools.front().device->name();
  result.toolchain = tools.front().compiler->toolchain();
  result.generator = engine::generator_version();

  CampaignOptions campaign;
  campaign.budget = options.budget;
  campaign.workers = options.threads;
  campaign.pins = options.pins;
  campaign.seed = options.seed;
  campaign.key = campaign_key(result.task, options, result.toolchain);
  campaign.settings = settings_of(result.task, options);
  campaign.progress = options.progress;
  campaign.stop = options.stop;
  Laboratory lab = make_laboratory(result.task, *bench, tools);
  Result<CampaignResult> searched = run_campaign(lab, **vault, campaign);
  if (!searched) return fail(searched.error());
  result.campaign = std::move(*searched);
  result.seconds = real_clock().seconds() - start;
  return result;
}

}  // namespace hipvault::search
