#include "engine/foreign.h"

#include <fmt/format.h>

#include <cmath>

#include "base/hash.h"
#include "engine/suggest.h"
#include "print/hip.h"
#include "verify/safetensors.h"
#include "verify/user_text.h"

namespace hipvault::engine {
namespace {

// Inputs that the file has values for come from it; the others stay as the op says.
Status take_inputs(const std::string& path, ir::Program& program) {
  std::vector<std::string> names;
  Diagnostic last;
  bool any = false;
  for (const ir::Tensor& tensor : program.tensors) {
    if (tensor.role == Role::output) continue;
    names.push_back(tensor.name);
    Result<HostTensor> values = verify::read_safetensor(path, tensor.name);
    if (!values) last = values.error();
    if (!values) continue;
    any = true;
    ir::Distribution from_file;
    from_file.kind = "file";
    from_file.file = path;
    program.inputs[tensor.name] = {from_file};
  }
  if (!any) return fail(last.code, last.message, "the op's inputs are " + join(names));
  return {};
}

double unit_roundoff_of(const Plan& plan) {
  std::optional<DType> dtype = dtype_by_name(plan.accumulate);
  if (!dtype || !is_float(*dtype)) return 0x1p-24;
  return std::ldexp(1.0, -(info(*dtype).mantissa_bits + 1));
}

Verdict verdict_without_run(Outcome outcome, const std::string& message) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.message = message;
  return verdict;
}

// The compiler and the line table know the source as kernel.hip; whoever wrote it knows it by its own name.
void name_lines_of(const std::string& file, std::string& text) {
  const std::string known = "kernel.hip:";
  for (size_t at = 0; (at = text.find(known, at)) != std::string::npos; at += file.size() + 1)
    text.replace(at, known.size(), file + ":");
}

void name_lines_of(const std::string& file, Verdict& verdict) {
  name_lines_of(file, verdict.message);
  for (CaseVerdict& one : verdict.cases) {
    name_lines_of(file, one.message);
    for (Finding& finding : one.findings) {
      name_lines_of(file, finding.message);
      name_lines_of(file, finding.source);
      name_lines_of(file, finding.other_source);
    }
  }
}

Status check_plan(const Plan& plan, const LoadedTask& task) {
  if (!plan.op.empty() && plan.op != task.op_name)
    return fail("verify.other-op", "the plan is for the op " + plan.op + ", not " + task.op_name,
                "give the op it computes with --op");
  if (!plan.arch.empty() && plan.arch != task.task.gpu.arch) {
    return fail("verify.other-arch",
                "the plan is for " + plan.arch + ", the gpu " + task.task.gpu.name + " is " + task.task.gpu.arch,
                "choose a gpu of that arch with --gpu");
  }
  return {};
}

}  // namespace

Result<Verified> verify_file(const VerifyRequest& request, FileSystem& files) {
  Result<std::string> source = files.read(request.file);
  if (!source) return fail(source.error());
  Status same = verify::same_for_users(*source);
  if (!same) return fail(same.error().code, request.file + ": " + same.error().message, same.error().hint);
  Result<Plan> plan = print::plan_in_source(*source);
  if (!plan)
    return fail(plan.error().code, request.file + ": " + plan.error().message,
                "`hipvault new-kernel OP` writes a file with a plan");
  TaskRequest wanted = request.task;
  if (wanted.op.empty()) wanted.op = plan->op;
  for (const BufferSpec& buffer : plan->buffers) wanted.tensor_dtypes[buffer.name] = buffer.dtype;
  Result<LoadedTask> task = load_task(wanted, files);
  if (!task) return fail(task.error());
  Status fits = check_plan(*plan, *task);
  if (!fits) return fail(fits.error());
  Verified verified;
  if (!request.inputs.empty()) {
    Status taken = take_inputs(request.inputs, task->task.program);
    if (!taken) return fail(taken.error());
  }
  verified.task = std::move(*task);
  Result<Tools> tools = open_tools(request.tools, verified.task.task.gpu);
  if (!tools) return fail(tools.error());
  Result<Bench> bench = make_bench(verified.task);
  if (!bench) return fail(bench.error());
  bench->judge_seed = request.seed;
  bench->judge_threads = request.threads;
  bench->progress = request.progress;
  verified.sizes = bench->sizes;
  Candidate& candidate = verified.candidate;
  candidate.plan = std::move(*plan);
  candidate.family = "foreign";
  candidate.unit_roundoff = unit_roundoff_of(candidate.plan);
  candidate.source = std::move(*source);
  candidate.source_hash = hash_hex(candidate.source);
  candidate.reached = Reached::legal;
  try_candidate(*bench, *tools, request.depth, candidate);
  if (candidate.trouble) return fail(*candidate.trouble);
  if (!candidate.compiled.ok)
    candidate.verdict = verdict_without_run(Outcome::compile_failed, candidate.compiled.diagnostics);
  if (candidate.verdict) name_lines_of(request.file, *candidate.verdict);
  name_lines_of(request.file, candidate.reason);
  return verified;
}

}  // namespace hipvault::engine
