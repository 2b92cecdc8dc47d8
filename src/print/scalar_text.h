#pragma once
// The C++ of single values: type names, literals, casts, elementwise operations, and index expressions made from bits.

#include <string>
#include <vector>

#include "base/result.h"
#include "tile/program.h"

namespace hipvault::print {

// An expression with the precedence of its outermost operator, so that parentheses stand only where they are needed.
struct Text {
  std::string text;
  int precedence = 16;
};
constexpr int kPrimary = 16, kUnary = 15, kProduct = 13, kSum = 12, kXor = 6, kAnd = 4;

std::string wrap(const Text& text, int precedence);  // in parentheses if it binds more loosely
Text join(const Text& a, const std::string& op, const Text& b, int precedence);

std::string type_text(DType dtype);     // of a value in a register
std::string storage_text(DType dtype);  // of an element in memory
Text literal(DType dtype, const tile::Attrs& attrs);
Text identity(tile::Kind kind, DType dtype);  // of a reduction
Text convert(const Text& value, DType from, DType to);

// The operation on operands of these types. Error: no spelling.
Result<Text> spell(tile::OpCode code, const std::vector<Text>& operands, DType operand_dtype);

// An integer as a linear map of bits: `fields` are variables of so many bits each, low bits first; `columns` says which
// output bits each of their bits flips. Terms are sums where no two meet, exclusive ors otherwise.
struct Field {
  Text variable;
  int bits = 0;
};
Text linear_index(const std::vector<Field>& fields, const std::vector<uint64_t>& columns);
bool bits_meet(const std::vector<uint64_t>& columns);  // two columns flip the same bit

}  // namespace hipvault::print
