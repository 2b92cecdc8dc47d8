#include "schedule/row_kernel.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::Reduction;
using ir::Stage;
using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

std::string part_buffer(const RowReduction& reduction, size_t part) {
  return reduction.name() + (part == 0 ? "_parts" : "_parts_at");
}

RowKernel::RowKernel(const Task& task, const RowPattern& pattern, const RowShape& shape, const std::string& name,
                     const Facts& facts)
    : task_(task),
      pattern_(pattern),
      shape_(shape),
      scope_(task, name, shape.waves, facts),
      emit_(scope_, {shape.rows, shape.columns}) {
  row_count_ = product_of(scope_.program(), pattern.rows);
  column_count_ = product_of(scope_.program(), pattern.columns);
  emit_.keep_in_lds(shape.residency == Residency::lds ? std::vector<int32_t>{shape.rows, shape.columns}
                                                      : std::vector<int32_t>{});
}

void RowKernel::declare_results() {
  for (const Stage& stage : scope_.program().stages)
    if (result_tensor(scope_.program(), stage.outputs[0].name) != nullptr)
      scope_.tensor(stage.outputs[0].name, Access::write);
}

// Rows of the work-group, and how many rows and columns there are.
void RowKernel::begin() {
  tile::Builder& b = scope_.b;
  auto count = [&](const std::vector<std::string>& dims) {
    ValueId size = b.integer(1, scope_.index_type());
    for (size_t at = 0; at < dims.size(); ++at)
      size = at == 0 ? scope_.dim(dims[at]).id : b.mul(size, scope_.dim(dims[at]).id);
    return size;
  };
  rows_size_ = count(pattern_.rows);
  columns_size_ = count(pattern_.columns);
  if (shape_.vector > 1) scope_.use_size_multiple(dim_size(scope_.program(), pattern_.columns.back()), shape_.vector);
  if (!scope_.wide()) {
    // Parts are counted too: row * split + part must fit.
    scope_.require(compare(IntExpr::Kind::le, scope_.expanded(row_count_), IntExpr(kNarrowSize / shape_.split)));
    scope_.require(compare(IntExpr::Kind::le, scope_.expanded(column_count_), IntExpr(kNarrowSize)));
    // A row shorter than its parts would start work-groups for nothing: 1009 rows of 31 columns in 256 parts, 258,304.
    if (shape_.split > 1)
      scope_.require(compare(IntExpr::Kind::ge, scope_.expanded(column_count_), IntExpr(shape_.split)));
  }
  ValueId first = b.mul(b.cast(b.program_id(0), scope_.index_type()), b.integer(shape_.rows));
  row_ = shape_.rows == 1 ? b.expand_dims(b.expand_dims(first, 0), 0)
                          : b.add(first, b.cast(b.range_along(shape_.rows, 0, 2), scope_.index_type()));
  b.name(row_, "row");
  IntExpr rows = scope_.expanded(row_count_);
  bool even = rows.kind() == IntExpr::Kind::constant && rows.value() % shape_.rows == 0;
  if (shape_.rows > 1 && !even) row_mask_ = b.name(b.lt(row_, rows_size_), "row_inside");
  if (!pattern_.rows.empty()) emit_.bind_linear(row_env_, pattern_.rows, {row_, ValueType::integer});
}

// Columns are dealt out in whole tiles, so that every part starts aligned.
RowKernel::Span RowKernel::span() {
  tile::Builder& b = scope_.b;
  Value high{columns_size_, ValueType::integer, 0, kNarrowSize};
  if (shape_.split == 1) return {emit_.integer(0), high};
  ValueId step = b.integer(shape_.split * shape_.columns, scope_.index_type());
  ValueId tiles = b.binary(OpCode::floordiv, b.add(columns_size_, b.sub(step, b.integer(1))), step);
  ValueId low = b.mul(b.mul(b.cast(b.program_id(1), scope_.index_type()), tiles), b.integer(shape_.columns));
  ValueId end = b.add(low, b.mul(tiles, b.integer(shape_.columns)));
  return {{b.name(low, "first_column"), ValueType::integer, 0, kNarrowSize},
          {b.binary(OpCode::minimum, end, columns_size_), ValueType::integer, 0, kNarrowSize}};
}

