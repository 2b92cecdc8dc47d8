#include "tile/builder.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace hipvault::tile {
namespace {

bool is_comparison(OpCode code) {
  return code == OpCode::lt || code == OpCode::le || code == OpCode::gt || code == OpCode::ge || code == OpCode::eq ||
         code == OpCode::ne;
}
bool is_test(OpCode code) { return code == OpCode::isnan || code == OpCode::isinf; }
bool is_plain_integer(DType dtype) { return !is_float(dtype) && dtype != DType::boolean && dtype != DType::e8m0; }

Attrs axis_attrs(int axis) {
  Attrs attrs;
  attrs.axis = axis;
  return attrs;
}

}  // namespace

Builder::Builder(std::string kernel_name, int waves, int wave_size) {
  CHECK(waves >= 1 && (waves & (waves - 1)) == 0) << "waves must be a power of two, not " << waves;
  kernel_.name = std::move(kernel_name);
  kernel_.waves = waves;
  kernel_.wave_size = wave_size;
  blocks_.push_back(&kernel_.body);
}

// ---- emission
// ----------------------------------------------------------------------------------------------------------

ValueId Builder::new_value(const Type& type) {
  kernel_.values.push_back(ValueInfo{type, "", std::nullopt});
  return static_cast<ValueId>(kernel_.values.size()) - 1;
}

std::vector<ValueId> Builder::emit_many(OpCode code, std::vector<ValueId> operands, const std::vector<Type>& types,
                                        Attrs attrs, std::vector<Block> regions) {
  Operation op;
  op.code = code;
  op.operands = std::move(operands);
  for (const Type& type : types) op.results.push_back(new_value(type));
  op.attrs = std::move(attrs);
  op.regions = std::move(regions);
  op.comment = std::move(pending_comment_);
  pending_comment_.clear();
  std::vector<ValueId> results = op.results;
  blocks_.back()->ops.push_back(std::move(op));
  return results;
}

ValueId Builder::emit(OpCode code, std::vector<ValueId> operands, Type type, Attrs attrs) {
  return emit_many(code, std::move(operands), {std::move(type)}, std::move(attrs))[0];
}

// ---- arguments and leaves
// ----------------------------------------------------------------------------------------------

