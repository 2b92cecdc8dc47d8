// Declarations: functions, ops, their statements and notes.

#include <fmt/format.h>

#include "frontend/parser.h"

namespace hipvault::frontend {

Result<Parsed> Parser::parse_file() {
  Parsed parsed;
  while (peek().kind != Token::Kind::end && !failed()) {
    if (peek().kind == Token::Kind::newline) {
      take();
    } else if (is_word("fn")) {
      if (parse_fn(parsed)) parsed.order.emplace_back(false, parsed.functions.size() - 1);
    } else if (is_word("op")) {
      if (parse_op(parsed)) parsed.order.emplace_back(true, parsed.ops.size() - 1);
    } else {
      wrong("'op' or 'fn'");
    }
  }
  if (error_) return fail(*error_);
  return parsed;
}

bool Parser::parse_fn(Parsed& parsed) {
  take();
  FnSyntax fn;
  fn.pos = peek().pos;
  if (!expect_name(fn.name, "the function's name") || !expect("(", "before the formals")) return false;
  auto formal = [&] {
    fn.formals.emplace_back();
    return expect_name(fn.formals.back(), "a formal");
  };
  if (!parse_list(")", formal, "in the formals") || !expect("=", "before the function's value")) return false;
  if (peek().kind == Token::Kind::newline && peek(1).pos.column > 1) take();
  fn.body = parse_expr();
  if (!fn.body || !end_of_line("the function")) return false;
  parsed.functions.push_back(std::move(fn));
  return true;
}

bool Parser::parse_op(Parsed& parsed) {
  take();
  OpSyntax op;
  op.pos = peek().pos;
  if (!expect_name(op.name, "the op's name") || !parse_variables(op) || !expect("(", "before the parameters"))
    return false;
  auto param = [&] {
    op.params.emplace_back();
    return parse_param(op.params.back(), false);
  };
  if (!accept(")") && !parse_list(")", param, "in the parameters")) return false;
  if (accept("->")) {
    do {
      op.results.emplace_back();
      if (!parse_param(op.results.back(), true)) return false;
    } while (accept(","));
  }
  if (!end_of_line("the op's head")) return false;
  while (peek().kind != Token::Kind::end && peek().pos.column > 1)
    if (!parse_line(op)) return false;
  parsed.ops.push_back(std::move(op));
  return true;
}

bool Parser::parse_variables(OpSyntax& op) {
  if (!accept("<")) return true;
  do {
    TypeVariable variable;
    variable.pos = peek().pos;
    if (!expect_name(variable.name, "a type variable") || !expect(":", "before the dtypes")) return false;
    while (is_name()) variable.dtypes.push_back(take().text);
    if (variable.dtypes.empty()) return wrong("a dtype"), false;
    op.variables.push_back(std::move(variable));
  } while (accept(","));
  return expect(">", "after the type variables");
}

bool Parser::parse_param(ParamSyntax& param, bool is_result) {
  if (!is_result && is_word("inout") && is_name(1)) {
    take();
    param.inout = true;
  }
  param.pos = peek().pos;
  if (!expect_name(param.name, is_result ? "the name of a result" : "the name of a parameter")) return false;
  if (!expect(":", "before the type of " + param.name)) return false;
  param.type_pos = peek().pos;
  if (!expect_name(param.type, "a type")) return false;
  if (is_symbol("[") && !parse_axes(param)) return false;
  if (is_result && !param.has_axes) return wrong("'[' with the axes of the result " + param.name), false;
  if (is_result || !accept("=")) return true;
  param.fallback = parse_expr();
  return param.fallback != nullptr;
}

bool Parser::parse_axes(ParamSyntax& param) {
  take();
  param.has_axes = true;
  if (accept("]")) return true;
  auto axis = [&] {
    AxisSyntax axis;
    axis.pos = peek().pos;
    if (is_name() && is_symbol("=", 1)) {
      if (!expect_dim(axis.name, "before '='")) return false;
      take();
      axis.size = parse_expr();
      if (!axis.size) return false;
    } else {
      axis.size = parse_expr();
      if (!axis.size) return false;
      if (axis.size->kind == Ast::Kind::dim) axis.name = axis.size->name, axis.size = nullptr;
    }
    param.axes.push_back(std::move(axis));
    return true;
  };
  return parse_list("]", axis, "in the axes of " + param.name);
}

bool Parser::is_note() const {
  if (is_word("case") || is_word("input")) return is_name(1);
  return (is_word("nan") || is_word("order") || is_word("accumulate")) && is_symbol(":", 1);
}

bool Parser::parse_line(OpSyntax& op) {
  if (peek().kind == Token::Kind::newline) return take(), true;
  if (is_word("dim") && is_name(1)) return parse_dim(op);
  if (is_word("require") && !is_symbol("=", 1) && !is_symbol("[", 1) && !is_symbol(",", 1)) return parse_require(op);
  return is_note() ? parse_note(op) : parse_statement(op);
}

bool Parser::parse_dim(OpSyntax& op) {
  take();
  LineSyntax line;
  line.kind = LineSyntax::Kind::dim;
  line.pos = peek().pos;
  line.left.emplace_back();
  line.left[0].pos = peek().pos;
  if (!expect_dim(line.left[0].name, "after 'dim'") || !expect("=", "before the size")) return false;
  line.value = parse_expr();
  if (!line.value || !end_of_line("the dimension")) return false;
  op.lines.push_back(std::move(line));
  return true;
}

bool Parser::parse_require(OpSyntax& op) {
  LineSyntax line;
  line.kind = LineSyntax::Kind::require;
  line.pos = take().pos;
  line.value = parse_expr();
  if (!line.value || !end_of_line("the condition")) return false;
  op.lines.push_back(std::move(line));
  return true;
}

bool Parser::parse_statement(OpSyntax& op) {
  LineSyntax line;
  line.pos = peek().pos;
  do {
    LhsSyntax left;
    left.pos = peek().pos;
    if (!expect_name(left.name, "a statement, 'dim', 'require' or a note (case, input, nan, order, accumulate)"))
      return false;
    if (accept("[")) {
      left.has_dims = true;
      auto item = [&] {
        left.indices.push_back(parse_expr());
        return left.indices.back() != nullptr;
      };
      if (!parse_list("]", item, "in the brackets of " + left.name)) return false;
    }
    line.left.push_back(std::move(left));
  } while (accept(","));
  if (is_symbol("+=") || is_symbol("*=")) {
    line.op = take().text;
  } else if ((is_word("max") || is_word("min")) && is_symbol("=", 1)) {
    line.op = take().text + take().text;
  } else if (!expect("=", "in a statement")) {
    return false;
  }
  line.value = parse_expr();
  if (!line.value) return false;
  if (is_word("if")) {
    take();
    line.condition = parse_expr();
    if (!line.condition) return false;
  }
  if (!end_of_line("the statement")) return false;
  op.lines.push_back(std::move(line));
  return true;
}

bool Parser::parse_note(OpSyntax& op) {
  NoteSyntax note;
  note.pos = peek().pos;
  note.kind = take().text;
  if (note.kind == "case" || note.kind == "input") note.pos = peek().pos, note.name = take().text;
  if (!expect(":", "after the name")) return false;
  if (note.kind == "case") {
    do {
      note.binds.emplace_back();
      if (!parse_bind(note.binds.back())) return false;
    } while (accept(","));
  } else if (note.kind == "input") {
    do {
      note.dists.emplace_back();
      if (!parse_dist(note.dists.back())) return false;
    } while (accept("|"));
  } else if (note.pos = peek().pos; !expect_name(note.name, "a word after '" + note.kind + ":'")) {
    return false;
  }
  if (!end_of_line("the note")) return false;
  op.notes.push_back(std::move(note));
  return true;
}

bool Parser::parse_bind(BindSyntax& bind) {
  bind.pos = peek().pos;
  if (!expect_name(bind.name, "a size, type variable or parameter")) return false;
  if (accept(".") && !expect_name(bind.field, "'stride' or 'offset' after '.'")) return false;
  if (!bind.field.empty() && bind.field != "stride" && bind.field != "offset")
    return wrong_at(bind.pos,
                    fmt::format("expected {0}.stride or {0}.offset, but found {0}.{1}", bind.name, bind.field)),
           false;
  if (!expect("=", "after " + bind.name)) return false;
  if (accept("?")) return bind.open = true;
  if (bind.field == "stride") {
    if (!expect("(", "before the strides")) return false;
    auto item = [&] {
      bind.list.push_back(parse_unary());
      return bind.list.back() != nullptr;
    };
    return accept(")") || parse_list(")", item, "in the strides");
  }
  bool is_constant = is_word("true") || is_word("false") || is_word("inf") || is_word("nan") || is_word("pi");
  if (is_name() && !is_constant) {
    bind.type = take().text;
    return true;
  }
  bind.value = parse_unary();
  return bind.value != nullptr;
}

bool Parser::parse_dist(DistSyntax& dist) {
  dist.pos = peek().pos;
  if (!expect_name(dist.kind, "a distribution")) return false;
  if (!accept("(")) return true;
  if (peek().kind == Token::Kind::string) {
    dist.file = take().text;
    return expect(")", "after the file's name");
  }
  auto item = [&] {
    dist.args.push_back(parse_expr());
    return dist.args.back() != nullptr;
  };
  return accept(")") || parse_list(")", item, "in the numbers of " + dist.kind);
}

Result<Parsed> parse_source(const SourceRef& source) {
  Result<std::vector<Token>> tokens = tokenise(source);
  if (!tokens) return fail(tokens.error());
  return Parser(source, std::move(*tokens)).parse_file();
}

}  // namespace hipvault::frontend
