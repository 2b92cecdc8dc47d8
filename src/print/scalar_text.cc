#include "print/scalar_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace hipvault::print {
namespace {

using tile::Kind;
using tile::OpCode;

struct Spelling {
  OpCode code;
  const char *real, *integer, *boolean;
  int precedence;
};
constexpr std::array kSpellings = {
#define SPELL(op, real, integer, boolean, precedence) Spelling{OpCode::op, real, integer, boolean, precedence},
#include "print/hip_ops.def"
#undef SPELL
};

struct TypeRow {
  DType dtype;
  const char *value, *storage;
};
constexpr std::array kTypes = {
    TypeRow{DType::f64, "double", "double"}, TypeRow{DType::f32, "float", "float"},
    TypeRow{DType::f16, "f16", "f16"},       TypeRow{DType::bf16, "bf16", "bf16"},
    TypeRow{DType::f8e4m3fn, "u8", "u8"},    TypeRow{DType::f8e4m3fnuz, "u8", "u8"},
    TypeRow{DType::f8e5m2, "u8", "u8"},      TypeRow{DType::f8e5m2fnuz, "u8", "u8"},
    TypeRow{DType::f4, "u8", "u8"},          TypeRow{DType::e8m0, "u8", "u8"},
    TypeRow{DType::i64, "i64", "i64"},       TypeRow{DType::i32, "int", "int"},
    TypeRow{DType::i16, "i16", "i16"},       TypeRow{DType::i8, "i8", "i8"},
    TypeRow{DType::i4, "i8", "u8"},          TypeRow{DType::u64, "u64", "u64"},
    TypeRow{DType::u32, "u32", "u32"},       TypeRow{DType::u16, "u16", "u16"},
    TypeRow{DType::u8, "u8", "u8"},          TypeRow{DType::u4, "u8", "u8"},
    TypeRow{DType::boolean, "bool", "u8"},
};
const TypeRow& row_of(DType dtype) {
  for (const TypeRow& row : kTypes)
    if (row.dtype == dtype) return row;
  CHECK(false) << "no C++ type for " << name(dtype);
  return kTypes[0];
}

// Floats that are held as bits and computed in f32.
bool is_small_float(DType dtype) {
  return (is_float(dtype) || dtype == DType::e8m0) && info(dtype).bits <= 16 && dtype != DType::f16;
}

std::string real_literal(double value, bool is_double) {
  if (std::isnan(value)) return is_double ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
  if (std::isinf(value))
    return std::string(value < 0 ? "-" : "") + (is_double ? "__builtin_inf()" : "__builtin_inff()");
  std::string digits = is_double ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return is_double ? digits : digits + "f";
}

const char* integer_suffix(DType dtype) {
  switch (dtype) {
    case DType::i64:
      return "l";
    case DType::u64:
      return "ul";
    case DType::u32:
      return "u";
    default:
      return "";
  }
}

Text integer_literal(DType dtype, int64_t value) {
  if (dtype == DType::boolean) return {value ? "true" : "false"};
  if (dtype == DType::i64 && value == INT64_MIN) return {"(-9223372036854775807l - 1)"};
  if (dtype == DType::i32 && value == INT32_MIN) return {"(-2147483647 - 1)"};
  std::string digits =
      info(dtype).is_signed ? fmt::format("{}", value) : fmt::format("{}", static_cast<uint64_t>(value));
  Text text{digits + integer_suffix(dtype), value < 0 && info(dtype).is_signed ? kUnary : kPrimary};
  if (info(dtype).bits < 32) return {fmt::format("({}){}", row_of(dtype).value, text.text), kUnary};
  return text;
}

std::string substitute(std::string pattern, const std::vector<Text>& operands, int precedence) {
  bool call = pattern.find('(') != std::string::npos;
  for (size_t k = 0; k < operands.size(); ++k) {
    std::string slot = fmt::format("{{{}}}", k);
    size_t at = pattern.find(slot);
    if (at == std::string::npos) continue;
    // The right operand of - and << must bind more tightly; operands of ?: and of unary operators too.
    int needed = call ? 0 : precedence + (k > 0 || precedence == kUnary || precedence == 2 ? 1 : 0);
    pattern.replace(at, slot.size(), wrap(operands[k], needed));
  }
  return pattern;
}

// Integers narrower than int are computed as int; the result has to be cut again.
Text narrowed(const Text& value, DType dtype) {
  if (info(dtype).is_float || dtype == DType::boolean || info(dtype).bits >= 32) return value;
  if (dtype == DType::u4) return {"(u8)(" + wrap(value, 8) + " & 15)", kUnary};
  if (dtype == DType::i4) return {"hv::wrap_i4(" + value.text + ")"};
  return {fmt::format("({}){}", row_of(dtype).value, wrap(value, kUnary)), kUnary};
}

bool gives_boolean(OpCode code) {
  return (code >= OpCode::lt && code <= OpCode::ne) || code == OpCode::isnan || code == OpCode::isinf;
}

}  // namespace

