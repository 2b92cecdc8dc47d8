#include "verify/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "verify/compare.h"
#include "verify/sampling.h"

namespace hipvault::verify {
namespace {

constexpr int64_t kInputsReadBackBelow = 64 << 20;
constexpr double kLeastShare = 0.6;
constexpr int64_t kSuspects = 256;

double wave_instructions(const Run& run) {
  double total = 0;
  for (const LaunchProfile& launch : run.launches)
    for (const auto& [kind, count] : launch.instructions) total += static_cast<double>(count);
  return total;
}

struct OneRun {
  std::vector<HostTensor> before;  // in the order of Program::tensors
  RunResult result;                // buffers in the order of the plan
};

class CaseJudge {
 public:
  CaseJudge(const CaseContext& context, Reference& reference, double steps, const RunScope& scope)
      : context_(context), reference_(reference), inputs_(reference.inputs()), steps_(steps), scope_(scope) {}

  Result<CaseVerdict> judge(const std::string& name) {
    verdict_.name = name;
    verdict_.inputs = inputs_.description;
    for (const HostTensor* tensor : results()) verdict_.elements_total += tensor->elements();
    Result<std::vector<size_t>> matched = match_buffers(context_.program, context_.candidate.plan);
    if (!matched) return stop(Outcome::plan_invalid, matched.error().message);
    tensor_of_ = *matched;
    Result<ResolvedPlan> plan = resolve(context_.candidate.plan, inputs_.sizes);
    if (!plan)
      return stop(plan.error().code == "plan.refused" ? Outcome::refused : Outcome::plan_invalid, plan.error().message);
    verdict_.variant = plan->variant;
    for (int run = 0; run < scope_.runs && verdict_.outcome == Outcome::pass; ++run) {
      Status done = judge_run(*plan, run);
      if (!done) return fail(done.error());
    }
    if (verdict_.outcome == Outcome::pass) compare_runs();
    if (verdict_.outcome == Outcome::pass) require_share();
    return verdict_;
  }

 private:
  Result<CaseVerdict> stop(Outcome outcome, const std::string& message) {
    verdict_.outcome = outcome;
    verdict_.message = message;
    return verdict_;
  }

  void fail_with(Outcome outcome, const std::string& message) {
    verdict_.outcome = outcome;
    verdict_.message = message;
  }

  std::vector<const HostTensor*> results() const {
    std::vector<const HostTensor*> found;
    for (size_t at = 0; at < inputs_.tensors.size(); ++at) {
      if (context_.program.tensors[at].role != Role::input) found.push_back(&inputs_.tensors[at]);
    }
    return found;
  }

  std::vector<HostTensor> poisoned(int run) const {
    std::vector<HostTensor> tensors = inputs_.tensors;
    for (size_t at = 0; at < tensors.size(); ++at) {
      if (context_.program.tensors[at].role != Role::output) continue;
      tensors[at].bytes.assign(tensors[at].bytes.size(), static_cast<char>(poison_byte(context_.seed, run)));
    }
    return tensors;
  }

  Status judge_run(const ResolvedPlan& plan, int run) {
    runs_.push_back({poisoned(run), {}});
    RunRequest request = make_request(context_, inputs_, runs_.back().before, plan, steps_, run);
    request.only_groups = scope_.only_groups;
    request.deadline_s = scope_.deadline_s;
    Result<RunResult> ran = context_.device.run(request);
    if (!ran) return fail(ran.error());
    runs_.back().result = std::move(*ran);
    const Run& record = runs_.back().result.run;
    verdict_.run_status = record.status;
    verdict_.seconds += record.seconds;
    keep_findings(record.findings);
    if (scope_.executed != nullptr) *scope_.executed = wave_instructions(record);
    for (const auto& [kind, names] : record.fidelity) {
      if (context_.fidelity != nullptr) (*context_.fidelity)[kind].insert(names.begin(), names.end());
    }
    if (record.status != RunStatus::completed) {
      fail_with(Outcome::not_run, std::string(hipvault::name(record.status)) + ": " + record.message);
      return {};
    }
    if (!looks_clean()) return {};
    return compare_values();
  }

