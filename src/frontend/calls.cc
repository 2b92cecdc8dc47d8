#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborate.h"

namespace hipvault::frontend {

using ir::ExprRef;
using ir::Op;
using ir::Reduction;
using ir::ValueType;

namespace {

constexpr size_t kDeepestExpansion = 64;

struct OpSpelling {
  const char* spelling;
  int arity;
  Op op;
};
constexpr OpSpelling kOps[] = {
#define OP(name, arity, spelling, result) {spelling, arity, Op::name},
#include "ir/ops.def"
#undef OP
};

bool is_function_name(const char* spelling) {
  return is_capital(spelling) || (spelling[0] >= 'a' && spelling[0] <= 'z');
}

}  // namespace

std::optional<Op> operation_spelled(const std::string& spelling, int arity) {
  for (const OpSpelling& row : kOps)
    if (spelling == row.spelling && row.arity == arity) return row.op;
  return std::nullopt;
}

std::optional<Reduction> reduction_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Reduction::argmin); ++i)
    if (name == ir::reduction_name(static_cast<Reduction>(i))) return static_cast<Reduction>(i);
  return std::nullopt;
}

std::optional<Reduction> cumulative_named(const std::string& name) {
  if (name == "cumsum") return Reduction::sum;
  if (name == "cumprod") return Reduction::prod;
  if (name == "cummax") return Reduction::max;
  if (name == "cummin") return Reduction::min;
  return std::nullopt;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names = {"size",   "at",      "scan",   "fold",   "sort", "topk",
                                    "cumsum", "cumprod", "cummax", "cummin", "cdiv"};
  for (int i = 0; i <= static_cast<int>(Reduction::argmin); ++i)
    names.push_back(ir::reduction_name(static_cast<Reduction>(i)));
  for (const OpSpelling& row : kOps)
    if (is_function_name(row.spelling) && std::string(row.spelling) != "and" && std::string(row.spelling) != "or" &&
        std::string(row.spelling) != "not")
      names.push_back(row.spelling);
  return names;
}

const FnSyntax* Elaborator::function(const std::string& name) const {
  for (const std::vector<FnSyntax>* functions : {&file_.functions, &file_.standard})
    for (const FnSyntax& fn : *functions)
      if (fn.name == name) return &fn;
  return nullptr;
}

ExprRef Elaborator::call(const Ast& ast, const Scope& scope) {
  if (is_stage_call(ast)) return lift(ast, scope);
  if (std::optional<Reduction> kind = reduction_named(ast.name)) return reduction(*kind, ast, scope);
  if (ast.name == "size") return size_call(ast, scope);
  if (ast.name == "cdiv") return cdiv_call(ast, scope);
  if (std::optional<DType> dtype = dtype_named(ast.name)) return cast_call(*dtype, ast, scope);
  if (const FnSyntax* fn = function(ast.name)) return expand(*fn, ast, scope);
  int arity = -1;
  for (const OpSpelling& row : kOps)
    if (ast.name == row.spelling && is_function_name(row.spelling)) arity = row.arity;
  if (arity < 0) {
    std::vector<std::string> known = builtin_names();
    for (const FnSyntax& fn : file_.functions) known.push_back(fn.name);
    for (const FnSyntax& fn : file_.standard) known.push_back(fn.name);
    return unknown(ast.pos, "function", ast.name, known);
  }
  if (static_cast<int>(ast.args.size()) != arity)
    return wrong(ast.pos, "arguments",
                 fmt::format("{} takes {} argument{}, but {} are given", ast.name, arity, arity == 1 ? "" : "s",
                             ast.args.size()));
  std::vector<ExprRef> args;
  if (!arguments(ast, scope, args)) return nullptr;
  return checked_apply(*operation_spelled(ast.name, arity), std::move(args), ast);
}

