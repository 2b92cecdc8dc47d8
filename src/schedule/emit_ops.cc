// Scalar operations: reals in the scope's real type, integers in 32 bits where their bounds allow it and 64 otherwise.
// Operations of both IRs have the same names, so one look-up serves all that mean the same.

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "schedule/emit.h"

namespace hipvault::schedule {

using ir::Expr;
using ir::Op;
using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

namespace {

// ---- bounds of integers, saturating
// --------------------------------------------------------------------------------------

struct Bounds {
  int64_t low, high;
};

int64_t saturated(__int128 value) {
  return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : static_cast<int64_t>(value);
}
bool fits_32(Bounds bounds) { return bounds.low >= INT32_MIN && bounds.high <= INT32_MAX; }

Bounds product(Bounds a, Bounds b) {
  __int128 corners[] = {__int128{a.low} * b.low, __int128{a.low} * b.high, __int128{a.high} * b.low,
                        __int128{a.high} * b.high};
  return {saturated(*std::min_element(corners, corners + 4)), saturated(*std::max_element(corners, corners + 4))};
}

// All bits up to the highest that either may have.
int64_t bit_ceiling(int64_t a, int64_t b) {
  uint64_t high = static_cast<uint64_t>(std::max(a, b));
  return high == 0 ? 0 : static_cast<int64_t>(UINT64_MAX >> std::countl_zero(high));
}

Bounds bounds_of(Op op, Bounds a, Bounds b) {
  constexpr Bounds kAll{INT64_MIN, INT64_MAX};
  bool positive = a.low >= 0 && b.low >= 0;
  switch (op) {
    case Op::add:
      return {saturated(__int128{a.low} + b.low), saturated(__int128{a.high} + b.high)};
    case Op::sub:
      return {saturated(__int128{a.low} - b.high), saturated(__int128{a.high} - b.low)};
    case Op::mul:
      return product(a, b);
    case Op::floordiv:
      if (b.low < 1) return kAll;
      return {a.low < 0 ? a.low : a.low / b.high, a.high > 0 ? a.high / b.low : a.high < 0 ? -1 : 0};
    case Op::mod:
      if (b.low < 1) return kAll;
      return {0, positive ? std::min(a.high, b.high - 1) : b.high - 1};
    case Op::minimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::maximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::bit_and:
      if (a.low >= 0 || b.low >= 0) return {0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
      return kAll;
    case Op::bit_or:
    case Op::bit_xor:
      return positive ? Bounds{0, bit_ceiling(a.high, b.high)} : kAll;
    case Op::shift_left:
      if (b.low < 0 || b.high > 62) return kAll;
      return product(a, {int64_t{1} << b.low, int64_t{1} << b.high});
    case Op::shift_right:
      if (b.low < 0 || b.high > 63) return kAll;
      return {std::min<int64_t>(a.low, 0), std::max<int64_t>(a.high, 0)};
    default:
      return kAll;
  }
}

bool is_compare(Op op) { return op >= Op::lt && op <= Op::ne; }

OpCode tile_op(Op op) {
  std::optional<OpCode> code = tile::op_by_name(ir::op_name(op));
  CHECK(code.has_value()) << "no tile operation for " << ir::op_name(op);
  return *code;
}

Bounds bounds_of(DType dtype) {
  const DTypeInfo& row = info(dtype);
  if (row.bits >= 64) return {row.is_signed ? INT64_MIN : 0, INT64_MAX};
  int64_t span = int64_t{1} << (row.is_signed ? row.bits - 1 : row.bits);
  return {row.is_signed ? -span : 0, span - 1};
}

}  // namespace

// ---- conversions
// ---------------------------------------------------------------------------------------------------------

Value Emitter::integer(int64_t value) {
  DType dtype = fits_32({value, value}) ? DType::i32 : DType::i64;
  return {scope_.b.integer(value, dtype), ValueType::integer, value, value};
}

Value Emitter::convert(Value value, ValueType type) {
  if (value.type == type) return value;
  tile::Builder& b = scope_.b;
  if (type == ValueType::real && value.type == ValueType::boolean)
    return {b.select(value.id, b.constant(1, real_dtype()), b.constant(0, real_dtype())), type};
  if (type == ValueType::real) return {b.cast(value.id, real_dtype()), type};
  if (type == ValueType::integer && value.type == ValueType::boolean)
    return {b.select(value.id, b.integer(1), b.integer(0)), type, 0, 1};
  if (type == ValueType::integer) return {b.cast(value.id, DType::i64), type, INT64_MIN, INT64_MAX};
  ValueId zero = value.type == ValueType::real ? b.constant(0, real_dtype()) : b.integer(0);
  return {b.binary(OpCode::ne, value.id, zero), type};
}

Value Emitter::rounded(Value value, DType dtype) { return convert(cast_to(dtype, value), ir::type_of(dtype)); }

Value Emitter::cast_to(DType dtype, Value value) {
  ValueType type = ir::type_of(dtype);
  tile::Builder& b = scope_.b;
  if (type == ValueType::boolean) return convert(value, type);
  if (type == ValueType::real) {
    Value real = convert(value, ValueType::real);
    if (dtype == DType::f4) return f4_value(f4_bits(real));
    if (info(dtype).bits >= info(real_dtype()).bits) return real;
    return {b.cast(b.cast(real.id, dtype), real_dtype()), type};
  }
  Bounds bounds = bounds_of(dtype);
  DType held = fits_32(bounds) ? DType::i32 : DType::i64;
  if (value.type == ValueType::real) return {b.cast(value.id, held), type, bounds.low, bounds.high};
  Value whole = convert(value, type);
  whole.low = std::max(whole.low, bounds.low);
  whole.high = std::min(whole.high, bounds.high);
  return whole;
}

// ---- memory formats
// ------------------------------------------------------------------------------------------------------

Value Emitter::decode(ValueId loaded, DType dtype) {
  tile::Builder& b = scope_.b;
  if (dtype == DType::boolean) return {loaded, ValueType::boolean};
  if (is_float(dtype)) return {b.cast(loaded, real_dtype()), ValueType::real};
  Bounds bounds = bounds_of(dtype);
  return {b.cast(loaded, fits_32(bounds) ? DType::i32 : DType::i64), ValueType::integer, bounds.low, bounds.high};
}

// The low nibble is the even element.
Value Emitter::nibble(ValueId byte, ValueId offset, DType dtype) {
  tile::Builder& b = scope_.b;
  auto number = [&](int64_t value) { return b.integer(value, DType::i32); };
  ValueId odd = b.binary(OpCode::bit_and, b.cast(offset, DType::i32), number(1));
  ValueId bits = b.binary(OpCode::shift_right, b.cast(byte, DType::i32), b.mul(odd, number(4)));
  bits = b.binary(OpCode::bit_and, bits, number(15));
  if (dtype == DType::u4) return {bits, ValueType::integer, 0, 15};
  if (dtype == DType::i4)
    return {b.sub(b.binary(OpCode::bit_xor, bits, number(8)), number(8)), ValueType::integer, -8, 7};
  return f4_value(bits);
}

// f4 is e2m1: twice its magnitude is m for exponent 0 and (2 + m) << (e - 1) else.
Value Emitter::f4_value(ValueId bits) {
  tile::Builder& b = scope_.b;
  auto number = [&](int64_t value) { return b.integer(value, DType::i32); };
  ValueId exponent = b.binary(OpCode::bit_and, b.binary(OpCode::shift_right, bits, number(1)), number(3));
  ValueId fraction = b.binary(OpCode::bit_and, bits, number(1));
  ValueId shift = b.binary(OpCode::maximum, b.sub(exponent, number(1)), number(0));
  ValueId normal = b.binary(OpCode::shift_left, b.add(fraction, number(2)), shift);
  ValueId twice = b.select(b.binary(OpCode::eq, exponent, number(0)), fraction, normal);
  ValueId real = b.mul(b.cast(twice, real_dtype()), b.constant(0.5, real_dtype()));
  ValueId negative = b.binary(OpCode::ge, bits, number(8));
  return {b.select(negative, b.unary(OpCode::neg, real), real), ValueType::real};
}

// The magnitudes 0 .5 1 1.5 2 3 4 6 are counted by the midpoints below them; ties go to the even code. NaN gives 0.
ValueId Emitter::f4_bits(Value value) {
  tile::Builder& b = scope_.b;
  Value real = convert(value, ValueType::real);
  ValueId magnitude = b.unary(OpCode::abs, real.id), bits = b.integer(0, DType::i32);
  constexpr double kMidpoints[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
  for (int at = 0; at < 7; ++at) {
    ValueId above =
        b.binary(at % 2 == 0 ? OpCode::gt : OpCode::ge, magnitude, b.constant(kMidpoints[at], real_dtype()));
    bits = b.add(bits, b.select(above, b.integer(1), b.integer(0)));
  }
  ValueId negative = b.lt(real.id, b.constant(0, real_dtype()));
  return b.add(bits, b.select(negative, b.integer(8), b.integer(0)));
}

ValueId Emitter::nibble_bits(Value value, DType dtype) {
  if (dtype == DType::f4) return f4_bits(value);
  Value whole = convert(value, ValueType::integer);
  return scope_.b.binary(OpCode::bit_and, scope_.b.cast(whole.id, DType::i32), scope_.b.integer(15));
}

ValueId Emitter::encode(Value value, DType dtype) {
  Value typed = convert(value, ir::type_of(dtype));
  return scope_.b.cast(typed.id, dtype);
}

// ---- operations
// ----------------------------------------------------------------------------------------------------------

// A quotient by zero is undefined behaviour that a compiler may use against the lanes that do not divide by zero.
ValueId Emitter::nonzero_divisor(Value divisor) {
  if (divisor.low > 0 || divisor.high < 0) return divisor.id;
  tile::Builder& b = scope_.b;
  ValueId one = b.integer(1, b.type(divisor.id).dtype);
  return b.select(b.binary(OpCode::eq, divisor.id, b.integer(0)), one, divisor.id);
}

Value Emitter::integer_op(const Expr& expr, Value x, Value y) {
  tile::Builder& b = scope_.b;
  Bounds bounds = bounds_of(expr.op, {x.low, x.high}, {y.low, y.high});
  bool wide = b.type(x.id).dtype == DType::i64 || b.type(y.id).dtype == DType::i64;
  if (!is_compare(expr.op)) wide |= !fits_32(bounds);
  if (expr.op == Op::floordiv || expr.op == Op::mod) y.id = nonzero_divisor(y);
  DType dtype = wide ? DType::i64 : DType::i32;
  ValueId result = b.binary(tile_op(expr.op), b.cast(x.id, dtype), b.cast(y.id, dtype));
  if (is_compare(expr.op)) return {result, ValueType::boolean};
  return {result, ValueType::integer, bounds.low, bounds.high};
}

// x ** n by squaring for a constant n; else in 64-bit integers.
Value Emitter::integer_power(const Expr& expr, Value base) {
  Value result = integer(1);
  Expr multiply = expr;
  multiply.op = Op::mul;
  for (int64_t rest = expr.args[1]->integer; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = integer_op(multiply, result, base);
    if (rest > 1) base = integer_op(multiply, base, base);
  }
  return result;
}

// The decision `math fast`. exp(x) = 2^(x log2 e) is off by |x| roundings, which is what a difference x = a - max is
// off by anyway, and costs 2 instructions instead of about 10; any other argument (a sigmoid's) would lose digits it
// has. A division costs 2 instead of about 10. The judge's bounds decide whether an op can afford them.
std::optional<ValueId> Emitter::compute_fast(const Expr& expr, const std::vector<Value>& args) {
  constexpr double kLog2E = 1.4426950408889634;
  tile::Builder& b = scope_.b;
  if (!scope_.fast_math() || real_dtype() != DType::f32) return std::nullopt;
  if (expr.op == Op::exp && expr.args[0]->op == Op::sub)
    return b.unary(OpCode::exp2_flush, b.mul(args[0].id, b.constant(kLog2E)));
  if (expr.op == Op::exp2) return b.unary(OpCode::exp2_flush, args[0].id);
  if (expr.op == Op::div) return b.mul(args[0].id, b.unary(OpCode::rcp, args[1].id));
  return std::nullopt;
}

Value Emitter::compute_op(const Expr& expr, const std::vector<Value>& args) {
  tile::Builder& b = scope_.b;
  if (expr.op == Op::random || expr.op == Op::uniform) return compute_random(expr, args[0], args[1]);
  if (expr.op == Op::logical_not) return {b.unary(OpCode::bit_not, convert(args[0], ValueType::boolean).id), expr.type};
  ValueType joined = ValueType::integer;
  for (const Value& arg : args) joined = std::max(joined, arg.type);
  if (expr.type == ValueType::real) joined = ValueType::real;
  std::vector<Value> same;
  for (const Value& arg : args) same.push_back(convert(arg, joined));
  if (args.size() == 1 && (expr.op == Op::isnan || expr.op == Op::isinf))
    return joined == ValueType::real ? Value{b.unary(tile_op(expr.op), same[0].id), expr.type}
                                     : Value{b.boolean(false), expr.type};
  if (args.size() == 1 && joined == ValueType::integer) {
    Expr negation = expr;
    negation.op = Op::sub;
    if (expr.op == Op::neg) return integer_op(negation, integer(0), same[0]);
    CHECK(expr.op == Op::abs || expr.op == Op::sign) << ir::op_name(expr.op) << " of an integer";
    int64_t high = std::max(same[0].high, saturated(-__int128{same[0].low}));
    return {b.unary(tile_op(expr.op), same[0].id), ValueType::integer, expr.op == Op::sign ? -1 : 0,
            expr.op == Op::sign ? 1 : high};
  }
  if (joined == ValueType::real)
    if (std::optional<ValueId> fast = compute_fast(expr, same)) return {*fast, expr.type};
  if (args.size() == 1) return {b.unary(tile_op(expr.op), same[0].id), ValueType::real};
  if (joined == ValueType::integer && expr.op == Op::pow && expr.args[1]->op == Op::number &&
      expr.args[1]->integer >= 0)
    return integer_power(expr, same[0]);
  if (joined == ValueType::integer) return convert(integer_op(expr, same[0], same[1]), expr.type);
  if (expr.op == Op::pow && expr.args[1]->op == Op::number &&
      (expr.args[1]->type == ValueType::real ? expr.args[1]->number : static_cast<double>(expr.args[1]->integer)) == 2)
    return {b.mul(same[0].id, same[0].id), ValueType::real};
  return {b.binary(tile_op(expr.op), same[0].id, same[1].id), expr.type};
}

// Philox4x32-10 (Salmon et al. 2011), word 0, key = seed, counter = (c, 0).
Value Emitter::compute_random(const Expr& expr, Value seed, Value counter) {
  tile::Builder& b = scope_.b;
  auto half = [&](Value value, int shift) {
    ValueId wide = b.cast(value.id, DType::i64);
    if (shift > 0) wide = b.binary(OpCode::shift_right, wide, b.integer(shift, DType::i64));
    return b.cast(b.binary(OpCode::bit_and, wide, b.integer(0xffffffff, DType::i64)), DType::u32);
  };
  auto word = [&](uint32_t value) { return b.integer(value, DType::u32); };
  ValueId key[2] = {half(convert(seed, ValueType::integer), 0), half(convert(seed, ValueType::integer), 32)};
  Value c = convert(counter, ValueType::integer);
  ValueId x[4] = {half(c, 0), half(c, 32), word(0), word(0)};
  for (int round = 0; round < 10; ++round) {
    ValueId high0 = b.binary(OpCode::mul_high_u32, x[0], word(0xD2511F53)), low0 = b.mul(x[0], word(0xD2511F53));
    ValueId high1 = b.binary(OpCode::mul_high_u32, x[2], word(0xCD9E8D57)), low1 = b.mul(x[2], word(0xCD9E8D57));
    ValueId next0 = b.binary(OpCode::bit_xor, b.binary(OpCode::bit_xor, high1, x[1]), key[0]);
    ValueId next2 = b.binary(OpCode::bit_xor, b.binary(OpCode::bit_xor, high0, x[3]), key[1]);
    x[0] = next0, x[1] = low1, x[2] = next2, x[3] = low0;
    key[0] = b.add(key[0], word(0x9E3779B9)), key[1] = b.add(key[1], word(0xBB67AE85));
  }
  if (expr.op == Op::random) return {b.cast(x[0], DType::i64), ValueType::integer, 0, 0xffffffff};
  ValueId top = b.cast(b.binary(OpCode::shift_right, x[0], word(8)), DType::i32);
  return {b.mul(b.cast(top, real_dtype()), b.constant(0x1p-24, real_dtype())), ValueType::real};
}

}  // namespace hipvault::schedule
