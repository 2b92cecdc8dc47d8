#include "schedule/emit.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

Emitter::Emitter(KernelScope& scope, std::vector<int32_t> shape) : scope_(scope), shape_(std::move(shape)) {}

void Emitter::read_workspace(const std::string& output) { sources_[output] = {Source::Kind::workspace, {}}; }
void Emitter::read_result(const std::string& output) { sources_[output] = {Source::Kind::result, {}}; }
void Emitter::bind_value(const std::string& output, Value value) { sources_[output] = {Source::Kind::value, value}; }

// ---- dimensions
// --------------------------------------------------------------------------------------------------------

void Emitter::bind_dim(Env& env, const std::string& dim, Value index) {
  IntExpr extent = scope_.expanded(dim_size(scope_.program(), dim));
  index.low = 0;
  index.high = extent.kind() == IntExpr::Kind::constant ? std::max<int64_t>(extent.value() - 1, 0)
                                                        : (scope_.wide() ? kWideSize : kNarrowSize) - 1;
  extent_of_[index.id] = extent.text();
  env[dim] = index;
}

void Emitter::bind_linear(Env& env, const std::vector<std::string>& dims, Value linear) {
  ValueId rest = linear.id;
  for (size_t at = dims.size(); at-- > 0;) {
    ValueId index = rest;
    if (at > 0) {
      ValueId size = scope_.dim(dims[at]).id;
      index = scope_.b.binary(OpCode::mod, rest, size);
      rest = scope_.b.binary(OpCode::floordiv, rest, size);
    }
    bind_dim(env, dims[at], {scope_.b.name(index, dims[at] + "_i"), ValueType::integer});
  }
}

void Emitter::set_collapsed(const Env& env, const std::vector<std::string>& dims, Value linear) {
  collapsed_ = Collapsed{dims, linear, {}};
  for (const std::string& dim : dims) collapsed_->coordinates.push_back(env.at(dim).id);
}

// ---- memory of what was computed
// -----------------------------------------------------------------------------------------

bool Emitter::loads(const ExprRef& expr) {
  auto found = loads_.find(expr.get());
  if (found != loads_.end()) return found->second;
  bool any = expr->op == Op::load || expr->op == Op::state;
  for (const ExprRef& arg : expr->args) any = any || loads(arg);
  return loads_[expr.get()] = any;
}

Emitter::Key Emitter::key_of(const ExprRef& expr, const Env& env, ValueId mask) {
  std::vector<ValueId> at;
  for (const std::string& dim : expr->free) {
    auto found = env.find(dim);
    CHECK(found != env.end()) << "dimension " << dim << " of " << ir::text(expr) << " has no index here";
    at.push_back(found->second.id);
  }
  return {expr->hash, mask, std::move(at)};
}

// A value computed under a weaker mask serves as well.
Value* Emitter::remembered(const ExprRef& expr, const Env& env, ValueId mask) {
  Key key = key_of(expr, env, mask);
  for (ValueId weaker = mask;;) {
    std::get<1>(key) = weaker;
    for (size_t level = memory_.size(); level-- > 0;) {
      auto found = memory_[level].find(key);
      if (found != memory_[level].end() && ir::equal(found->second.first, expr)) return &found->second.second;
    }
    auto next = weaker_.find(weaker);
    if (next == weaker_.end()) return nullptr;
    weaker = next->second;
  }
}

Value Emitter::eval(const ExprRef& expr, const Env& env, ValueId mask) {
  if (!exact_ && is_uniform(expr)) return compute_uniform(expr);
  if (!loads(expr)) mask = kNoMask;
  if (Value* known = remembered(expr, env, mask)) return *known;
  Value value = compute(expr, env, mask);
  memory_.back()[key_of(expr, env, mask)] = {expr, value};
  return value;
}

// Parameters arrive as doubles and count as exact, so arithmetic on nothing but parameters, sizes and constants is done
// in f64 once for the whole kernel: 1 - 0.9 would otherwise be wrong in the seventh digit.
bool Emitter::is_uniform(const ExprRef& expr) {
  if (expr->type != ValueType::real || !expr->free.empty()) return false;
  bool plain = true, parameter = false;
  ir::visit(expr, [&](const Expr& e) {
    plain &= e.op != Op::load && e.op != Op::state && e.op != Op::reduce && e.op != Op::random && e.op != Op::uniform;
    parameter |= e.op == Op::scalar && e.type == ValueType::real;
  });
  return plain && parameter;
}

