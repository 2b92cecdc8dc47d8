#pragma once
// One element of a tile and what the operations do to it, for the tile interpreter: floats as doubles rounded to their
// own type after every operation, integers cut to their bits. An operation without meaning on its operands throws a
// Fault, which the interpreter turns into an error.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tile/program.h"

namespace hipvault::tile {

// Floats use `real`, integers and booleans `whole`.
struct Element {
  double real = 0;
  int64_t whole = 0;
};
using Tile = std::vector<Element>;

struct Fault {
  std::string message;
};

inline bool is_real(DType dtype) { return is_float(dtype) || dtype == DType::e8m0; }

int64_t cut(DType dtype, int64_t value);  // keeps the bits that the type has
double rounded(DType dtype, double value);

double real_unary(OpCode code, double a);
double real_binary(OpCode code, double a, double b);
int64_t whole_unary(OpCode code, DType dtype, int64_t a);
int64_t whole_binary(OpCode code, DType dtype, int64_t a, int64_t b);
Element cast_element(const Element& a, DType from, DType to);

template <class T>
std::optional<bool> compare(OpCode code, T a, T b) {
  switch (code) {
    case OpCode::lt:
      return a < b;
    case OpCode::le:
      return a <= b;
    case OpCode::gt:
      return a > b;
    case OpCode::ge:
      return a >= b;
    case OpCode::eq:
      return a == b;
    case OpCode::ne:
      return a != b;
    default:
      return std::nullopt;
  }
}

}  // namespace hipvault::tile
