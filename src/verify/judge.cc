// Which cases a candidate is judged on, and what they add up to.
//
// Before anything runs, code objects with memory of their own are refused. Quick: the smallest case that is not
// degenerate, an odd one with another draw, layout and wave order, and, if a size will be timed whose variant neither
// reached, that size shrunk. Full: every small case under every draw, the borders of each dimension and of the plan's
// table, secret sizes between them, every layout, a case made for each variant that none of these reaches, then the
// timed size as noted, with rows of all kinds and with padded rows. Every draw also meets every variant, on the largest
// affordable of its cases: a kernel for one row length that fails on very negative rows is never called for the small
// ones. A variant that cannot be reached is not judged, and neither is the plan. A plan may refuse sizes and layouts it
// does not promise (a refusal is an honest answer and costs nothing but coverage); it may not refuse the case it is
// judged for.

#include "verify/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <list>
#include <mutex>

#include "base/hash.h"
#include "base/random.h"
#include "verify/code_check.h"
#include "verify/run_case.h"
#include "verify/shrink.h"
#include "verify/timed.h"
#include "verify/trivial.h"
#include "verify/variants.h"

namespace hipvault::verify {
namespace {

constexpr double kSmallSteps = 2e7;  // of the reference, per case
constexpr double kBorderSteps = 2e6;
constexpr double kQuickSteps = 3e5;
constexpr size_t kFailuresEnough = 4;
constexpr size_t kRememberedReferences = 512;
constexpr size_t kSecretSizes = 64;
constexpr double kSecretSteps = 5e5;
constexpr double kAnySteps = 1e13;  // of a case of which only chosen work-groups run
constexpr int kSearches = 3;        // for a variant: a case found may be an error of the op

struct Task {
  SizedCase sized;
  Draw draw;
  Layout layout = Layout::contiguous;
  int runs = 1;
  bool required = false;
  std::string name;
};

Task make_task(const SizedCase& sized, const Draw& draw, Layout layout, int runs) {
  std::string name = sized.name;
  if (!draw.noted || draw.alternative > 0) name += ", " + draw.name;
  if (layout != Layout::contiguous) name += std::string(", ") + verify::name(layout);
  return {sized, draw, layout, runs, sized.required && draw.noted && layout == Layout::contiguous, name};
}

bool degenerate(const ir::Program& program, const SizedCase& sized) {
  return std::any_of(program.dims.begin(), program.dims.end(),
                     [&](const ir::Dim& dim) { return dim.free && sized.sizes.at(dim.name) < 2; });
}

double policy_roundoff(const ir::Program& program) {
  if (program.policy.accumulate) return std::ldexp(1.0, -info(*program.policy.accumulate).mantissa_bits - 1);
  bool wide = std::any_of(program.tensors.begin(), program.tensors.end(), [](const ir::Tensor& tensor) {
    return tensor.role != Role::input && tensor.dtype == DType::f64;
  });
  return wide ? 0x1p-53 : 0x1p-24;
}

// References by the text that determines them, oldest dropped first.
class ReferenceCache {
 public:
  Result<std::shared_ptr<Reference>> get(const ir::Program& program, const Task& task, uint64_t seed, double roundoff) {
    std::string key =
        fmt::format("{} {} {} {} {} {}", task.draw.name, task.draw.alternative, static_cast<int>(task.layout), seed,
                    roundoff, task.sized.strides.size() + task.sized.offsets.size());
    for (const auto& [name, strides] : task.sized.strides) key += fmt::format(" {}:{}", name, fmt::join(strides, ","));
    for (const auto& [name, offset] : task.sized.offsets) key += fmt::format(" {}+{}", name, offset);
    for (const auto& [dim, size] : task.sized.sizes) key += fmt::format(" {}={}", dim, size);
    for (const auto& [name, value] : task.sized.scalars) key += fmt::format(" {}={}", name, value);
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [known, reference] : entries_) {
      if (known == key) return reference;
    }
    Result<CaseInputs> inputs = make_inputs(program, task.sized, task.draw, task.layout, seed);
    if (!inputs) return fail(inputs.error());
    entries_.emplace_back(key, std::make_shared<Reference>(program, std::move(*inputs), roundoff));
    if (entries_.size() > kRememberedReferences) entries_.pop_front();
    return entries_.back().second;
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<Reference>>> entries_;
};

// What the cases add up to.
struct Tally {
  Verdict verdict;
  size_t failures = 0, refused = 0, judged = 0;
  std::string first_refusal;

