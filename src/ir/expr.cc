#include "ir/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace hipvault::ir {
namespace {

enum class ResultType { real, integer, boolean, same };

struct OpRow {
  const char* name;
  int arity;
  const char* spelling;
  ResultType result;
};

constexpr OpRow kRows[] = {
    {"number", -1, "", ResultType::same}, {"index", -1, "", ResultType::same},  {"size", -1, "", ResultType::same},
    {"scalar", -1, "", ResultType::same}, {"load", -1, "", ResultType::same},   {"state", -1, "", ResultType::same},
    {"cast", -1, "", ResultType::same},   {"reduce", -1, "", ResultType::same},
#define OP(name, arity, spelling, result) {#name, arity, spelling, ResultType::result},
#include "ir/ops.def"
#undef OP
};

const OpRow& row(Op op) { return kRows[static_cast<size_t>(op)]; }

uint64_t mix(uint64_t seed, uint64_t value) {
  uint64_t z = seed * 0x9e3779b97f4a7c15ull + value + 0x632be59bd9b4e019ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
uint64_t mix(uint64_t seed, const std::string& text) {
  for (char c : text) seed = mix(seed, static_cast<unsigned char>(c));
  return mix(seed, text.size());
}

uint64_t structural_hash(const Expr& e) {
  uint64_t h = mix(static_cast<uint64_t>(e.op), static_cast<uint64_t>(e.type));
  h = mix(mix(h, e.name), std::bit_cast<uint64_t>(e.number));
  h = mix(mix(h, static_cast<uint64_t>(e.integer)), static_cast<uint64_t>(e.dtype));
  if (e.op == Op::size) h = mix(h, e.size_expr.text());
  h = mix(mix(h, static_cast<uint64_t>(e.reduction)), e.has_else);
  for (const std::string& dim : e.dims) h = mix(h, dim);
  for (const ExprRef& arg : e.args) h = mix(h, arg->hash);
  return h;
}

ExprRef finish(Expr e) {
  if (e.op == Op::index) e.free.insert(e.name);
  for (const ExprRef& arg : e.args) e.free.insert(arg->free.begin(), arg->free.end());
  for (const std::string& dim : e.dims) e.free.erase(dim);
  e.hash = structural_hash(e);
  return std::make_shared<const Expr>(std::move(e));
}

ValueType join(ValueType a, ValueType b) { return std::max(a, b); }
ValueType at_least_integer(ValueType type) { return std::max(type, ValueType::integer); }

ValueType result_type(Op op, const std::vector<ExprRef>& args) {
  switch (row(op).result) {
    case ResultType::real:
      return ValueType::real;
    case ResultType::integer:
      return ValueType::integer;
    case ResultType::boolean:
      return ValueType::boolean;
    case ResultType::same:
      break;
  }
  if (op == Op::select) return join(args[1]->type, args[2]->type);
  ValueType type = args[0]->type;
  for (const ExprRef& arg : args) type = join(type, arg->type);
  bool keeps_boolean = op == Op::minimum || op == Op::maximum;
  return keeps_boolean ? type : at_least_integer(type);
}

ValueType reduced_type(Reduction reduction, ValueType operand) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::prod:
      return at_least_integer(operand);
    case Reduction::max:
    case Reduction::min:
      return operand;
    case Reduction::mean:
      return ValueType::real;
    case Reduction::any:
    case Reduction::all:
      return ValueType::boolean;
    case Reduction::argmax:
    case Reduction::argmin:
      return ValueType::integer;
  }
  return operand;
}

ExprRef leaf(Op op, ValueType type, const std::string& name) {
  Expr e;
  e.op = op;
  e.type = type;
  e.name = name;
  return finish(std::move(e));
}

}  // namespace

const char* op_name(Op op) { return row(op).name; }
const char* op_spelling(Op op) { return row(op).spelling; }
int op_arity(Op op) { return row(op).arity; }

const char* reduction_name(Reduction reduction) {
  constexpr const char* kNames[] = {"sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin"};
  return kNames[static_cast<size_t>(reduction)];
}

ValueType type_of(DType dtype) {
  if (dtype == DType::boolean) return ValueType::boolean;
  return is_float(dtype) ? ValueType::real : ValueType::integer;
}

ExprRef number(double value) {
  Expr e;
  e.number = value;
  return finish(std::move(e));
}

ExprRef integer(int64_t value) {
  Expr e;
  e.type = ValueType::integer;
  e.integer = value;
  return finish(std::move(e));
}

ExprRef boolean(bool value) {
  Expr e;
  e.type = ValueType::boolean;
  e.integer = value;
  return finish(std::move(e));
}

ExprRef index(const std::string& dim) { return leaf(Op::index, ValueType::integer, dim); }

ExprRef size(IntExpr expr) {
  Expr e;
  e.op = Op::size;
  e.type = ValueType::integer;
  e.size_expr = std::move(expr);
  return finish(std::move(e));
}

ExprRef scalar(const std::string& name, ValueType type) { return leaf(Op::scalar, type, name); }

ExprRef load(const std::string& tensor, ValueType type, std::vector<ExprRef> indices, ExprRef otherwise) {
  Expr e;
  e.op = Op::load;
  e.name = tensor;
  e.type = otherwise ? join(type, otherwise->type) : type;
  e.args = std::move(indices);
  e.has_else = otherwise != nullptr;
  if (otherwise) e.args.push_back(std::move(otherwise));
  return finish(std::move(e));
}