  // Each fault once, however many runs saw it.
  void keep_findings(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      bool known = std::any_of(verdict_.findings.begin(), verdict_.findings.end(), [&](const Finding& other) {
        return other.kind == finding.kind && other.kernel == finding.kernel && other.pc == finding.pc;
      });
      if (!known) verdict_.findings.push_back(finding);
    }
  }

  const std::string& after(const OneRun& run, size_t tensor) const {
    auto buffer = std::find(tensor_of_.begin(), tensor_of_.end(), tensor);
    return run.result.buffers[static_cast<size_t>(buffer - tensor_of_.begin())];
  }

  // Inputs untouched, no fault found, nothing written between elements.
  bool looks_clean() {
    const OneRun& run = runs_.back();
    for (size_t at = 0; at < run.before.size(); ++at) {
      const std::string& bytes = after(run, at);
      bool input = context_.program.tensors[at].role == Role::input;
      if (input && !bytes.empty() && bytes != run.before[at].bytes) {
        fail_with(Outcome::input_changed, "the input " + run.before[at].name + " was changed");
        return false;
      }
    }
    for (const Finding& finding : verdict_.findings) {
      if (!is_fatal(finding)) continue;
      Outcome outcome = finding.kind == "read-only-write" ? Outcome::input_changed : Outcome::finding;
      fail_with(outcome, finding.kind + " in " + finding.kernel + ": " + finding.message +
                             (finding.source.empty() ? "" : " at " + finding.source));
      return false;
    }
    return gaps_clean(run);
  }

  bool gaps_clean(const OneRun& run) {
    for (size_t at = 0; at < run.before.size(); ++at) {
      const HostTensor& tensor = run.before[at];
      bool dense = tensor.strides == contiguous_strides(tensor.shape) && tensor.offset == 0;
      if (context_.program.tensors[at].role == Role::input || dense || !scope_.only_groups.empty()) continue;
      if (after(run, at).size() != tensor.bytes.size() || !gaps_changed(tensor, tensor.bytes, after(run, at))) continue;
      fail_with(Outcome::finding, "bytes between the elements of " + tensor.name + " were written");
      return false;
    }
    return true;
  }

  Status compare_values() {
    const OneRun& run = runs_.back();
    Comparison total;
    CompareOptions options{context_.program.policy.nan_propagates, 0x1p-126};
    for (size_t at = 0; at < run.before.size(); ++at) {
      if (context_.program.tensors[at].role == Role::input) continue;
      const HostTensor& layout = run.before[at];
      if (after(run, at).size() != layout.bytes.size()) {
        fail_with(Outcome::not_run, "the device gave back no bytes for " + layout.name);
        return {};
      }
      if (info(layout.dtype).mantissa_bits > 30) options.smallest_normal = info(layout.dtype).min_normal;
      OutputBytes output{&layout, &after(run, at), context_.program.tensors[at].role == Role::output};
      Status done = compare_output(reference_, output, elements_of(at, run), options, total);
      if (!done) return done;
    }
    adopt(total);
    if (verdict_.outcome == Outcome::pass && !gap_written_.empty())
      fail_with(Outcome::finding, "bytes between the elements of " + gap_written_ + " were written");
    return {};
  }

  void adopt(const Comparison& total) {
    bool worse = total.worst > verdict_.worst || total.outcome != Outcome::pass || verdict_.where.empty();
    if (verdict_.elements == 0) verdict_.elements = total.elements;
    if (!worse) return;
    verdict_.worst = total.worst;
    verdict_.max_error = total.max_error;
    verdict_.tolerance = total.tolerance;
    verdict_.where = total.where;
    if (total.outcome == Outcome::pass) return;
    const char* what = total.outcome == Outcome::not_written ? "an element was never written; "
                       : total.outcome == Outcome::wrong_nan ? "NaN or infinity in the wrong place; "
                                                             : "";
    fail_with(total.outcome, fmt::format("{}{} ({} of {} elements wrong, tolerance {:.3g})", what, total.where,
                                         total.wrong, total.elements, total.tolerance));
  }

