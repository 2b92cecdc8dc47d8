#include "verify/cases.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace hipvault::verify {
namespace {

using ir::ExprRef;

class CostModel {
 public:
  explicit CostModel(const Sizes& sizes) : sizes_(sizes) {}

  double of_dims(const std::vector<std::string>& dims) const {
    double count = 1;
    for (const std::string& dim : dims) count *= size_of(dim);
    return count;
  }

  // Steps of evaluating `expr` at every index of `dims`. A reduction is computed once for each value of its own free
  // dimensions, however often it is used: the interpreter remembers it.
  double over(const std::vector<std::string>& dims, const ExprRef& expr) {
    if (!expr) return 0;
    reductions_ = 0;
    counted_.clear();
    nodes_.clear();
    double here = local(expr);
    return of_dims(dims) * here + reductions_;
  }

 private:
  double size_of(const std::string& dim) const {
    auto at = sizes_.find(dim);
    return at == sizes_.end() ? 1.0 : static_cast<double>(at->second);
  }
  // Nodes outside of reductions; those inside are added to reductions_.
  double local(const ExprRef& expr) {
    if (expr->op == ir::Op::reduce) {
      if (counted_.insert(expr.get()).second) {
        std::vector<std::string> all(expr->free.begin(), expr->free.end());
        all.insert(all.end(), expr->dims.begin(), expr->dims.end());
        double inside = local(expr->args[0]);
        reductions_ += of_dims(all) * inside;
      }
      return 1;
    }
    auto known = nodes_.find(expr.get());
    if (known != nodes_.end()) return known->second;
    double nodes = 1;
    for (const ExprRef& arg : expr->args) nodes += local(arg);
    return nodes_[expr.get()] = nodes;
  }

  const Sizes& sizes_;
  double reductions_ = 0;
  std::set<const ir::Expr*> counted_;
  std::map<const ir::Expr*, double> nodes_;
};

double stage_steps(CostModel& model, const ir::Stage& stage) {
  std::vector<std::string> dims = stage.outputs.empty() ? std::vector<std::string>{} : stage.outputs[0].dims;
  if (stage.kind == ir::Stage::Kind::scatter) dims = stage.over;
  if (stage.kind == ir::Stage::Kind::fold) dims.push_back(stage.dim);
  double steps = model.over(dims, stage.value) + model.over(dims, stage.condition);
  for (const ExprRef& index : stage.indices) steps += model.over(dims, index);
  for (const ir::ScanState& state : stage.states) steps += model.over(dims, state.body);
  bool sorts = stage.kind == ir::Stage::Kind::sort || stage.kind == ir::Stage::Kind::topk;
  return steps + (sorts ? 32 * model.of_dims(dims) : 0);  // comparisons
}

double default_scalar(const ir::ScalarParam& param) { return param.fallback.value_or(param.is_bool ? 1.0 : 0.5); }

bool types_fit(const ir::Program& program, const ir::Case& from) {
  for (const auto& [variable, dtype] : from.types) {
    auto chosen = program.types.find(variable);
    if (chosen != program.types.end() && chosen->second != dtype) return false;
  }
  return true;
}

Sizes with_open_sizes(const ir::Case& from) {
  Sizes sizes(from.sizes.begin(), from.sizes.end());
  for (const std::string& name : from.open) sizes.emplace(name, 33);
  return sizes;
}

constexpr int64_t kMostRows = 3000;
constexpr int64_t kBorders[] = {0, 1, 2, 3, 31, 33, 63, 64, 65, 71, 127, 129, 256, 257, 1009, 4097};

std::vector<int64_t> border_values(int64_t base, const std::vector<int64_t>& thresholds) {
  std::set<int64_t> values(std::begin(kBorders), std::end(kBorders));
  for (int64_t near : {base - 1, base + 1, base * 2, base * 3, base / 2}) values.insert(near);
  values.insert(thresholds.begin(), thresholds.end());
  values.erase(base);
  std::vector<int64_t> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](int64_t value) { return value >= 0; });
  return kept;
}

// Log-uniform, so that 260 … 1008 is met in each of its halves of the scale.
int64_t log_uniform(int64_t low, int64_t high, Random& random) {
  double from = std::log(static_cast<double>(low)), to = std::log(static_cast<double>(high) + 1);
  return std::clamp(static_cast<int64_t>(std::exp(from + (to - from) * random.uniform())), low, high);
}

bool is_row(const ir::Program& program, const std::string& dim) {
  return std::any_of(program.tensors.begin(), program.tensors.end(), [&](const ir::Tensor& tensor) {
    return !tensor.axis_dims.empty() && tensor.axis_dims.back() == dim;
  });
}

