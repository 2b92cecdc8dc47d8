// hipvault_judge_library [--op NAME] [--sketch NAME] [--gpu NAME] [--threads N] [--seed N] [--cache FOLDER]
//                        [--known FILE] [--json OUT] [--verbose] [--all] [--schedules K] [--huge]
//
// Is what we generate right? Every op of the library, under the default schedule of every sketch that matches it, goes
// the whole road: schedule, tile program, HIP, clang, simulated GPU, judge. One row each:
//
//   rms_norm        bf16      row_reduce  pass          41 cases   23104 elements   worst 0.52   1.9 s
//
// By default an op has the first of its dtypes, the cases small and odd (for faster sketches than naive: batch1 and
// strided too), every draw of inputs and a few border sizes under one seed, so that the run is short and repeatable.
// --all: every dtype, every case the simulator reaches, more border sizes.
// --schedules K: besides the default K random legal schedules of every sketch but naive, drawn from the seed; a row
// that fails shows its schedule. --huge: the op's huge case too, sampled as the judge does with a timed size.
//
// FILE lists what is known to fail, with the reason, one "op sketch: reason" a line. Exit status: 0 if exactly those
// fail (a known failure that passes must leave the list), 1 otherwise, 2 for bad usage.

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "engine/evaluate.h"
#include "engine/workers.h"
#include "library/random_schedule.h"
#include "library/table.h"

namespace hipvault::library {
namespace {

struct Options {
  std::string gpu = "mi300x", cache, known, json;
  std::set<std::string> ops, sketches;  // empty: all
  int threads = hardware_threads();
  uint64_t seed = 20261201;
  int schedules = 0;
  bool all = false, huge = false, verbose = false;
};

struct Job {
  engine::OpEntry op;
  std::vector<std::string> types;  // "T=bf16"
};

// Choice k of every type variable, for each k: all dtypes appear, without all combinations.
std::vector<std::vector<std::string>> type_choices(const engine::OpEntry& op, bool all, FileSystem& files) {
  std::vector<std::vector<std::string>> found = {{}};
  if (!all) return found;
  std::string folder = engine::library_folder(files);
  Result<std::string> text = files.read(op.file), standard = files.read(folder + "/std.hv");
  if (!text || !standard) return found;
  Result<frontend::OpFileRef> file = frontend::parse_file(*text, op.file, *standard);
  if (!file) return found;
  auto variables = frontend::type_variables(*file, op.name);
  if (!variables || variables->empty()) return found;
  size_t most = 0;
  for (const auto& [name, choices] : *variables) most = std::max(most, choices.size());
  found.assign(most, {});
  for (size_t at = 0; at < most; ++at) {
    for (const auto& [name, choices] : *variables)
      found[at].push_back(name + "=" + hipvault::name(choices[at % choices.size()]));
  }
  return found;
}

std::string joined(const std::map<std::string, std::string>& types) {
  std::string text;
  for (const auto& [variable, dtype] : types) text += (text.empty() ? "" : ",") + dtype;
  return text.empty() ? "-" : text;
}

class Sweep {
 public:
  explicit Sweep(const Options& options) : options_(options) {}

  Status run() {
    Result<target::Gpu> gpu = target::find_gpu(options_.gpu);
    if (!gpu) return fail(gpu.error());
    for (const engine::OpEntry& op : engine::list_ops(files_)) {
      if (!op.problem.empty()) return fail("library.op", op.problem);
      if (!options_.ops.empty() && !options_.ops.contains(op.name)) continue;
      for (std::vector<std::string>& types : type_choices(op, options_.all, files_))
        jobs_.push_back({op, std::move(types)});
    }
    if (jobs_.empty()) return fail("library.op", "no op of that name in the library");
    for (int thread = 0; thread < options_.threads; ++thread) {
      Result<engine::Tools> tools = engine::open_tools({"sim", "", options_.cache}, *gpu);
      if (!tools) return fail(tools.error());
      tools_.push_back(std::move(*tools));
    }
    std::atomic<size_t> next{0};
    parallel_for(options_.threads, options_.threads, [&](int64_t thread) {
      for (size_t at = next++; at < jobs_.size(); at = next++) judge_op(jobs_[at], tools_[static_cast<size_t>(thread)]);
    });
    return {};
  }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  void judge_op(const Job& job, engine::Tools& tools) {
    engine::TaskRequest request{job.op.file + ":" + job.op.name, "small", job.types, options_.gpu};
    Result<engine::LoadedTask> task = engine::load_task(request, files_);
    if (!task) return show({job.op.name, "", "-", "not loaded", render(task.error())});
    Result<schedule::Question> sketches = schedule::next_question(task->task, {});
    if (!sketches) return show({job.op.name, joined(task->types()), "-", "no sketch", render(sketches.error())});
    verify::Judge judge(task->task.program);
    for (const schedule::Choice& sketch : sketches->choices) {
      bool wanted = options_.sketches.empty() || options_.sketches.contains(sketch.value);
      if (!sketch.legal || !wanted) continue;
      try_schedule(*task, sketch.value, "default", schedule::default_schedule(task->task, sketch.value), judge, tools);
      if (sketch.value != "naive") try_random(*task, sketch.value, judge, tools);
    }
  }