  // The same elements in every run of the case.
  const std::vector<int64_t>& elements_of(size_t tensor, const OneRun& run) {
    auto known = elements_.find(tensor);
    if (known != elements_.end()) return known->second;
    const HostTensor& layout = run.before[tensor];
    Random random(hash64("elements " + layout.name, context_.seed));
    if (!scope_.only_groups.empty()) return elements_[tensor] = written_elements(tensor, run, random);
    bool all = layout.elements() <= scope_.max_elements;
    std::vector<int64_t>& found = elements_[tensor];
    found = sample_elements(layout.shape, all ? layout.elements() : scope_.sampled_elements, random);
    if (!all && context_.program.tensors[tensor].role == Role::output) add_suspects(tensor, run, found);
    return found;
  }

  // Elements that still hold the poison, be it because nobody wrote them or because it is their value.
  void add_suspects(size_t tensor, const OneRun& run, std::vector<int64_t>& elements) const {
    const HostTensor& layout = run.before[tensor];
    const std::string& bytes = after(run, tensor);
    int64_t width = info(layout.dtype).bits / 8, suspects = 0;
    if (width == 0 || bytes.size() != layout.bytes.size()) return;
    for (int64_t linear = 0; linear < layout.elements() && suspects < kSuspects; ++linear) {
      size_t at = static_cast<size_t>(layout.position_of(linear) * width);
      if (bytes.compare(at, static_cast<size_t>(width), layout.bytes, at, static_cast<size_t>(width)) != 0) continue;
      elements.push_back(linear);
      ++suspects;
    }
  }

  std::vector<int64_t> written_elements(size_t tensor, const OneRun& run, Random& random) {
    const HostTensor& layout = run.before[tensor];
    auto buffer = static_cast<size_t>(std::find(tensor_of_.begin(), tensor_of_.end(), tensor) - tensor_of_.begin());
    std::vector<int64_t> found;
    if (buffer < run.result.written.size() && layout.elements() > 0) {
      int64_t bits = info(layout.dtype).bits;
      bool dense = layout.strides == contiguous_strides(layout.shape);
      for (auto [begin, end] : run.result.written[buffer]) {
        int64_t first = (begin * 8 + bits - 1) / bits, last = end * 8 / bits;
        for (int64_t at = std::max(first, layout.offset); at < last; ++at) {
          int64_t linear = dense ? at - layout.offset : linear_at(layout, at);
          if (dense && linear >= layout.elements()) break;
          if (linear >= 0)
            found.push_back(linear);
          else if (gap_written_.empty())
            gap_written_ = layout.name;
        }
      }
      if (!dense) std::sort(found.begin(), found.end());
    }
    written_ += static_cast<int64_t>(found.size());
    return thin_elements(layout.shape, found, scope_.sampled_elements, random);
  }

  void compare_runs() {
    if (runs_.size() < 2) return;
    for (size_t at = 0; at < inputs_.tensors.size(); ++at) {
      if (context_.program.tensors[at].role == Role::input) continue;
      std::string difference =
          first_difference(inputs_.tensors[at], after(runs_[0], at), after(runs_[1], at), elements_[at]);
      if (difference.empty()) continue;
      Finding finding;
      finding.kind = "not-reproducible";
      finding.message = difference;
      verdict_.findings.push_back(finding);
      if (context_.program.policy.order_fixed) fail_with(Outcome::not_reproducible, difference);
      return;
    }
  }

  void require_share() {
    if (scope_.only_groups.empty() || verdict_.elements_total == 0) return;
    double expected = static_cast<double>(verdict_.elements_total) * static_cast<double>(scope_.only_groups.size()) /
                      static_cast<double>(std::max<int64_t>(scope_.grid_groups, 1));
    if (static_cast<double>(written_) >= kLeastShare * expected) return;
    fail_with(Outcome::not_written, fmt::format("{} work-groups of {} wrote {} elements; their share is {:.0f}",
                                                scope_.only_groups.size(), scope_.grid_groups, written_, expected));
  }