  void add(CaseVerdict one, bool required) {
    bool refusal = one.outcome == Outcome::refused;
    if (refusal) {
      ++refused;
      if (first_refusal.empty()) first_refusal = one.message;
    }
    bool failed = one.outcome != Outcome::pass && (!refusal || required);
    judged += one.outcome == Outcome::pass ? 1 : 0;
    if (failed && failures++ == 0) {
      verdict.outcome = one.outcome;
      verdict.message = one.name + ": " + one.message;
    }
    verdict.cases.push_back(std::move(one));
  }

  void finish() {
    if (failures > 0) return;
    if (judged == 0) {
      verdict.outcome = Outcome::refused;
      verdict.message = first_refusal.empty() ? "no case of the op could be judged" : first_refusal;
      return;
    }
    verdict.message = fmt::format("{} cases agree with the definition", judged);
    for (const CaseVerdict& one : verdict.cases) {
      if (one.outcome == Outcome::pass && !one.message.empty()) verdict.message += "; " + one.name + ": " + one.message;
    }
    if (refused > 0)
      verdict.message += fmt::format("; the plan refuses {} sizes or layouts: {}", refused, first_refusal);
  }
};

// Variants that no judged case reached, by position.
std::vector<size_t> unreached(const Plan& plan, const Verdict& verdict) {
  std::set<std::string> reached;
  for (const CaseVerdict& one : verdict.cases) {
    if (one.outcome == Outcome::pass && one.elements > 0) reached.insert(one.variant);
  }
  std::vector<size_t> found;
  for (size_t at = 0; at < plan.variants.size(); ++at) {
    if (!reached.contains(plan.variants[at].name)) found.push_back(at);
  }
  return found;
}

// A variant that no judged case reached has not been shown to be right: no pass.
void refuse_unreached(const Plan& plan, Verdict& verdict) {
  std::string variants;
  for (size_t at : unreached(plan, verdict)) {
    const Variant& variant = plan.variants[at];
    variants += fmt::format("{}{} (when {})", variants.empty() ? "" : ", ", variant.name, variant.when.text());
  }
  if (variants.empty()) return;
  verdict.message = fmt::format(
      "no judged case reaches variant {}; add a case to the op that reaches it, or remove it from the plan; otherwise "
      "{}",
      variants, verdict.message);
  verdict.outcome = Outcome::not_judged;
}

// Instructions whose result depends on when or where a kernel runs.
constexpr const char* kClocks[] = {"s_memtime", "s_memrealtime", "s_getreg_b32", "s_sendmsg_rtn_b32",
                                   "s_sendmsg_rtn_b64"};

std::vector<Finding> clock_readings(const std::map<std::string, std::set<std::string>>& fidelity) {
  std::vector<Finding> found;
  for (const char* clock : kClocks) {
    for (const auto& [kind, names] : fidelity) {
      if (!names.contains(clock)) continue;
      Finding made;
      made.kind = "clock";
      made.instruction = clock;
      made.message = std::string("executed ") + clock +
                     ": the clock or place a kernel runs at must not matter to what it computes";
      found.push_back(made);
    }
  }
  return found;
}

// What concerns the code as a whole, as a case of its own.
void add_code_findings(const std::vector<Finding>& findings, Tally& tally) {
  if (findings.empty()) return;
  CaseVerdict one;
  one.name = "code object";
  one.outcome = Outcome::finding;
  one.message = findings[0].kind + ": " + findings[0].message;
  one.findings = findings;
  tally.add(std::move(one), true);
}

bool in_turns(const Draw& draw) { return draw.noted || draw.twist == Twist::ties || takes_turns(draw.twist); }

// Whether an error is the machine's rather than the op's.
bool device_trouble(const Diagnostic& error) {
  return error.code.rfind("ir.", 0) != 0 && error.code.rfind("verify.", 0) != 0;
}

}  // namespace

struct Judge::Impl {
  explicit Impl(const ir::Program& given)
      : program(given), session_seed(entropy()), draws(all_draws(program)), cases(file_cases(program, kSmallSteps)) {
    for (const SizedCase& sized : cases) {
      if (!sized.strides.empty() || !sized.offsets.empty() || degenerate(program, sized)) continue;
      solid.push_back(sized);
    }
    if (solid.empty()) solid = cases;
  }

