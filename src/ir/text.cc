#include "ir/text.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "base/check.h"

namespace hipvault::ir {
namespace {

// Levels of the grammar, loosest first (doc/op-language.md). Infix operands: left at `level`, right one tighter, except
// for comparisons, which do not chain, and `**`, which is right associative.
constexpr int kOr = 1, kNot = 3, kComparison = 4, kUnary = 11, kPower = 12, kPrimary = 13;

int infix_level(Op op) {
  switch (op) {
    case Op::logical_or:
      return kOr;
    case Op::logical_and:
      return 2;
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
      return kComparison;
    case Op::bit_or:
      return 5;
    case Op::bit_xor:
      return 6;
    case Op::bit_and:
      return 7;
    case Op::shift_left:
    case Op::shift_right:
      return 8;
    case Op::add:
    case Op::sub:
      return 9;
    case Op::mul:
    case Op::div:
    case Op::floordiv:
    case Op::mod:
      return 10;
    case Op::pow:
      return kPower;
    default:
      return 0;
  }
}

struct Printed {
  std::string text;
  int level;
};

std::string at(const Printed& p, int level) { return p.level < level ? "(" + p.text + ")" : p.text; }

Printed print_size(const IntExpr& expr) {
  using Kind = IntExpr::Kind;
  if (expr.kind() == Kind::constant) return {std::to_string(expr.value()), expr.value() < 0 ? kUnary : kPrimary};
  if (expr.kind() == Kind::name) {
    const std::string& name = expr.name_text();
    return {std::isupper(static_cast<unsigned char>(name[0])) ? "size(" + name + ")" : name, kPrimary};
  }
  Printed a = print_size(expr.operands()[0]);
  if (expr.kind() == Kind::neg) return {"-" + at(a, kUnary), kUnary};
  if (expr.kind() == Kind::logical_not) return {"not " + at(a, kNot), kNot};
  Printed b = print_size(expr.operands()[1]);
  auto infix = [&](const char* spelling, int level) {
    return Printed{at(a, level == kComparison ? level + 1 : level) + " " + spelling + " " + at(b, level + 1), level};
  };
  switch (expr.kind()) {
    case Kind::add:
      return infix("+", 9);
    case Kind::sub:
      return infix("-", 9);
    case Kind::mul:
      return infix("*", 10);
    case Kind::div:  // exact, or the sizes are refused: the floor is the same number, and an integer
    case Kind::floordiv:
      return infix("//", 10);
    case Kind::mod:
      return infix("%", 10);
    case Kind::cdiv:
      return {"-(-" + at(a, kUnary) + " // " + at(b, 11) + ")", kUnary};
    case Kind::min:
      return {"minimum(" + a.text + ", " + b.text + ")", kPrimary};
    case Kind::max:
      return {"maximum(" + a.text + ", " + b.text + ")", kPrimary};
    case Kind::lt:
      return infix("<", kComparison);
    case Kind::le:
      return infix("<=", kComparison);
    case Kind::gt:
      return infix(">", kComparison);
    case Kind::ge:
      return infix(">=", kComparison);
    case Kind::eq:
      return infix("==", kComparison);
    case Kind::ne:
      return infix("!=", kComparison);
    case Kind::logical_and:
      return infix("and", 2);
    case Kind::logical_or:
      return infix("or", kOr);
    default:
      CHECK(false) << "an integer expression of unknown kind";
  }
  return a;
}

class Printer {
 public:
  explicit Printer(const PlainNames& plain) : plain_(plain) {}

  Printed print(const Expr& e) const {
    switch (e.op) {
      case Op::number:
        return constant(e);
      case Op::index:
      case Op::scalar:
        return {e.name, kPrimary};
      case Op::size:
        return print_size(e.size_expr);
      case Op::load:
        return access(e);
      case Op::state:
        return access(e);
      case Op::cast:
        return {std::string(name(e.dtype)) + "(" + print(*e.args[0]).text + ")", kPrimary};
      case Op::reduce:
        return reduction(e);
      default:
        return operation(e);
    }
  }

 private:
  Printed constant(const Expr& e) const {
    if (e.type == ValueType::boolean) return {e.integer ? "true" : "false", kPrimary};
    if (e.type == ValueType::integer) return {std::to_string(e.integer), e.integer < 0 ? kUnary : kPrimary};
    return {number_text(e.number), std::signbit(e.number) && !std::isnan(e.number) ? kUnary : kPrimary};
  }

  Printed access(const Expr& e) const {
    size_t rank = e.args.size() - (e.has_else ? 1 : 0);
    std::string text = e.name;
    if (rank > 0 && (e.has_else || !at_own_axes(e))) {
      text += "[";
      for (size_t i = 0; i < rank; ++i) text += (i ? ", " : "") + print(*e.args[i]).text;
      text += "]";
    }
    if (!e.has_else) return {text, kPrimary};
    return {text + " else " + at(print(*e.args[rank]), kUnary), kUnary};
  }

  bool at_own_axes(const Expr& e) const {
    auto found = plain_.find(e.name);
    if (found == plain_.end() || found->second.size() != e.args.size()) return false;
    for (size_t i = 0; i < e.args.size(); ++i)
      if (e.args[i]->op != Op::index || e.args[i]->name != found->second[i]) return false;
    return true;
  }

  Printed reduction(const Expr& e) const {
    std::string text = std::string(reduction_name(e.reduction)) + "(" + print(*e.args[0]).text;
    for (const std::string& dim : e.dims) text += ", " + dim;
    return {text + ")", kPrimary};
  }

  Printed operation(const Expr& e) const {
    const char* spelling = op_spelling(e.op);
    if (e.op == Op::neg) return {"-" + at(print(*e.args[0]), kUnary), kUnary};
    if (e.op == Op::logical_not) return {"not " + at(print(*e.args[0]), kNot), kNot};
    int level = infix_level(e.op);
    if (level == 0) return call(e, spelling);
    int left = level, right = level + 1;
    if (level == kComparison) left = level + 1;
    if (e.op == Op::pow) left = kPrimary, right = kUnary;
    return {at(print(*e.args[0]), left) + " " + spelling + " " + at(print(*e.args[1]), right), level};
  }

  Printed call(const Expr& e, const char* spelling) const {
    std::string text = std::string(spelling) + "(";
    for (size_t i = 0; i < e.args.size(); ++i) text += (i ? ", " : "") + print(*e.args[i]).text;
    return {text + ")", kPrimary};
  }

  const PlainNames& plain_;
};

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string size_in_expr(const IntExpr& expr) { return print_size(expr).text; }

std::string text(const ExprRef& expr, const PlainNames& plain) { return Printer(plain).print(*expr).text; }
std::string text(const ExprRef& expr) { return text(expr, {}); }

}  // namespace hipvault::ir