Env RowKernel::columns_at(ValueId first) {
  tile::Builder& b = scope_.b;
  Env env = row_env_;
  ValueId lane = b.cast(b.range_along(shape_.columns, 1, 2), scope_.index_type());
  column_ = {b.name(first < 0 ? lane : b.add(first, lane), "column"), ValueType::integer, 0, kNarrowSize};
  emit_.bind_linear(env, pattern_.columns, column_);
  if (pattern_.columns.size() > 1 && shape_.vector > 1) emit_.set_collapsed(env, pattern_.columns, column_);
  emit_.set_fast(column_, shape_.vector);
  return env;
}

ValueId RowKernel::column_mask() {
  auto known = column_masks_.find(column_.id);
  if (known != column_masks_.end()) return known->second;
  IntExpr columns = scope_.expanded(column_count_);
  bool exact = columns.kind() == IntExpr::Kind::constant && columns.value() % shape_.columns == 0 && shape_.split == 1;
  if (exact && columns.value() > 0) return row_mask_;
  ValueId inside = scope_.b.name(scope_.b.lt(column_.id, columns_size_), "column_inside");
  return column_masks_[column_.id] = emit_.all_of(row_mask_, inside);
}

Env RowKernel::env_for(const Stage& stage, const Env& env) const {
  Env renamed = env;
  for (size_t at = 0; at < pattern_.columns.size(); ++at)
    if (!env.contains(stage.value->dims[at])) renamed[stage.value->dims[at]] = env.at(pattern_.columns[at]);
  return renamed;
}

// ---- reductions
// ----------------------------------------------------------------------------------------------------------

ValueType RowKernel::body_type(const RowReduction& reduction) const {
  const ir::Expr& value = *reduction.stage->value;
  ValueType type = value.args[0]->type;
  if (!is_arg(value.reduction))
    return value.reduction == Reduction::max || value.reduction == Reduction::min ? type : value.type;
  return std::max(type, ValueType::integer);
}

DType RowKernel::part_type(const RowReduction& reduction) const {
  return emit_.accumulator(reduction.stage->value->reduction, body_type(reduction));
}

ValueId RowKernel::spread(ValueId value, const std::vector<int32_t>& shape) {
  const std::vector<int32_t>& have = scope_.b.type(value).shape;
  if (have == shape) return value;
  return have.empty() ? scope_.b.full(value, shape) : scope_.b.broadcast(value, shape);
}

// The position that arg* reports: row-major over the dimensions as the reduction names them.
ValueId RowKernel::column_number(const Env& env, const Stage& stage) {
  std::vector<IntExpr> extents;
  std::vector<Value> at;
  for (const std::string& dim : stage.value->dims)
    extents.push_back(dim_size(scope_.program(), dim)), at.push_back(env.at(dim));
  return stage.value->dims == pattern_.columns ? column_.id : emit_.row_major(extents, at);
}

// [R,C] values of the reduction's body, the identity outside the row.
RowKernel::Parts RowKernel::body_parts(const RowReduction& reduction, const Env& env) {
  tile::Builder& b = scope_.b;
  const ir::Expr& reduce = *reduction.stage->value;
  std::vector<int32_t> tile = {shape_.rows, shape_.columns};
  Env own = env_for(*reduction.stage, env);
  ValueId mask = column_mask();
  Value value = emit_.convert(emit_.eval(reduce.args[0], own, mask), body_type(reduction));
  Parts parts = {spread(b.cast(value.id, part_type(reduction)), tile)};
  if (is_arg(reduce.reduction)) parts.push_back(spread(column_number(own, *reduction.stage), tile));
  if (mask == kNoMask) return parts;
  Parts outside = identity_parts(scope_, reduce.reduction, part_type(reduction), {});
  for (size_t at = 0; at < parts.size(); ++at) parts[at] = b.select(mask, parts[at], outside[at]);
  return parts;
}

