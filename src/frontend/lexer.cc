#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "frontend/syntax.h"

namespace hipvault::frontend {
namespace {

constexpr const char* kSymbols[] = {
    "->", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "*=", "(", ")", "[", "]",
    "<",  ">",  "=",  "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  ",", ":", ".", "?"};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
 public:
  explicit Lexer(const SourceRef& source) : source_(source) {}

  Result<std::vector<Token>> run() {
    for (line_ = 0; line_ < source_->lines.size(); ++line_) {
      at_ = 0;
      if (Status fine = read_line(); !fine) return fail(fine.error());
      end_line();
    }
    push(Token::Kind::end, "", 0);
    return std::move(tokens_);
  }

 private:
  const std::string& line() const { return source_->lines[line_]; }
  char peek(size_t ahead = 0) const { return at_ + ahead < line().size() ? line()[at_ + ahead] : '\0'; }

  Pos pos(size_t column, size_t length) const {
    return {source_, static_cast<int>(line_) + 1, static_cast<int>(column) + 1,
            static_cast<int>(std::max<size_t>(length, 1))};
  }
  Token& push(Token::Kind kind, std::string text, size_t column) {
    Token token;
    token.kind = kind;
    token.pos = line_ < source_->lines.size() ? pos(column, text.size()) : end_pos();
    token.text = std::move(text);
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }
  Pos end_pos() const {
    int lines = static_cast<int>(source_->lines.size());
    return {source_, lines, lines ? static_cast<int>(source_->lines.back().size()) + 1 : 1, 1};
  }

  Status read_line() {
    while (at_ < line().size()) {
      char c = peek();
      if (c == '#') return {};
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
        continue;
      }
      Status fine = is_name_start(c) ? read_name()
                    : is_digit(c)    ? read_number()
                    : c == '"'       ? read_string()
                                     : read_symbol();
      if (!fine) return fine;
    }
    return {};
  }

  // A newline ends a statement, except inside brackets and before "->".
  void end_line() {
    if (depth_ > 0 || tokens_.empty() || tokens_.back().kind == Token::Kind::newline || next_starts_with_arrow())
      return;
    push(Token::Kind::newline, "", line().size());
  }

  bool next_starts_with_arrow() const {
    for (size_t next = line_ + 1; next < source_->lines.size(); ++next) {
      const std::string& text = source_->lines[next];
      size_t start = text.find_first_not_of(" \t\r");
      if (start == std::string::npos || text[start] == '#') continue;
      return text.compare(start, 2, "->") == 0;
    }
    return false;
  }

  Status read_name() {
    size_t start = at_;
    while (is_name_char(peek())) ++at_;
    push(Token::Kind::name, line().substr(start, at_ - start), start);
    return {};
  }

  Status read_number() {
    size_t start = at_;
    bool real = false;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      real = true;
      for (++at_; is_digit(peek());) ++at_;
    } else if (peek() == '.' && !is_name_start(peek(1))) {
      real = true;
      ++at_;
    }
    size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      real = true;
      for (at_ += 1 + sign; is_digit(peek());) ++at_;
    }
    std::string text = line().substr(start, at_ - start);
    if (is_name_start(peek()))
      return error(start, at_ - start + 1, fmt::format("a number cannot be followed by '{}'", peek()));
    Token& token = push(real ? Token::Kind::real : Token::Kind::integer, text, start);
    token.real = std::strtod(text.c_str(), nullptr);
    if (!real) {
      errno = 0;
      token.integer = std::strtoll(text.c_str(), nullptr, 10);
      if (errno != 0) return error(start, text.size(), fmt::format("the integer {} does not fit into 64 bits", text));
    }
    return {};
  }

  Status read_string() {
    size_t start = at_, end = line().find('"', at_ + 1);
    if (end == std::string::npos) return error(start, 1, "a string that begins here does not end on this line");
    at_ = end + 1;
    push(Token::Kind::string, line().substr(start + 1, end - start - 1), start);
    return {};
  }

  Status read_symbol() {
    for (const char* symbol : kSymbols) {
      std::string text = symbol;
      if (line().compare(at_, text.size(), text) != 0) continue;
      if (text == "(" || text == "[") ++depth_;
      if (text == ")" || text == "]") depth_ = std::max(0, depth_ - 1);
      push(Token::Kind::symbol, text, at_);
      at_ += text.size();
      return {};
    }
    unsigned char c = static_cast<unsigned char>(peek());
    if (c < 32 || c >= 127) return error(at_, 1, fmt::format("unexpected byte 0x{:02x}: is this an op file?", c));
    return error(at_, 1, fmt::format("unexpected character '{}'", peek()));
  }

  Status error(size_t column, size_t length, const std::string& message) const {
    return fail("hv.syntax", message, "", place_of(pos(column, length)));
  }

  SourceRef source_;
  std::vector<Token> tokens_;
  size_t line_ = 0, at_ = 0;
  int depth_ = 0;
};

}  // namespace

Place place_of(const Pos& pos) {
  if (!pos.source) return {};
  Place place{pos.source->file, pos.line, pos.column, pos.length, ""};
  if (pos.line >= 1 && pos.line <= static_cast<int>(pos.source->lines.size()))
    place.line_text = pos.source->lines[pos.line - 1];
  return place;
}

SourceRef make_source(const std::string& text, const std::string& file) {
  auto source = std::make_shared<Source>();
  source->file = file;
  size_t start = 0;
  while (start < text.size()) {
    size_t end = std::min(text.find('\n', start), text.size());
    source->lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return source;
}

Result<std::vector<Token>> tokenise(const SourceRef& source) { return Lexer(source).run(); }

bool is_capital(const std::string& name) { return !name.empty() && std::isupper(static_cast<unsigned char>(name[0])); }

}  // namespace hipvault::frontend
