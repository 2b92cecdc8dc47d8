#include "engine/record.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "engine/generator.h"

namespace hipvault::engine {

corpus::Attempt attempt_of(const LoadedTask& task, const Candidate& candidate, const Tools& tools) {
  corpus::Attempt a;
  a.op = task.op_name;
  a.op_text = task.op_text;
  a.op_file = task.op_file;
  a.standard = task.standard;
  a.types = task.types();
  a.sizes = task.task.sizes;
  a.case_name = task.case_name;
  a.arch = task.task.gpu.arch;
  a.gpu = task.task.gpu.name;
  a.cus = task.task.gpu.cus;
  a.device = tools.device ? tools.device->name() : "";
  a.toolchain = tools.compiler ? tools.compiler->toolchain() : "";
  if (candidate.by_kernel) a.toolchain += kByKernel;
  a.generator = generator_version();
  a.schedule = schedule::text(candidate.schedule);
  a.family = candidate.family;
  a.steps = candidate.steps;
  a.reached = candidate.reached;
  a.depth = candidate.depth;
  a.reason = candidate.reason;
  a.seconds = candidate.seconds;
  if (candidate.verdict) {
    a.verdict = to_json(*candidate.verdict);
    a.outcome = hipvault::name(candidate.verdict->outcome);
    a.seeds["judge"] = candidate.verdict->seed;
  }
  if (candidate.timing) {
    a.timing = to_json(*candidate.timing);
    a.time_us = candidate.timing->time_us;
  }
  a.source = candidate.source;
  a.source_hash = candidate.source_hash;
  a.code_object_hash = candidate.compiled.ok ? candidate.compiled.hash : "";
  a.created_us = real_clock().unix_microseconds();
  return a;
}

Result<LoadedTask> task_of(const corpus::Attempt& attempt) {
  TaskRequest request;
  request.gpu = attempt.gpu;
  for (const auto& [variable, dtype] : attempt.types) request.defines.push_back(variable + "=" + dtype);
  Result<LoadedTask> task =
      load_task_from_text(attempt.op_text, attempt.op_file, attempt.standard, attempt.op, request);
  if (!task) return fail(task.error());
  // The sizes are stored whole, scalars come with the case of that name.
  TaskRequest named = request;
  for (const ir::Case& one : task->task.program.cases)
    if (one.name == attempt.case_name) named.case_name = one.name;
  if (!named.case_name.empty())
    task = load_task_from_text(attempt.op_text, attempt.op_file, attempt.standard, attempt.op, named);
  if (!task) return fail(task.error());
  task->task.sizes = attempt.sizes;
  task->timed.sizes = attempt.sizes;
  task->case_name = task->timed.name = attempt.case_name;
  return task;
}

}  // namespace hipvault::engine
