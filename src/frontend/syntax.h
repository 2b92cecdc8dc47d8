#pragma once
// The parsed text of the op language: tokens and trees, with places for diagnostics. No meaning yet.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault::frontend {

// A text being read, and the trouble found in it: the first error counts, the rest would be its echo.
struct Source {
  std::string file;
  std::vector<std::string> lines;
};
using SourceRef = std::shared_ptr<const Source>;

struct Pos {
  SourceRef source;
  int line = 0, column = 0, length = 1;
};
Place place_of(const Pos& pos);

struct Token {
  enum class Kind { name, integer, real, string, symbol, newline, end };
  Kind kind = Kind::end;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  Pos pos;
};

Result<std::vector<Token>> tokenise(const SourceRef& source);
SourceRef make_source(const std::string& text, const std::string& file);

struct Ast;
using AstRef = std::shared_ptr<const Ast>;

struct Ast {
  enum class Kind {
    integer,
    real,
    boolean,  // constants; inf, nan and pi are reals that keep their `name`
    name,     // a value
    dim,      // a dimension
    index,    // name[args] [else otherwise]
    call,     // name(args)
    at,       // at(args[0], names[i] = args[1 + i]) [else otherwise]
    scan,     // name = scan | fold, names = dimension then states, args = inits then bodies
    unary,    // name = "-" | "not"
    binary,   // name = the operator
  };
  Kind kind = Kind::integer;
  std::string name;
  int64_t integer = 0;
  double real = 0;
  std::vector<AstRef> args;
  std::vector<std::string> names;
  AstRef otherwise;
  Pos pos;
};

std::string text(const AstRef& ast);

struct AxisSyntax {
  std::string name;  // of the dimension, or ""
  AstRef size;       // null for a plain Name
  Pos pos;
};

struct ParamSyntax {
  bool inout = false;
  std::string name;
  std::string type;  // int, float, bool, or an element type or type variable
  bool has_axes = false;
  std::vector<AxisSyntax> axes;
  AstRef fallback;
  Pos pos, type_pos;
};

struct TypeVariable {
  std::string name;
  std::vector<std::string> dtypes;
  Pos pos;
};

struct LhsSyntax {
  std::string name;
  bool has_dims = false;
  std::vector<AstRef> indices;
  Pos pos;
};

struct LineSyntax {
  enum class Kind { dim, require, statement };
  Kind kind = Kind::statement;
  std::vector<LhsSyntax> left;  // dim: one, its name
  std::string op = "=";         // statement: = += *= max= min=
  AstRef value, condition;
  Pos pos;
};

struct BindSyntax {
  std::string name, field;  // field: "", "stride", "offset"
  bool open = false;        // Name=?
  std::string type;         // a dtype's name
  AstRef value;
  std::vector<AstRef> list;  // stride
  Pos pos;
};

struct DistSyntax {
  std::string kind, file;
  std::vector<AstRef> args;
  Pos pos;
};

struct NoteSyntax {
  std::string kind;  // case, input, nan, order, accumulate
  std::string name;  // of the case or input; the word of the others
  std::vector<BindSyntax> binds;
  std::vector<DistSyntax> dists;
  Pos pos;
};

struct FnSyntax {
  std::string name;
  std::vector<std::string> formals;
  AstRef body;
  Pos pos;
};

struct OpSyntax {
  std::string name;
  std::vector<TypeVariable> variables;
  std::vector<ParamSyntax> params, results;
  std::vector<LineSyntax> lines;
  std::vector<NoteSyntax> notes;
  Pos pos;
};

struct OpFile {
  std::string file_name;
  std::vector<FnSyntax> functions, standard;
  std::vector<OpSyntax> ops;
  std::vector<std::pair<bool, size_t>> order;  // (is op, position), as written
};

struct Parsed {
  std::vector<FnSyntax> functions;
  std::vector<OpSyntax> ops;
  std::vector<std::pair<bool, size_t>> order;
};
Result<Parsed> parse_source(const SourceRef& source);

bool is_capital(const std::string& name);
// "; did you mean softmax?" when one of `known` is close, else "".
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace hipvault::frontend
