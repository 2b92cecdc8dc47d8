#include "search/laboratory.h"

#include "engine/record.h"

namespace hipvault::search {

Laboratory make_laboratory(const engine::LoadedTask& task, const engine::Bench& bench,
                           std::vector<engine::Tools>& tools) {
  Laboratory lab;
  lab.next_question = [&task](const schedule::Schedule& prefix) { return schedule::next_question(task.task, prefix); };
  lab.default_schedule = [&task](const std::string& sketch) { return schedule::default_schedule(task.task, sketch); };
  lab.make = [&task](const schedule::Schedule& schedule) {
    engine::Candidate candidate = engine::make_candidate(task, schedule);
    candidate.steps = engine::steps_of(task.task, candidate.schedule);
    return candidate;
  };
  lab.try_out = [&bench, &tools](int worker, engine::Depth depth, engine::Candidate& candidate) {
    engine::try_candidate(bench, tools[static_cast<size_t>(worker)], depth, candidate);
  };
  lab.describe = [&task, &tools](const engine::Candidate& candidate) {
    return engine::attempt_of(task, candidate, tools.front());
  };
  return lab;
}

}  // namespace hipvault::search
