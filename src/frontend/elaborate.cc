#include "frontend/elaborate.h"

#include <fmt/format.h>

#include <algorithm>

namespace hipvault::frontend {

using ir::ExprRef;
using ir::Op;
using ir::ValueType;

namespace {

const char* type_word(ValueType type) {
  return type == ValueType::boolean ? "a truth value" : type == ValueType::integer ? "an integer" : "a real number";
}

bool is_arithmetic_constant(const ExprRef& e) { return e->op == Op::number && e->type != ValueType::boolean; }

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  size_t best = std::min(std::max<size_t>(1, name.size() / 3) + 1, name.size());
  std::string nearest;
  for (const std::string& candidate : known) {
    size_t distance = edit_distance(name, candidate);
    if (distance < best) best = distance, nearest = candidate;
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::nullptr_t Elaborator::wrong(const Pos& pos, const std::string& code, const std::string& message,
                                 const std::string& hint) {
  if (error_) return nullptr;
  std::string where;
  for (const std::string& call : calls_) where += (where.empty() ? "while expanding " : ", in ") + call;
  error_ = Diagnostic{"hv." + code, message,
                      hint.empty()    ? where
                      : where.empty() ? hint
                                      : hint + " (" + where + ")",
                      place_of(pos)};
  return nullptr;
}

std::nullptr_t Elaborator::unknown(const Pos& pos, const std::string& what, const std::string& name,
                                   const std::vector<std::string>& known) {
  std::vector<std::string> sorted = known;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string list;
  for (const std::string& one : sorted) list += (list.empty() ? "" : ", ") + one;
  return wrong(pos, "unknown", fmt::format("there is no {} named {}{}", what, name, did_you_mean(name, known)),
               "known here: " + (list.empty() ? "none" : list));
}

std::vector<std::string> Elaborator::value_names(const Scope& scope) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : scope.values) names.push_back(name);
  if (!scope.function.empty()) return names;
  for (const ir::Tensor& tensor : program_.tensors)
    if (tensor.role != Role::output || defined_.contains(tensor.name)) names.push_back(tensor.name);
  for (const ir::Stage& stage : program_.stages)
    for (const ir::Output& output : stage.outputs)
      if (!anonymous_.contains(output.name)) names.push_back(output.name);
  for (const ir::IntParam& param : program_.int_params) names.push_back(param.name);
  for (const ir::ScalarParam& param : program_.scalar_params) names.push_back(param.name);
  return names;
}

std::vector<std::string> Elaborator::dim_names(const Scope& scope) const {
  std::vector<std::string> names;
  if (!scope.function.empty()) {
    for (const auto& [formal, dim] : scope.dims) names.push_back(formal);
  } else {
    for (const ir::Dim& dim : program_.dims) names.push_back(dim.name);
  }
  return names;
}

std::string Elaborator::free_text(const ExprRef& e) const {
  std::string text;
  for (const std::string& dim : ordered(e->free)) text += (text.empty() ? "" : ", ") + dim;
  return text.empty() ? "none" : text;
}

std::optional<std::string> Elaborator::resolve_dim(const std::string& name, const Pos& pos, const Scope& scope) {
  if (!scope.function.empty()) {
    auto found = scope.dims.find(name);
    if (found != scope.dims.end()) return found->second;
  } else if (program_.dim(name) != nullptr) {
    return name;
  }
  unknown(pos, "dimension", name, dim_names(scope));
  return std::nullopt;
}

std::optional<std::string> Elaborator::dim_name(const AstRef& ast, const Scope& scope, const std::string& where) {
  if (ast->kind == AstKind::dim) return resolve_dim(ast->name, ast->pos, scope);
  wrong(ast->pos, "syntax",
        fmt::format("expected a dimension (a name with a capital) {}, but found {}", where, text(ast)));
  return std::nullopt;
}

ExprRef Elaborator::unbounded(const AstRef& ast, const Scope& scope) {
  switch (ast->kind) {
    case AstKind::integer:
      return ir::integer(ast->integer);
    case AstKind::real:
      return ir::number(ast->real);
    case AstKind::boolean:
      return ir::boolean(ast->integer != 0);
    case AstKind::name:
      return value_name(*ast, scope);
    case AstKind::dim: {
      std::optional<std::string> dim = resolve_dim(ast->name, ast->pos, scope);
      return dim ? ir::index(*dim) : nullptr;
    }
    case AstKind::index:
      return index_expr(*ast, scope);
    case AstKind::call:
      return call(*ast, scope);
    case AstKind::at:
      return at_expr(*ast, scope);
    case AstKind::scan:
      return lift(*ast, scope);
    case AstKind::unary:
      return unary(*ast, scope);
    case AstKind::binary:
      return binary(*ast, scope);
  }
  return nullptr;
}

ExprRef Elaborator::value_name(const Ast& ast, const Scope& scope) {
  auto local = scope.values.find(ast.name);
  if (local != scope.values.end()) return local->second;
  if (!scope.function.empty()) return unknown(ast.pos, "formal of " + scope.function, ast.name, value_names(scope));
  ExprRef found = global_name(ast);
  if (found || failed()) return found;
  if (function(ast.name) != nullptr)
    return wrong(ast.pos, "syntax", fmt::format("{} is a function: expected '(' after it", ast.name));
  return unknown(ast.pos, "value", ast.name, value_names(scope));
}

// A tensor, parameter or stage by its bare name; null without an error if there is none.
ExprRef Elaborator::global_name(const Ast& ast) {
  for (const ir::IntParam& param : program_.int_params)
    if (param.name == ast.name) return ir::size(IntExpr::name(ast.name));
  for (const ir::ScalarParam& param : program_.scalar_params)
    if (param.name == ast.name) return ir::scalar(ast.name, param.is_bool ? ValueType::boolean : ValueType::real);
  const ir::Tensor* tensor = program_.tensor(ast.name);
  if (tensor != nullptr && (tensor->role != Role::output || scattered_.contains(ast.name))) {
    std::set<std::string> seen;
    for (const std::string& dim : tensor->axis_dims)
      if (dim.empty() || !seen.insert(dim).second)
        return wrong(
            ast.pos, "brackets",
            fmt::format("the axes of {} are not distinct plain names, so it must be read with brackets", ast.name),
            fmt::format("write {}[…] with {} indices", ast.name, tensor->shape.size()));
    return load_at_own_axes(ast.name, ir::type_of(tensor->dtype), tensor->axis_dims);
  }
  if (tensor != nullptr && !defined_.contains(ast.name))
    return wrong(ast.pos, "order", fmt::format("the result {} is read before it is defined", ast.name));
  const ir::Output* output = program_.output(ast.name);
  return output == nullptr || anonymous_.contains(ast.name) ? nullptr
                                                            : load_at_own_axes(ast.name, output->type, output->dims);
}

ExprRef Elaborator::load_at_own_axes(const std::string& name, ValueType type, const std::vector<std::string>& dims) {
  std::vector<ExprRef> indices;
  for (const std::string& dim : dims) indices.push_back(ir::index(dim));
  return ir::load(name, type, std::move(indices));
}

ExprRef Elaborator::index_expr(const Ast& ast, const Scope& scope) {
  if (scope.values.contains(ast.name))
    return wrong(ast.pos, "brackets",
                 fmt::format("{} is {} and cannot be read with brackets", ast.name,
                             scope.function.empty() ? "the state of a scan" : "a formal of " + scope.function),
                 fmt::format("write at({}, N = …) to replace an index", ast.name));
  ValueType type = ValueType::real;
  size_t rank = 0;
  const ir::Tensor* tensor = scope.function.empty() ? program_.tensor(ast.name) : nullptr;
  const ir::Output* output = scope.function.empty() ? program_.output(ast.name) : nullptr;
  if (tensor != nullptr && (tensor->role != Role::output || defined_.contains(ast.name))) {
    type = ir::type_of(tensor->dtype), rank = tensor->shape.size();
  } else if (tensor == nullptr && output != nullptr && !anonymous_.contains(ast.name)) {
    if (!output->indexable)
      return wrong(
          ast.pos, "brackets",
          fmt::format("{} was defined without brackets, so its axes have no order and it cannot be read with brackets",
                      ast.name),
          fmt::format("define it as {}[…] = …, or write at({}, N = …)", ast.name, ast.name));
    type = output->type, rank = output->dims.size();
  } else if (tensor != nullptr) {
    return wrong(ast.pos, "order", fmt::format("the result {} is read before it is defined", ast.name));
  } else {
    return unknown(ast.pos, "tensor", ast.name, value_names(scope));
  }
  std::vector<ExprRef> indices;
  if (!arguments(ast, scope, indices)) return nullptr;
  if (indices.size() != rank)
    return wrong(ast.pos, "rank",
                 fmt::format("{} has {} axes, but {} indices are given", ast.name, rank, indices.size()));
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i]->type != ValueType::integer)
      return wrong(ast.args[i]->pos, "type",
                   fmt::format("an index must be an integer, but this is {}", type_word(indices[i]->type)));
  ExprRef otherwise = ast.otherwise ? expr(ast.otherwise, scope) : nullptr;
  if (ast.otherwise && !otherwise) return nullptr;
  return ir::load(ast.name, type, std::move(indices), otherwise);
}