Value Emitter::compute_uniform(const ExprRef& expr) {
  if (Value* known = remembered(expr, {}, kNoMask)) return *known;
  std::vector<std::map<Key, std::pair<ExprRef, Value>>> narrow(1);
  std::swap(memory_, narrow);  // what is remembered has the other type
  exact_ = true;
  Value value = eval(expr, {}, kNoMask);
  exact_ = false;
  std::swap(memory_, narrow);
  value.id = scope_.b.cast(value.id, real_dtype());
  memory_.back()[key_of(expr, {}, kNoMask)] = {expr, value};
  return value;
}

Value Emitter::compute(const ExprRef& expr, const Env& env, ValueId mask) {
  switch (expr->op) {
    case Op::number:
      if (expr->type == ValueType::real) return {scope_.b.constant(expr->number, real_dtype()), ValueType::real};
      if (expr->type == ValueType::boolean) return {scope_.b.boolean(expr->integer != 0), ValueType::boolean};
      return integer(expr->integer);
    case Op::index:
      return env.at(expr->name);
    case Op::size:
      return scope_.size(expr->size_expr);
    case Op::scalar:
      return scope_.scalar(expr->name);
    case Op::load:
      return compute_load(*expr, env, mask);
    case Op::state:
      CHECK(states_ != nullptr) << "a state is read outside of a scan";
      return states_(*expr, env, mask);
    case Op::cast:
      return cast_to(expr->dtype, eval(expr->args[0], env, mask));
    case Op::reduce:
      return compute_reduce(*expr, env, mask);
    case Op::select:
    case Op::logical_and:
    case Op::logical_or:
      return compute_select(*expr, env, mask);
    default:
      break;
  }
  std::vector<Value> args;
  for (const ExprRef& arg : expr->args) args.push_back(eval(arg, env, mask));
  return compute_op(*expr, args);
}

ValueId Emitter::eval_as(const ExprRef& expr, const Env& env, ValueId mask, DType dtype) {
  const ir::Tensor* tensor = expr->op == Op::load && !expr->has_else ? scope_.program().tensor(expr->name) : nullptr;
  if (tensor == nullptr || tensor->dtype != dtype || tensor->role == Role::output)
    return encode(eval(expr, env, mask), dtype);
  std::vector<Value> indices;
  for (const ExprRef& arg : expr->args) indices.push_back(convert(eval(arg, env, mask), ValueType::integer));
  return load_kept(expr->name, indices, mask);
}

ValueId Emitter::all_of(ValueId a, ValueId b) {
  if (a == kNoMask) return b;
  if (b == kNoMask || a == b) return a;
  ValueId both = scope_.b.logical_and(a, b);
  weaker_[both] = a;
  return both;
}

// `where`, `and` and `or` evaluate a branch only where it is reached: its loads are masked by the condition.
Value Emitter::compute_select(const Expr& expr, const Env& env, ValueId mask) {
  Value condition = convert(eval(expr.args[0], env, mask), ValueType::boolean);
  auto under = [&](const ExprRef& branch, bool when) {
    ValueId taken = kNoMask;
    if (loads(branch)) taken = all_of(mask, when ? condition.id : scope_.b.unary(OpCode::bit_not, condition.id));
    return convert(eval(branch, env, taken), expr.type);
  };
  if (expr.op == Op::logical_and) return {scope_.b.logical_and(condition.id, under(expr.args[1], true).id), expr.type};
  if (expr.op == Op::logical_or)
    return {scope_.b.binary(OpCode::bit_or, condition.id, under(expr.args[1], false).id), expr.type};
  Value yes = under(expr.args[1], true), no = under(expr.args[2], false);
  return {scope_.b.select(condition.id, yes.id, no.id), expr.type, std::min(yes.low, no.low),
          std::max(yes.high, no.high)};
}

// ---- loads
// ---------------------------------------------------------------------------------------------------------------

ValueId Emitter::in_range(Value index, const IntExpr& size) {
  auto known = extent_of_.find(index.id);
  if (known != extent_of_.end() && known->second == scope_.expanded(size).text()) return kNoMask;
  Value extent = scope_.size(size);
  ValueId inside = index.high < extent.low ? kNoMask : scope_.b.lt(index.id, extent.id);
  if (index.low < 0) inside = all_of(inside, scope_.b.binary(OpCode::ge, index.id, scope_.b.integer(0)));
  return inside;
}

