// Calls that are not expressions: running reductions, scans, sorts. As the whole right side of a statement they are its
// stage; inside an expression they are lifted into an anonymous stage before it.

#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborate.h"

namespace hipvault::frontend {

using ir::ExprRef;
using ir::Op;
using ir::Reduction;
using ir::Stage;
using ir::ValueType;

bool Elaborator::is_stage_call(const Ast& ast) {
  if (ast.kind == AstKind::scan) return true;
  return ast.kind == AstKind::call && (cumulative_named(ast.name) || ast.name == "sort" || ast.name == "topk");
}

std::vector<std::string> Elaborator::ordered(const std::set<std::string>& dims) const {
  std::vector<std::string> list;
  for (const ir::Dim& dim : program_.dims)
    if (dims.contains(dim.name)) list.push_back(dim.name);
  for (const std::string& dim : dims)
    if (std::find(list.begin(), list.end(), dim) == list.end()) list.push_back(dim);
  return list;
}

bool Elaborator::no_state(const ExprRef& e, const Ast& ast) {
  bool found = false;
  ir::visit(e, [&](const ir::Expr& node) { found = found || node.op == Op::state; });
  if (found)
    wrong(ast.pos, "state", fmt::format("{} cannot be used on the state of a scan", ast.name),
          "a scan's body may use arithmetic and reductions");
  return !found;
}

std::optional<Stage> Elaborator::stage_of(const Ast& ast, const Scope& scope) {
  if (ast.kind == AstKind::scan) return scan(ast, scope);
  if (std::optional<Reduction> kind = cumulative_named(ast.name)) return cumulative(*kind, ast, scope);
  return sort_or_topk(ast, scope);
}

std::optional<Stage> Elaborator::cumulative(Reduction kind, const Ast& ast, const Scope& scope) {
  if (ast.args.size() < 2)
    return wrong(ast.pos, "arguments", fmt::format("{} needs an expression and a dimension", ast.name)), std::nullopt;
  Stage stage;
  stage.kind = Stage::Kind::cumulative;
  stage.reduction = kind;
  stage.value = expr(ast.args[0], scope);
  if (!stage.value || !no_state(stage.value, ast)) return std::nullopt;
  std::optional<std::string> dim = dim_name(ast.args[1], scope, fmt::format("that {} runs along", ast.name));
  if (!dim) return std::nullopt;
  stage.dim = *dim;
  for (size_t i = 2; i < ast.args.size(); ++i) {
    const Ast& flag = *ast.args[i];
    bool is_name = flag.kind == AstKind::name;
    if (is_name && flag.name == "reverse") {
      stage.reverse = true;
    } else if (is_name && flag.name == "exclusive") {
      stage.exclusive = true;
    } else {
      return wrong(flag.pos, "syntax", fmt::format("expected reverse or exclusive, but found {}", text(ast.args[i]))),
             std::nullopt;
    }
  }
  if (!stage.value->free.contains(stage.dim))
    return wrong(ast.args[1]->pos, "dims",
                 fmt::format("{} runs along {}, which its operand does not use (its dimensions: {})", ast.name,
                             stage.dim, free_text(stage.value))),
           std::nullopt;
  bool arithmetic = kind == Reduction::sum || kind == Reduction::prod;
  ValueType type = arithmetic ? std::max(stage.value->type, ValueType::integer) : stage.value->type;
  stage.outputs = {ir::Output{"", ordered(stage.value->free), type, std::nullopt, true}};
  return stage;
}

std::optional<Stage> Elaborator::sort_or_topk(const Ast& ast, const Scope& scope) {
  bool topk = ast.name == "topk";
  if (ast.args.size() < 2 || ast.args.size() > 3 || (topk && ast.args.size() != 3))
    return wrong(ast.pos, "arguments",
                 topk ? "topk needs an expression, the dimension it selects from and the one that replaces it"
                      : "sort needs an expression, a dimension and perhaps 'descending'"),
           std::nullopt;
  Stage stage;
  stage.kind = topk ? Stage::Kind::topk : Stage::Kind::sort;
  stage.value = expr(ast.args[0], scope);
  if (!stage.value || !no_state(stage.value, ast)) return std::nullopt;
  std::optional<std::string> dim = dim_name(ast.args[1], scope, fmt::format("that {} orders", ast.name));
  if (!dim) return std::nullopt;
  stage.dim = *dim;
  if (!stage.value->free.contains(stage.dim))
    return wrong(ast.args[1]->pos, "dims",
                 fmt::format("{} orders {}, which its operand does not use (its dimensions: {})", ast.name, stage.dim,
                             free_text(stage.value))),
           std::nullopt;
  std::set<std::string> dims = stage.value->free;
  if (topk) {
    std::optional<std::string> kept = dim_name(ast.args[2], scope, "that replaces " + stage.dim);
    if (!kept) return std::nullopt;
    stage.new_dim = *kept;
    if (dims.contains(*kept))
      return wrong(ast.args[2]->pos, "dims", fmt::format("the operand of topk already uses {}", *kept)), std::nullopt;
    dims.erase(stage.dim);
    dims.insert(*kept);
  } else if (ast.args.size() == 3) {
    if (ast.args[2]->kind != AstKind::name || ast.args[2]->name != "descending")
      return wrong(ast.args[2]->pos, "syntax", fmt::format("expected descending, but found {}", text(ast.args[2]))),
             std::nullopt;
    stage.descending = true;
  }
  stage.outputs = {ir::Output{"", ordered(dims), stage.value->type, std::nullopt, true},
                   ir::Output{"", ordered(dims), ValueType::integer, std::nullopt, true}};
  return stage;
}

std::optional<Stage> Elaborator::scan(const Ast& ast, const Scope& scope) {
  Stage stage;
  stage.kind = ast.name == "fold" ? Stage::Kind::fold : Stage::Kind::scan;
  std::optional<std::string> dim = resolve_dim(ast.names[0], ast.pos, scope);
  if (!dim) return std::nullopt;
  stage.dim = *dim;
  size_t count = ast.names.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string& name = ast.names[i + 1];
    if (is_capital(name) || scope.values.contains(name) || (scope.function.empty() && taken_.contains(name)))
      return wrong(ast.pos, "state",
                   fmt::format("{} cannot name a state: {}", name,
                               is_capital(name) ? "it is a dimension's name" : "the name is taken")),
             std::nullopt;
    ir::ScanState state;
    state.name = name;
    for (int n = 1; taken_.contains(state.name); ++n) state.name = name + "_" + std::to_string(n);
    state.init = expr(ast.args[i], scope);
    if (!state.init || !no_state(state.init, ast)) return std::nullopt;
    if (state.init->free.contains(stage.dim))
      return wrong(ast.args[i]->pos, "dims",
                   fmt::format("the initial state uses {}, the dimension that is scanned", stage.dim)),
             std::nullopt;
    state.dims = ordered(state.init->free);
    stage.states.push_back(std::move(state));
  }
  if (!scan_bodies(ast, scope, stage)) return std::nullopt;
  for (const ir::ScanState& state : stage.states) {
    std::set<std::string> dims(state.dims.begin(), state.dims.end());
    if (stage.kind == Stage::Kind::scan) dims.insert(stage.dim);
    stage.outputs.push_back(
        ir::Output{"", ordered(dims), std::max(state.init->type, state.body->type), std::nullopt, true});
  }
  return stage;
}