bool Elaborator::arguments(const Ast& ast, const Scope& scope, std::vector<ExprRef>& args) {
  for (const AstRef& arg : ast.args) {
    args.push_back(expr(arg, scope));
    if (!args.back()) return false;
  }
  return true;
}

ExprRef Elaborator::unary(const Ast& ast, const Scope& scope) {
  ExprRef operand = expr(ast.args[0], scope);
  if (!operand) return nullptr;
  if (ast.name == "-" && is_arithmetic_constant(operand)) {
    if (operand->type == ValueType::real) return ir::number(-operand->number);
    if (operand->integer != INT64_MIN) return ir::integer(-operand->integer);
  }
  return checked_apply(ast.name == "-" ? Op::neg : Op::logical_not, {operand}, ast);
}

ExprRef Elaborator::binary(const Ast& ast, const Scope& scope) {
  std::vector<ExprRef> args;
  if (!arguments(ast, scope, args)) return nullptr;
  return checked_apply(*operation_spelled(ast.name, 2), std::move(args), ast);
}

// The type rules of operations that are stricter than "numbers".
ExprRef Elaborator::checked_apply(Op op, std::vector<ExprRef> args, const Ast& ast) {
  auto require = [&](size_t i, bool holds, const std::string& expected, const std::string& hint) {
    if (!holds)
      wrong(i < ast.args.size() ? ast.args[i]->pos : ast.pos, "type",
            fmt::format("{} needs {}, but this is {}", ir::op_spelling(op), expected, type_word(args[i]->type)), hint);
    return holds;
  };
  bool logical = op == Op::logical_and || op == Op::logical_or || op == Op::logical_not;
  bool bits = op >= Op::bit_and && op <= Op::shift_right;
  for (size_t i = 0; i < args.size(); ++i) {
    bool is_boolean = args[i]->type == ValueType::boolean, is_integer = args[i]->type == ValueType::integer;
    if ((logical || (op == Op::select && i == 0)) &&
        !require(i, is_boolean, "truth values", "compare with 0, for instance: x != 0"))
      return nullptr;
    if (bits && !require(i, is_integer, "integers",
                         is_boolean ? "write and, or, not for truth values" : "cast to an integer type first"))
      return nullptr;
    if ((op == Op::random || op == Op::uniform) && !require(i, is_integer, "integers", "")) return nullptr;
  }
  if (op == Op::select && (args[1]->type == ValueType::boolean) != (args[2]->type == ValueType::boolean))
    return wrong(
        ast.pos, "type",
        fmt::format("the branches of where differ: {} and {}", type_word(args[1]->type), type_word(args[2]->type)));
  return ir::apply(op, std::move(args));
}

