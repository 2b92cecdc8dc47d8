// Normal form: what sketches match on. Every reduction stands alone as the whole value of one stage:
//
//   y[B,N] = exp(x - max(x, N)) / sum(exp(x - max(x, N)), N)
// becomes
//   x_max[B] = max(x, N)
//   y_sum[B] = sum(exp(x - x_max[B]), N)
//   y[B,N] = exp(x - x_max[B]) / y_sum[B]
//
// A reduction is found by structure, so the two maxima above are one stage. Reductions inside a scan's body that read
// the state stay where they are: they happen once a step.
//
// A reduction that stands in a branch of `where` is only evaluated where the branch is taken (rule 8), which may be
// what keeps its indices in range. Lifted, it would be computed everywhere, so the branch's condition goes along with
// it.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ir/program.h"

namespace hipvault::ir {
namespace {

bool merges(Reduction reduction) { return reduction < Reduction::argmax && reduction != Reduction::mean; }

bool reads_state(const ExprRef& expr) {
  bool found = false;
  visit(expr, [&](const Expr& e) { found = found || e.op == Op::state; });
  return found;
}

// Whether evaluating it where it was not meant to be evaluated could be an error.
bool may_fail(const ExprRef& expr) {
  bool found = false;
  visit(expr, [&](const Expr& e) {
    if (e.op == Op::floordiv || e.op == Op::mod) found = found || e.type == ValueType::integer;
    if (e.op == Op::cast) found = found || !is_float(e.dtype);
    if (e.op != Op::load || e.has_else) return;
    for (const ExprRef& arg : e.args) found = found || arg->op != Op::index;
  });
  return found;
}

ExprRef zero_of(ValueType type) {
  if (type == ValueType::real) return number(0);
  return type == ValueType::integer ? integer(0) : boolean(false);
}

class Normaliser {
 public:
  explicit Normaliser(const Program& program) : old_(program), out_(program) { out_.stages.clear(); }

  Program run() {
    collect_names();
    for (const Stage& stage : old_.stages) {
      Stage next = stage;
      stage_name_ = stage.outputs[0].name;
      guards_.clear();
      rebuild(next);
      out_.stages.push_back(next);
      remember(next);
    }
    return std::move(out_);
  }

 private:
  void collect_names() {
    for (const Tensor& tensor : old_.tensors) names_.insert(tensor.name);
    for (const IntParam& param : old_.int_params) names_.insert(param.name);
    for (const ScalarParam& param : old_.scalar_params) names_.insert(param.name);
    for (const Stage& stage : old_.stages) {
      for (const Output& output : stage.outputs) names_.insert(output.name);
      for (const ScanState& state : stage.states) names_.insert(state.name);
    }
  }

  void rebuild(Stage& stage) {
    if (stage.kind == Stage::Kind::map) {
      stage.value = root(stage.value, stage.outputs[0].dims);
      return;
    }
    if (stage.value) stage.value = lift_all(stage.value);
    if (stage.condition) stage.condition = lift_all(stage.condition);
    for (ExprRef& index : stage.indices) index = lift_all(index);
    for (ScanState& state : stage.states) {
      state.init = lift_all(state.init);
      state.body = lift_all(state.body);
    }
  }

  // A map may keep one reduction as its whole value, if it has exactly the stage's dimensions.
  ExprRef root(const ExprRef& value, const std::vector<std::string>& dims) {
    bool same_dims = value->free == std::set<std::string>(dims.begin(), dims.end());
    if (value->op != Op::reduce || value->reduction == Reduction::mean || !same_dims) return lift_all(value);
    ExprRef merged = merge(value);
    return intern(reduce(merged->reduction, lift_all(merged->args[0]), merged->dims));
  }

  static ExprRef merge(const ExprRef& expr) {
    const ExprRef& inner = expr->args[0];
    if (!merges(expr->reduction) || inner->op != Op::reduce || inner->reduction != expr->reduction) return expr;
    std::vector<std::string> dims = expr->dims;
    dims.insert(dims.end(), inner->dims.begin(), inner->dims.end());
    return merge(reduce(expr->reduction, inner->args[0], dims));
  }

  ExprRef lift_all(const ExprRef& expr) {
    if (expr->op == Op::select) return lift_select(expr);
    if (expr->op == Op::logical_and || expr->op == Op::logical_or) return lift_logical(expr);
    if (expr->op == Op::reduce) return lift_reduce(merge(expr));
    std::vector<ExprRef> args;
    for (const ExprRef& arg : expr->args) args.push_back(lift_all(arg));
    return intern(with_args(expr, std::move(args)));
  }