  // Rows of all kinds if the op's inputs allow them, else the first noted draw.
  const Draw& rough_draw() const {
    auto mixed = std::find_if(draws.begin(), draws.end(), [](const Draw& draw) { return draw.twist == Twist::mixed; });
    return mixed == draws.end() ? draws[0] : *mixed;
  }
  const SizedCase& smallest() const { return solid.front(); }
  const SizedCase& odd() const { return solid[std::min<size_t>(1, solid.size() - 1)]; }

  std::vector<Task> quick_tasks(const Candidate& candidate, const JudgeOptions& options) const;
  std::vector<Task> full_tasks(const Candidate& candidate, const JudgeOptions& options, uint64_t seed) const;
  std::vector<SizedCase> borders(const Candidate& candidate, size_t most, uint64_t seed) const;
  std::vector<SizedCase> other_variants(const Candidate& candidate, const std::vector<SizedCase>& borders) const;
  std::vector<Task> draws_for_variants(const Candidate& candidate, const std::vector<SizedCase>& sizes,
                                       uint64_t seed) const;
  Result<std::vector<SizedCase>> timed_cases(const JudgeOptions& options) const;
  Status judge_small(const CaseContext& context, const std::vector<Task>& tasks, Tally& tally);
  Status judge_variants(const CaseContext& context, Tally& tally);
  Status judge_variant(const CaseContext& context, size_t variant, uint64_t turn, Tally& tally);
  Status judge_timed_size(const CaseContext& context, Tally& tally);
  Status judge_large(const CaseContext& context, const SizedCase& sized, const Draw& draw, Layout layout, Tally& tally);
  Result<bool> always_right(const std::string& trivial);