std::string wrap(const Text& text, int precedence) {
  return text.precedence < precedence ? "(" + text.text + ")" : text.text;
}

Text join(const Text& a, const std::string& op, const Text& b, int precedence) {
  return {wrap(a, precedence) + " " + op + " " + wrap(b, precedence + 1), precedence};
}

std::string type_text(DType dtype) { return row_of(dtype).value; }
std::string storage_text(DType dtype) { return row_of(dtype).storage; }

Text literal(DType dtype, const tile::Attrs& attrs) {
  if (!is_float(dtype) && dtype != DType::e8m0) return integer_literal(dtype, attrs.integer);
  if (dtype == DType::f64 || dtype == DType::f32) {
    std::string text = real_literal(attrs.number, dtype == DType::f64);
    return {text, text[0] == '-' ? kUnary : kPrimary};
  }
  if (dtype == DType::f16)
    return {"(f16)" + wrap({real_literal(attrs.number, false), attrs.number < 0 ? kUnary : kPrimary}, kUnary), kUnary};
  uint8_t bytes[2] = {0, 0};
  encode(dtype, bytes, 0, attrs.number);
  return {fmt::format("({})0x{:x}", row_of(dtype).value, bytes[0] | bytes[1] << 8), kUnary};
}

Text identity(Kind kind, DType dtype) {
  tile::Attrs attrs;
  bool real = is_float(dtype);
  double inf = std::numeric_limits<double>::infinity();
  bool wide = info(dtype).bits == 64;
  int64_t lowest = !info(dtype).is_signed ? 0 : wide ? INT64_MIN : -static_cast<int64_t>(info(dtype).max_finite) - 1;
  int64_t highest = wide ? (info(dtype).is_signed ? INT64_MAX : -1) : static_cast<int64_t>(info(dtype).max_finite);
  switch (kind) {
    case Kind::prod:
      attrs.number = attrs.integer = 1;
      break;
    case Kind::max:
    case Kind::argmax:
      attrs.number = -inf, attrs.integer = real ? 0 : lowest;
      break;
    case Kind::min:
    case Kind::argmin:
      attrs.number = inf, attrs.integer = real ? 0 : highest;
      break;
    case Kind::logical_and:
      attrs.integer = dtype == DType::boolean ? 1 : -1;
      break;
    default:
      break;
  }
  return literal(dtype, attrs);
}

Text convert(const Text& value, DType from, DType to) {
  if (from == to) return value;
  if (to == DType::boolean) {
    Text number = is_small_float(from) ? convert(value, from, DType::f32) : value;
    return join(number, "!=", {"0"}, 8);
  }
  if (is_small_float(from)) {
    Text single{fmt::format("hv::from_{}({})", name(from), value.text)};
    return convert(single, DType::f32, to);
  }
  if (is_small_float(to)) {
    Text single = from == DType::f64 ? Text{"hv::to_f32_odd(" + value.text + ")"} : convert(value, from, DType::f32);
    return {fmt::format("hv::to_{}({})", name(to), single.text)};
  }
  if (is_float(from) && !is_float(to) && info(to).bits < 32) return narrowed(convert(value, from, DType::i32), to);
  if (!is_float(to) && info(to).bits < 8) return narrowed(value, to);
  return {fmt::format("({}){}", row_of(to).value, wrap(value, kUnary)), kUnary};
}