  ExprRef lift_under(const ExprRef& condition, const ExprRef& expr) {
    guards_.push_back(condition);
    ExprRef lifted = lift_all(expr);
    guards_.pop_back();
    return lifted;
  }

  ExprRef lift_select(const ExprRef& expr) {
    ExprRef condition = lift_all(expr->args[0]);
    ExprRef taken = lift_under(condition, expr->args[1]);
    ExprRef other = lift_under(apply(Op::logical_not, {condition}), expr->args[2]);
    return intern(with_args(expr, {condition, taken, other}));
  }

  ExprRef lift_logical(const ExprRef& expr) {
    ExprRef left = lift_all(expr->args[0]);
    ExprRef reached = expr->op == Op::logical_and ? left : apply(Op::logical_not, {left});
    return intern(with_args(expr, {left, lift_under(reached, expr->args[1])}));
  }

  ExprRef lift_reduce(const ExprRef& expr) {
    if (expr->reduction == Reduction::mean) return lift_mean(expr);
    std::vector<ExprRef> outer = std::exchange(guards_, {});
    ExprRef body = lift_all(expr->args[0]);
    guards_ = outer;
    ExprRef whole = reduce(expr->reduction, body, expr->dims);
    if (reads_state(whole)) return intern(whole);
    return make_stage(guarded(whole));
  }

  ExprRef lift_mean(const ExprRef& expr) {
    IntExpr count(1);
    for (const std::string& dim : expr->dims) count = count * IntExpr::name(base_dim(dim));
    return intern(apply(Op::div, {lift_reduce(merge(reduce(Reduction::sum, expr->args[0], expr->dims))), size(count)}));
  }

  ExprRef guarded(ExprRef whole) {
    if (guards_.empty() || !may_fail(whole->args[0])) return whole;
    for (const ExprRef& guard : guards_) {
      if (reads_state(guard)) continue;
      whole = rename_bound(whole, guard->free);
      whole = reduce(whole->reduction, apply(Op::select, {guard, whole->args[0], zero_of(whole->args[0]->type)}),
                     whole->dims);
    }
    return whole;
  }

  // The reduction as a stage of its own, or the one that already is it; returns the load.
  ExprRef make_stage(const ExprRef& whole) {
    ExprRef value = intern(whole);
    auto found = reductions_.find(value.get());
    if (found == reductions_.end()) {
      Stage stage;
      stage.value = value;
      stage.outputs = {Output{fresh_name(value), ordered(value->free), value->type, std::nullopt, true}};
      out_.stages.push_back(stage);
      found = reductions_.emplace(value.get(), stage.outputs[0]).first;
    }
    return load_of(found->second);
  }

  ExprRef load_of(const Output& output) {
    std::vector<ExprRef> indices;
    for (const std::string& dim : output.dims) indices.push_back(intern(index(dim)));
    return intern(load(output.name, output.type, std::move(indices)));
  }

  // An intermediate that the op's author named is as good as one of ours.
  void remember(const Stage& stage) {
    if (stage.kind != Stage::Kind::map || stage.value->op != Op::reduce || stage.outputs[0].dtype) return;
    if (old_.tensor(stage.outputs[0].name) == nullptr) reductions_.emplace(stage.value.get(), stage.outputs[0]);
  }

  std::vector<std::string> ordered(const std::set<std::string>& free) const {
    std::vector<std::string> dims;
    for (const Dim& dim : old_.dims)
      if (free.contains(dim.name)) dims.push_back(dim.name);
    for (const std::string& dim : free)
      if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
    return dims;
  }

  std::string fresh_name(const ExprRef& value) {
    const Expr& operand = *value->args[0];
    std::string stem = (operand.op == Op::load ? operand.name : stage_name_) + "_" + reduction_name(value->reduction);
    std::string name = stem;
    for (int n = 2; !names_.insert(name).second; ++n) name = stem + std::to_string(n);
    return name;
  }

  ExprRef intern(const ExprRef& expr) {
    std::vector<ExprRef>& bucket = interned_[expr->hash];
    for (const ExprRef& known : bucket)
      if (equal(known, expr)) return known;
    bucket.push_back(expr);
    return expr;
  }

  const Program& old_;
  Program out_;
  std::set<std::string> names_;
  std::string stage_name_;
  std::vector<ExprRef> guards_;  // conditions under which the current place is evaluated
  std::unordered_map<uint64_t, std::vector<ExprRef>> interned_;
  std::unordered_map<const Expr*, Output> reductions_;
};

}  // namespace

Program normalise(const Program& program) { return Normaliser(program).run(); }

}  // namespace hipvault::ir
