#pragma once
// IntExpr: an integer expression over named sizes, as text and as a value. Sizes of dimensions, grids, blocks,
// workspace bytes and the conditions of a plan's table are all written with it:
//
//   cdiv(N, 1024) * B          x.stride.N == 1 and N % 8 == 0 and N <= 8192
//
// Names are letters, digits, `_` and `.`. Operators as in the op language: `or`, `and`, `not`, comparisons (which give
// 0 or 1), `+ -`, `* / // %`, unary `-`, and the functions cdiv, min, max. `//` and `%` floor; `/` must divide (an
// evaluation error otherwise). Values are int64; an overflow is an evaluation error.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault {

using Sizes = std::map<std::string, int64_t>;

class IntExpr {
 public:
  enum class Kind {
    constant,
    name,
    add,
    sub,
    mul,
    div,
    floordiv,
    mod,
    neg,
    cdiv,
    min,
    max,
    lt,
    le,
    gt,
    ge,
    eq,
    ne,
    logical_and,
    logical_or,
    logical_not
  };

  IntExpr() : IntExpr(0) {}
  IntExpr(int64_t value);  // NOLINT: an integer is an expression
  static IntExpr name(std::string name);
  static IntExpr make(Kind kind, std::vector<IntExpr> operands);
  static Result<IntExpr> parse(const std::string& text);

  Kind kind() const;
  int64_t value() const;                 // of a constant
  const std::string& name_text() const;  // of a name
  const std::vector<IntExpr>& operands() const;

  Result<int64_t> evaluate(const Sizes& sizes) const;
  IntExpr substitute(const std::map<std::string, IntExpr>& replacements) const;
  std::set<std::string> names() const;
  std::string text() const;  // parses back to an equal expression
  bool is_constant(int64_t value) const;
  bool operator==(const IntExpr& other) const { return text() == other.text(); }

  friend IntExpr operator+(const IntExpr& a, const IntExpr& b);
  friend IntExpr operator-(const IntExpr& a, const IntExpr& b);
  friend IntExpr operator*(const IntExpr& a, const IntExpr& b);

 private:
  struct Node;
  explicit IntExpr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

IntExpr cdiv(const IntExpr& a, const IntExpr& b);
IntExpr floordiv(const IntExpr& a, const IntExpr& b);
IntExpr mod(const IntExpr& a, const IntExpr& b);
IntExpr logical_and(const IntExpr& a, const IntExpr& b);  // drops a constant 1

}  // namespace hipvault
