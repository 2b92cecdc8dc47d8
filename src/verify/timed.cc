#include "verify/timed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verify/shrink.h"

namespace hipvault::verify {
namespace {

// Wave-instructions of a whole run that is not needed to compare enough elements: some seconds of a core. Counted and
// not clocked, so that a verdict does not depend on what else the machine does.
constexpr double kWholeRun = 6e7;

// First, last and their neighbours, then one at random in each of equal slices.
std::vector<int64_t> choose_groups(int64_t total, int64_t count, Random& random) {
  std::set<int64_t> chosen;
  for (int64_t at : {int64_t{0}, int64_t{1}, total - 2, total - 1}) {
    if (at >= 0 && at < total) chosen.insert(at);
  }
  for (int64_t slice = 0; slice < count; ++slice) {
    int64_t begin = total * slice / count, end = std::max(begin + 1, total * (slice + 1) / count);
    chosen.insert(std::min(total - 1, begin + static_cast<int64_t>(random.below(static_cast<uint64_t>(end - begin)))));
  }
  return {chosen.begin(), chosen.end()};
}

int64_t groups_of(const ResolvedLaunch& launch) { return launch.grid[0] * launch.grid[1] * launch.grid[2]; }

class TimedJudge {
 public:
  TimedJudge(const CaseContext& context, const SizedCase& sized, const Draw& draw, Layout layout,
             const TimedBudget& budget)
      : context_(context),
        sized_(sized),
        draw_(draw),
        layout_(layout),
        budget_(budget),
        random_(context.seed ^ 0x7131ed) {}

  Result<CaseVerdict> judge() {
    if (tensor_bytes(context_.program, sized_.sizes) > budget_.tensor_bytes) return shrunk("its tensors are too large");
    Result<std::vector<size_t>> matched = match_buffers(context_.program, context_.candidate.plan);
    if (!matched) return refuse(Outcome::plan_invalid, matched.error().message);
    Result<CaseInputs> inputs = make_inputs(context_.program, sized_, draw_, layout_, context_.seed);
    if (!inputs) return fail(inputs.error());
    Result<ResolvedPlan> plan = resolve(context_.candidate.plan, inputs->sizes);
    if (!plan)
      return refuse(plan.error().code == "plan.refused" ? Outcome::refused : Outcome::plan_invalid,
                    plan.error().message);
    Reference reference(context_.program, std::move(*inputs), roundoff());
    if (!context_.device.runs_chosen_groups()) return run_whole(reference);
    if (plan->launches.size() == 1 && independent_groups()) return sample(reference, groups_of(plan->launches[0]));
    return whole_or_shrunk(reference, *plan);
  }

 private:
  double roundoff() const { return context_.candidate.unit_roundoff; }

  Result<CaseVerdict> refuse(Outcome outcome, const std::string& message) const {
    CaseVerdict verdict;
    verdict.name = sized_.name;
    verdict.outcome = outcome;
    verdict.message = message;
    return verdict;
  }

  // Whether each element is written by one work-group alone.
  bool independent_groups() const {
    if (context_.candidate.plan.atomics) return false;
    return std::none_of(context_.program.stages.begin(), context_.program.stages.end(),
                        [](const ir::Stage& stage) { return stage.kind == ir::Stage::Kind::scatter; });
  }

  RunScope scope_of(std::vector<int64_t> groups, int64_t total) const {
    RunScope scope;
    if (static_cast<int64_t>(groups.size()) < total) scope.only_groups = std::move(groups);
    scope.grid_groups = total;
    scope.max_elements = context_.options.sampled_elements;
    scope.sampled_elements = context_.options.sampled_elements;
    scope.deadline_s = 300;
    return scope;
  }