// For each half-octave of each gap between border values one value, also beyond the last.
std::vector<int64_t> values_in_gaps(int64_t base, const std::vector<int64_t>& thresholds, Random& random) {
  std::vector<int64_t> borders = border_values(base, thresholds), found;
  borders.push_back(base);
  borders.push_back(std::max<int64_t>(borders.back(), 1) * 16);
  std::sort(borders.begin(), borders.end());
  borders.push_back(borders.back() * 8);
  for (size_t at = 0; at + 1 < borders.size(); ++at) {
    int64_t end = borders[at + 1];
    for (int64_t low = borders[at] + 1; low < end;) {
      int64_t high = std::min(end - 1, low + low / 2);
      found.push_back(log_uniform(low, high, random));
      low = high + 1;
    }
  }
  return found;
}

void collect_thresholds(const IntExpr& expr, std::map<std::string, std::set<int64_t>>& found) {
  using Kind = IntExpr::Kind;
  for (const IntExpr& operand : expr.operands()) collect_thresholds(operand, found);
  if (expr.operands().size() != 2) return;
  const IntExpr& a = expr.operands()[0];
  const IntExpr& b = expr.operands()[1];
  bool compares = expr.kind() >= Kind::lt && expr.kind() <= Kind::ne;
  if (!compares && expr.kind() != Kind::mod && expr.kind() != Kind::cdiv && expr.kind() != Kind::floordiv) return;
  auto add = [&](const IntExpr& name, const IntExpr& constant) {
    if (name.kind() != Kind::name || constant.kind() != Kind::constant) return;
    for (int64_t near : {-1, 0, 1}) found[name.name_text()].insert(constant.value() + near);
    if (expr.kind() == Kind::mod) found[name.name_text()].insert(constant.value() * 5);
  };
  add(a, b);
  add(b, a);
}

// Collects distinct cases that the op allows and the budget permits.
class CaseList {
 public:
  CaseList(const ir::Program& program, const SizedCase& base, double max_steps)
      : program_(program), base_(base), max_steps_(max_steps) {}

  void add(const std::string& name, const Sizes& changed) {
    Sizes given;
    for (const ir::Dim& dim : program_.dims) {
      if (dim.free) given[dim.name] = base_.sizes.at(dim.name);
    }
    for (const ir::IntParam& param : program_.int_params) given[param.name] = base_.sizes.at(param.name);
    for (const auto& [dim, value] : changed) given[dim] = value;
    Result<SizedCase> made = make_case(program_, name, given, base_.scalars);
    if (!made || made->steps > max_steps_ || tensor_bytes(program_, made->sizes) > kMaxBytes) return;
    if (steps_if_not_empty(made->sizes) > max_steps_) return;
    if (!seen_.insert(made->sizes).second) return;
    cases_.push_back(std::move(*made));
  }
  size_t size() const { return cases_.size(); }
  std::vector<SizedCase> take() { return std::move(cases_); }

 private:
  // Nothing is computed where one extent is 0, but a kernel may still launch a work-group for each row of the other: a
  // billion empty rows are no case that can be run.
  double steps_if_not_empty(Sizes sizes) const {
    for (auto& [name, value] : sizes) value = std::max<int64_t>(value, 1);
    return estimate_steps(program_, sizes);
  }

  static constexpr int64_t kMaxBytes = 64 << 20;
  const ir::Program& program_;
  const SizedCase& base_;
  double max_steps_;
  std::set<Sizes> seen_;
  std::vector<SizedCase> cases_;
};

std::string tail_name(const std::string& dim, int64_t value) {
  return (value == 0 ? "empty " : "tail ") + dim + "=" + std::to_string(value);
}

}  // namespace

double estimate_steps(const ir::Program& program, const Sizes& sizes) {
  CostModel model(sizes);
  double total = 0;
  for (const ir::Stage& stage : program.stages) total += stage_steps(model, stage);
  return total;
}

int64_t tensor_bytes(const ir::Program& program, const Sizes& sizes) {
  double total = 0;
  for (const ir::Tensor& tensor : program.tensors) {
    double count = 1;
    for (const IntExpr& extent : tensor.shape) {
      Result<int64_t> value = extent.evaluate(sizes);
      if (!value) return -1;
      count *= static_cast<double>(*value);
    }
    total += count * info(tensor.dtype).bits / 8;
  }
  return total > 9e18 ? INT64_MAX : static_cast<int64_t>(total);
}

