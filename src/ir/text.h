#pragma once
// How expressions are written. `plain` names tensors and stages with their axes: a load at exactly those axes prints as
// the bare name.

#include <map>
#include <string>
#include <vector>

#include "ir/expr.h"

namespace hipvault::ir {

using PlainNames = std::map<std::string, std::vector<std::string>>;

std::string text(const ExprRef& expr, const PlainNames& plain);
std::string number_text(double value);          // always reads back as a real, exactly
std::string size_in_expr(const IntExpr& expr);  // an integer expression inside an expression: dimensions as size(N)

}  // namespace hipvault::ir