  ir::Program program;
  uint64_t session_seed;
  std::vector<Draw> draws;
  std::vector<SizedCase> cases;  // of the op file, small enough
  std::vector<SizedCase> solid;  // without degenerate ones and noted strides
  ReferenceCache references;
};

// The timed case with what the op file notes of it (scalars, strides).
Result<std::vector<SizedCase>> Judge::Impl::timed_cases(const JudgeOptions& options) const {
  if (options.timed_sizes.empty()) return std::vector<SizedCase>{};
  Sizes given;
  for (const ir::Dim& dim : program.dims) {
    if (dim.free && options.timed_sizes.contains(dim.name)) given[dim.name] = options.timed_sizes.at(dim.name);
  }
  for (const ir::IntParam& param : program.int_params) {
    if (options.timed_sizes.contains(param.name)) given[param.name] = options.timed_sizes.at(param.name);
  }
  std::map<std::string, double> scalars;
  const ir::Case* noted = nullptr;
  for (const ir::Case& from : program.cases) {
    if (from.name == options.case_name) noted = &from;
  }
  Result<SizedCase> made = make_case(program, options.case_name.empty() ? "timed" : options.case_name, given,
                                     noted ? noted->scalars : scalars);
  if (!made) return fail(made.error());
  made->required = true;
  if (noted != nullptr) {
    made->strides = noted->strides;
    made->offsets = noted->offsets;
  }
  return std::vector<SizedCase>{*made};
}

std::vector<Task> Judge::Impl::quick_tasks(const Candidate& candidate, const JudgeOptions& options) const {
  std::vector<Task> tasks;
  std::vector<std::string> covered;
  auto add = [&](const SizedCase& sized, const Draw& draw, Layout layout, int runs) {
    tasks.push_back(make_task(sized, draw, layout, runs));
    covered.push_back(variant_at(program, candidate.plan, sized.sizes));
  };
  if (!solid.empty()) {
    add(smallest(), draws[0], Layout::contiguous, 1);
    const Draw& second = draws[0].noted && draws.size() > 1 ? draws[1] : draws[0];
    add(odd(), second, Layout::contiguous, 2);
  }
  Result<std::vector<SizedCase>> timed = timed_cases(options);
  if (!timed || timed->empty()) return tasks;
  std::string variant = variant_at(program, candidate.plan, timed->front().sizes);
  if (std::find(covered.begin(), covered.end(), variant) != covered.end()) return tasks;
  for (const SizedCase& sized : shrink(program, candidate.plan, timed->front(), kQuickSteps))
    add(sized, draws[0], Layout::contiguous, 2);
  return tasks;
}

// Sizes around the odd case and around the smallest: the narrow variant of the smallest must meet many rows too.
std::vector<SizedCase> Judge::Impl::borders(const Candidate& candidate, size_t most, uint64_t seed) const {
  Random random(seed);
  std::vector<SizedCase> found = border_cases(program, odd(), candidate.plan, kBorderSteps, random);
  for (SizedCase& more : border_cases(program, smallest(), candidate.plan, kBorderSteps, random)) {
    more.name += " of " + smallest().name;
    found.push_back(std::move(more));
  }
  for (size_t at = 0; most < found.size() && at < most; ++at)
    std::swap(found[at], found[at + random.below(found.size() - at)]);
  if (most < found.size()) found.erase(found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
  return found;
}

// A size for each variant of the plan that the odd case does not reach: the first that does, case or border. Their
// strides must be tried too: a plan whose odd sizes all went to the general variant once hid a wrong stride in the fast
// one.
std::vector<SizedCase> Judge::Impl::other_variants(const Candidate& candidate,
                                                   const std::vector<SizedCase>& borders) const {
  std::set<std::string> covered = {variant_at(program, candidate.plan, odd().sizes)};
  std::vector<SizedCase> found;
  for (const std::vector<SizedCase>* list : {&solid, &borders}) {
    for (const SizedCase& sized : *list) {
      if (sized.steps > kBorderSteps || degenerate(program, sized)) continue;
      if (covered.insert(variant_at(program, candidate.plan, sized.sizes)).second) found.push_back(sized);
    }
  }
  return found;
}

// How much values can go wrong at these sizes: long rows most, some rows too. Thousands of short rows only cost time.
double roominess(const ir::Program& program, const SizedCase& sized) {
  double total = 0, last = 0;
  for (const ir::Dim& dim : program.dims) {
    if (!dim.free) continue;
    last = std::log2(static_cast<double>(std::clamp<int64_t>(sized.sizes.at(dim.name), 1, 4096)));
    total += last;
  }
  return total + last;
}

// Every draw for every variant: on the roomiest of the sizes that reach it, or on a case made for it.
std::vector<Task> Judge::Impl::draws_for_variants(const Candidate& candidate, const std::vector<SizedCase>& sizes,
                                                  uint64_t seed) const {
  std::vector<Task> tasks;
  for (size_t variant = 0; variant < candidate.plan.variants.size(); ++variant) {
    std::optional<SizedCase> chosen;
    for (const SizedCase& sized : sizes) {
      bool roomier = !chosen || roominess(program, sized) > roominess(program, *chosen);
      if (!roomier || sized.steps > kSecretSteps || degenerate(program, sized)) continue;
      if (variant_at(program, candidate.plan, sized.sizes) == candidate.plan.variants[variant].name) chosen = sized;
    }
    Random random(hash64(candidate.plan.variants[variant].name, seed));
    if (!chosen) chosen = find_case(program, candidate.plan, variant, solid, kBorderSteps, random);
    if (!chosen) continue;
    for (size_t at = 1; at < draws.size(); ++at) tasks.push_back(make_task(*chosen, draws[at], Layout::contiguous, 1));
  }
  return tasks;
}

std::vector<Task> Judge::Impl::full_tasks(const Candidate& candidate, const JudgeOptions& options,
                                          uint64_t seed) const {
  std::vector<Task> tasks;
  const std::vector<std::string>& only = options.only_cases;
  for (const SizedCase& sized : cases) {
    if (!only.empty() && std::find(only.begin(), only.end(), sized.name) == only.end()) continue;
    bool first = !solid.empty() && sized.name == smallest().name;
    bool strided = !sized.strides.empty() || !sized.offsets.empty();
    for (size_t at = 0; at < draws.size(); ++at) {
      if (takes_turns(draws[at].twist) && !first) continue;
      bool every = sized.steps < kBorderSteps && !strided && (first || sized.name == odd().name);
      if (at == 0 || every) tasks.push_back(make_task(sized, draws[at], Layout::contiguous, at == 0 || first ? 2 : 1));
    }
  }
  if (solid.empty()) return tasks;
  for (Layout layout : all_layouts()) {
    if (layout != Layout::contiguous) tasks.push_back(make_task(odd(), draws[0], layout, 1));
  }
  std::vector<SizedCase> border_sizes = borders(candidate, options.most_borders, seed);
  for (const SizedCase& sized : other_variants(candidate, border_sizes)) {
    for (Layout layout : {Layout::padded, Layout::ragged}) tasks.push_back(make_task(sized, draws[0], layout, 1));
  }
  Random random(hash64("secret sizes", seed));
  std::vector<SizedCase> secret = gap_cases(program, odd(), candidate.plan, kSecretSteps,
                                            std::min(options.most_borders / 2 + 1, kSecretSizes), random);
  border_sizes.insert(border_sizes.end(), secret.begin(), secret.end());
  // A fault may need both: a long row and other strides.
  std::vector<Layout> layouts = all_layouts();
  for (size_t at = 0; at < secret.size(); at += 2)
    tasks.push_back(make_task(secret[at], draws[0], layouts[1 + random.below(layouts.size() - 1)], 1));
  size_t turn = random.below(2 * draws.size());
  for (const SizedCase& border : border_sizes) {
    // Every other one has rows of all kinds: a fault may need a size and a place of the largest element.
    const Draw& draw = turn % 2 == 1 && !rough_draw().noted ? rough_draw() : draws[turn / 2 % draws.size()];
    tasks.push_back(make_task(border, in_turns(draw) ? draw : draws[0], Layout::contiguous, turn % 3 == 0 ? 2 : 1));
    if (border.name == "all ones") tasks.push_back(make_task(border, draws[0], Layout::odd_unit, 1));
    ++turn;
  }
  border_sizes.insert(border_sizes.end(), solid.begin(), solid.end());
  for (Task& task : draws_for_variants(candidate, border_sizes, seed)) tasks.push_back(std::move(task));
  return tasks;
}

// The small cases, into the tally. Errors: the op's own, on a case that its file demands.
Status Judge::Impl::judge_small(const CaseContext& context, const std::vector<Task>& tasks, Tally& tally) {
  bool quick = context.options.depth == Depth::quick;
  bool timed_only = !context.options.timed_sizes.empty();
  for (const Task& task : tasks) {
    if (tally.failures >= (quick ? 1 : kFailuresEnough)) break;
    if (context.options.progress) context.options.progress(task.name);
    Result<std::shared_ptr<Reference>> reference =
        references.get(program, task, context.seed, context.candidate.unit_roundoff);
    if (!reference && task.required) return fail(reference.error());
    if (!reference) continue;
    RunScope scope;
    scope.runs = task.runs;
    scope.max_elements = context.options.max_elements;
    scope.sampled_elements = context.options.sampled_elements;
    Result<CaseVerdict> one = judge_case(context, task.name, **reference, task.sized.steps, scope);
    if (!one && (task.required || device_trouble(one.error()))) return fail(one.error());
    if (!one) continue;  // the size or the draw is an error of the op: no case
    tally.add(std::move(*one), task.required && !timed_only);
  }
  return {};
}

// A case that the plan sends to the variant, made for it, and the same sizes with other strides if they stay there.
Status Judge::Impl::judge_variant(const CaseContext& context, size_t variant, uint64_t turn, Tally& tally) {
  Random random(hash64(context.candidate.plan.variants[variant].name, context.seed + turn));
  const Plan& plan = context.candidate.plan;
  std::optional<SizedCase> found;
  for (double steps : {kQuickSteps, kBorderSteps, kAnySteps}) {
    if (!found) found = find_case(program, plan, variant, solid, steps, random);
  }
  if (!found) return {};
  if (found->steps > kSmallSteps) {
    found->required = false;
    Status done = judge_large(context, *found, draws[0], Layout::contiguous, tally);
    if (!done || tally.failures > 0 || rough_draw().noted) return done;
    return judge_large(context, *found, rough_draw(), Layout::contiguous, tally);
  }
  std::vector<Task> tasks = {make_task(*found, draws[0], Layout::contiguous, 2)};
  SizedCase plain = *found;
  plain.strides.clear(), plain.offsets.clear();
  for (Layout layout : {Layout::padded, Layout::ragged}) {
    if (variant_for(program, plan, plain, layout) == plan.variants[variant].name)
      tasks.push_back(make_task(plain, draws[0], layout, 1));
  }
  return judge_small(context, tasks, tally);
}

Status Judge::Impl::judge_variants(const CaseContext& context, Tally& tally) {
  if (solid.empty()) return {};
  for (size_t variant : unreached(context.candidate.plan, tally.verdict)) {
    const std::string& name = context.candidate.plan.variants[variant].name;
    for (int turn = 0; turn < kSearches && tally.failures == 0; ++turn) {
      Status done = judge_variant(context, variant, static_cast<uint64_t>(turn), tally);
      if (!done) return done;
      std::vector<size_t> left = unreached(context.candidate.plan, tally.verdict);
      if (std::find(left.begin(), left.end(), variant) == left.end()) break;
    }
    if (tally.failures > 0) break;
    if (context.options.progress) context.options.progress("variant " + name);
  }
  return {};
}

// The timed size as the case notes it, then with rows of all kinds, then with other strides where the same variant
// takes them: a kernel that is chosen for these sizes alone meets no other values and strides anywhere else.
Status Judge::Impl::judge_timed_size(const CaseContext& context, Tally& tally) {
  Result<std::vector<SizedCase>> timed = timed_cases(context.options);
  if (!timed) return fail(timed.error());
  for (const SizedCase& sized : *timed) {
    std::string variant = variant_for(program, context.candidate.plan, sized, Layout::contiguous);
    Status done = judge_large(context, sized, draws[0], Layout::contiguous, tally);
    if (!done) return done;
    for (Layout layout : {Layout::contiguous, Layout::padded, Layout::ragged}) {
      const Draw& draw = rough_draw();
      bool again = layout == Layout::contiguous && draw.noted;
      if (again || tally.failures > 0 || variant_for(program, context.candidate.plan, sized, layout) != variant)
        continue;
      done = judge_large(context, sized, draw, layout, tally);
      if (!done) return done;
    }
  }
  return {};
}

// One case of which only chosen work-groups may run. As the op notes it, it must pass; else errors of the op drop it.
Status Judge::Impl::judge_large(const CaseContext& context, const SizedCase& sized, const Draw& draw, Layout layout,
                                Tally& tally) {
  Task task = make_task(sized, draw, layout, 1);
  if (context.options.progress) context.options.progress(task.name);
  Result<CaseVerdict> one = judge_timed(context, sized, draw, layout);
  if (!one && (task.required || device_trouble(one.error()))) return fail(one.error());
  if (!one) return {};
  if (one->name == sized.name) one->name = task.name;  // else it names the smaller sizes
  tally.add(std::move(*one), task.required);
  return {};
}

Judge::Judge(const ir::Program& program) : impl_(std::make_unique<Impl>(program)) {}
Judge::~Judge() = default;

Result<Verdict> Judge::judge(const Candidate& candidate, device::Device& device, const JudgeOptions& options) {
  auto started = std::chrono::steady_clock::now();
  bool quick = options.depth == Depth::quick;
  Candidate strict = candidate;
  strict.unit_roundoff = std::min(candidate.unit_roundoff, policy_roundoff(impl_->program));
  uint64_t seed = options.seed != 0 ? options.seed : quick ? impl_->session_seed : entropy();
  std::map<std::string, std::set<std::string>> fidelity;
  CaseContext context{impl_->program, strict, device, options, seed, &fidelity};
  Tally tally;
  tally.verdict.seed = seed;
  tally.verdict.depth = quick ? VerdictDepth::quick : VerdictDepth::full;
  for (const std::string& code : strict.code_objects) add_code_findings(writable_globals(code), tally);
  std::vector<Task> tasks = quick ? impl_->quick_tasks(strict, options) : impl_->full_tasks(strict, options, seed);
  Status small = tally.failures > 0 ? Status{} : impl_->judge_small(context, tasks, tally);
  if (!small) return fail(small.error());
  if (!quick && tally.failures == 0) {
    Status timed = impl_->judge_timed_size(context, tally);
    if (!timed) return fail(timed.error());
    Status variants = impl_->judge_variants(context, tally);
    if (!variants) return fail(variants.error());
  }
  if (tally.failures == 0) add_code_findings(clock_readings(fidelity), tally);
  tally.finish();
  if (!quick && tally.verdict.passed()) refuse_unreached(strict.plan, tally.verdict);
  for (const auto& [kind, names] : fidelity) tally.verdict.fidelity[kind].assign(names.begin(), names.end());
  tally.verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return tally.verdict;
}

// Right on every noted draw of every small case; false where nothing was checked.
Result<bool> Judge::Impl::always_right(const std::string& trivial) {
  size_t checked = 0;
  for (const SizedCase& sized : solid) {
    for (const Draw& draw : draws) {
      if (!draw.noted || sized.steps > kBorderSteps) continue;
      Result<std::shared_ptr<Reference>> reference = references.get(
          program, make_task(sized, draw, Layout::contiguous, 1), session_seed, policy_roundoff(program));
      if (!reference) return fail(reference.error());
      Result<bool> right = trivial_is_right(program, trivial, **reference);
      if (!right || !*right) return right;
      ++checked;
    }
  }
  return checked > 0;
}

Result<Verdict> Judge::admit() {
  Verdict verdict;
  verdict.seed = impl_->session_seed;
  verdict.message = "no trivial candidate passes";
  for (const std::string& trivial : trivial_names(impl_->program)) {
    Result<bool> always = impl_->always_right(trivial);
    if (!always) return fail(always.error());
    if (!*always) continue;
    verdict.outcome = Outcome::trivial_passes;
    verdict.message = "the trivial candidate \"" + trivial + "\" is right on every draw of " + impl_->program.name;
    return verdict;
  }
  return verdict;
}

}  // namespace hipvault::verify
