#include "engine/build.h"

#include <filesystem>

#include "corpus/vault.h"
#include "engine/record.h"
#include "engine/show.h"

namespace hipvault::engine {

Result<Built> build(const BuildRequest& request, FileSystem& files) {
  Result<LoadedTask> task = load_task(request.task, files);
  if (!task) return fail(task.error());
  Built built;
  built.task = std::move(*task);
  Result<schedule::Schedule> schedule = schedule_for(built.task, request.schedule, request.schedule_file);
  if (!schedule) return fail(schedule.error());
  built.candidate = make_candidate(built.task, *schedule);
  built.candidate.steps = steps_of(built.task.task, built.candidate.schedule);
  if (built.candidate.reached < Reached::legal)
    return fail("build.refused", "the schedule is refused: " + built.candidate.reason);
  Result<Tools> tools = open_tools(request.tools, built.task.task.gpu);
  if (!tools) return fail(tools.error());
  Result<Bench> bench = make_bench(built.task);
  if (!bench) return fail(bench.error());
  bench->judge_threads = request.threads;
  bench->progress = request.progress;
  built.candidate.parts.clear();  // the code object that is written is the one that was judged
  built.work = bench->work;
  try_candidate(*bench, *tools, request.depth, built.candidate);
  if (built.candidate.trouble) return fail(*built.candidate.trouble);
  if (request.vault.empty()) return built;
  std::string folder = std::filesystem::path(request.vault).parent_path().string();
  Status made = folder.empty() ? Status() : files.make_directories(folder);
  if (!made) return fail(made.error());
  Result<std::unique_ptr<corpus::Vault>> vault = corpus::Vault::open(request.vault);
  if (!vault) return fail(vault.error());
  corpus::Attempt attempt = attempt_of(built.task, built.candidate, *tools);
  attempt.agent = "build";
  Result<int64_t> id = (*vault)->record(attempt);
  if (!id) return fail(id.error());
  built.attempt = *id;
  return built;
}

}  // namespace hipvault::engine