void RowKernel::bind_reduction(const RowReduction& reduction, const Parts& row_parts) {
  tile::Builder& b = scope_.b;
  const ir::Expr& reduce = *reduction.stage->value;
  current_[reduction.name()] = row_parts;
  if (is_arg(reduce.reduction))
    return emit_.bind_value(reduction.name(), {row_parts[1], ValueType::integer, 0, kNarrowSize});
  ValueId value = row_parts[0];
  if (reduce.type == ValueType::real) value = b.cast(value, scope_.real());
  Value bound{b.name(value, clean_name(reduction.name())), body_type(reduction), INT64_MIN, INT64_MAX};
  bound = emit_.convert(bound, reduction.stage->outputs[0].type);
  if (reduction.stage->outputs[0].dtype) bound = emit_.rounded(bound, *reduction.stage->outputs[0].dtype);
  emit_.bind_value(reduction.name(), bound);
}

void RowKernel::reduce_resident(const RowReduction& reduction, const Env& env) {
  Parts parts = body_parts(reduction, env);
  bind_reduction(reduction, reduce_parts(scope_, reduction.stage->value->reduction, parts, 1));
  emit_.forget_large();
}

// One pass over the columns for all reductions of a level; elements add up in place, lanes meet at the end.
void RowKernel::reduce_looping(int level) {
  std::vector<const RowReduction*> mine;
  std::vector<ValueId> carried;
  std::vector<int32_t> tile = {shape_.rows, shape_.columns};
  for (const RowReduction& reduction : pattern_.reductions) {
    if (reduction.level != level) continue;
    mine.push_back(&reduction);
    for (ValueId part : identity_parts(scope_, reduction.stage->value->reduction, part_type(reduction), tile))
      carried.push_back(part);
  }
  Span columns = span();
  std::vector<ValueId> sums = emit_.loop(
      columns.low, columns.high, shape_.columns, carried, [&](Value first, const std::vector<ValueId>& sofar) {
        Env env = columns_at(first.id);
        std::vector<ValueId> next;
        for (const RowReduction* reduction : mine) {
          Parts parts = body_parts(*reduction, env);
          Parts before(sofar.begin() + static_cast<long>(next.size()),
                       sofar.begin() + static_cast<long>(next.size() + parts.size()));
          for (ValueId part : combine_parts(scope_, reduction->stage->value->reduction, before, parts))
            next.push_back(part);
        }
        return next;
      });
  size_t at = 0;
  for (const RowReduction* reduction : mine) {
    size_t count = is_arg(reduction->stage->value->reduction) ? 2 : 1;
    Parts parts(sums.begin() + static_cast<long>(at), sums.begin() + static_cast<long>(at + count));
    bind_reduction(*reduction, reduce_parts(scope_, reduction->stage->value->reduction, parts, 1));
    at += count;
  }
}

// ---- parts in the workspace
// ----------------------------------------------------------------------------------------------

void RowKernel::store_parts(const RowReduction& reduction, const Parts& row_parts) {
  tile::Builder& b = scope_.b;
  ValueId part = b.cast(b.program_id(1), scope_.index_type());
  ValueId offset = b.add(b.mul(row_, b.integer(shape_.split)), part);
  for (size_t at = 0; at < row_parts.size(); ++at) {
    int buffer = scope_.workspace(part_buffer(reduction, at), b.type(row_parts[at]).dtype, Access::write);
    b.store(buffer, offset, row_parts[at], row_mask_);
  }
}

void RowKernel::combine_stored(int below) {
  tile::Builder& b = scope_.b;
  ValueId lane = b.cast(b.range_along(static_cast<int32_t>(shape_.split), 1, 2), scope_.index_type());
  for (const RowReduction& reduction : pattern_.reductions) {
    if (reduction.level >= below) continue;
    ValueId offset = b.add(b.mul(row_, b.integer(shape_.split)), lane);
    Reduction kind = reduction.stage->value->reduction;
    std::vector<DType> types = {part_type(reduction), position_type(scope_)};
    Parts outside = identity_parts(scope_, kind, part_type(reduction), {}), parts;
    for (size_t at = 0; at < outside.size(); ++at) {
      int buffer = scope_.workspace(part_buffer(reduction, at), types[at], Access::read);
      parts.push_back(b.load(buffer, offset, row_mask_));
    }
    bind_reduction(reduction, reduce_parts(scope_, kind, parts, 1));
  }
}

