// One candidate at one set of sizes: resolves the plan, runs what must run, and turns counters or clocks into a Timing.
// On the simulated GPU three work-groups of each launch run (first, middle, last), without checkers and in fast mode;
// on a real one the whole candidate runs again and again and the median is taken.

#include "measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "measure/draft.h"
#include "measure/roofline.h"

namespace hipvault::measure {
namespace {

constexpr int kSamples = 50;

int64_t groups_of(const ResolvedLaunch& launch) { return launch.grid[0] * launch.grid[1] * launch.grid[2]; }

std::vector<int64_t> sampled_groups(const ResolvedPlan& plan) {
  std::set<int64_t> chosen;
  for (const ResolvedLaunch& launch : plan.launches) {
    int64_t groups = groups_of(launch);
    for (int64_t at : {int64_t{0}, groups / 2, groups - 1}) {
      if (at >= 0 && at < groups) chosen.insert(at);
    }
  }
  return {chosen.begin(), chosen.end()};
}

RunRequest run_request(const MeasureRequest& request, const ResolvedPlan& plan, const target::Gpu& gpu) {
  RunRequest made;
  made.gpu = gpu.name;
  made.code_objects = request.code_objects;
  made.plan = plan;
  made.buffers = request.buffers;
  for (BufferRequest& buffer : made.buffers) buffer.read_back = false;
  made.scalars = request.scalars;
  made.check = false;
  made.deadline_s = 120;
  return made;
}

Status require_completed(const Run& run) {
  if (run.status == RunStatus::completed) return {};
  return fail("measure.not-run", std::string("the candidate did not run to its end at the timed size: ") +
                                     name(run.status) + ": " + run.message);
}

// What a launch can reach: its buffers by role, and the workspace.
class Reach {
 public:
  Reach(const MeasureRequest& request, const ResolvedPlan& plan, const target::Gpu& gpu)
      : request_(request), plan_(plan), gpu_(gpu) {}

  LaunchLimits next(const ResolvedLaunch& launch) {
    LaunchLimits limits;
    limits.first = first_;
    std::set<int> seen;
    double warm = 0;
    for (const ResolvedArg& arg : launch.args) {
      bool workspace = arg.kind == KernelArg::Kind::workspace;
      if (!workspace && arg.kind != KernelArg::Kind::buffer) continue;
      int key = workspace ? -1 : arg.index;
      if (!seen.insert(key).second) continue;
      double bytes = workspace ? static_cast<double>(plan_.workspace_bytes) : size_of(arg.index);
      bool written = workspace || request_.buffers[static_cast<size_t>(arg.index)].writable;
      bool read = workspace || request_.buffers[static_cast<size_t>(arg.index)].initialised || touched_.contains(key);
      limits.readable_bytes += read ? bytes : 0;
      limits.writable_bytes += written ? bytes : 0;
      warm += read && touched_.contains(key) ? bytes : 0;
    }
    limits.warm_bytes = touched_bytes_ <= static_cast<double>(gpu_.last_level_bytes) ? warm : 0;
    for (int key : seen) {
      if (touched_.insert(key).second)
        touched_bytes_ += key < 0 ? static_cast<double>(plan_.workspace_bytes) : size_of(key);
    }
    first_ = false;
    return limits;
  }

 private:
  double size_of(int buffer) const {
    const BufferRequest& request = request_.buffers[static_cast<size_t>(buffer)];
    return static_cast<double>(request.valid_end - request.valid_begin);
  }
  const MeasureRequest& request_;
  const ResolvedPlan& plan_;
  const target::Gpu& gpu_;
  std::set<int> touched_;
  double touched_bytes_ = 0;
  bool first_ = true;
};

// Faster than physics is a fault of the model or a cheat: the floor stands in, and the bound says so.
void finish(Timing& timing, const Work& work, const target::Gpu& gpu) {
  timing.roofline_us = roofline_us(work, gpu);
  if (timing.kind == "draft" && timing.time_us < timing.roofline_us) {
    timing.time_us = timing.roofline_us;
    timing.bound = "floor";
  }
  timing.roofline_fraction = timing.time_us > 0 ? timing.roofline_us / timing.time_us : 0;
}

Result<Timing> draft(const MeasureRequest& request, const ResolvedPlan& plan, device::Device& device,
                     const target::Gpu& gpu) {
  RunRequest run = run_request(request, plan, gpu);
  run.only_groups = sampled_groups(plan);
  run.exact = false;
  run.count_lines = true;
  Result<RunResult> ran = device.run(run);
  if (!ran) return fail(ran.error());
  Status completed = require_completed(ran->run);
  if (!completed) return fail(completed.error());
  if (ran->run.launches.size() != plan.launches.size()) {
    return fail("measure.counters",
                fmt::format("the device counted {} launches of {}", ran->run.launches.size(), plan.launches.size()));
  }
  Timing timing;
  timing.kind = "draft";
  Reach reach(request, plan, gpu);
  double longest = -1;
  for (size_t at = 0; at < plan.launches.size(); ++at) {
    LaunchDraft one = draft_launch(ran->run.launches[at], reach.next(plan.launches[at]), gpu);
    timing.launch_us.push_back(one.time_us);
    timing.time_us += one.time_us;
    if (one.time_us > longest) timing.bound = one.bound;
    longest = std::max(longest, one.time_us);
  }
  return timing;
}

Result<Timing> clock(const MeasureRequest& request, const ResolvedPlan& plan, device::Device& device,
                     const target::Gpu& gpu) {
  Timing timing;
  timing.kind = "measured";
  timing.bound = "unknown";
  RunRequest run = run_request(request, plan, gpu);
  run.samples = kSamples;
  run.flush_bytes = 4 * std::max(gpu.l2_bytes * gpu.xcds, gpu.last_level_bytes);
  Result<RunResult> ran = device.run(run);
  if (!ran) return fail(ran.error());
  Status completed = require_completed(ran->run);
  if (!completed) return fail(completed.error());
  timing.samples_us = ran->run.samples_us;
  if (timing.samples_us.empty()) return fail("measure.clock", "the device " + device.name() + " gives no times");
  std::vector<double> sorted = timing.samples_us;
  std::sort(sorted.begin(), sorted.end());
  timing.time_us = sorted[sorted.size() / 2];
  return timing;
}

}  // namespace

Result<Timing> measure(const MeasureRequest& request, device::Device& device, const target::Gpu& gpu) {
  Result<ResolvedPlan> plan = resolve(request.plan, request.sizes);
  if (!plan) return fail(plan.error());
  bool simulated = device.name().rfind("sim", 0) == 0;
  Result<Timing> timing = simulated ? draft(request, *plan, device, gpu) : clock(request, *plan, device, gpu);
  if (!timing) return timing;
  finish(*timing, request.work, gpu);
  return timing;
}

}  // namespace hipvault::measure