// A state has the dimensions (and the type) of its body, whose dimensions depend on the state's: the least fixed point,
// from what the initial value has. Until then a reduction over a dimension that the state will have is not yet an
// error.
bool Elaborator::scan_bodies(const Ast& ast, const Scope& scope, Stage& stage) {
  size_t count = stage.states.size();
  std::vector<ValueType> types;
  for (const ir::ScanState& state : stage.states) types.push_back(state.init->type);
  std::vector<Stage> before = program_.stages;
  std::set<std::string> taken = taken_, anonymous = anonymous_;
  for (bool stable = false;;) {
    Scope inner = scope;
    for (size_t i = 0; i < count; ++i) {
      std::vector<ExprRef> indices;
      for (const std::string& dim : stage.states[i].dims) indices.push_back(ir::index(dim));
      inner.values[ast.names[i + 1]] = ir::state(stage.states[i].name, types[i], std::move(indices));
    }
    lenient_ += stable ? 0 : 1;
    bool changed = false;
    for (size_t i = 0; i < count && !failed(); ++i) {
      ir::ScanState& state = stage.states[i];
      state.body = expr(ast.args[count + i], inner);
      if (!state.body) break;
      std::set<std::string> dims(state.dims.begin(), state.dims.end());
      dims.insert(state.body->free.begin(), state.body->free.end());
      dims.erase(stage.dim);
      ValueType type = std::max(types[i], state.body->type);
      changed = changed || dims.size() != state.dims.size() || type != types[i];
      state.dims = ordered(dims);
      types[i] = type;
    }
    lenient_ -= stable ? 0 : 1;
    if (failed()) return false;
    if (stable && !changed) return true;
    stable = !changed;
    program_.stages = before;  // what the trial lifted
    taken_ = taken, anonymous_ = anonymous;
  }
}

ExprRef Elaborator::lift(const Ast& ast, const Scope& scope) {
  std::optional<Stage> stage = stage_of(ast, scope);
  if (!stage) return nullptr;
  for (const ir::ScanState& state : stage->states) {
    bool outer = false;
    ir::visit(state.body, [&](const ir::Expr& e) {
      bool own = std::any_of(stage->states.begin(), stage->states.end(),
                             [&](const ir::ScanState& one) { return one.name == e.name; });
      outer = outer || (e.op == Op::state && !own);
    });
    if (outer) return wrong(ast.pos, "state", "a scan inside a scan cannot use the state of the outer one");
  }
  for (const Stage& known : program_.stages) {
    bool same = anonymous_.contains(known.outputs[0].name) && known.kind == stage->kind && known.states.empty() &&
                stage->states.empty() && known.dim == stage->dim && known.new_dim == stage->new_dim &&
                known.reduction == stage->reduction && known.reverse == stage->reverse &&
                known.exclusive == stage->exclusive && known.descending == stage->descending;
    if (same && ir::equal(known.value, stage->value))
      return load_at_own_axes(known.outputs[0].name, known.outputs[0].type, known.outputs[0].dims);
  }
  for (size_t i = 0; i < stage->outputs.size(); ++i) {
    std::string stem = i == 1 && stage->states.empty() ? ast.name + "_position" : ast.name, name = stem + "_1";
    for (int n = 2; taken_.contains(name); ++n) name = stem + "_" + std::to_string(n);
    taken_.insert(name);
    anonymous_.insert(name);
    stage->outputs[i].name = name;
  }
  stage->place = place_of(ast.pos);
  program_.stages.push_back(*stage);
  const ir::Output& first = stage->outputs[0];
  return load_at_own_axes(first.name, first.type, first.dims);
}

}  // namespace hipvault::frontend
