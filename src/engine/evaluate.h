#pragma once
// The one path from a schedule to a judged and timed kernel. Search, build, replay and verify all go through here.
//
//   Candidate candidate = make_candidate(task, schedule);            // to the kernel text; cheap
//   try_candidate(bench, tools, Depth::quick, candidate);            // compiled, judged, timed
//
// A step that a candidate does not survive leaves `reached` where it was and says why in `reason`; that is data, not an
// error. Trouble of our own (no compiler, no worker) is in `trouble` and ends a search.

#include <memory>
#include <optional>

#include "compile/compiler.h"
#include "corpus/attempt.h"
#include "device/device.h"
#include "engine/task.h"
#include "measure/measure.h"
#include "verify/judge.h"

namespace hipvault::engine {

using corpus::Reached;
using verify::Depth;

struct Candidate {
  schedule::Schedule schedule;
  std::vector<corpus::Step> steps;  // the decisions with their alternatives
  std::string family;
  Reached reached = Reached::proposed;
  std::string reason;
  std::optional<Diagnostic> trouble;
  Plan plan;
  double unit_roundoff = 0x1p-24;
  std::vector<tile::Kernel> kernels;  // after the passes
  std::string source, source_hash;
  std::vector<std::string> parts;  // one device-only source a kernel; empty: the file can only be compiled whole
  bool by_kernel = false;          // `compiled` came from the parts
  compile::CompileOutput compiled;
  std::vector<std::string> code_objects;  // one of the file, or one of each part
  std::string depth;                      // of the verdict: "quick", "full"
  std::optional<Verdict> verdict;
  std::optional<Timing> timing;
  std::map<std::string, double> seconds;  // per stage
};

// What a candidate is tried with. One Tools a thread; the judge is shared.
struct Tools {
  std::unique_ptr<compile::Compiler> compiler;
  std::unique_ptr<device::Device> device;
};
struct ToolOptions {
  std::string device = "sim";
  std::string clang_path;       // "": built in
  std::string cache_directory;  // "": no cache
};
Result<Tools> open_tools(const ToolOptions& options, const target::Gpu& gpu);

// What all candidates of a task share: the judge with its references, and the inputs at the timed size.
struct Bench {
  const LoadedTask* task = nullptr;
  std::unique_ptr<verify::Judge> judge;
  measure::Work work;
  Sizes sizes;                         // with the stride and align names
  std::vector<BufferRequest> buffers;  // inputs at the timed size
  std::vector<double> scalars;
  uint64_t judge_seed = 0;  // 0: fresh and secret for each judgement
  int judge_threads = 1;
  std::function<void(const std::string&)> progress;
};
// Makes the inputs once. Error: inputs cannot be made, or the task's trivial candidates pass (it is not admitted).
Result<Bench> make_bench(const LoadedTask& task);

using ShowPass = std::function<void(const std::string& pass, const std::string& text)>;

Candidate make_candidate(const LoadedTask& task, const schedule::Schedule& schedule, const ShowPass& show = nullptr);

// A quick trial compiles the kernels one by one, without line tables: the general variant is the same for all
// candidates of a family and comes from the cache, which halves what a candidate of a row op costs. One that does not
// pass that way is compiled and judged again as the file it is, so that what is said of it names the file's lines. A
// full trial takes the file, always.
void try_candidate(const Bench& bench, Tools& tools, Depth depth, Candidate& candidate);

// The judgement alone, again, at another depth.
void judge_candidate(const Bench& bench, Tools& tools, Depth depth, Candidate& candidate);

// The decisions of a schedule with the alternatives that were open at each step.
std::vector<corpus::Step> steps_of(const schedule::Task& task, const schedule::Schedule& schedule);

}  // namespace hipvault::engine
