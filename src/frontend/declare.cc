// Heads of ops: type variables, dimensions, parameters, results.

#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborate.h"

namespace hipvault::frontend {

namespace {

std::vector<std::string> dtype_names() {
  std::vector<std::string> names = {"f8"};
  for (const DTypeInfo& row : all_dtypes()) names.push_back(row.name);
  return names;
}

bool is_scalar(const ParamSyntax& param) {
  return param.type == "int" || param.type == "float" || (param.type == "bool" && !param.has_axes);
}

const std::set<std::string>& reserved_words() {
  static const std::set<std::string> kWords = {"inf", "nan", "pi", "true", "false", "and", "or", "not", "if", "else"};
  return kWords;
}

}  // namespace

std::optional<DType> Elaborator::dtype_named(const std::string& name) const {
  auto variable = program_.types.find(name);
  if (variable != program_.types.end()) return variable->second;
  return name == "f8" ? fp8_ : dtype_by_name(name);
}

std::optional<DType> Elaborator::element_type(const std::string& name, const Pos& pos) {
  std::optional<DType> dtype = dtype_named(name);
  if (dtype) return dtype;
  std::vector<std::string> known = dtype_names();
  for (const auto& [variable, chosen] : program_.types) known.push_back(variable);
  unknown(pos, "element type", name, known);
  return std::nullopt;
}

bool Elaborator::choose_types() {
  for (const auto& [name, dtype] : given_types_) {
    std::vector<std::string> known;
    for (const TypeVariable& variable : op_.variables) known.push_back(variable.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      return unknown(op_.pos, "type variable", name, known), false;
  }
  for (const TypeVariable& variable : op_.variables) {
    std::vector<DType> allowed;
    std::string list;
    for (const std::string& name : variable.dtypes) {
      std::optional<DType> dtype = name == "f8" ? fp8_ : dtype_by_name(name);
      if (!dtype) return unknown(variable.pos, "dtype", name, dtype_names()), false;
      allowed.push_back(*dtype);
      list += " " + name;
    }
    auto given = given_types_.find(variable.name);
    DType chosen = given == given_types_.end() ? allowed[0] : given->second;
    if (std::find(allowed.begin(), allowed.end(), chosen) == allowed.end())
      return wrong(variable.pos, "type", fmt::format("{} cannot be {}", variable.name, name(chosen)),
                   fmt::format("{} is one of:{}", variable.name, list)),
             false;
    if (!program_.types.emplace(variable.name, chosen).second)
      return wrong(variable.pos, "name", fmt::format("the type variable {} is declared twice", variable.name)), false;
  }
  return true;
}

bool Elaborator::new_name(const std::string& name, const Pos& pos) {
  if (is_capital(name))
    return wrong(
               pos, "name",
               fmt::format("{} begins with a capital, as dimensions do; values begin with a lower-case letter", name)),
           false;
  if (reserved_words().contains(name))
    return wrong(pos, "name", fmt::format("{} is a word of the language and cannot name a value", name)), false;
  if (!taken_.insert(name).second) return wrong(pos, "name", fmt::format("the name {} is already taken", name)), false;
  return true;
}

// First the names, so that sizes may refer to one another in any order; then the sizes.
bool Elaborator::collect_dims() {
  struct Binding {
    std::string name;
    AstRef size;
    Pos pos;
  };
  std::vector<Binding> bindings;
  std::set<std::string> derived;
  auto bind = [&](const std::string& name, const AstRef& size, const Pos& pos) {
    bindings.push_back({name, size, pos});
  };
  for (const ParamSyntax& param : op_.params)
    for (const AxisSyntax& axis : param.axes)
      if (!axis.name.empty()) bind(axis.name, axis.size, axis.pos);
  size_t from_params = bindings.size();
  for (const ParamSyntax& result : op_.results)
    for (const AxisSyntax& axis : result.axes)
      if (!axis.name.empty() && axis.size) bind(axis.name, axis.size, axis.pos);
  for (const LineSyntax& line : op_.lines)
    if (line.kind == LineSyntax::Kind::dim) bind(line.left[0].name, line.value, line.left[0].pos);
  for (const Binding& one : bindings)
    if (one.size && !derived.insert(one.name).second)
      return wrong(one.pos, "name", fmt::format("the dimension {} is defined twice", one.name)), false;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Binding& one = bindings[i];
    if (program_.types.contains(one.name))
      return wrong(one.pos, "name", fmt::format("{} is a type variable and cannot be a dimension", one.name)), false;
    bool known = std::any_of(program_.dims.begin(), program_.dims.end(),
                             [&](const ir::Dim& dim) { return dim.name == one.name; });
    if (known || (!one.size && derived.contains(one.name))) continue;
    if (!one.size && i >= from_params) continue;
    program_.dims.push_back(ir::Dim{one.name, IntExpr::name(one.name), one.size == nullptr});
  }
  for (const Binding& one : bindings)
    if (one.size && !bind_dim(one.name, one.size, one.pos)) return false;
  return check_dim_cycles();
}

bool Elaborator::bind_dim(const std::string& name, const AstRef& size, const Pos& pos) {
  std::optional<IntExpr> expr = size_of(size);
  if (!expr) return false;
  for (ir::Dim& dim : program_.dims)
    if (dim.name == name) dim.size = *expr;
  return true;
}

bool Elaborator::check_dim_cycles() {
  for (const ir::Dim& dim : program_.dims) {
    std::set<std::string> reached = dim.free ? std::set<std::string>() : dim.size.names();
    for (bool grows = true; grows;) {
      std::set<std::string> next = reached;
      for (const std::string& name : reached) {
        const ir::Dim* other = program_.dim(name);
        if (other != nullptr && !other->free) next.merge(other->size.names());
      }
      grows = next.size() > reached.size();
      reached = next;
    }
    if (reached.contains(dim.name))
      return wrong(op_.pos, "size", fmt::format("the size of {} is defined in terms of itself", dim.name)), false;
  }
  return true;
}

std::optional<IntExpr> Elaborator::size_of(const AstRef& ast) {
  using Kind = IntExpr::Kind;
  static const std::map<std::string, Kind> kBinary = {
      {"+", Kind::add}, {"-", Kind::sub}, {"*", Kind::mul},           {"/", Kind::div},        {"//", Kind::floordiv},
      {"%", Kind::mod}, {"<", Kind::lt},  {"<=", Kind::le},           {">", Kind::gt},         {">=", Kind::ge},
      {"==", Kind::eq}, {"!=", Kind::ne}, {"and", Kind::logical_and}, {"or", Kind::logical_or}};
  static const std::map<std::string, Kind> kCalls = {{"cdiv", Kind::cdiv}, {"min", Kind::min}, {"max", Kind::max}};
  const Scope none;
  if (ast->kind == AstKind::integer) return IntExpr(ast->integer);
  if (ast->kind == AstKind::dim) {
    std::optional<std::string> dim = resolve_dim(ast->name, ast->pos, none);
    return dim ? std::optional<IntExpr>(IntExpr::name(*dim)) : std::nullopt;
  }
  if (ast->kind == AstKind::name) {
    std::vector<std::string> known;
    for (const ir::IntParam& param : program_.int_params) known.push_back(param.name);
    if (std::find(known.begin(), known.end(), ast->name) != known.end()) return IntExpr::name(ast->name);
    unknown(ast->pos, "int parameter", ast->name, known);
    return std::nullopt;
  }
  if (ast->kind == AstKind::call && ast->name == "size" && ast->args.size() == 1 && ast->args[0]->kind == AstKind::dim)
    return size_of(ast->args[0]);
  std::vector<IntExpr> operands;
  bool binary = ast->kind == AstKind::binary && kBinary.contains(ast->name);
  bool call = ast->kind == AstKind::call && kCalls.contains(ast->name) && ast->args.size() == 2;
  if (!binary && !call && ast->kind != AstKind::unary) {
    wrong(ast->pos, "size",
          fmt::format("expected a size (integers, dimensions, int parameters, + - * / // %, cdiv), but found {}",
                      text(ast)));
    return std::nullopt;
  }
  for (const AstRef& arg : ast->args) {
    std::optional<IntExpr> operand = size_of(arg);
    if (!operand) return std::nullopt;
    operands.push_back(*operand);
  }
  if (ast->kind == AstKind::unary) return IntExpr::make(ast->name == "-" ? Kind::neg : Kind::logical_not, operands);
  return IntExpr::make(binary ? kBinary.at(ast->name) : kCalls.at(ast->name), operands);
}

std::optional<double> Elaborator::constant(const AstRef& ast) {
  if (ast->kind == AstKind::integer) return static_cast<double>(ast->integer);
  if (ast->kind == AstKind::boolean) return static_cast<double>(ast->integer);
  if (ast->kind == AstKind::real) return ast->real;
  if (ast->kind == AstKind::unary && ast->name == "-") {
    std::optional<double> operand = constant(ast->args[0]);
    return operand ? std::optional<double>(-*operand) : std::nullopt;
  }
  wrong(ast->pos, "syntax", fmt::format("expected a constant, but found {}", text(ast)));
  return std::nullopt;
}

bool Elaborator::declare_params() {
  for (const ParamSyntax& param : op_.params) {
    if (!new_name(param.name, param.pos)) return false;
    if (is_scalar(param) && !declare_scalar(param)) return false;
  }
  return true;
}

bool Elaborator::declare_scalar(const ParamSyntax& param) {
  if (param.inout || param.has_axes)
    return wrong(param.type_pos, "type",
                 fmt::format("{} is {}, which has no axes and cannot be inout", param.name, param.type),
                 "tensors have element types such as f32 or i32"),
           false;
  std::optional<double> fallback;
  if (param.fallback) {
    fallback = constant(param.fallback);
    if (!fallback) return false;
  }
  if (param.type != "int") {
    program_.scalar_params.push_back({param.name, param.type == "bool", fallback});
    return true;
  }
  std::optional<int64_t> value;
  if (param.fallback) {
    std::optional<IntExpr> expr = size_of(param.fallback);
    if (!expr) return false;
    if (expr->kind() != IntExpr::Kind::constant)
      return wrong(param.fallback->pos, "syntax", fmt::format("expected an integer constant for {}", param.name)),
             false;
    value = expr->value();
  }
  program_.int_params.push_back({param.name, value});
  return true;
}

bool Elaborator::declare_results() {
  for (const ParamSyntax& param : op_.params)
    if (!is_scalar(param) && !declare_tensor(param, param.inout ? Role::inout : Role::input)) return false;
  for (const ParamSyntax& result : op_.results)
    if (!new_name(result.name, result.pos) || !declare_tensor(result, Role::output)) return false;
  return true;
}

bool Elaborator::declare_tensor(const ParamSyntax& param, Role role) {
  if (param.fallback)
    return wrong(param.fallback->pos, "type", fmt::format("the tensor {} cannot have a default", param.name)), false;
  std::optional<DType> dtype = element_type(param.type, param.type_pos);
  if (!dtype) return false;
  ir::Tensor tensor{param.name, *dtype, role, {}, {}};
  for (const AxisSyntax& axis : param.axes) {
    tensor.axis_dims.push_back(axis.name);
    if (!axis.name.empty()) {
      std::optional<std::string> dim = resolve_dim(axis.name, axis.pos, {});
      if (!dim) return false;
      tensor.shape.push_back(IntExpr::name(*dim));
      continue;
    }
    std::optional<IntExpr> size = size_of(axis.size);
    if (!size) return false;
    tensor.shape.push_back(*size);
  }
  program_.tensors.push_back(std::move(tensor));
  return true;
}

}  // namespace hipvault::frontend