namespace {

std::pair<const ir::Stage*, size_t> find_output(const ir::Program& program, const std::string& name) {
  for (const ir::Stage& stage : program.stages)
    for (size_t at = 0; at < stage.outputs.size(); ++at)
      if (stage.outputs[at].name == name) return {&stage, at};
  return {nullptr, 0};
}

// An inout tensor is read with its old values; a result with those its stage gave it.
bool is_stage_read(const ir::Program& program, const std::string& name) {
  const ir::Tensor* tensor = program.tensor(name);
  return tensor == nullptr || tensor->role == Role::output;
}

std::vector<IntExpr> extents(const ir::Program& program, const std::string& name) {
  if (!is_stage_read(program, name)) return program.tensor(name)->shape;
  auto [stage, at] = find_output(program, name);
  CHECK(stage != nullptr) << "nothing defines " << name;
  std::vector<IntExpr> shape;
  for (const std::string& dim : stage->outputs[at].dims) shape.push_back(dim_size(program, dim));
  if (shape.empty() && program.tensor(name) != nullptr) return program.tensor(name)->shape;
  return shape;
}

}  // namespace

Value Emitter::compute_load(const Expr& expr, const Env& env, ValueId mask) {
  std::vector<Value> indices;
  size_t rank = expr.args.size() - (expr.has_else ? 1 : 0);
  for (size_t axis = 0; axis < rank; ++axis)
    indices.push_back(convert(eval(expr.args[axis], env, mask), ValueType::integer));
  if (!expr.has_else) return load_at(expr, indices, mask);
  ValueId inside = kNoMask;
  std::vector<IntExpr> shape = extents(scope_.program(), expr.name);
  for (size_t axis = 0; axis < rank; ++axis) inside = all_of(inside, in_range(indices[axis], shape[axis]));
  Value value = convert(load_at(expr, indices, all_of(mask, inside)), expr.type);
  if (inside == kNoMask) return value;
  const ExprRef& otherwise = expr.args.back();
  ValueId outside = loads(otherwise) ? all_of(mask, scope_.b.unary(OpCode::bit_not, inside)) : kNoMask;
  Value other = convert(eval(otherwise, env, outside), expr.type);
  return {scope_.b.select(inside, value.id, other.id), expr.type, std::min(value.low, other.low),
          std::max(value.high, other.high)};
}

Value Emitter::load_at(const Expr& expr, const std::vector<Value>& indices, ValueId mask) {
  if (!is_stage_read(scope_.program(), expr.name)) return load_tensor(expr.name, indices, mask);
  auto [stage, at] = find_output(scope_.program(), expr.name);
  CHECK(stage != nullptr) << "nothing defines " << expr.name;
  return load_stage(*stage, at, indices, mask);
}

Value Emitter::load_stage(const ir::Stage& stage, size_t at, const std::vector<Value>& indices, ValueId mask) {
  const ir::Output& output = stage.outputs[at];
  auto source = sources_.find(output.name);
  if (source != sources_.end() && source->second.kind == Source::Kind::value) return source->second.value;
  if (source != sources_.end() && source->second.kind == Source::Kind::result)
    return load_tensor(output.name, indices, mask);
  if (source != sources_.end()) {
    ValueId offset = row_major(extents(scope_.program(), output.name), indices);
    return load_workspace(output.name, output.type, offset, mask);
  }
  CHECK(stage.kind == ir::Stage::Kind::map) << output.name << " is not where it can be read";
  Env env;
  for (size_t axis = 0; axis < indices.size(); ++axis) env[output.dims[axis]] = indices[axis];
  Value value = convert(eval(stage.value, env, mask), output.type);
  return output.dtype ? rounded(value, *output.dtype) : value;
}

Value Emitter::load_workspace(const std::string& name, ValueType type, ValueId offset, ValueId mask) {
  DType dtype = type == ValueType::real ? real_dtype() : type == ValueType::integer ? DType::i64 : DType::boolean;
  int buffer = scope_.workspace(name, dtype, Access::read);
  Value value{scope_.b.name(scope_.b.load(buffer, offset, mask), name), type, INT64_MIN, INT64_MAX};
  return value;
}

void Emitter::store_workspace(const std::string& name, ValueId offset, Value value, ValueId mask) {
  DType dtype = value.type == ValueType::real      ? real_dtype()
                : value.type == ValueType::integer ? DType::i64
                                                   : DType::boolean;
  int buffer = scope_.workspace(name, dtype, Access::write);
  scope_.b.store(buffer, offset, scope_.b.cast(value.id, dtype), mask);
}