Result<Text> spell(OpCode code, const std::vector<Text>& operands, DType dtype) {
  const Spelling* found = nullptr;
  for (const Spelling& spelling : kSpellings)
    if (spelling.code == code) found = &spelling;
  bool real = is_float(dtype) || dtype == DType::e8m0;
  std::string pattern = !found ? "" : real ? found->real : dtype == DType::boolean ? found->boolean : found->integer;
  if (pattern.empty())
    return fail("print.no-spelling",
                fmt::format("the printer has no spelling of {} for {}", tile::op_name(code), name(dtype)));
  bool call = pattern.find('(') != std::string::npos;
  int precedence = call ? kPrimary : found->precedence;
  if (dtype == DType::boolean) {
    if (pattern.find("&&") != std::string::npos) precedence = kAnd;
    if (pattern.find("||") != std::string::npos) precedence = 3;
    if (pattern.find("!=") != std::string::npos) precedence = 8;
  }
  bool moves_only = code == OpCode::select;
  bool via_f32 = !moves_only && (is_small_float(dtype) || (dtype == DType::f16 && call));
  if (!via_f32)
    return narrowed({substitute(pattern, operands, precedence), precedence},
                    gives_boolean(code) ? DType::boolean : dtype);
  std::vector<Text> single;
  for (const Text& operand : operands) single.push_back(convert(operand, dtype, DType::f32));
  Text result{substitute(pattern, single, precedence), precedence};
  return gives_boolean(code) ? result : convert(result, DType::f32, dtype);
}

bool bits_meet(const std::vector<uint64_t>& columns) {
  uint64_t seen = 0;
  for (uint64_t column : columns) {
    if (seen & column) return true;
    seen |= column;
  }
  return false;
}

namespace {

// Bits [low, high) of the variable, moved to start at bit `to`.
Text moved_bits(const Field& field, int low, int high, int to) {
  Text text = field.variable;
  if (low > 0) text = join(text, "/", {std::to_string(1 << low)}, kProduct);
  if (high < field.bits) text = join(text, "%", {std::to_string(1 << (high - low))}, kProduct);
  if (to > 0) text = join(text, "*", {std::to_string(int64_t{1} << to)}, kProduct);
  return text;
}

}  // namespace

Text linear_index(const std::vector<Field>& fields, const std::vector<uint64_t>& columns) {
  // Input bits whose distance to their output bit is equal and that are neighbours make one term.
  std::vector<Text> terms;
  size_t first = 0;
  for (const Field& field : fields) {
    for (int shift = 63; shift > -64; --shift) {
      for (int low = 0; low < field.bits; ++low) {
        auto hits = [&](int bit) {
          int out = bit + shift;
          return bit < field.bits && out >= 0 && out < 64 && (columns[first + static_cast<size_t>(bit)] >> out & 1);
        };
        if (!hits(low)) continue;
        int high = low + 1;
        while (hits(high)) ++high;
        terms.push_back(moved_bits(field, low, high, low + shift));
        low = high;
      }
    }
    first += static_cast<size_t>(field.bits);
  }
  if (terms.empty()) return {"0"};
  std::reverse(terms.begin(), terms.end());  // the largest stride first
  bool meet = bits_meet(columns);
  if (!meet || terms.size() == 1) {
    Text sum = terms[0];
    for (size_t k = 1; k < terms.size(); ++k) sum = join(sum, "+", terms[k], kSum);
    return sum;
  }
  Text mixed{wrap(terms[0], kSum + 1), kXor};
  for (size_t k = 1; k < terms.size(); ++k) mixed.text += " ^ " + wrap(terms[k], kSum + 1);
  return mixed;
}

}  // namespace hipvault::print