// e with indices replaced; `else` is the value where one of them is outside its dimension.
ExprRef Elaborator::at_expr(const Ast& ast, const Scope& scope) {
  std::vector<ExprRef> args;
  if (!arguments(ast, scope, args)) return nullptr;
  std::map<std::string, ExprRef> replacements;
  ExprRef inside;
  for (size_t i = 0; i < ast.names.size(); ++i) {
    const ExprRef& index = args[i + 1];
    std::optional<std::string> dim = resolve_dim(ast.names[i], ast.args[i + 1]->pos, scope);
    if (!dim) return nullptr;
    if (!args[0]->free.contains(*dim) && lenient_ == 0)
      return wrong(ast.args[0]->pos, "dims",
                   fmt::format("at() replaces {}, which this expression does not use (its dimensions: {})", *dim,
                               free_text(args[0])));
    if (index->type != ValueType::integer)
      return wrong(ast.args[i + 1]->pos, "type",
                   fmt::format("an index must be an integer, but this is {}", type_word(index->type)));
    if (!replacements.emplace(*dim, index).second)
      return wrong(ast.args[i + 1]->pos, "dims", fmt::format("at() replaces {} twice", *dim));
    ExprRef above = ir::apply(Op::ge, {index, ir::integer(0)});
    ExprRef below = ir::apply(Op::lt, {index, ir::size(IntExpr::name(ir::base_dim(*dim)))});
    ExprRef both = ir::apply(Op::logical_and, {above, below});
    inside = inside ? ir::apply(Op::logical_and, {inside, both}) : both;
  }
  ExprRef moved = ir::substitute(args[0], replacements);
  if (!ast.otherwise) return moved;
  ExprRef otherwise = expr(ast.otherwise, scope);
  return otherwise ? checked_apply(Op::select, {inside, moved, otherwise}, ast) : nullptr;
}

}  // namespace hipvault::frontend