int Builder::buffer(const std::string& name, DType dtype, bool writable, bool readable) {
  kernel_.buffers.push_back(BufferArg{name, dtype, writable, readable});
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

ValueId Builder::scalar(const std::string& name, DType dtype) {
  kernel_.scalars.push_back(ScalarArg{name, dtype});
  Attrs attrs;
  attrs.name = name;
  ValueId id = emit(OpCode::argument, {}, Type{dtype, {}, false}, attrs);
  kernel_.values[static_cast<size_t>(id)].hint = name;
  return id;
}

ValueId Builder::constant(double value, DType dtype) {
  if (!is_float(dtype)) {
    CHECK(value == std::floor(value)) << "constant " << value << " of type " << hipvault::name(dtype);
    return integer(static_cast<int64_t>(value), dtype);
  }
  Attrs attrs;
  attrs.number = value;
  ValueId id = emit(OpCode::constant, {}, Type{dtype, {}, false}, attrs);
  constants_[id] = attrs;
  return id;
}

ValueId Builder::integer(int64_t value, DType dtype) {
  if (is_float(dtype)) return constant(static_cast<double>(value), dtype);
  Attrs attrs;
  attrs.integer = value;
  ValueId id = emit(OpCode::constant, {}, Type{dtype, {}, false}, attrs);
  constants_[id] = attrs;
  return id;
}

ValueId Builder::boolean(bool value) { return integer(value ? 1 : 0, DType::boolean); }

ValueId Builder::full(ValueId scalar, std::vector<int32_t> shape) {
  CHECK(type(scalar).shape.empty()) << "full() of a tile " << text(type(scalar));
  return grow(scalar, shape);
}

ValueId Builder::program_id(int axis) {
  return emit(OpCode::program_id, {}, Type{DType::i32, {}, false}, axis_attrs(axis));
}
ValueId Builder::num_programs(int axis) {
  return emit(OpCode::num_programs, {}, Type{DType::i32, {}, false}, axis_attrs(axis));
}
ValueId Builder::range(int32_t n) { return emit(OpCode::range, {}, Type{DType::i32, {n}, false}); }

// ---- types that meet
// ---------------------------------------------------------------------------------------------------

ValueId Builder::as_dtype(ValueId constant_id, DType dtype) {
  const Attrs attrs = constants_.at(constant_id);
  bool from_float = is_float(type(constant_id).dtype);
  if (is_float(dtype)) return constant(from_float ? attrs.number : static_cast<double>(attrs.integer), dtype);
  return from_float ? constant(attrs.number, dtype) : integer(attrs.integer, dtype);
}

void Builder::meet_dtypes(ValueId& a, ValueId& b, const char* where) {
  DType da = type(a).dtype, db = type(b).dtype;
  if (da == db) return;
  bool constant_a = constants_.contains(a), constant_b = constants_.contains(b);
  bool either_bool = da == DType::boolean || db == DType::boolean;
  if (constant_b && !either_bool && !(constant_a && is_float(da) < is_float(db))) {
    b = as_dtype(b, da);
  } else if (constant_a && !either_bool) {
    a = as_dtype(a, db);
  } else {
    CHECK(is_plain_integer(da) && is_plain_integer(db))
        << where << " of " << text(type(a)) << " and " << text(type(b)) << ": cast one of them";
    if (info(da).bits < info(db).bits)
      a = cast(a, db);
    else
      b = cast(b, da);
  }
}

std::vector<int32_t> Builder::common_shape(const std::vector<ValueId>& values, const char* where) const {
  std::vector<int32_t> shape;
  for (ValueId value : values) {
    const std::vector<int32_t>& other = type(value).shape;
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    size_t missing = shape.size() - other.size();
    for (size_t d = 0; d < other.size(); ++d) {
      int32_t& extent = shape[missing + d];
      CHECK(extent == other[d] || extent == 1 || other[d] == 1)
          << where << ": " << text(type(value)) << " does not broadcast";
      extent = std::max(extent, other[d]);
    }
  }
  return shape;
}

ValueId Builder::grow(ValueId a, const std::vector<int32_t>& shape) {
  if (type(a).shape == shape) return a;
  if (type(a).shape.empty()) return emit(OpCode::splat, {a}, Type{type(a).dtype, shape, false});
  while (type(a).shape.size() < shape.size()) a = expand_dims(a, 0);
  return broadcast(a, shape);
}

// ---- elementwise
// -------------------------------------------------------------------------------------------------------

ValueId Builder::unary(OpCode code, ValueId a) {
  CHECK(op_group(code) == OpGroup::value && op_operands(code) == 1) << op_name(code) << " is not a unary operation";
  Type result = type(a);
  if (is_test(code)) result.dtype = DType::boolean;
  return emit(code, {a}, result);
}

ValueId Builder::binary(OpCode code, ValueId a, ValueId b) {
  CHECK(op_group(code) == OpGroup::value && op_operands(code) == 2) << op_name(code) << " is not a binary operation";
  meet_dtypes(a, b, op_name(code));
  std::vector<int32_t> shape = common_shape({a, b}, op_name(code));
  a = grow(a, shape);
  b = grow(b, shape);
  return emit(code, {a, b}, Type{is_comparison(code) ? DType::boolean : type(a).dtype, shape, false});
}

ValueId Builder::select(ValueId condition, ValueId a, ValueId b) {
  CHECK(type(condition).dtype == DType::boolean) << "select on " << text(type(condition));
  meet_dtypes(a, b, "select");
  std::vector<int32_t> shape = common_shape({condition, a, b}, "select");
  condition = grow(condition, shape);
  a = grow(a, shape);
  b = grow(b, shape);
  return emit(OpCode::select, {condition, a, b}, Type{type(a).dtype, shape, false});
}

ValueId Builder::fma(ValueId a, ValueId b, ValueId c) {
  meet_dtypes(a, b, "fma");
  meet_dtypes(a, c, "fma");
  meet_dtypes(a, b, "fma");
  std::vector<int32_t> shape = common_shape({a, b, c}, "fma");
  a = grow(a, shape);
  b = grow(b, shape);
  c = grow(c, shape);
  return emit(OpCode::fma, {a, b, c}, Type{type(a).dtype, shape, false});
}

ValueId Builder::cast(ValueId a, DType dtype) {
  if (type(a).dtype == dtype) return a;
  return emit(OpCode::cast, {a}, Type{dtype, type(a).shape, false});
}

ValueId Builder::bitcast(ValueId a, DType dtype) {
  if (type(a).dtype == dtype) return a;
  return emit(OpCode::bitcast, {a}, Type{dtype, type(a).shape, false});
}

// ---- shapes
// ------------------------------------------------------------------------------------------------------------

ValueId Builder::expand_dims(ValueId a, int axis) {
  Type result = type(a);
  CHECK(axis >= 0 && axis <= static_cast<int>(result.shape.size())) << "expand_dims axis " << axis;
  result.shape.insert(result.shape.begin() + axis, 1);
  return result.shape.size() == 1 ? emit(OpCode::splat, {a}, result)
                                  : emit(OpCode::expand_dims, {a}, result, axis_attrs(axis));
}

ValueId Builder::broadcast(ValueId a, std::vector<int32_t> shape) {
  if (type(a).shape == shape) return a;
  return emit(OpCode::broadcast, {a}, Type{type(a).dtype, std::move(shape), false});
}

ValueId Builder::reshape(ValueId a, std::vector<int32_t> shape) {
  if (type(a).shape == shape) return a;
  return emit(OpCode::reshape, {a}, Type{type(a).dtype, std::move(shape), false});
}

ValueId Builder::permute(ValueId a, std::vector<int> axes) {
  Type result = type(a);
  for (size_t d = 0; d < axes.size(); ++d) result.shape[d] = type(a).shape[static_cast<size_t>(axes[d])];
  Attrs attrs;
  attrs.axes = std::move(axes);
  return emit(OpCode::permute, {a}, result, attrs);
}

ValueId Builder::range_along(int32_t n, int axis, int rank) {
  ValueId value = range(n);
  for (int d = 0; d < axis; ++d) value = expand_dims(value, 0);
  for (int d = axis + 1; d < rank; ++d) value = expand_dims(value, d);
  return value;
}

// ---- memory
// ------------------------------------------------------------------------------------------------------------

ValueId Builder::load(int buffer, ValueId offsets, ValueId mask, ValueId other) {
  CHECK(buffer >= 0 && buffer < static_cast<int>(kernel_.buffers.size())) << "load of buffer " << buffer;
  DType dtype = kernel_.buffers[static_cast<size_t>(buffer)].dtype;
  CHECK(other < 0 || mask >= 0) << "load: `other` without a mask";
  std::vector<ValueId> operands = {offsets};
  if (mask >= 0) operands.push_back(mask);
  if (other >= 0) operands.push_back(constants_.contains(other) ? as_dtype(other, dtype) : other);
  std::vector<int32_t> shape = common_shape(operands, "load");
  for (ValueId& operand : operands) operand = grow(operand, shape);
  Attrs attrs;
  attrs.buffer = buffer;
  return emit(OpCode::load, operands, Type{dtype, shape, false}, attrs);
}

void Builder::store(int buffer, ValueId offsets, ValueId value, ValueId mask) {
  CHECK(buffer >= 0 && buffer < static_cast<int>(kernel_.buffers.size())) << "store to buffer " << buffer;
  if (constants_.contains(value)) value = as_dtype(value, kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  std::vector<ValueId> operands = {offsets, value};
  if (mask >= 0) operands.push_back(mask);
  std::vector<int32_t> shape = common_shape(operands, "store");
  for (ValueId& operand : operands) operand = grow(operand, shape);
  Attrs attrs;
  attrs.buffer = buffer;
  emit_many(OpCode::store, operands, {}, attrs);
}

ValueId Builder::atomic(Kind kind, int buffer, ValueId offsets, ValueId value, ValueId mask) {
  CHECK(buffer >= 0 && buffer < static_cast<int>(kernel_.buffers.size())) << "atomic on buffer " << buffer;
  if (constants_.contains(value)) value = as_dtype(value, kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  std::vector<ValueId> operands = {offsets, value};
  if (mask >= 0) operands.push_back(mask);
  std::vector<int32_t> shape = common_shape(operands, "atomic");
  for (ValueId& operand : operands) operand = grow(operand, shape);
  Attrs attrs;
  attrs.buffer = buffer;
  attrs.kind = kind;
  return emit(OpCode::atomic, operands, Type{type(value).dtype, shape, false}, attrs);
}

ValueId Builder::lds_alloc(DType dtype, std::vector<int32_t> shape) {
  return emit(OpCode::lds_alloc, {}, Type{dtype, std::move(shape), true});
}
void Builder::lds_store(ValueId lds, ValueId value) { emit_many(OpCode::lds_store, {lds, value}, {}, {}); }
ValueId Builder::lds_load(ValueId lds) {
  Type result = type(lds);
  result.lds = false;
  return emit(OpCode::lds_load, {lds}, result);
}
void Builder::barrier() { emit_many(OpCode::barrier, {}, {}, {}); }

// ---- across a tile
// -----------------------------------------------------------------------------------------------------

ValueId Builder::reduce(Kind kind, ValueId value, int axis) {
  Type result = type(value);
  CHECK(axis >= 0 && axis < static_cast<int>(result.shape.size())) << "reduce axis " << axis << " of " << text(result);
  result.shape.erase(result.shape.begin() + axis);
  Attrs attrs = axis_attrs(axis);
  attrs.kind = kind;
  return emit(OpCode::reduce, {value}, result, attrs);
}

std::pair<ValueId, ValueId> Builder::arg_reduce(Kind kind, ValueId value, ValueId index, int axis) {
  CHECK(kind == Kind::argmax || kind == Kind::argmin) << "arg_reduce of kind " << kind_name(kind);
  std::vector<int32_t> shape = common_shape({value, index}, "arg_reduce");
  value = grow(value, shape);
  index = grow(index, shape);
  CHECK(axis >= 0 && axis < static_cast<int>(shape.size())) << "arg_reduce axis " << axis;
  shape.erase(shape.begin() + axis);
  Attrs attrs = axis_attrs(axis);
  attrs.kind = kind;
  std::vector<ValueId> results =
      emit_many(OpCode::reduce, {value, index},
                {Type{type(value).dtype, shape, false}, Type{type(index).dtype, shape, false}}, attrs);
  return {results[0], results[1]};
}

ValueId Builder::scan(Kind kind, ValueId value, int axis, bool reverse) {
  Attrs attrs = axis_attrs(axis);
  attrs.kind = kind;
  attrs.reverse = reverse;
  return emit(OpCode::scan, {value}, type(value), attrs);
}

ValueId Builder::dot(ValueId a, ValueId b, ValueId accumulator) {
  return emit(OpCode::dot, {a, b, accumulator}, type(accumulator));
}

ValueId Builder::gather(ValueId source, ValueId indices, int axis) {
  return emit(OpCode::gather, {source, indices}, Type{type(source).dtype, type(indices).shape, false},
              axis_attrs(axis));
}

std::vector<ValueId> Builder::sort(std::vector<ValueId> values, int axis, bool descending) {
  std::vector<Type> types;
  for (ValueId value : values) types.push_back(type(value));
  Attrs attrs = axis_attrs(axis);
  attrs.descending = descending;
  return emit_many(OpCode::sort, std::move(values), types, attrs);
}

// ---- control
// -----------------------------------------------------------------------------------------------------------

Block Builder::build_region(const std::vector<Type>& args,
                            const std::function<std::vector<ValueId>(const std::vector<ValueId>&)>& body) {
  Block block;
  for (const Type& arg : args) block.args.push_back(new_value(arg));
  blocks_.push_back(&block);
  std::vector<ValueId> results = body(block.args);
  emit_many(OpCode::yield, std::move(results), {}, {});
  blocks_.pop_back();
  return block;
}

std::vector<ValueId> Builder::for_loop(
    ValueId low, ValueId high, ValueId step, std::vector<ValueId> initial,
    const std::function<std::vector<ValueId>(ValueId, const std::vector<ValueId>&)>& body) {
  meet_dtypes(low, high, "for_loop");
  meet_dtypes(low, step, "for_loop");
  meet_dtypes(low, high, "for_loop");
  std::vector<Type> carried, args = {type(low)};
  for (ValueId value : initial) carried.push_back(type(value));
  args.insert(args.end(), carried.begin(), carried.end());
  std::string comment_above = std::move(pending_comment_);
  pending_comment_.clear();
  Block region = build_region(args, [&](const std::vector<ValueId>& values) {
    return body(values[0], std::vector<ValueId>(values.begin() + 1, values.end()));
  });
  pending_comment_ = std::move(comment_above);
  std::vector<ValueId> operands = {low, high, step};
  operands.insert(operands.end(), initial.begin(), initial.end());
  return emit_many(OpCode::for_loop, std::move(operands), carried, {}, {std::move(region)});
}

std::vector<ValueId> Builder::if_else(ValueId condition, const std::function<std::vector<ValueId>()>& then,
                                      const std::function<std::vector<ValueId>()>& otherwise) {
  std::string comment_above = std::move(pending_comment_);
  pending_comment_.clear();
  Block yes = build_region({}, [&](const std::vector<ValueId>&) { return then(); });
  Block no =
      build_region({}, [&](const std::vector<ValueId>&) { return otherwise ? otherwise() : std::vector<ValueId>(); });
  pending_comment_ = std::move(comment_above);
  std::vector<Type> types;
  for (ValueId value : yes.ops.back().operands) types.push_back(type(value));
  return emit_many(OpCode::if_else, {condition}, types, {}, {std::move(yes), std::move(no)});
}

// ---- readability
// -------------------------------------------------------------------------------------------------------

ValueId Builder::name(ValueId value, const std::string& hint) {
  std::string clean;
  for (char c : hint) clean += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  kernel_.values[static_cast<size_t>(value)].hint = clean;
  return value;
}
void Builder::comment(const std::string& words) { pending_comment_ = words; }
void Builder::describe(const std::string& words) { kernel_.comment = words; }
void Builder::set_waves_per_eu(int waves) { kernel_.waves_per_eu = waves; }

const Type& Builder::type(ValueId value) const {
  CHECK(value >= 0 && value < static_cast<ValueId>(kernel_.values.size())) << "no value %" << value;
  return kernel_.type(value);
}

Kernel Builder::finish() {
  Status status = verify(kernel_);
  CHECK(status) << render(status.error()) << "\n" << text(kernel_);
  return std::move(kernel_);
}

}  // namespace hipvault::tile
