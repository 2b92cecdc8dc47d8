#include "record/int_expr.h"

#include <fmt/format.h>

#include <cctype>

#include "base/check.h"

namespace hipvault {

struct IntExpr::Node {
  Kind kind;
  int64_t value = 0;
  std::string name;
  std::vector<IntExpr> operands;
};

namespace {

using Kind = IntExpr::Kind;

// One row an operator: how it is written and how tightly it binds (higher is tighter; 0 = function call).
struct Spelling {
  Kind kind;
  const char* text;
  int level;
};
constexpr Spelling kSpellings[] = {
    {Kind::logical_or, "or", 1}, {Kind::logical_and, "and", 2}, {Kind::le, "<=", 4},     {Kind::ge, ">=", 4},
    {Kind::eq, "==", 4},         {Kind::ne, "!=", 4},           {Kind::lt, "<", 4},      {Kind::gt, ">", 4},
    {Kind::add, "+", 5},         {Kind::sub, "-", 5},           {Kind::mul, "*", 6},     {Kind::floordiv, "//", 6},
    {Kind::div, "/", 6},         {Kind::mod, "%", 6},           {Kind::cdiv, "cdiv", 0}, {Kind::min, "min", 0},
    {Kind::max, "max", 0},
};
constexpr int kNotLevel = 3, kNegLevel = 7, kPrimaryLevel = 8;

const Spelling* spelling(Kind kind) {
  for (const Spelling& row : kSpellings)
    if (row.kind == kind) return &row;
  return nullptr;
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// Precedence climbing over the table above.
class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Result<IntExpr> parse_all() {
    Result<IntExpr> expr = parse(1);
    if (!expr) return expr;
    skip_spaces();
    if (at_ < text_.size()) return error("the end of the expression");
    return expr;
  }

 private:
  // Counts how deep calls stand in each other: a hostile text of a hundred thousand '(' must not end the process.
  Result<IntExpr> parse(int level) {
    constexpr int kMaxDepth = 4000;
    if (depth_ > kMaxDepth) return error("an expression that is nested less deeply");
    ++depth_;
    Result<IntExpr> expr = parse_level(level);
    --depth_;
    return expr;
  }

  Result<IntExpr> parse_level(int level) {
    if (level == kPrimaryLevel) return primary();
    if (level == kNotLevel && take_word("not")) {
      Result<IntExpr> operand = parse(kNotLevel);
      if (!operand) return operand;
      return IntExpr::make(Kind::logical_not, {*operand});
    }
    if (level == kNegLevel && take("-")) {
      Result<IntExpr> operand = parse(kNegLevel);
      if (!operand) return operand;
      if (operand->kind() == Kind::constant) return IntExpr(-operand->value());
      return IntExpr::make(Kind::neg, {*operand});
    }
    Result<IntExpr> left = parse(level + 1);
    while (left) {
      const Spelling* op = take_operator(level);
      if (op == nullptr) return left;
      Result<IntExpr> right = parse(level + 1);
      if (!right) return right;
      left = IntExpr::make(op->kind, {*left, *right});
    }
    return left;
  }

  Result<IntExpr> primary() {
    skip_spaces();
    if (take("(")) {
      Result<IntExpr> inner = parse(1);
      if (!inner) return inner;
      if (!take(")")) return error("')'");
      return inner;
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    std::string word = peek_word();
    if (word.empty()) return error("a number, a name or '('");
    at_ += word.size();
    for (const Spelling& row : kSpellings)
      if (row.level == 0 && word == row.text && take("(")) return call(row.kind);
    return IntExpr::name(word);
  }

  Result<IntExpr> number() {
    int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
        return error("a number that fits 64 bits");
      ++at_;
    }
    return IntExpr(value);
  }

  Result<IntExpr> call(Kind kind) {
    Result<IntExpr> a = parse(1);
    if (!a) return a;
    if (!take(",")) return error("','");
    Result<IntExpr> b = parse(1);
    if (!b) return b;
    if (!take(")")) return error("')'");
    return IntExpr::make(kind, {*a, *b});
  }

  const Spelling* take_operator(int level) {
    for (const Spelling& row : kSpellings) {
      if (row.level != level) continue;
      bool is_word = std::isalpha(static_cast<unsigned char>(row.text[0])) != 0;
      if (is_word ? take_word(row.text) : take_symbol(row)) return &row;
    }
    return nullptr;
  }

  // "/" must not eat the first half of "//".
  bool take_symbol(const Spelling& row) {
    skip_spaces();
    if (row.kind == Kind::div && text_.compare(at_, 2, "//") == 0) return false;
    return take(row.text);
  }

  bool take(const std::string& symbol) {
    skip_spaces();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }
  bool take_word(const std::string& word) {
    skip_spaces();
    if (peek_word() != word) return false;
    at_ += word.size();
    return true;
  }
  std::string peek_word() {
    size_t end = at_;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  tl::unexpected<Diagnostic> error(const std::string& expected) {
    std::string found = at_ < text_.size() ? "'" + text_.substr(at_, 10) + "'" : "the end";
    return fail("size.syntax", "expected " + expected + " but found " + found, "",
                Place{"", 1, static_cast<int>(at_) + 1, 1, text_});
  }

  const std::string& text_;
  size_t at_ = 0;
  int depth_ = 0;
};

int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

Result<int64_t> divide(Kind kind, int64_t a, int64_t b, const std::string& text) {
  if (b == 0) return fail("size.divide", "division by zero in " + text);
  if (a == INT64_MIN && b == -1) return fail("size.overflow", "overflow in " + text);
  if (kind == Kind::mod) return a - floor_div(a, b) * b;
  if (kind == Kind::cdiv) return -floor_div(-a, b);
  if (kind == Kind::div && a % b != 0)
    return fail("size.divide", fmt::format("{} is not a multiple of {} in {}", a, b, text),
                "choose sizes that divide, or write // to round down");
  return floor_div(a, b);
}

Result<int64_t> apply(Kind kind, int64_t a, int64_t b, const std::string& text) {
  int64_t r = 0;
  bool overflow = false;
  switch (kind) {
    case Kind::add:
      overflow = __builtin_add_overflow(a, b, &r);
      break;
    case Kind::sub:
      overflow = __builtin_sub_overflow(a, b, &r);
      break;
    case Kind::mul:
      overflow = __builtin_mul_overflow(a, b, &r);
      break;
    case Kind::min:
      return std::min(a, b);
    case Kind::max:
      return std::max(a, b);
    case Kind::lt:
      return a < b;
    case Kind::le:
      return a <= b;
    case Kind::gt:
      return a > b;
    case Kind::ge:
      return a >= b;
    case Kind::eq:
      return a == b;
    case Kind::ne:
      return a != b;
    case Kind::logical_or:
      return a != 0 || b != 0;
    default:
      return divide(kind, a, b, text);
  }
  if (overflow) return fail("size.overflow", "overflow in " + text);
  return r;
}

}  // namespace

IntExpr::IntExpr(int64_t value) : node_(std::make_shared<Node>(Node{Kind::constant, value, {}, {}})) {}

IntExpr IntExpr::name(std::string name) {
  return IntExpr(std::make_shared<const Node>(Node{Kind::name, 0, std::move(name), {}}));
}

// Folds constants where evaluation cannot fail, so that printed plans are short.
IntExpr IntExpr::make(Kind kind, std::vector<IntExpr> operands) {
  IntExpr expr(std::make_shared<const Node>(Node{kind, 0, {}, std::move(operands)}));
  for (const IntExpr& operand : expr.operands())
    if (operand.kind() != Kind::constant) return expr;
  Result<int64_t> value = expr.evaluate({});
  return value ? IntExpr(*value) : expr;
}

Result<IntExpr> IntExpr::parse(const std::string& text) { return Parser(text).parse_all(); }

IntExpr::Kind IntExpr::kind() const { return node_->kind; }
int64_t IntExpr::value() const { return node_->value; }
const std::string& IntExpr::name_text() const { return node_->name; }
const std::vector<IntExpr>& IntExpr::operands() const { return node_->operands; }
bool IntExpr::is_constant(int64_t value) const { return node_->kind == Kind::constant && node_->value == value; }

Result<int64_t> IntExpr::evaluate(const Sizes& sizes) const {
  if (kind() == Kind::constant) return value();
  if (kind() == Kind::name) {
    auto found = sizes.find(name_text());
    if (found == sizes.end()) return fail("size.unknown", "the size " + name_text() + " has no value");
    return found->second;
  }
  Result<int64_t> a = operands()[0].evaluate(sizes);
  if (!a) return a;
  if (kind() == Kind::neg) return apply(Kind::sub, 0, *a, text());
  if (kind() == Kind::logical_not) return *a == 0;
  if (kind() == Kind::logical_and && *a == 0) return 0;  // so that a guard may protect what follows it
  if (kind() == Kind::logical_or && *a != 0) return 1;
  Result<int64_t> b = operands()[1].evaluate(sizes);
  if (!b) return b;
  if (kind() == Kind::logical_and) return *b != 0;
  return apply(kind(), *a, *b, text());
}

IntExpr IntExpr::substitute(const std::map<std::string, IntExpr>& replacements) const {
  if (kind() == Kind::constant) return *this;
  if (kind() == Kind::name) {
    auto found = replacements.find(name_text());
    return found == replacements.end() ? *this : found->second;
  }
  std::vector<IntExpr> replaced;
  for (const IntExpr& operand : operands()) replaced.push_back(operand.substitute(replacements));
  return make(kind(), std::move(replaced));
}

std::set<std::string> IntExpr::names() const {
  if (kind() == Kind::name) return {name_text()};
  std::set<std::string> all;
  for (const IntExpr& operand : operands()) all.merge(operand.names());
  return all;
}

namespace {

int level_of(const IntExpr& expr) {
  if (expr.kind() == Kind::neg) return kNegLevel;
  if (expr.kind() == Kind::constant) return expr.value() < 0 ? kNegLevel : kPrimaryLevel;
  if (expr.kind() == Kind::logical_not) return kNotLevel;
  const Spelling* row = spelling(expr.kind());
  return row == nullptr || row->level == 0 ? kPrimaryLevel : row->level;
}

std::string text_at(const IntExpr& expr, int level) {
  std::string text = expr.text();
  return level_of(expr) < level ? "(" + text + ")" : text;
}

}  // namespace

std::string IntExpr::text() const {
  if (kind() == Kind::constant) return std::to_string(value());
  if (kind() == Kind::name) return name_text();
  if (kind() == Kind::neg) return "-" + text_at(operands()[0], kNegLevel);
  if (kind() == Kind::logical_not) return "not " + text_at(operands()[0], kNotLevel);
  const Spelling* row = spelling(kind());
  CHECK(row != nullptr);
  if (row->level == 0) return fmt::format("{}({}, {})", row->text, operands()[0].text(), operands()[1].text());
  return fmt::format("{} {} {}", text_at(operands()[0], row->level), row->text, text_at(operands()[1], row->level + 1));
}

IntExpr operator+(const IntExpr& a, const IntExpr& b) {
  if (a.is_constant(0)) return b;
  return b.is_constant(0) ? a : IntExpr::make(IntExpr::Kind::add, {a, b});
}
IntExpr operator-(const IntExpr& a, const IntExpr& b) {
  return b.is_constant(0) ? a : IntExpr::make(IntExpr::Kind::sub, {a, b});
}
IntExpr operator*(const IntExpr& a, const IntExpr& b) {
  if (a.is_constant(1)) return b;
  return b.is_constant(1) ? a : IntExpr::make(IntExpr::Kind::mul, {a, b});
}
IntExpr cdiv(const IntExpr& a, const IntExpr& b) {
  return b.is_constant(1) ? a : IntExpr::make(IntExpr::Kind::cdiv, {a, b});
}
IntExpr floordiv(const IntExpr& a, const IntExpr& b) {
  return b.is_constant(1) ? a : IntExpr::make(IntExpr::Kind::floordiv, {a, b});
}
IntExpr mod(const IntExpr& a, const IntExpr& b) { return IntExpr::make(IntExpr::Kind::mod, {a, b}); }
IntExpr logical_and(const IntExpr& a, const IntExpr& b) {
  if (a.is_constant(1)) return b;
  return b.is_constant(1) ? a : IntExpr::make(IntExpr::Kind::logical_and, {a, b});
}

}  // namespace hipvault
