// Canonical text of syntax: parses back to the same.

#include <fmt/format.h>

#include <cmath>

#include "frontend/hv.h"
#include "frontend/syntax.h"
#include "ir/text.h"

namespace hipvault::frontend {
namespace {

constexpr int kNot = 3, kComparison = 4, kUnary = 11, kPower = 12, kPrimary = 13;

int binary_level(const std::string& op) {
  static const std::map<std::string, int> kLevels = {{"or", 1}, {"and", 2}, {"<", 4},   {"<=", 4}, {">", 4},
                                                     {">=", 4}, {"==", 4},  {"!=", 4},  {"|", 5},  {"^", 6},
                                                     {"&", 7},  {"<<", 8},  {">>", 8},  {"+", 9},  {"-", 9},
                                                     {"*", 10}, {"/", 10},  {"//", 10}, {"%", 10}, {"**", kPower}};
  return kLevels.at(op);
}

int level_of(const Ast& ast) {
  if (ast.kind == Ast::Kind::binary) return binary_level(ast.name);
  if (ast.kind == Ast::Kind::unary) return ast.name == "-" ? kUnary : kNot;
  return ast.otherwise ? kUnary : kPrimary;
}

std::string at_level(const AstRef& ast, int level) {
  return level_of(*ast) < level ? "(" + text(ast) + ")" : text(ast);
}

std::string join(const std::vector<std::string>& items, const char* between = ", ") {
  std::string all;
  for (size_t i = 0; i < items.size(); ++i) all += (i ? between : "") + items[i];
  return all;
}

std::string list(const std::vector<AstRef>& items, size_t from = 0, size_t to = SIZE_MAX) {
  std::vector<std::string> texts;
  for (size_t i = from; i < std::min(to, items.size()); ++i) texts.push_back(text(items[i]));
  return join(texts);
}

std::string scan_text(const Ast& ast) {
  size_t count = ast.names.size() - 1;
  std::vector<std::string> states(ast.names.begin() + 1, ast.names.end());
  const char* format = count == 1 ? "{}({}, {}, {} -> {})" : "{}({}, ({}), ({}) -> ({}))";
  return fmt::format(fmt::runtime(format), ast.name, ast.names[0], list(ast.args, 0, count), join(states),
                     list(ast.args, count));
}

std::string plain_text(const Ast& ast) {
  switch (ast.kind) {
    case Ast::Kind::integer:
      return std::to_string(ast.integer);
    case Ast::Kind::real:
      return ast.name.empty() ? ir::number_text(ast.real) : ast.name;
    case Ast::Kind::boolean:
    case Ast::Kind::name:
    case Ast::Kind::dim:
      return ast.name;
    case Ast::Kind::index:
      return ast.name + "[" + list(ast.args) + "]";
    case Ast::Kind::call:
      return ast.name + "(" + list(ast.args) + ")";
    case Ast::Kind::scan:
      return scan_text(ast);
    case Ast::Kind::at: {
      std::string all = "at(" + text(ast.args[0]);
      for (size_t i = 0; i < ast.names.size(); ++i) all += ", " + ast.names[i] + " = " + text(ast.args[i + 1]);
      return all + ")";
    }
    case Ast::Kind::unary:
      return ast.name == "-" ? "-" + at_level(ast.args[0], kUnary) : "not " + at_level(ast.args[0], kNot);
    case Ast::Kind::binary:
      break;
  }
  int level = binary_level(ast.name), left = level, right = level + 1;
  if (level == kComparison) left = level + 1;
  if (level == kPower) left = kPrimary, right = kUnary;
  return at_level(ast.args[0], left) + " " + ast.name + " " + at_level(ast.args[1], right);
}

std::string axis_text(const AxisSyntax& axis) {
  if (!axis.size) return axis.name;
  return axis.name.empty() ? text(axis.size) : axis.name + " = " + text(axis.size);
}

std::string param_text(const ParamSyntax& param) {
  std::vector<std::string> axes;
  for (const AxisSyntax& axis : param.axes) axes.push_back(axis_text(axis));
  std::string all = (param.inout ? "inout " : "") + param.name + ": " + param.type;
  if (param.has_axes) all += "[" + join(axes) + "]";
  return param.fallback ? all + " = " + text(param.fallback) : all;
}

std::string line_text(const LineSyntax& line) {
  if (line.kind == LineSyntax::Kind::dim) return "dim " + line.left[0].name + " = " + text(line.value);
  if (line.kind == LineSyntax::Kind::require) return "require " + text(line.value);
  std::vector<std::string> left;
  for (const LhsSyntax& one : line.left)
    left.push_back(one.has_dims ? one.name + "[" + list(one.indices) + "]" : one.name);
  return join(left) + " " + line.op + " " + text(line.value) + (line.condition ? " if " + text(line.condition) : "");
}

std::string bind_text(const BindSyntax& bind) {
  std::string name = bind.name + (bind.field.empty() ? "" : "." + bind.field) + "=";
  if (bind.open) return name + "?";
  if (bind.field == "stride") return name + "(" + list(bind.list) + ")";
  return name + (bind.value ? text(bind.value) : bind.type);
}

std::string note_text(const NoteSyntax& note) {
  std::vector<std::string> items;
  for (const BindSyntax& bind : note.binds) items.push_back(bind_text(bind));
  for (const DistSyntax& dist : note.dists)
    items.push_back(!dist.file.empty()  ? dist.kind + "(\"" + dist.file + "\")"
                    : dist.args.empty() ? dist.kind
                                        : dist.kind + "(" + list(dist.args) + ")");
  if (note.kind == "case") return "case " + note.name + ": " + join(items);
  return note.kind == "input" ? "input " + note.name + ": " + join(items, " | ") : note.kind + ": " + note.name;
}

std::string op_text(const OpSyntax& op) {
  std::vector<std::string> variables, params, results;
  for (const TypeVariable& variable : op.variables)
    variables.push_back(variable.name + ": " + join(variable.dtypes, " "));
  for (const ParamSyntax& param : op.params) params.push_back(param_text(param));
  for (const ParamSyntax& result : op.results) results.push_back(param_text(result));
  std::string all = "op " + op.name + (variables.empty() ? "" : "<" + join(variables) + ">") + "(" + join(params) + ")";
  all += results.empty() ? "\n" : " -> " + join(results) + "\n";
  for (const LineSyntax& line : op.lines) all += "  " + line_text(line) + "\n";
  for (const NoteSyntax& note : op.notes) all += "  " + note_text(note) + "\n";
  return all;
}

}  // namespace

std::string text(const AstRef& ast) {
  return plain_text(*ast) + (ast->otherwise ? " else " + at_level(ast->otherwise, kUnary) : "");
}

std::string text(const OpFileRef& file) {
  std::string all;
  for (const auto& [is_op, position] : file->order) {
    if (is_op && !all.empty()) all += "\n";
    const FnSyntax* fn = is_op ? nullptr : &file->functions[position];
    all += is_op ? op_text(file->ops[position])
                 : "fn " + fn->name + "(" + join(fn->formals) + ") = " + text(fn->body) + "\n";
  }
  return all;
}

}  // namespace hipvault::frontend