Result<SizedCase> make_case(const ir::Program& program, const std::string& name, const Sizes& given,
                            const std::map<std::string, double>& scalars) {
  Result<Sizes> sizes = ir::bind_sizes(program, given);
  if (!sizes) return fail(sizes.error());
  SizedCase made{name, *sizes, {}, {}, {}, false, 0};
  for (const ir::ScalarParam& param : program.scalar_params) {
    auto given_value = scalars.find(param.name);
    made.scalars[param.name] = given_value == scalars.end() ? default_scalar(param) : given_value->second;
  }
  if (tensor_bytes(program, *sizes) < 0)
    return fail("verify.shape", "a shape of " + program.name + " cannot be evaluated");
  made.steps = estimate_steps(program, *sizes);
  return made;
}

std::vector<SizedCase> file_cases(const ir::Program& program, double max_steps) {
  std::vector<SizedCase> cases;
  for (const ir::Case& from : program.cases) {
    if (!types_fit(program, from)) continue;
    Result<SizedCase> made = make_case(program, from.name, with_open_sizes(from), from.scalars);
    if (!made || made->steps > max_steps) continue;
    made->strides = from.strides;
    made->offsets = from.offsets;
    made->required = true;
    cases.push_back(std::move(*made));
  }
  std::sort(cases.begin(), cases.end(), [](const SizedCase& a, const SizedCase& b) { return a.steps < b.steps; });
  return cases;
}

std::map<std::string, std::vector<int64_t>> plan_thresholds(const Plan& plan) {
  std::map<std::string, std::set<int64_t>> found;
  for (const Variant& variant : plan.variants) {
    collect_thresholds(variant.when, found);
    for (const Launch& launch : variant.launches) {
      for (const IntExpr& extent : launch.grid) collect_thresholds(extent, found);
    }
  }
  std::map<std::string, std::vector<int64_t>> values;
  for (const auto& [name, set] : found) values[name].assign(set.begin(), set.end());
  return values;
}

std::vector<SizedCase> gap_cases(const ir::Program& program, const SizedCase& base, const Plan& plan, double max_steps,
                                 size_t most, Random& random) {
  std::map<std::string, std::vector<int64_t>> thresholds = plan_thresholds(plan);
  std::vector<std::pair<std::string, int64_t>> wanted;
  for (const ir::Dim& dim : program.dims) {
    if (!dim.free) continue;
    for (int64_t value : values_in_gaps(base.sizes.at(dim.name), thresholds[dim.name], random))
      wanted.emplace_back(dim.name, value);
  }
  for (size_t at = wanted.size(); at > 1; --at) std::swap(wanted[at - 1], wanted[random.below(at)]);
  CaseList list(program, base, max_steps);
  for (const auto& [dim, value] : wanted) {
    if (list.size() >= most) break;
    size_t before = list.size();
    list.add("secret " + dim + "=" + std::to_string(value), {{dim, value}});
    if (list.size() > before) continue;
    // Beyond the budget with the other axes as they are: alone. Long axes that are no row cost a work-group an element.
    if (value > kMostRows && !is_row(program, dim)) continue;
    Sizes alone;
    for (const ir::Dim& other : program.dims) {
      if (other.free) alone[other.name] = std::min<int64_t>(base.sizes.at(other.name), 2);
    }
    alone[dim] = value;
    list.add("secret " + dim + "=" + std::to_string(value) + " alone", alone);
  }
  return list.take();
}

std::vector<SizedCase> border_cases(const ir::Program& program, const SizedCase& base, const Plan& plan,
                                    double max_steps, Random& random) {
  std::map<std::string, std::vector<int64_t>> thresholds = plan_thresholds(plan);
  CaseList list(program, base, max_steps);
  std::vector<std::pair<std::string, std::vector<int64_t>>> axes;
  for (const ir::Dim& dim : program.dims) {
    if (dim.free) axes.emplace_back(dim.name, border_values(base.sizes.at(dim.name), thresholds[dim.name]));
  }
  Sizes ones;
  for (const auto& [dim, values] : axes) ones[dim] = 1;
  list.add("all ones", ones);
  for (const auto& [dim, values] : axes) {
    for (int64_t value : values) {
      list.add(tail_name(dim, value), {{dim, value}});
      // A long axis is often only affordable when the others are short.
      Sizes alone = ones;
      alone[dim] = value;
      if (value > 512) list.add("long " + dim + "=" + std::to_string(value), alone);
    }
  }
  for (int pair = 0; pair < 6 && axes.size() > 1; ++pair) {
    Sizes changed;
    std::string name = "odd";
    for (const auto& [dim, values] : axes) {
      int64_t value = values[random.below(values.size())];
      changed[dim] = value;
      name += " " + dim + "=" + std::to_string(value);
    }
    list.add(name, changed);
  }
  return list.take();
}

}  // namespace hipvault::verify