ExprRef state(const std::string& name, ValueType type, std::vector<ExprRef> indices) {
  Expr e;
  e.op = Op::state;
  e.name = name;
  e.type = type;
  e.args = std::move(indices);
  return finish(std::move(e));
}

ExprRef cast(DType dtype, ExprRef value) {
  Expr e;
  e.op = Op::cast;
  e.dtype = dtype;
  e.type = type_of(dtype);
  e.args = {std::move(value)};
  return finish(std::move(e));
}

ExprRef reduce(Reduction reduction, ExprRef value, std::vector<std::string> dims) {
  CHECK(!dims.empty()) << "a reduction over nothing";
  Expr e;
  e.op = Op::reduce;
  e.reduction = reduction;
  e.type = reduced_type(reduction, value->type);
  e.dims = std::move(dims);
  e.args = {std::move(value)};
  return finish(std::move(e));
}

ExprRef apply(Op op, std::vector<ExprRef> args) {
  CHECK(row(op).arity == static_cast<int>(args.size())) << row(op).name << " of " << args.size() << " arguments";
  Expr e;
  e.op = op;
  e.type = result_type(op, args);
  e.args = std::move(args);
  return finish(std::move(e));
}

bool equal(const ExprRef& a, const ExprRef& b) {
  if (a == b) return true;
  if (!a || !b || a->hash != b->hash || a->op != b->op || a->args.size() != b->args.size()) return false;
  if (a->type != b->type || a->name != b->name || a->integer != b->integer || a->dtype != b->dtype) return false;
  if (std::bit_cast<uint64_t>(a->number) != std::bit_cast<uint64_t>(b->number)) return false;
  if (a->reduction != b->reduction || a->dims != b->dims || a->has_else != b->has_else) return false;
  if (a->op == Op::size && !(a->size_expr == b->size_expr)) return false;
  for (size_t i = 0; i < a->args.size(); ++i)
    if (!equal(a->args[i], b->args[i])) return false;
  return true;
}

ExprRef with_args(const ExprRef& expr, std::vector<ExprRef> args) {
  bool same = true;
  for (size_t i = 0; i < args.size(); ++i) same = same && args[i] == expr->args[i];
  if (same) return expr;
  if (op_arity(expr->op) >= 0) return apply(expr->op, std::move(args));
  if (expr->op == Op::reduce) return reduce(expr->reduction, args[0], expr->dims);
  Expr copy = *expr;
  copy.args = std::move(args);
  copy.free.clear();
  return finish(std::move(copy));
}

ExprRef rewrite(const ExprRef& expr, const std::function<ExprRef(const ExprRef&)>& f) {
  std::vector<ExprRef> args;
  args.reserve(expr->args.size());
  for (const ExprRef& arg : expr->args) args.push_back(rewrite(arg, f));
  return f(with_args(expr, std::move(args)));
}

void visit(const ExprRef& expr, const std::function<void(const Expr&)>& f) {
  f(*expr);
  for (const ExprRef& arg : expr->args) visit(arg, f);
}

std::string base_dim(const std::string& dim) { return dim.substr(0, dim.find("__")); }

namespace {

using Replacements = std::map<std::string, ExprRef>;

// Only what really occurs free, so that untouched subtrees stay shared and nothing is renamed without need.
Replacements relevant(const Replacements& all, const std::set<std::string>& free) {
  Replacements kept;
  for (const auto& [name, value] : all)
    if (free.contains(name)) kept.emplace(name, value);
  return kept;
}

std::string fresh_dim(const std::string& dim, const std::set<std::string>& taken) {
  for (int n = 1;; ++n) {
    std::string name = base_dim(dim) + "__" + std::to_string(n);
    if (!taken.contains(name)) return name;
  }
}

void collect_dims(const ExprRef& expr, std::set<std::string>& names) {
  visit(expr, [&](const Expr& e) {
    if (e.op == Op::index) names.insert(e.name);
    names.insert(e.dims.begin(), e.dims.end());
  });
}

}  // namespace

ExprRef rename_bound(const ExprRef& reduction, const std::set<std::string>& avoid) {
  std::vector<std::string> dims = reduction->dims;
  std::set<std::string> taken = avoid;
  collect_dims(reduction, taken);
  Replacements renamed;
  for (std::string& dim : dims) {
    if (!avoid.contains(dim)) continue;
    std::string fresh = fresh_dim(dim, taken);
    taken.insert(fresh);
    renamed[dim] = index(fresh);
    dim = fresh;
  }
  if (renamed.empty()) return reduction;
  return reduce(reduction->reduction, substitute(reduction->args[0], renamed), dims);
}

// A reduction binds its dimensions: those that a replacement mentions get fresh names first.
static ExprRef substitute_reduce(const ExprRef& expr, const Replacements& replacements) {
  std::set<std::string> mentioned;
  for (const auto& [name, value] : replacements) mentioned.insert(value->free.begin(), value->free.end());
  ExprRef renamed = rename_bound(expr, mentioned);
  return reduce(renamed->reduction, substitute(renamed->args[0], replacements), renamed->dims);
}

ExprRef substitute(const ExprRef& expr, const Replacements& replacements) {
  Replacements used = relevant(replacements, expr->free);
  if (used.empty()) return expr;
  if (expr->op == Op::index) return used.at(expr->name);
  if (expr->op == Op::reduce) return substitute_reduce(expr, used);
  std::vector<ExprRef> args;
  args.reserve(expr->args.size());
  for (const ExprRef& arg : expr->args) args.push_back(substitute(arg, used));
  return with_args(expr, std::move(args));
}

}  // namespace hipvault::ir
