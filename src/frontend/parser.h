#pragma once
// Recursive descent over the tokens of one text. The first error ends the reading: functions return null or false then,
// and `error` says what was expected and what was found.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/syntax.h"

namespace hipvault::frontend {

class Parser {
 public:
  Parser(SourceRef source, std::vector<Token> tokens) : source_(std::move(source)), tokens_(std::move(tokens)) {}

  Result<Parsed> parse_file();
  AstRef parse_expr();

 private:
  // Tokens.
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
  bool is_symbol(const char* text, size_t ahead = 0) const;
  bool is_word(const char* text, size_t ahead = 0) const;
  bool is_name(size_t ahead = 0) const { return peek(ahead).kind == Token::Kind::name; }
  bool accept(const char* symbol);
  bool expect(const char* symbol, const std::string& where);
  bool expect_name(std::string& name, const std::string& what);
  bool expect_dim(std::string& name, const std::string& where);
  bool end_of_line(const std::string& what);
  void wrong(const std::string& expected);  // "expected …, but found …" at the next token
  void wrong_at(const Pos& pos, const std::string& message, const std::string& hint = "");
  void unclosed(const Pos& open, const char* symbol, const char* close);
  bool failed() const { return error_.has_value(); }

  // Expressions (parser.cc).
  AstRef parse_level(int level);
  bool too_long();  // with the error said
  AstRef parse_unary();
  AstRef parse_power();
  AstRef parse_primary();
  AstRef parse_name();
  AstRef parse_index(const Token& name);
  AstRef parse_call(const Token& name);
  AstRef parse_at(const Token& name);
  AstRef parse_scan(const Token& name);
  bool parse_tuple(std::vector<AstRef>& items);
  bool parse_else(Ast& ast);
  bool parse_values(const char* close, std::vector<AstRef>& values, const std::string& where);
  bool parse_list(const char* close, const std::function<bool()>& item, const std::string& where);

  // Declarations (parse_file.cc).
  bool parse_fn(Parsed& parsed);
  bool parse_op(Parsed& parsed);
  bool parse_variables(OpSyntax& op);
  bool parse_param(ParamSyntax& param, bool is_result);
  bool parse_axes(ParamSyntax& param);
  bool parse_line(OpSyntax& op);
  bool parse_dim(OpSyntax& op);
  bool parse_require(OpSyntax& op);
  bool parse_statement(OpSyntax& op);
  bool parse_note(OpSyntax& op);
  bool parse_bind(BindSyntax& bind);
  bool parse_dist(DistSyntax& dist);
  bool is_note() const;

  SourceRef source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t begin_ = 0;  // of the outermost expression
  int depth_ = 0;     // of expressions in each other
  std::optional<Diagnostic> error_;
};

}  // namespace hipvault::frontend