// ---- addresses
// -----------------------------------------------------------------------------------------------------------

ValueId Emitter::as_index(Value value) { return scope_.b.cast(value.id, scope_.index_type()); }

ValueId Emitter::row_major(const std::vector<IntExpr>& shape, const std::vector<Value>& indices) {
  if (indices.empty()) return scope_.b.integer(0, scope_.index_type());
  ValueId offset = as_index(indices[0]);
  for (size_t axis = 1; axis < indices.size(); ++axis)
    offset = scope_.b.add(scope_.b.mul(offset, scope_.size(shape[axis]).id), as_index(indices[axis]));
  return offset;
}

// The axis along which a tensor is moved: its last, if a fast coordinate indexes it. Along another axis elements are
// apart in memory as tensors usually lie, so nothing is demanded of it.
std::optional<size_t> Emitter::fast_axis(const std::vector<Value>& indices) const {
  if (indices.empty() || !fast_.contains(indices.back().id)) return std::nullopt;
  return indices.size() - 1;
}

ValueId Emitter::axis_offset(const std::string& tensor, size_t axis, Value index, bool fast, bool fast_here) {
  fast = fast && (vector_ > 1 || contiguous_);
  if (fast) scope_.use_unit_stride(tensor, axis);
  if (fast) return as_index(index);
  if (vector_ > 1 && fast_here) scope_.use_stride_multiple(tensor, axis, vector_);
  return scope_.b.mul(as_index(index), scope_.stride(tensor, axis).id);
}

// Whether the axes from `axis` on are the collapsed dimensions, in order.
bool Emitter::collapses(const std::string& tensor, const std::vector<Value>& indices, size_t axis) {
  if (!collapsed_ || axis + collapsed_->dims.size() > indices.size()) return false;
  const std::vector<IntExpr>& shape = scope_.program().tensor(tensor)->shape;
  for (size_t at = 0; at < collapsed_->dims.size(); ++at) {
    IntExpr size = dim_size(scope_.program(), collapsed_->dims[at]);
    if (indices[axis + at].id != collapsed_->coordinates[at]) return false;
    if (!(scope_.expanded(shape[axis + at]) == scope_.expanded(size))) return false;
  }
  return true;
}

// Those axes at once: the linear index times the last one's stride. Moves `axis` to the last of them.
ValueId Emitter::collapsed_offset(const std::string& tensor, size_t& axis) {
  const std::vector<IntExpr>& shape = scope_.program().tensor(tensor)->shape;
  auto stride = [&](size_t at) { return IntExpr::name(tensor + ".stride." + std::to_string(axis + at)); };
  for (size_t at = 0; at + 1 < collapsed_->dims.size(); ++at)
    scope_.require(compare(IntExpr::Kind::eq, stride(at), scope_.expanded(shape[axis + at + 1]) * stride(at + 1)));
  axis += collapsed_->dims.size() - 1;
  return axis_offset(tensor, axis, collapsed_->linear, fast_.contains(collapsed_->linear.id), true);
}

ValueId Emitter::tensor_offset(const std::string& tensor, const std::vector<Value>& indices) {
  ValueId offset = -1;
  std::optional<size_t> fast = fast_axis(indices);
  bool fast_here = fast.has_value();
  for (size_t axis = 0; axis < indices.size(); ++axis) fast_here |= collapses(tensor, indices, axis);
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    ValueId term = collapses(tensor, indices, axis) ? collapsed_offset(tensor, axis)
                                                    : axis_offset(tensor, axis, indices[axis], axis == fast, fast_here);
    offset = offset < 0 ? term : scope_.b.add(offset, term);
  }
  if (vector_ > 1 && fast_here) {
    int bits = info(scope_.program().tensor(tensor)->dtype).bits;
    scope_.use_alignment(tensor, std::clamp<int64_t>(vector_ * bits / 8, 1, 16));
  }
  return offset < 0 ? scope_.b.integer(0, scope_.index_type()) : offset;
}

void Emitter::forget_large() {
  if (lds_shape_.empty()) return;
  for (auto& level : memory_)
    std::erase_if(level, [&](const auto& entry) { return scope_.b.type(entry.second.second.id).shape == lds_shape_; });
}

