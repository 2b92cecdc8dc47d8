#include "engine/evaluate.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/hash.h"
#include "engine/work.h"
#include "print/hip.h"
#include "tile/passes.h"

namespace hipvault::engine {
namespace {

// Adds the time until it goes out of scope to a stage's seconds.
class StageTimer {
 public:
  StageTimer(Candidate& candidate, const char* stage)
      : candidate_(candidate), stage_(stage), start_(real_clock().seconds()) {}
  ~StageTimer() { candidate_.seconds[stage_] += real_clock().seconds() - start_; }

 private:
  Candidate& candidate_;
  const char* stage_;
  double start_;
};

bool stop(Candidate& candidate, const Diagnostic& why) {
  candidate.reason = why.hint.empty() ? why.message : why.message + " (" + why.hint + ")";
  return false;
}

bool stop_for_trouble(Candidate& candidate, const Diagnostic& why) {
  candidate.trouble = why;
  return stop(candidate, why);
}

bool lower(const LoadedTask& task, Candidate& candidate, schedule::Lowered& lowered) {
  StageTimer timer(candidate, "schedule");
  Result<schedule::Lowered> result = schedule::lower(task.task, candidate.schedule);
  if (!result) return stop(candidate, result.error());
  lowered = std::move(*result);
  candidate.schedule = lowered.schedule;
  candidate.family = lowered.family;
  candidate.plan = lowered.plan;
  candidate.unit_roundoff = lowered.compute_unit_roundoff;
  return true;
}

bool run_passes(const LoadedTask& task, const schedule::Lowered& lowered, const ShowPass& show, Candidate& candidate) {
  StageTimer timer(candidate, "passes");
  candidate.kernels = lowered.kernels;
  for (tile::Kernel& kernel : candidate.kernels) {
    tile::PassContext context;
    context.arch = &target::arch_of(task.task.gpu);
    auto multiple = lowered.multiple_of.find(kernel.name);
    auto alignment = lowered.alignment.find(kernel.name);
    if (multiple != lowered.multiple_of.end()) context.multiple_of = multiple->second;
    if (alignment != lowered.alignment.end()) context.alignment = alignment->second;
    if (show) show("", tile::text(kernel));
    context.show = show;
    Status done = tile::run_passes(kernel, context);
    if (!done) return stop(candidate, done.error());
  }
  return true;
}

// The op as it was written, but for its cases and inputs: those are not what the kernel computes.
std::string op_comment(const ir::Program& program) {
  std::string text = ir::text(program), kept;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    size_t word = line.find_first_not_of(' ');
    bool note =
        word != std::string::npos && (line.compare(word, 5, "case ") == 0 || line.compare(word, 6, "input ") == 0);
    if (!note) kept += line + "\n";
    begin = end + 1;
  }
  return kept;
}

bool print(const LoadedTask& task, const schedule::Lowered& lowered, Candidate& candidate) {
  StageTimer timer(candidate, "print");
  print::FileInfo info;
  std::string dtypes;
  for (const auto& [variable, dtype] : task.task.program.types) dtypes += std::string(", ") + hipvault::name(dtype);
  info.title = task.op_name + dtypes + ", for " + task.task.gpu.arch;
  info.op_text = op_comment(task.task.program);
  info.schedule = schedule::text(candidate.schedule);
  info.promises = lowered.promises;
  Result<std::string> source =
      print::print_file(candidate.plan, candidate.kernels, target::arch_of(task.task.gpu), info);
  if (!source) return stop(candidate, source.error());
  candidate.source = std::move(*source);
  candidate.source_hash = hash_hex(candidate.source);
  for (const tile::Kernel& kernel : candidate.kernels) {
    Result<std::string> part = print::print_device_source(kernel, target::arch_of(task.task.gpu));
    if (!part) return stop(candidate, part.error());
    candidate.parts.push_back(std::move(*part));
  }
  candidate.reached = Reached::legal;
  return true;
}

std::string first_error(const std::string& diagnostics) {
  size_t at = diagnostics.find("error:");
  if (at == std::string::npos) return diagnostics.substr(0, diagnostics.find('\n'));
  size_t begin = diagnostics.rfind('\n', at);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return diagnostics.substr(begin, diagnostics.find('\n', at) - begin);
}

// Joins what was compiled apart: all of it must compile; the hash is of the hashes.
bool compile_by_kernel(const Bench& bench, Tools& tools, Candidate& candidate) {
  compile::CompileOutput joined;
  joined.ok = joined.cached = true;
  std::string hashes;
  for (const std::string& part : candidate.parts) {
    compile::CompileRequest request;
    request.source = part;
    request.arch = bench.task->task.gpu.arch;
    request.line_table = false;
    Result<compile::CompileOutput> output = tools.compiler->compile(request);
    if (!output) return stop_for_trouble(candidate, output.error());
    if (!output->ok) return false;
    hashes += output->hash;
    joined.diagnostics += output->diagnostics;
    joined.kernels.insert(joined.kernels.end(), output->kernels.begin(), output->kernels.end());
    joined.toolchain = output->toolchain;
    joined.seconds += output->seconds;
    joined.cached = joined.cached && output->cached;
    candidate.code_objects.push_back(std::move(output->code_object));
  }
  joined.hash = hash_hex(hashes);
  candidate.compiled = std::move(joined);
  candidate.by_kernel = true;
  candidate.reached = Reached::compiled;
  return true;
}

bool compile_file(const Bench& bench, Tools& tools, Candidate& candidate) {
  compile::CompileRequest request;
  request.source = candidate.source;
  request.arch = bench.task->task.gpu.arch;
  Result<compile::CompileOutput> output = tools.compiler->compile(request);
  if (!output) return stop_for_trouble(candidate, output.error());
  candidate.compiled = std::move(*output);
  candidate.by_kernel = false;
  if (!candidate.compiled.ok) {
    candidate.reason = "does not compile: " + first_error(candidate.compiled.diagnostics);
    return false;
  }
  candidate.code_objects = {candidate.compiled.code_object};
  candidate.reached = Reached::compiled;
  return true;
}

bool compile(const Bench& bench, Tools& tools, bool by_kernel, Candidate& candidate) {
  StageTimer timer(candidate, "compile");
  candidate.code_objects.clear();
  return by_kernel ? compile_by_kernel(bench, tools, candidate) : compile_file(bench, tools, candidate);
}

bool judge(const Bench& bench, Tools& tools, Depth depth, Candidate& candidate) {
  StageTimer timer(candidate, depth == Depth::quick ? "judge" : "judge_full");
  verify::JudgeOptions options;
  options.depth = depth;
  options.case_name = bench.task->case_name;
  options.timed_sizes = bench.task->task.sizes;
  options.seed = bench.judge_seed;
  options.threads = bench.judge_threads;
  options.progress = bench.progress;
  verify::Candidate judged{candidate.plan, candidate.code_objects, candidate.unit_roundoff};
  Result<Verdict> verdict = bench.judge->judge(judged, *tools.device, options);
  if (!verdict) return stop_for_trouble(candidate, verdict.error());
  candidate.depth = depth == Depth::quick ? "quick" : "full";
  candidate.verdict = std::move(*verdict);
  if (!candidate.verdict->passed()) {
    candidate.reached = Reached::compiled;
    candidate.timing.reset();
    candidate.reason = std::string(hipvault::name(candidate.verdict->outcome)) + ": " + candidate.verdict->message;
    return false;
  }
  if (candidate.reached == Reached::compiled) candidate.reached = Reached::correct;
  return true;
}

bool measure_time(const Bench& bench, Tools& tools, Candidate& candidate) {
  StageTimer timer(candidate, "measure");
  measure::MeasureRequest request{candidate.plan, candidate.code_objects, bench.sizes,
                                  bench.buffers,  bench.scalars,          bench.work};
  Result<Timing> timing = measure::measure(request, *tools.device, bench.task->task.gpu);
  if (!timing) return stop(candidate, timing.error());
  candidate.timing = std::move(*timing);
  candidate.reached = Reached::timed;
  candidate.reason.clear();
  return true;
}

}  // namespace