ExprRef Elaborator::reduction(Reduction kind, const Ast& ast, const Scope& scope) {
  if (ast.args.size() < 2)
    return wrong(ast.pos, "arguments", fmt::format("{} needs an expression and the dimensions it reduces", ast.name),
                 fmt::format("write {}(e, N)", ast.name));
  bool elementwise = (kind == Reduction::max || kind == Reduction::min) && ast.args[1]->kind != AstKind::dim;
  if (elementwise)
    return wrong(ast.args[1]->pos, "syntax",
                 fmt::format("expected a dimension that {} reduces, but found {}", ast.name, text(ast.args[1])),
                 fmt::format("the larger or smaller of two values is {}imum(a, b)", ast.name));
  ExprRef value = expr(ast.args[0], scope);
  if (!value) return nullptr;
  std::vector<std::string> dims;
  for (size_t i = 1; i < ast.args.size(); ++i) {
    std::optional<std::string> dim = dim_name(ast.args[i], scope, fmt::format("that {} reduces", ast.name));
    if (!dim) return nullptr;
    if (std::find(dims.begin(), dims.end(), *dim) != dims.end())
      return wrong(ast.args[i]->pos, "dims", fmt::format("{} reduces {} twice", ast.name, *dim));
    if (!value->free.contains(*dim)) {
      if (lenient_ > 0) continue;
      return wrong(ast.args[i]->pos, "dims",
                   fmt::format("{} reduces {}, which its operand does not use (its dimensions: {})", ast.name, *dim,
                               free_text(value)));
    }
    dims.push_back(*dim);
  }
  bool logical = kind == Reduction::any || kind == Reduction::all;
  if (logical && value->type != ValueType::boolean)
    return wrong(ast.args[0]->pos, "type", fmt::format("{} needs a truth value, but this is a number", ast.name),
                 "compare with 0, for instance: x != 0");
  return dims.empty() ? value : ir::reduce(kind, value, dims);
}

ExprRef Elaborator::size_call(const Ast& ast, const Scope& scope) {
  if (ast.args.size() != 1) return wrong(ast.pos, "arguments", "size takes one dimension");
  std::optional<std::string> dim = dim_name(ast.args[0], scope, "in size()");
  return dim ? ir::size(IntExpr::name(ir::base_dim(*dim))) : nullptr;
}

ExprRef Elaborator::cast_call(DType dtype, const Ast& ast, const Scope& scope) {
  if (ast.args.size() != 1)
    return wrong(ast.pos, "arguments",
                 fmt::format("a cast to {} takes one argument, but {} are given", ast.name, ast.args.size()));
  ExprRef value = expr(ast.args[0], scope);
  return value ? ir::cast(dtype, value) : nullptr;
}

ExprRef Elaborator::cdiv_call(const Ast& ast, const Scope& scope) {
  std::vector<ExprRef> args;
  if (ast.args.size() != 2) return wrong(ast.pos, "arguments", "cdiv takes 2 arguments");
  if (!arguments(ast, scope, args)) return nullptr;
  return ir::apply(Op::neg, {ir::apply(Op::floordiv, {ir::apply(Op::neg, {args[0]}), args[1]})});
}

// Macro expansion: formals stand for whole expressions, so a reduction in the body over a formal dimension binds it in
// the argument, which is the point: softmax(x, N) reduces x over N.
ExprRef Elaborator::expand(const FnSyntax& fn, const Ast& ast, const Scope& scope) {
  if (ast.args.size() != fn.formals.size()) {
    std::string formals;
    for (const std::string& formal : fn.formals) formals += (formals.empty() ? "" : ", ") + formal;
    return wrong(ast.pos, "arguments",
                 fmt::format("{} takes {} arguments ({}), but {} are given", fn.name, fn.formals.size(), formals,
                             ast.args.size()));
  }
  if (calls_.size() >= kDeepestExpansion)
    return wrong(ast.pos, "recursion", fmt::format("the function {} calls itself without end", fn.name));
  Scope inner;
  inner.function = fn.name;
  for (size_t i = 0; i < fn.formals.size(); ++i) {
    if (is_capital(fn.formals[i])) {
      std::optional<std::string> dim =
          dim_name(ast.args[i], scope, fmt::format("for {} of {}", fn.formals[i], fn.name));
      if (!dim) return nullptr;
      inner.dims[fn.formals[i]] = *dim;
    } else {
      ExprRef value = expr(ast.args[i], scope);
      if (!value) return nullptr;
      inner.values[fn.formals[i]] = value;
    }
  }
  calls_.push_back(fmt::format("{} ({}:{})", fn.name, ast.pos.source->file, ast.pos.line));
  ExprRef value = expr(fn.body, inner);
  calls_.pop_back();
  return value;
}

}  // namespace hipvault::frontend
