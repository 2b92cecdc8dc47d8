#include "frontend/parser.h"

#include <fmt/format.h>

#include <limits>
#include <numbers>

namespace hipvault::frontend {
namespace {

// Binary operators by level, loosest first; the level of `not` stands between `and` and the comparisons.
const std::vector<std::vector<const char*>> kLevels = {
    {"or"},     {"and"},
    {"not"},    {"<=", ">=", "==", "!=", "<", ">"},
    {"|"},      {"^"},
    {"&"},      {"<<", ">>"},
    {"+", "-"}, {"//", "*", "/", "%"},
};
constexpr int kNotLevel = 2, kComparisonLevel = 3;

// One level further into an expression, as long as it lives.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

AstRef make(Ast ast) { return std::make_shared<const Ast>(std::move(ast)); }

AstRef node(Ast::Kind kind, const Token& token, std::vector<AstRef> args) {
  Ast ast;
  ast.kind = kind;
  ast.name = token.text;
  ast.pos = token.pos;
  ast.args = std::move(args);
  return make(std::move(ast));
}

std::string shown(const Token& token) {
  switch (token.kind) {
    case Token::Kind::newline:
      return "the end of the line";
    case Token::Kind::end:
      return "the end of the file";
    case Token::Kind::string:
      return "\"" + token.text + "\"";
    default:
      return "'" + token.text + "'";
  }
}

}  // namespace

bool Parser::is_symbol(const char* text, size_t ahead) const {
  return peek(ahead).kind == Token::Kind::symbol && peek(ahead).text == text;
}
bool Parser::is_word(const char* text, size_t ahead) const {
  return peek(ahead).kind == Token::Kind::name && peek(ahead).text == text;
}
bool Parser::accept(const char* symbol) {
  if (!is_symbol(symbol)) return false;
  take();
  return true;
}
bool Parser::expect(const char* symbol, const std::string& where) {
  if (accept(symbol)) return true;
  wrong(fmt::format("'{}' {}", symbol, where));
  return false;
}
bool Parser::expect_name(std::string& name, const std::string& what) {
  if (!is_name()) {
    wrong(what);
    return false;
  }
  name = take().text;
  return true;
}
bool Parser::expect_dim(std::string& name, const std::string& where) {
  if (is_name() && is_capital(peek().text)) return expect_name(name, "");
  wrong("a dimension (a name with a capital) " + where);
  return false;
}
bool Parser::end_of_line(const std::string& what) {
  if (peek().kind == Token::Kind::end) return true;
  if (peek().kind != Token::Kind::newline) {
    wrong("the end of the line after " + what);
    return false;
  }
  take();
  return true;
}
void Parser::wrong(const std::string& expected) {
  wrong_at(peek().pos, fmt::format("expected {}, but found {}", expected, shown(peek())));
}
void Parser::wrong_at(const Pos& pos, const std::string& message, const std::string& hint) {
  if (!error_) error_ = Diagnostic{"hv.syntax", message, hint, place_of(pos)};
}

// Inside brackets a line break does not end a statement, so a forgotten bracket shows lines later: point at the one
// that is open, and say where the reading stopped.
void Parser::unclosed(const Pos& open, const char* symbol, const char* close) {
  const Pos& here = peek().pos;
  if (here.line == open.line) return wrong(fmt::format("'{}' to close the '{}'", close, symbol));
  wrong_at(open, fmt::format("this '{}' is not closed: expected '{}' before {} in line {}", symbol, close,
                             shown(peek()), here.line));
}

// Everything after the parser walks expressions recursively, so their size is bounded here: a hostile file must not
// overflow the stack.
bool Parser::too_long() {
  constexpr size_t kMostSymbols = 4000;
  constexpr int kMostDepth = 400;
  if (at_ - begin_ <= kMostSymbols && depth_ <= kMostDepth) return false;
  if (!failed()) wrong_at(peek().pos, "this expression is too long or nested too deeply", "split it into statements");
  return true;
}

AstRef Parser::parse_expr() {
  if (depth_ == 0) begin_ = at_;
  Deeper deeper(depth_);
  return too_long() ? nullptr : parse_level(0);
}

AstRef Parser::parse_level(int level) {
  if (level == static_cast<int>(kLevels.size())) return parse_unary();
  if (level == kNotLevel) {
    if (!is_word("not")) return parse_level(level + 1);
    Token word = take();
    if (too_long()) return nullptr;
    Deeper deeper(depth_);
    AstRef operand = parse_level(level);
    return operand ? node(Ast::Kind::unary, word, {operand}) : nullptr;
  }
  AstRef left = parse_level(level + 1);
  for (bool again = true; left && again;) {
    again = false;
    for (const char* symbol : kLevels[level]) {
      if (!is_symbol(symbol) && !(level < kNotLevel && is_word(symbol))) continue;
      Token op = take();
      AstRef right = parse_level(level + 1);
      if (!right) return nullptr;
      left = node(Ast::Kind::binary, op, {left, right});
      again = true;
      break;
    }
    if (again && level == kComparisonLevel) {
      for (const char* symbol : kLevels[level])
        if (is_symbol(symbol)) wrong_at(peek().pos, "comparisons do not chain", "write a < b and b < c");
      if (failed()) return nullptr;
    }
  }
  return left;
}

AstRef Parser::parse_unary() {
  if (too_long()) return nullptr;
  if (!is_symbol("-")) return parse_power();
  Token minus = take();
  Deeper deeper(depth_);
  AstRef operand = parse_unary();
  return operand ? node(Ast::Kind::unary, minus, {operand}) : nullptr;
}

AstRef Parser::parse_power() {
  AstRef base = parse_primary();
  if (!base || !is_symbol("**")) return base;
  Token op = take();
  Deeper deeper(depth_);
  AstRef exponent = parse_unary();
  return exponent ? node(Ast::Kind::binary, op, {base, exponent}) : nullptr;
}

AstRef Parser::parse_primary() {
  const Token& token = peek();
  if (token.kind == Token::Kind::name) return parse_name();
  Ast ast;
  ast.pos = token.pos;
  ast.name = token.text;
  if (token.kind == Token::Kind::integer || token.kind == Token::Kind::real) {
    ast.kind = token.kind == Token::Kind::integer ? Ast::Kind::integer : Ast::Kind::real;
    ast.integer = token.integer;
    ast.real = token.real;
    ast.name.clear();
    take();
    return make(std::move(ast));
  }
  if (!accept("(")) {
    wrong("a value");
    return nullptr;
  }
  AstRef inner = parse_expr();
  if (!inner || accept(")")) return inner;
  unclosed(ast.pos, "(", ")");
  return nullptr;
}

AstRef Parser::parse_name() {
  Token token = take();
  const std::string& name = token.text;
  Ast ast;
  ast.pos = token.pos;
  ast.name = name;
  ast.kind = Ast::Kind::real;
  if (name == "inf") return ast.real = std::numeric_limits<double>::infinity(), make(std::move(ast));
  if (name == "nan") return ast.real = std::numeric_limits<double>::quiet_NaN(), make(std::move(ast));
  if (name == "pi") return ast.real = std::numbers::pi, make(std::move(ast));
  ast.kind = Ast::Kind::boolean;
  if (name == "true" || name == "false") return ast.integer = name == "true", make(std::move(ast));
  if (name == "and" || name == "or" || name == "not" || name == "if" || name == "else") {
    --at_;
    wrong("a value");
    return nullptr;
  }
  if (is_symbol("("))
    return name == "at" ? parse_at(token) : name == "scan" || name == "fold" ? parse_scan(token) : parse_call(token);
  if (is_symbol("[")) return parse_index(token);
  ast.kind = is_capital(name) ? Ast::Kind::dim : Ast::Kind::name;
  return make(std::move(ast));
}

bool Parser::parse_list(const char* close, const std::function<bool()>& item, const std::string& where) {
  while (true) {
    if (!item()) return false;
    if (accept(close)) return true;
    if (accept(",")) continue;
    wrong(fmt::format("',' or '{}' {}", close, where));
    return false;
  }
}

bool Parser::parse_values(const char* close, std::vector<AstRef>& values, const std::string& where) {
  auto item = [&] {
    values.push_back(parse_expr());
    return values.back() != nullptr;
  };
  return parse_list(close, item, where);
}

bool Parser::parse_else(Ast& ast) {
  if (!is_word("else")) return true;
  take();
  ast.otherwise = parse_unary();
  return ast.otherwise != nullptr;
}

AstRef Parser::parse_index(const Token& name) {
  Ast ast;
  ast.kind = Ast::Kind::index;
  ast.name = name.text;
  ast.pos = name.pos;
  take();
  if (!parse_values("]", ast.args, "in the indices of " + name.text) || !parse_else(ast)) return nullptr;
  return make(std::move(ast));
}

AstRef Parser::parse_call(const Token& name) {
  Ast ast;
  ast.kind = Ast::Kind::call;
  ast.name = name.text;
  ast.pos = name.pos;
  take();
  if (accept(")")) return make(std::move(ast));
  return parse_values(")", ast.args, "in the arguments of " + name.text) ? make(std::move(ast)) : nullptr;
}

AstRef Parser::parse_at(const Token& name) {
  Ast ast;
  ast.kind = Ast::Kind::at;
  ast.name = name.text;
  ast.pos = name.pos;
  take();
  auto item = [&] {
    if (!ast.args.empty()) {
      std::string dim;
      if (!expect_dim(dim, "that at() replaces") || !expect("=", "after the dimension")) return false;
      ast.names.push_back(dim);
    }
    ast.args.push_back(parse_expr());
    return ast.args.back() != nullptr;
  };
  if (!parse_list(")", item, "in at()")) return nullptr;
  if (ast.names.empty()) {
    wrong_at(name.pos, "at() needs at least one dimension to replace", "write at(e, N = N - 1)");
    return nullptr;
  }
  return parse_else(ast) ? make(std::move(ast)) : nullptr;
}

bool Parser::parse_tuple(std::vector<AstRef>& items) {
  auto item = [&] {
    items.push_back(parse_expr());
    return items.back() != nullptr;
  };
  if (!is_symbol("(")) return item();
  // "(a, b)" is a tuple, "(a) * b" is not: read it as one and start over when no comma came.
  size_t start = at_;
  take();
  if (!item()) return false;
  if (accept(",")) return parse_list(")", item, "in the tuple");
  items.clear();
  at_ = start;
  return item();
}

AstRef Parser::parse_scan(const Token& name) {
  Ast ast;
  ast.kind = Ast::Kind::scan;
  ast.name = name.text;
  ast.pos = name.pos;
  take();
  std::string dim;
  if (!expect_dim(dim, "that " + name.text + " runs along") || !expect(",", "before the initial state")) return nullptr;
  ast.names.push_back(dim);
  if (!parse_tuple(ast.args) || !expect(",", "before the state's name")) return nullptr;
  size_t states = ast.args.size();
  auto state = [&] {
    std::string text;
    if (!expect_name(text, "the name of a state")) return false;
    ast.names.push_back(text);
    return true;
  };
  if (accept("(") ? !parse_list(")", state, "in the names of the states") : !state()) return nullptr;
  Token arrow = peek();
  if (!expect("->", "before the body of " + name.text) || !parse_tuple(ast.args)) return nullptr;
  if (ast.names.size() != states + 1 || ast.args.size() != 2 * states) {
    wrong_at(arrow.pos, fmt::format("{} has {} initial states, {} names and {} bodies, but needs as many of each",
                                    name.text, states, ast.names.size() - 1, ast.args.size() - states));
    return nullptr;
  }
  return expect(")", "to close " + name.text) ? make(std::move(ast)) : nullptr;
}

}  // namespace hipvault::frontend