ValueId Emitter::mask_for(ValueId offset, ValueId mask) {
  auto found = parts_.find(mask);
  if (found == parts_.end()) return mask;
  const std::vector<int32_t>& shape = scope_.b.type(offset).shape;
  ValueId needed = kNoMask;
  for (ValueId part : found->second) {
    const std::vector<int32_t>& own = scope_.b.type(part).shape;
    bool fits = own.size() == shape.size();
    for (size_t axis = 0; fits && axis < own.size(); ++axis) fits = own[axis] == 1 || own[axis] == shape[axis];
    // A place that is one for the whole tile (a scalar) asks for everything.
    if (own.size() != shape.size()) return mask;
    if (fits) needed = all_of(needed, part);
  }
  return needed;
}

// A large tile is loaded once; what is loaded is put into LDS on the way.
ValueId Emitter::load_kept(const std::string& tensor, const std::vector<Value>& indices, ValueId mask) {
  std::pair<std::string, std::vector<ValueId>> key{tensor, {}};
  for (const Value& index : indices) key.second.push_back(index.id);
  auto kept = kept_.find(key);
  if (kept != kept_.end()) return scope_.b.lds_load(kept->second);
  int buffer = scope_.tensor(tensor);
  ValueId offset = tensor_offset(tensor, indices);
  ValueId loaded = scope_.b.load(buffer, offset, mask_for(offset, mask));
  if (lds_shape_.empty() || scope_.b.type(loaded).shape != lds_shape_) return loaded;
  ValueId lds = scope_.b.lds_alloc(scope_.b.type(loaded).dtype, lds_shape_);
  scope_.b.lds_store(lds, loaded);
  scope_.b.barrier();
  kept_[key] = lds;
  return loaded;
}

Value Emitter::load_tensor(const std::string& tensor, const std::vector<Value>& indices, ValueId mask) {
  auto copy = copies_.find(tensor);
  DType dtype = scope_.program().tensor(tensor)->dtype;
  if (copy != copies_.end()) {
    ValueId offset = row_major(scope_.program().tensor(tensor)->shape, indices);
    return load_workspace(copy->second, ir::type_of(dtype), offset, mask);
  }
  if (info(dtype).bits < 8) {
    int buffer = scope_.tensor(tensor);
    ValueId offset = tensor_offset(tensor, indices);
    ValueId byte = scope_.b.load(buffer, scope_.b.binary(OpCode::shift_right, offset, scope_.b.integer(1)), mask);
    return nibble(byte, offset, dtype);
  }
  return decode(scope_.b.name(load_kept(tensor, indices, mask), clean_name(tensor) + "_v"), dtype);
}

void Emitter::store_tensor(const std::string& tensor, const std::vector<Value>& indices, Value value, ValueId mask) {
  DType dtype = scope_.program().tensor(tensor)->dtype;
  CHECK(info(dtype).bits >= 8) << "4-bit results are packed by the sketch";
  int buffer = scope_.tensor(tensor, Access::write);
  scope_.b.store(buffer, tensor_offset(tensor, indices), encode(value, dtype), mask);
}

// ---- loops
// ---------------------------------------------------------------------------------------------------------------

std::vector<ValueId> Emitter::loop(
    Value low, Value high, int64_t step, std::vector<ValueId> carried,
    const std::function<std::vector<ValueId>(Value, const std::vector<ValueId>&)>& body) {
  ValueId by = scope_.b.integer(step, scope_.index_type());
  return scope_.b.for_loop(as_index(low), as_index(high), by, std::move(carried),
                           [&](ValueId index, const std::vector<ValueId>& values) {
                             memory_.emplace_back();
                             Value at{index, ValueType::integer, low.low, std::max<int64_t>(high.high - 1, 0)};
                             std::vector<ValueId> next = body(at, values);
                             memory_.pop_back();
                             return next;
                           });
}

std::vector<ValueId> Emitter::loop_over(
    const std::vector<std::string>& dims, const Env& env, std::vector<ValueId> carried,
    const std::function<std::vector<ValueId>(const Env&, const std::vector<ValueId>&)>& body) {
  if (dims.empty()) return body(env, carried);
  return loop(integer(0), scope_.dim(dims[0]), 1, std::move(carried),
              [&](Value index, const std::vector<ValueId>& values) {
                Env inner = env;
                bind_dim(inner, dims[0], index);
                scope_.b.name(index.id, dims[0] + "_i");
                return loop_over({dims.begin() + 1, dims.end()}, inner, values, body);
              });
}

}  // namespace hipvault::schedule