  // More work-groups until enough elements are compared, or all of them ran.
  Result<CaseVerdict> sample(Reference& reference, int64_t total) {
    for (int64_t count = 12;; count *= 4) {
      RunScope scope = scope_of(choose_groups(total, std::min(count, total), random_), total);
      double executed = 0;
      scope.executed = &executed;
      Result<CaseVerdict> verdict = judge_case(context_, sized_.name, reference, sized_.steps, scope);
      if (!verdict) return verdict;
      bool all = scope.only_groups.empty();
      bool share_missing = verdict->outcome == Outcome::not_written && verdict->where.empty();
      bool settled = verdict->outcome != Outcome::pass && !(share_missing && count < 192);
      bool enough = verdict->elements >= std::min(context_.options.sampled_elements, verdict->elements_total);
      bool affordable = verdict->seconds * 4 < 6 * budget_.host_seconds;
      bool last = all || settled || (enough && !share_missing) || !affordable;
      if (!last) continue;
      double whole =
          executed * static_cast<double>(total) / static_cast<double>(std::max<size_t>(scope.only_groups.size(), 1));
      bool passed = verdict->outcome == Outcome::pass && !all;
      if (passed && draw_.noted && layout_ == Layout::contiguous && whole > 0 && whole <= kWholeRun)
        return run_whole(reference);
      return with_evidence(std::move(*verdict));
    }
  }

  // What chosen work-groups wrote is right; whether all of them together write everything, only a whole run shows.
  Result<CaseVerdict> run_whole(Reference& reference) {
    Result<CaseVerdict> verdict = judge_case(context_, sized_.name, reference, sized_.steps, scope_of({}, 0));
    if (!verdict) return verdict;
    return with_evidence(std::move(*verdict));
  }

  // No pass without a compared element.
  Result<CaseVerdict> with_evidence(CaseVerdict verdict) const {
    if (verdict.outcome == Outcome::pass && verdict.elements == 0 && verdict.elements_total > 0) {
      verdict.outcome = Outcome::not_written;
      verdict.message = "no element of the result could be compared";
    }
    return verdict;
  }

  Result<CaseVerdict> whole_or_shrunk(Reference& reference, const ResolvedPlan& plan) {
    Result<double> seconds = estimate_seconds(reference, plan);
    if (!seconds) return fail(seconds.error());
    if (*seconds > budget_.host_seconds * std::max(1, context_.options.threads)) {
      return shrunk(fmt::format("a whole run would take about {:.0f} s", *seconds));
    }
    return run_whole(reference);
  }

  // From a few work-groups of each launch. What they compute is not looked at: their workspace may be unfilled.
  Result<double> estimate_seconds(Reference& reference, const ResolvedPlan& plan) {
    RunRequest request = make_request(context_, reference.inputs(), reference.inputs().tensors, plan, sized_.steps, 0);
    int64_t most = 0;
    for (const ResolvedLaunch& launch : plan.launches) most = std::max(most, groups_of(launch));
    request.only_groups = {0, 1, most / 2, most - 1};
    request.check = false;
    Result<RunResult> ran = context_.device.run(request);
    if (!ran) return fail(ran.error());
    double seconds = 0;
    for (const LaunchProfile& launch : ran->run.launches) {
      if (launch.groups_run > 0)
        seconds += launch.seconds * static_cast<double>(launch.groups) / static_cast<double>(launch.groups_run);
    }
    return seconds;
  }

  Result<CaseVerdict> shrunk(const std::string& why) {
    double steps = 2e7;
    std::vector<SizedCase> smaller = shrink(context_.program, context_.candidate.plan, sized_, steps);
    if (smaller.empty()) return refuse(Outcome::not_run, "beyond the simulator's budget: " + why);
    Result<CaseInputs> inputs = make_inputs(context_.program, smaller[0], draw_, layout_, context_.seed);
    if (!inputs) return fail(inputs.error());
    Reference reference(context_.program, std::move(*inputs), roundoff());
    Result<CaseVerdict> verdict = judge_case(context_, smaller[0].name, reference, smaller[0].steps, scope_of({}, 0));
    if (!verdict) return verdict;
    if (verdict->outcome == Outcome::pass) verdict->message = "judged at smaller sizes of the same variant: " + why;
    return with_evidence(std::move(*verdict));
  }

  const CaseContext& context_;
  const SizedCase& sized_;
  const Draw& draw_;
  Layout layout_;
  const TimedBudget& budget_;
  Random random_;
};

}  // namespace

Result<CaseVerdict> judge_timed(const CaseContext& context, const SizedCase& sized, const Draw& draw, Layout layout,
                                const TimedBudget& budget) {
  return TimedJudge(context, sized, draw, layout, budget).judge();
}

}  // namespace hipvault::verify