Candidate make_candidate(const LoadedTask& task, const schedule::Schedule& schedule, const ShowPass& show) {
  Candidate candidate;
  candidate.schedule = schedule;
  schedule::Lowered lowered;
  // Decisions become a plan and tile programs, or are refused with the reason.
  if (!lower(task, candidate, lowered)) return candidate;
  // Tiles get layouts, places in LDS and vector widths.
  if (!run_passes(task, lowered, show, candidate)) return candidate;
  // Tile programs become one stand-alone file. From here on the kernel text does not change.
  print(task, lowered, candidate);
  return candidate;
}

void try_candidate(const Bench& bench, Tools& tools, Depth depth, Candidate& candidate) {
  if (candidate.reached != Reached::legal) return;
  if (tools.device->name() == "null") {
    if (compile(bench, tools, false, candidate)) candidate.reason = "compiled; the null device runs nothing";
    return;
  }
  bool by_kernel = depth == Depth::quick && !candidate.parts.empty();
  // The text becomes machine code in a worker, and the judge compares the raw output of the code with its own
  // references. From here on only bytes count.
  auto compiled_and_right = [&](bool apart) {
    return compile(bench, tools, apart, candidate) && judge(bench, tools, depth, candidate);
  };
  bool right = compiled_and_right(by_kernel);
  if (!right && by_kernel && !candidate.trouble) right = compiled_and_right(false);
  // Only what is right is timed.
  if (right) measure_time(bench, tools, candidate);
}

void judge_candidate(const Bench& bench, Tools& tools, Depth depth, Candidate& candidate) {
  judge(bench, tools, depth, candidate);
}

std::vector<corpus::Step> steps_of(const schedule::Task& task, const schedule::Schedule& schedule) {
  std::vector<corpus::Step> steps;
  schedule::Schedule prefix;
  for (const schedule::Decision& decision : schedule) {
    corpus::Step step{decision.name, decision.value, {}};
    Result<schedule::Question> question = schedule::next_question(task, prefix);
    if (question && question->name == decision.name)
      for (const schedule::Choice& choice : question->choices)
        step.alternatives.push_back({choice.value, choice.legal, choice.reason});
    steps.push_back(std::move(step));
    prefix.push_back(decision);
  }
  return steps;
}

}  // namespace hipvault::engine