// ---- results
// -------------------------------------------------------------------------------------------------------------

void RowKernel::store_full(const Env& env) {
  ValueId mask = column_mask();
  for (const Stage* stage : pattern_.full_results) {
    const ir::Output& output = stage->outputs[0];
    Value value = emit_.convert(emit_.eval(stage->value, env, mask), output.type);
    std::vector<Value> at;
    for (const std::string& dim : output.dims) at.push_back(env.at(dim));
    emit_.store_tensor(output.name, at, value, mask);
  }
}

void RowKernel::store_row_values() {
  tile::Builder& b = scope_.b;
  ValueId mask = row_mask_;
  if (shape_.split > 1 && !pattern_.full_results.empty())
    mask = emit_.all_of(mask, b.full(b.binary(OpCode::eq, b.program_id(1), b.integer(0)), {shape_.rows, 1}));
  auto store = [&](const ir::Output& output, Value value) {
    std::vector<Value> at;
    for (const std::string& dim : output.dims) at.push_back(row_env_.at(dim));
    value.id = spread(value.id, {shape_.rows, 1});
    emit_.store_tensor(output.name, at, value, mask);
  };
  for (const RowReduction& reduction : pattern_.reductions) {
    const ir::Output& output = reduction.stage->outputs[0];
    if (result_tensor(scope_.program(), output.name) != nullptr) store(output, emit_.bound(output.name));
  }
  emit_.set_fast({}, 1);
  for (const Stage* stage : pattern_.row_results) {
    const ir::Output& output = stage->outputs[0];
    store(output, emit_.convert(emit_.eval(stage->value, row_env_, row_mask_), output.type));
  }
}

BuiltKernel RowKernel::finish(const IntExpr& groups_y) {
  return scope_.finish({cdiv(row_count_, IntExpr(shape_.rows)), groups_y, IntExpr(1)});
}

BuiltKernel RowKernel::build_whole() {
  declare_results();
  begin();
  if (shape_.residency == Residency::reread) {
    for (int level = 0; level < pattern_.levels; ++level) reduce_looping(level);
  } else {
    scope_.require(compare(IntExpr::Kind::le, scope_.expanded(column_count_), IntExpr(shape_.columns)));
    Env env = columns_at(-1);
    for (const RowReduction& reduction : pattern_.reductions) reduce_resident(reduction, env);
    if (!pattern_.full_results.empty()) store_full(env);
  }
  if (!pattern_.full_results.empty() && shape_.residency == Residency::reread) {
    Span columns = span();
    emit_.loop(columns.low, columns.high, shape_.columns, {}, [&](Value first, const std::vector<ValueId>&) {
      store_full(columns_at(first.id));
      return std::vector<ValueId>{};
    });
  }
  store_row_values();
  return finish(IntExpr(1));
}

BuiltKernel RowKernel::build_level(int level) {
  begin();
  combine_stored(level);
  reduce_looping(level);
  for (const RowReduction& reduction : pattern_.reductions)
    if (reduction.level == level) store_parts(reduction, current_.at(reduction.name()));
  return finish(IntExpr(shape_.split));
}

BuiltKernel RowKernel::build_results() {
  declare_results();
  begin();
  combine_stored(pattern_.levels);
  if (!pattern_.full_results.empty()) {
    Span columns = span();
    emit_.loop(columns.low, columns.high, shape_.columns, {}, [&](Value first, const std::vector<ValueId>&) {
      store_full(columns_at(first.id));
      return std::vector<ValueId>{};
    });
  }
  store_row_values();
  return finish(IntExpr(pattern_.full_results.empty() ? 1 : shape_.split));
}

}  // namespace hipvault::schedule
