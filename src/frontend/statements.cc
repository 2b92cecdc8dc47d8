#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborate.h"

namespace hipvault::frontend {

using ir::ExprRef;
using ir::Stage;
using ir::ValueType;

// The brackets of a left side, if they are distinct plain dimensions.
std::optional<std::vector<std::string>> Elaborator::plain_dims(const LhsSyntax& left) {
  std::vector<std::string> dims;
  for (const AstRef& index : left.indices) {
    if (index->kind != AstKind::dim || std::find(dims.begin(), dims.end(), index->name) != dims.end())
      return std::nullopt;
    dims.push_back(index->name);
  }
  return dims;
}

bool Elaborator::fits_target(const ir::Tensor& target, const std::vector<std::string>& dims) const {
  if (dims.size() != target.shape.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const ir::Dim* dim = program_.dim(dims[i]);
    if (dim == nullptr) return false;
    if (target.axis_dims[i] != dims[i] && !(dim->size == target.shape[i]) &&
        !(IntExpr::name(dims[i]) == target.shape[i])) {
      const ir::Dim* axis = program_.dim(target.axis_dims[i]);
      if (axis == nullptr || !(axis->size == dim->size || axis->size == IntExpr::name(dims[i]))) return false;
    }
  }
  return true;
}

// Plain dimensions of the target's own sizes are an ordinary definition; every other indexed assignment scatters.
bool Elaborator::is_scatter(const LineSyntax& line) {
  if (line.op != "=" || line.condition) return true;
  const LhsSyntax& left = line.left[0];
  if (line.left.size() != 1 || !left.has_dims) return false;
  std::optional<std::vector<std::string>> dims = plain_dims(left);
  if (!dims) return true;
  const ir::Tensor* target = program_.tensor(left.name);
  return target != nullptr && target->role != Role::input && !fits_target(*target, *dims);
}

bool Elaborator::statement(const LineSyntax& line) {
  if (is_scatter(line)) return scatter(line);
  return is_stage_call(*line.value) ? stage_statement(line) : map_statement(line);
}

bool Elaborator::map_statement(const LineSyntax& line) {
  if (line.left.size() != 1)
    return wrong(line.left[1].pos, "syntax", "several values on the left need scan, fold, sort or topk on the right"),
           false;
  ExprRef value = expr(line.value, {});
  if (!value) return false;
  Stage stage;
  stage.value = value;
  stage.outputs = {ir::Output{"", {}, value->type, std::nullopt, true}};
  stage.place = place_of(line.pos);
  if (!name_output(line.left[0], value->free, stage.outputs[0])) return false;
  weigh(stage);
  program_.stages.push_back(std::move(stage));
  return true;
}

bool Elaborator::stage_statement(const LineSyntax& line) {
  std::optional<Stage> stage = stage_of(*line.value, {});
  if (!stage) return false;
  bool positions = stage->outputs.size() == 2 && stage->states.empty();  // sort and topk: these may be left out
  if (line.left.size() > stage->outputs.size() ||
      (line.left.size() < stage->outputs.size() && !(positions && line.left.size() == 1)))
    return wrong(line.pos, "syntax",
                 fmt::format("{} gives {} value{}, but {} stand on the left", line.value->name, stage->outputs.size(),
                             stage->outputs.size() == 1 ? "" : "s", line.left.size())),
           false;
  stage->place = place_of(line.pos);
  for (size_t i = 0; i < line.left.size(); ++i) {
    std::set<std::string> free(stage->outputs[i].dims.begin(), stage->outputs[i].dims.end());
    if (!name_output(line.left[i], free, stage->outputs[i])) return false;
  }
  if (line.left.size() < stage->outputs.size()) {
    std::string name = line.left[0].name + "_position";
    for (int n = 2; taken_.contains(name); ++n) name = line.left[0].name + "_position" + std::to_string(n);
    taken_.insert(name);
    anonymous_.insert(name);
    stage->outputs[1].name = name;
  }
  program_.stages.push_back(std::move(*stage));
  return true;
}

bool Elaborator::name_output(const LhsSyntax& left, const std::set<std::string>& free, ir::Output& output) {
  const ir::Tensor* target = program_.tensor(left.name);
  output.name = left.name;
  if (target == nullptr) {
    if (program_.output(left.name) != nullptr)
      return wrong(left.pos, "name", fmt::format("{} is already defined, and a name is assigned once", left.name)),
             false;
    if (std::any_of(program_.int_params.begin(), program_.int_params.end(),
                    [&](const ir::IntParam& one) { return one.name == left.name; }) ||
        std::any_of(program_.scalar_params.begin(), program_.scalar_params.end(),
                    [&](const ir::ScalarParam& one) { return one.name == left.name; }))
      return wrong(left.pos, "name", fmt::format("{} is a parameter and cannot be assigned", left.name)), false;
    output.indexable = left.has_dims || free.empty();
    output.dims = ordered(free);
  } else {
    if (target->role == Role::input)
      return wrong(left.pos, "name", fmt::format("{} is an input and cannot be assigned", left.name),
                   "declare it inout"),
             false;
    if (!defined_.insert(left.name).second)
      return wrong(left.pos, "name", fmt::format("{} is already defined, and a name is assigned once", left.name)),
             false;
    bool to_boolean = target->dtype == DType::boolean;
    if (to_boolean != (output.type == ValueType::boolean) && to_boolean)
      return wrong(left.pos, "type", fmt::format("{} is bool, but this is a number", left.name),
                   "compare with 0, for instance: x != 0"),
             false;
    output.dtype = target->dtype;
    output.type = ir::type_of(target->dtype);
    output.dims = target->axis_dims;
    std::set<std::string> distinct(output.dims.begin(), output.dims.end());
    if (!left.has_dims && (distinct.contains("") || distinct.size() != output.dims.size()))
      return wrong(left.pos, "brackets",
                   fmt::format("the axes of {} are not distinct plain names, so its dimensions must stand in brackets",
                               left.name)),
             false;
  }
  if (left.has_dims) {
    std::optional<std::vector<std::string>> dims = plain_dims(left);
    if (!dims)
      return wrong(left.pos, "brackets", fmt::format("expected distinct dimensions in the brackets of {}", left.name)),
             false;
    for (const AstRef& index : left.indices)
      if (!resolve_dim(index->name, index->pos, {})) return false;
    if (target != nullptr && !fits_target(*target, *dims))
      return wrong(left.pos, "rank", fmt::format("the dimensions do not fit the axes of {}", left.name)), false;
    output.dims = *dims;
  }
  for (const std::string& dim : ordered(free))
    if (std::find(output.dims.begin(), output.dims.end(), dim) == output.dims.end())
      return wrong(left.pos, "dims",
                   fmt::format("the right side uses the dimension {}, which {} does not have", dim, left.name),
                   "reduce it, for instance with sum(…, " + dim + "), or give the left side that dimension"),
             false;
  return true;
}

bool Elaborator::scatter(const LineSyntax& line) {
  const LhsSyntax& left = line.left[0];
  const ir::Tensor* target = program_.tensor(left.name);
  if (line.left.size() != 1 || !left.has_dims)
    return wrong(left.pos, "syntax",
                 fmt::format("expected brackets after {}: {} and 'if' assign to indexed elements", left.name, line.op)),
           false;
  if (target == nullptr || target->role == Role::input) {
    std::vector<std::string> known;
    for (const ir::Tensor* tensor : program_.results()) known.push_back(tensor->name);
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    return wrong(left.pos, "scatter",
                 fmt::format("indexed assignment goes to results and inout tensors only, but {} is neither", left.name),
                 "they are: " + list),
           false;
  }
  if (!defined_.insert(left.name).second)
    return wrong(left.pos, "name", fmt::format("{} is already defined, and a name is assigned once", left.name)), false;
  if (left.indices.size() != target->shape.size())
    return wrong(left.pos, "rank",
                 fmt::format("{} has {} axes, but {} indices are given", left.name, target->shape.size(),
                             left.indices.size())),
           false;
  static const std::map<std::string, ir::ScatterOp> kOps = {{"=", ir::ScatterOp::assign},
                                                            {"+=", ir::ScatterOp::add},
                                                            {"*=", ir::ScatterOp::mul},
                                                            {"max=", ir::ScatterOp::max},
                                                            {"min=", ir::ScatterOp::min}};
  Stage stage;
  stage.kind = Stage::Kind::scatter;
  stage.scatter_op = kOps.at(line.op);
  stage.place = place_of(line.pos);
  stage.value = expr(line.value, {});
  if (!stage.value) return false;
  std::set<std::string> over = stage.value->free;
  for (const AstRef& ast : left.indices) {
    ExprRef index = expr(ast, {});
    if (!index) return false;
    bool reduces = false;
    ir::visit(index, [&](const ir::Expr& e) { reduces = reduces || e.op == ir::Op::reduce; });
    if (index->type != ValueType::integer || reduces)
      return wrong(ast->pos, "type",
                   reduces ? "a reduction in the indices of an assignment" : "an index must be an integer",
                   reduces ? "compute it in a statement before" : ""),
             false;
    over.insert(index->free.begin(), index->free.end());
    stage.indices.push_back(std::move(index));
  }
  if (line.condition) {
    stage.condition = expr(line.condition, {});
    if (!stage.condition) return false;
    if (stage.condition->type != ValueType::boolean)
      return wrong(line.condition->pos, "type", "the condition must be a truth value, but this is a number"), false;
    over.insert(stage.condition->free.begin(), stage.condition->free.end());
  }
  if (target->dtype == DType::boolean && stage.value->type != ValueType::boolean)
    return wrong(left.pos, "type", fmt::format("{} is bool, but this is a number", left.name)), false;
  stage.over = ordered(over);
  stage.outputs = {ir::Output{left.name, target->axis_dims, ir::type_of(target->dtype), target->dtype, true}};
  program_.stages.push_back(std::move(stage));
  if (target->role == Role::output) scattered_.insert(left.name);
  return true;
}

bool Elaborator::check_results() {
  for (const ir::Tensor* tensor : program_.results()) {
    if (defined_.contains(tensor->name)) continue;
    const std::vector<ParamSyntax>& list = tensor->role == Role::inout ? op_.params : op_.results;
    for (const ParamSyntax& param : list)
      if (param.name == tensor->name)
        wrong(param.pos, "undefined",
              fmt::format("{} {} is never assigned", tensor->role == Role::inout ? "the inout tensor" : "the result",
                          tensor->name),
              tensor->role == Role::inout ? "declare it without inout" : "");
    return false;
  }
  return true;
}

// Dimensions that capture-avoiding substitution renamed: D__1 has the size of D.
void Elaborator::add_renamed_dims() {
  std::set<std::string> used;
  auto collect = [&](const ExprRef& expr) {
    if (expr) ir::visit(expr, [&](const ir::Expr& e) { used.insert(e.dims.begin(), e.dims.end()); });
  };
  for (const Stage& stage : program_.stages) {
    collect(stage.value);
    collect(stage.condition);
    for (const ExprRef& index : stage.indices) collect(index);
    for (const ir::ScanState& state : stage.states) collect(state.init), collect(state.body);
  }
  for (const std::string& name : used) {
    bool known =
        std::any_of(program_.dims.begin(), program_.dims.end(), [&](const ir::Dim& dim) { return dim.name == name; });
    if (!known) program_.dims.push_back(ir::Dim{name, IntExpr::name(ir::base_dim(name)), false});
  }
}

Result<ir::Program> Elaborator::run() {
  program_.name = op_.name;
  bool fine = choose_types() && declare_params() && collect_dims() && declare_results();
  for (const LineSyntax& line : op_.lines)
    for (const LhsSyntax& left : line.left)
      if (line.kind == LineSyntax::Kind::statement && fine && program_.tensor(left.name) == nullptr &&
          !taken_.contains(left.name))
        fine = new_name(left.name, left.pos);
  for (const LineSyntax& line : op_.lines) {
    if (!fine) break;
    if (line.kind == LineSyntax::Kind::require) {
      std::optional<IntExpr> condition = size_of(line.value);
      fine = condition.has_value();
      if (fine) program_.require.push_back(*condition);
    } else if (line.kind == LineSyntax::Kind::statement) {
      fine = statement(line);
    }
  }
  fine = fine && check_results() && notes();
  if (error_) return fail(*error_);
  add_renamed_dims();
  return program_;
}

}  // namespace hipvault::frontend