  // Tasks at other sizes allow other decisions (a row of 1,000,003 columns may be split), so the huge case's turn comes
  // every other time.
  void try_random(const engine::LoadedTask& small, const std::string& sketch, verify::Judge& judge,
                  engine::Tools& tools) {
    std::set<std::string> tried;
    std::optional<engine::LoadedTask> huge;
    if (options_.huge) huge = at_case(small, "huge");
    for (int turn = 0; turn < options_.schedules; ++turn) {
      const engine::LoadedTask& task = huge && turn % 2 == 0 ? *huge : small;
      Random random(options_.seed ^ std::hash<std::string>{}(task.op_name + joined(task.types()) + sketch) ^
                    static_cast<uint64_t>(turn) << 32);
      Result<schedule::Schedule> drawn = random_schedule(task.task, sketch, random);
      if (drawn && !tried.insert(task.case_name + schedule::text(*drawn)).second) continue;
      try_schedule(task, sketch, "random " + std::to_string(turn), drawn, judge, tools);
    }
  }

  std::optional<engine::LoadedTask> at_case(const engine::LoadedTask& task, const std::string& name) const {
    std::vector<std::string> types;
    for (const auto& [variable, dtype] : task.types()) types.push_back(variable + "=" + dtype);
    Result<engine::LoadedTask> other =
        engine::load_task({task.op_file + ":" + task.op_name, name, types, options_.gpu}, files_);
    return other ? std::optional(std::move(*other)) : std::nullopt;
  }

  void try_schedule(const engine::LoadedTask& task, const std::string& sketch, const std::string& which,
                    const Result<schedule::Schedule>& schedule, verify::Judge& judge, engine::Tools& tools) {
    double started = real_clock().seconds();
    Row row;
    row.op = task.op_name, row.types = joined(task.types()), row.sketch = sketch, row.which = which;
    if (!schedule) {
      set(row, "no schedule", schedule.error().message);
    } else {
      row.schedule = schedule::text(*schedule);
      build_and_judge(task, *schedule, judge, tools, row);
    }
    row.seconds = real_clock().seconds() - started;
    show(std::move(row));
  }

  void build_and_judge(const engine::LoadedTask& task, const schedule::Schedule& schedule, verify::Judge& judge,
                       engine::Tools& tools, Row& row) const {
    engine::Candidate made = engine::make_candidate(task, schedule);
    if (made.reached != engine::Reached::legal) return set(row, "not lowered", made.reason);
    compile::CompileRequest request;
    request.source = made.source;
    request.arch = task.task.gpu.arch;
    Result<compile::CompileOutput> compiled = tools.compiler->compile(request);
    if (!compiled) return set(row, "trouble", render(compiled.error()));
    if (!compiled->ok) return set(row, "not compiled", compiled->diagnostics);
    Result<Verdict> verdict =
        judge.judge({made.plan, {compiled->code_object}, made.unit_roundoff}, *tools.device, judging(task, row));
    if (!verdict) return set(row, "trouble", render(verdict.error()));
    set(row, verdict->passed() ? "pass" : name(verdict->outcome), verdict->message);
    for (const CaseVerdict& one : verdict->cases) {
      if (one.outcome == Outcome::refused) continue;
      ++row.cases;
      row.elements += one.elements;
      row.worst = std::max(row.worst, one.worst);
    }
  }

