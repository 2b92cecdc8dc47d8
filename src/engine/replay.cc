#include <fmt/format.h>

#include "engine/generator.h"
#include "engine/record.h"
#include "engine/suggest.h"

namespace hipvault::engine {
namespace {

// What must be equal between two verdicts with one seed: everything but the time they took.
Json without_seconds(Json verdict) {
  if (!verdict.is_object()) return verdict;
  verdict.erase("seconds");
  if (verdict.contains("cases"))
    for (Json& one : verdict["cases"]) one.erase("seconds");
  return verdict;
}

void compare_source(const corpus::Attempt& attempt, Replay& replay) {
  replay.same_source = replay.candidate.source == attempt.source;
  if (replay.same_source) return;
  if (attempt.generator != generator_version()) {
    replay.differences.push_back(fmt::format("the source differs: it was made by generator {}, this is {}",
                                             attempt.generator, generator_version()));
  } else {
    replay.differences.push_back("the source differs although the generator is the same");
  }
}

void compare_code(const corpus::Attempt& attempt, const std::string& toolchain, Replay& replay) {
  std::string hash = replay.candidate.compiled.ok ? replay.candidate.compiled.hash : "";
  replay.same_code_object = hash == attempt.code_object_hash;
  if (replay.same_code_object) return;
  bool other = toolchain != attempt.toolchain;
  replay.differences.push_back(
      other ? fmt::format("the code object differs: it was made by {}, this is {}", attempt.toolchain, toolchain)
            : "the code object differs although the toolchain is the same");
}

void compare_verdict(const corpus::Attempt& attempt, Replay& replay) {
  Json now = replay.candidate.verdict ? to_json(*replay.candidate.verdict) : Json();
  replay.same_verdict = without_seconds(now) == without_seconds(attempt.verdict);
  if (!replay.same_verdict) {
    std::string outcome = replay.candidate.verdict ? hipvault::name(replay.candidate.verdict->outcome) : "none";
    replay.differences.push_back(fmt::format("the verdict differs: {} then, {} now",
                                             attempt.outcome.empty() ? "none" : attempt.outcome, outcome));
  }
}

}  // namespace

Result<Replay> replay(const corpus::Attempt& attempt, const ReplayOptions& options) {
  Result<LoadedTask> task = task_of(attempt);
  if (!task) return fail(task.error());
  Result<schedule::Schedule> schedule =
      schedule::parse_schedule(attempt.schedule, fmt::format("attempt {}", attempt.id));
  if (!schedule) return fail(schedule.error());
  Result<Tools> tools = open_tools(options.tools, task->task.gpu);
  if (!tools) return fail(tools.error());
  Replay replay;
  replay.candidate = make_candidate(*task, *schedule);
  compare_source(attempt, replay);
  if (attempt.reached == Reached::proposed) {  // refused then: the same refusal is the whole replay
    bool same = replay.candidate.reason == attempt.reason;
    if (!same)
      replay.differences.push_back(fmt::format("refused then: {}; now: {}", attempt.reason, replay.candidate.reason));
    replay.same_code_object = replay.same_verdict = replay.fresh_seed_agrees = same;
    return replay;
  }
  Result<Bench> bench = make_bench(*task);
  if (!bench) return fail(bench.error());
  bench->progress = options.progress;
  if (!replay.same_source) {  // another generator: the stored text is still compiled and judged
    replay.candidate.source = attempt.source;
    replay.candidate.reached = Reached::legal;
  }
  bool by_kernel = attempt.toolchain.ends_with(kByKernel);
  if (!by_kernel || !replay.same_source) replay.candidate.parts.clear();
  Depth depth = attempt.depth == "full" ? Depth::full : Depth::quick;
  bench->judge_seed = attempt.seeds.contains("judge") ? attempt.seeds.at("judge") : 0;
  try_candidate(*bench, *tools, depth, replay.candidate);
  if (replay.candidate.trouble) return fail(*replay.candidate.trouble);
  compare_code(attempt, tools->compiler->toolchain() + (by_kernel ? kByKernel : ""), replay);
  compare_verdict(attempt, replay);
  replay.fresh_seed_agrees = true;
  if (!attempt.verdict.is_object() || !replay.candidate.compiled.ok) return replay;
  Candidate fresh = replay.candidate;
  bench->judge_seed = 0;
  judge_candidate(*bench, *tools, depth, fresh);
  if (fresh.trouble) return fail(*fresh.trouble);
  replay.fresh_seed_agrees = fresh.verdict && hipvault::name(fresh.verdict->outcome) == attempt.outcome;
  if (!replay.fresh_seed_agrees)
    replay.differences.push_back(
        fmt::format("with a fresh seed the verdict is {}", hipvault::name(fresh.verdict->outcome)));
  return replay;
}

}  // namespace hipvault::engine