  const CaseContext& context_;
  Reference& reference_;
  const CaseInputs& inputs_;
  double steps_;
  const RunScope& scope_;
  CaseVerdict verdict_;
  std::vector<size_t> tensor_of_;  // per plan buffer
  std::vector<OneRun> runs_;
  std::map<size_t, std::vector<int64_t>> elements_;
  int64_t written_ = 0;
  std::string gap_written_;  // a result whose gaps a run of chosen work-groups wrote
};

int64_t input_bytes(const std::vector<HostTensor>& tensors) {
  int64_t total = 0;
  for (const HostTensor& tensor : tensors) total += static_cast<int64_t>(tensor.bytes.size());
  return total;
}

// Checkers' remarks that say nothing about right or wrong.
constexpr const char* kNotes[] = {"not-reproducible", "bank-conflict", "note"};

}  // namespace

bool is_fatal(const Finding& finding) {
  return std::none_of(std::begin(kNotes), std::end(kNotes), [&](const char* note) { return finding.kind == note; });
}

Result<std::vector<size_t>> match_buffers(const ir::Program& program, const Plan& plan) {
  std::vector<size_t> found;
  for (const BufferSpec& buffer : plan.buffers) {
    auto at = std::find_if(program.tensors.begin(), program.tensors.end(),
                           [&](const ir::Tensor& tensor) { return tensor.name == buffer.name; });
    if (at == program.tensors.end())
      return fail("verify.plan", "the plan has a buffer " + buffer.name + " that the op lacks");
    if (at->dtype != buffer.dtype || at->role != buffer.role || at->shape.size() != buffer.shape.size()) {
      return fail("verify.plan",
                  fmt::format("the plan describes {} as {} with {} axes; the op has {} with {}", buffer.name,
                              name(buffer.dtype), buffer.shape.size(), name(at->dtype), at->shape.size()));
    }
    found.push_back(static_cast<size_t>(at - program.tensors.begin()));
  }
  if (std::set<size_t>(found.begin(), found.end()).size() != program.tensors.size() ||
      found.size() != program.tensors.size()) {
    return fail("verify.plan", fmt::format("the plan has {} buffers; the op {} has {}", found.size(), program.name,
                                           program.tensors.size()));
  }
  for (const ScalarSpec& scalar : plan.scalars) {
    bool known = std::any_of(program.scalar_params.begin(), program.scalar_params.end(),
                             [&](const ir::ScalarParam& param) { return param.name == scalar.name; });
    if (!known) return fail("verify.plan", "the plan has a scalar " + scalar.name + " that the op lacks");
  }
  return found;
}

RunRequest make_request(const CaseContext& context, const CaseInputs& inputs, const std::vector<HostTensor>& tensors,
                        const ResolvedPlan& plan, double steps, int run) {
  RunRequest request;
  request.gpu = context.device.gpu();
  request.code_objects = context.candidate.code_objects;
  request.plan = plan;
  bool small = input_bytes(tensors) <= kInputsReadBackBelow;
  for (const BufferSpec& buffer : context.candidate.plan.buffers) {
    auto at = std::find_if(tensors.begin(), tensors.end(),
                           [&](const HostTensor& tensor) { return tensor.name == buffer.name; });
    request.buffers.push_back(buffer_request(*at, buffer.role, buffer.role != Role::input || small));
  }
  for (const ScalarSpec& scalar : context.candidate.plan.scalars)
    request.scalars.push_back(inputs.scalars.at(scalar.name));
  request.workspace_poison = static_cast<uint8_t>(poison_byte(context.seed, run) ^ 0x0f);
  double waves = 0;  // a wave has fixed costs, however little its row asks of it
  for (const ResolvedLaunch& launch : plan.launches) {
    waves += static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
             static_cast<double>(launch.grid[2]) * static_cast<double>((launch.block + 63) / 64);
  }
  request.step_budget = static_cast<int64_t>(std::min(5e6 + 100 * steps + 20000 * waves, 4e12));
  request.wave_order_seed = context.seed * 2 + static_cast<uint64_t>(run);
  request.threads = context.options.threads;
  return request;
}

Result<CaseVerdict> judge_case(const CaseContext& context, const std::string& name, Reference& reference, double steps,
                               const RunScope& scope) {
  return CaseJudge(context, reference, steps, scope).judge(name);
}

}  // namespace hipvault::verify