  verify::JudgeOptions judging(const engine::LoadedTask& task, const Row& row) const {
    verify::JudgeOptions options;
    options.seed = options_.seed;
    bool naive = row.sketch == "naive", full = options_.all && row.which == "default";
    options.most_borders = full ? 16 : naive ? 3 : 6;
    if (!full) {
      options.only_cases = {"small", "odd"};
      if (!naive) options.only_cases.insert(options.only_cases.end(), {"batch1", "strided"});
    }
    bool at_huge = task.case_name == "huge" || row.which == "default";
    if (options_.huge && at_huge && !naive) {
      std::optional<engine::LoadedTask> huge = at_case(task, "huge");
      if (huge) options.case_name = "huge", options.timed_sizes = huge->task.sizes;
    }
    return options;
  }

  static void set(Row& row, const std::string& state, const std::string& message) {
    row.state = state;
    row.message = message;
  }

  void show(Row row) {
    std::lock_guard<std::mutex> lock(mutex_);
    fmt::print("{:<26} {:<10} {:<11} {:<10} {:<12} {:>3} cases {:>8} elements  worst {:>7.3g} {:>6.2f} s\n", row.op,
               row.types, row.sketch, row.which, row.state, row.cases, row.elements, row.worst, row.seconds);
    if (!row.passed() || options_.verbose) fmt::print("    {}\n", row.message);
    if (!row.passed() && row.which != "default") fmt::print("{}\n", row.schedule);
    std::fflush(stdout);
    rows_.push_back(std::move(row));
  }

  const Options& options_;
  FileSystem& files_ = real_file_system();
  std::vector<Job> jobs_;
  std::vector<engine::Tools> tools_;
  std::mutex mutex_;
  std::vector<Row> rows_;
};

bool read_options(int argc, char** argv, Options& options) {
  for (int at = 1; at < argc; ++at) {
    std::string word = argv[at];
    if (bool* flag = word == "--all"       ? &options.all
                     : word == "--huge"    ? &options.huge
                     : word == "--verbose" ? &options.verbose
                                           : nullptr) {
      *flag = true;
      continue;
    }
    if (at + 1 >= argc) return false;
    std::string value = argv[++at];
    if (word == "--op") {
      options.ops.insert(value);
    } else if (word == "--sketch") {
      options.sketches.insert(value);
    } else if (word == "--threads") {
      options.threads = std::max(1, std::atoi(value.c_str()));
    } else if (word == "--schedules") {
      options.schedules = std::atoi(value.c_str());
    } else if (word == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (std::string* text = word == "--gpu"     ? &options.gpu
                                   : word == "--cache" ? &options.cache
                                   : word == "--known" ? &options.known
                                   : word == "--json"  ? &options.json
                                                       : nullptr) {
      *text = value;
    } else {
      return false;
    }
  }
  return true;
}

int run(const Options& options) {
  Result<std::map<std::string, std::string>> known = known_failures(options.known);
  double started = real_clock().seconds();
  Sweep sweep(options);
  Status done = known ? sweep.run() : fail(known.error());
  if (!done) {
    fmt::print(stderr, "{}\n", render(done.error()));
    return 2;
  }
  if (!options.json.empty()) write_json(options.json, sweep.rows());
  print_table(sweep.rows());
  int status = report(options.known, sweep.rows(), *known);
  fmt::print("{:.0f} s\n", real_clock().seconds() - started);
  return status;
}

}  // namespace
}  // namespace hipvault::library

int main(int argc, char** argv) {
  if (std::optional<int> status = hipvault::engine::serve_as_worker(argc, argv)) return *status;
  hipvault::library::Options options;
  if (!hipvault::library::read_options(argc, argv, options)) {
    std::fputs(
        "usage: hipvault_judge_library [--op NAME] [--sketch NAME] [--gpu NAME] [--threads N] [--seed N]\n"
        "                              [--cache FOLDER] [--known FILE] [--json OUT] [--verbose] [--all]\n"
        "                              [--schedules K] [--huge]\n",
        stderr);
    return 2;
  }
  return hipvault::library::run(options);
}
