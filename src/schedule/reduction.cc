// Reductions in parts. A part list is {value}, or {value, position} for argmax and argmin; combining is associative and
// prefers the first NaN, then the better value, then the lower position, so it serves in a loop, across lanes and
// across work-groups alike.

#include <limits>

#include "base/check.h"
#include "schedule/emit.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::Reduction;
using ir::ValueType;
using tile::Kind;
using tile::OpCode;
using tile::ValueId;

bool is_arg(Reduction reduction) { return reduction == Reduction::argmax || reduction == Reduction::argmin; }

DType position_type(const KernelScope& scope) { return scope.index_type(); }

namespace {

struct Row {
  Reduction reduction;
  OpCode combine, combine_bool;
  Kind kind, kind_bool;
  double identity;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Row kRows[] = {
    {Reduction::sum, OpCode::add, OpCode::add, Kind::sum, Kind::sum, 0},
    {Reduction::mean, OpCode::add, OpCode::add, Kind::sum, Kind::sum, 0},
    {Reduction::prod, OpCode::mul, OpCode::mul, Kind::prod, Kind::prod, 1},
    {Reduction::max, OpCode::maximum, OpCode::bit_or, Kind::max, Kind::logical_or, -kInfinity},
    {Reduction::min, OpCode::minimum, OpCode::bit_and, Kind::min, Kind::logical_and, kInfinity},
    {Reduction::any, OpCode::bit_or, OpCode::bit_or, Kind::logical_or, Kind::logical_or, 0},
    {Reduction::all, OpCode::bit_and, OpCode::bit_and, Kind::logical_and, Kind::logical_and, 1},
    {Reduction::argmax, OpCode::maximum, OpCode::bit_or, Kind::argmax, Kind::argmax, -kInfinity},
    {Reduction::argmin, OpCode::minimum, OpCode::bit_and, Kind::argmin, Kind::argmin, kInfinity},
};

const Row& row(Reduction reduction) {
  for (const Row& row : kRows)
    if (row.reduction == reduction) return row;
  CHECK(false) << "no row for a reduction";
  return kRows[0];
}

int64_t integer_identity(double identity, DType dtype) {
  if (identity == kInfinity) return dtype == DType::i32 ? INT32_MAX : INT64_MAX;
  if (identity == -kInfinity) return dtype == DType::i32 ? INT32_MIN : INT64_MIN;
  return static_cast<int64_t>(identity);
}

ValueId is_nan(tile::Builder& b, ValueId value) {
  return is_float(b.type(value).dtype) ? b.unary(OpCode::isnan, value) : -1;
}

// Whether part list a is to be kept rather than b.
ValueId better(tile::Builder& b, bool largest, const std::vector<ValueId>& x, const std::vector<ValueId>& y) {
  ValueId wins = b.binary(largest ? OpCode::gt : OpCode::lt, x[0], y[0]);
  ValueId tie = b.binary(OpCode::eq, x[0], y[0]);
  ValueId nan_x = is_nan(b, x[0]), nan_y = is_nan(b, y[0]);
  if (nan_x >= 0) {
    wins = b.binary(OpCode::bit_or, wins, b.logical_and(nan_x, b.unary(OpCode::bit_not, nan_y)));
    tie = b.binary(OpCode::bit_or, tie, b.logical_and(nan_x, nan_y));
  }
  return b.binary(OpCode::bit_or, wins, b.logical_and(tie, b.lt(x[1], y[1])));
}

}  // namespace

std::vector<ValueId> identity_parts(KernelScope& scope, Reduction reduction, DType dtype,
                                    const std::vector<int32_t>& shape) {
  tile::Builder& b = scope.b;
  double identity = row(reduction).identity;
  if (dtype == DType::boolean) identity = identity > 0 ? 1 : 0;
  ValueId value = is_float(dtype) ? b.constant(identity, dtype) : b.integer(integer_identity(identity, dtype), dtype);
  std::vector<ValueId> parts = {shape.empty() ? value : b.full(value, shape)};
  if (!is_arg(reduction)) return parts;
  DType positions = position_type(scope);
  ValueId last = b.integer(positions == DType::i32 ? INT32_MAX : INT64_MAX, positions);
  parts.push_back(shape.empty() ? last : b.full(last, shape));
  return parts;
}

std::vector<ValueId> combine_parts(KernelScope& scope, Reduction reduction, const std::vector<ValueId>& x,
                                   const std::vector<ValueId>& y) {
  tile::Builder& b = scope.b;
  if (is_arg(reduction)) {
    ValueId keep = better(b, reduction == Reduction::argmax, x, y);
    return {b.select(keep, x[0], y[0]), b.select(keep, x[1], y[1])};
  }
  bool truth = b.type(x[0]).dtype == DType::boolean;
  return {b.binary(truth ? row(reduction).combine_bool : row(reduction).combine, x[0], y[0])};
}

std::vector<ValueId> reduce_parts(KernelScope& scope, Reduction reduction, const std::vector<ValueId>& parts,
                                  int axis) {
  tile::Builder& b = scope.b;
  bool truth = b.type(parts[0]).dtype == DType::boolean;
  Kind kind = truth ? row(reduction).kind_bool : row(reduction).kind;
  if (!is_arg(reduction)) return {b.expand_dims(b.reduce(kind, parts[0], axis), axis)};
  auto [value, position] = b.arg_reduce(kind, parts[0], parts[1], axis);
  return {b.expand_dims(value, axis), b.expand_dims(position, axis)};
}

DType Emitter::accumulator(Reduction reduction, ValueType type) const {
  if (type == ValueType::boolean) return DType::boolean;
  bool adds = reduction == Reduction::sum || reduction == Reduction::prod || reduction == Reduction::mean;
  if (type == ValueType::integer) return DType::i64;
  return adds && wide_sums_ ? DType::f64 : scope_.real();
}

// A reduction inside an expression: a loop in every lane.
Value Emitter::compute_reduce(const ir::Expr& expr, const Env& env, ValueId mask) {
  ValueType type = expr.args[0]->type;
  if (expr.reduction == Reduction::sum || expr.reduction == Reduction::prod || expr.reduction == Reduction::mean ||
      expr.reduction == Reduction::any || expr.reduction == Reduction::all)
    type = expr.reduction == Reduction::mean ? ValueType::real : expr.type;
  else if (is_arg(expr.reduction) && type == ValueType::boolean)
    type = ValueType::integer;
  DType dtype = accumulator(expr.reduction, type);
  std::vector<ValueId> start = identity_parts(scope_, expr.reduction, dtype, shape_);
  std::vector<ValueId> parts =
      loop_over(expr.dims, env, start, [&](const Env& inner, const std::vector<ValueId>& sofar) {
        std::vector<ValueId> next = {scope_.b.cast(convert(eval(expr.args[0], inner, mask), type).id, dtype)};
        if (is_arg(expr.reduction)) {
          std::vector<IntExpr> extents;
          std::vector<Value> at;
          for (const std::string& dim : expr.dims)
            extents.push_back(dim_size(scope_.program(), dim)), at.push_back(inner.at(dim));
          next.push_back(row_major(extents, at));
        }
        return combine_parts(scope_, expr.reduction, sofar, next);
      });
  if (is_arg(expr.reduction)) return {parts[1], ValueType::integer, 0, scope_.wide() ? kWideSize : INT32_MAX};
  Value value{type == ValueType::real ? scope_.b.cast(parts[0], scope_.real()) : parts[0], type, INT64_MIN, INT64_MAX};
  if (expr.reduction != Reduction::mean) return convert(value, expr.type);
  for (const std::string& dim : expr.dims)
    value.id = scope_.b.binary(OpCode::div, value.id, convert(scope_.dim(dim), ValueType::real).id);
  return value;
}

}  // namespace hipvault::schedule
