// How each kind of stage becomes naive kernels.

#include <algorithm>

#include "base/check.h"
#include "schedule/naive.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::Expr;
using ir::Op;
using ir::Stage;
using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

namespace {

std::vector<IntExpr> sizes_of(const ir::Program& program, const std::vector<std::string>& dims) {
  std::vector<IntExpr> shape;
  for (const std::string& dim : dims) shape.push_back(dim_size(program, dim));
  return shape;
}

std::vector<Value> values_of(const Env& env, const std::vector<std::string>& dims) {
  std::vector<Value> values;
  for (const std::string& dim : dims) values.push_back(env.at(dim));
  return values;
}

std::vector<std::string> without(std::vector<std::string> dims, const std::string& dim) {
  std::erase(dims, dim);
  return dims;
}

bool is_four_bits(const ir::Tensor* tensor) { return tensor != nullptr && info(tensor->dtype).bits < 8; }

}  // namespace

// The element of an output: into the tensor of that name, or the workspace.
void NaiveVariant::put(Site& site, const ir::Output& output, const std::vector<Value>& indices, Value value,
                       ValueId mask) {
  value = site.emit.convert(value, output.type);
  if (result_tensor(program_, output.name) != nullptr) return site.emit.store_tensor(output.name, indices, value, mask);
  ValueId offset = site.emit.row_major(sizes_of(program_, output.dims), indices);
  site.emit.store_workspace(output.name, offset, value, mask);
}

void NaiveVariant::build_map(const Stage& stage) {
  const ir::Output& output = stage.outputs[0];
  const ir::Tensor* tensor = result_tensor(program_, output.name);
  if (tensor == nullptr && stage.value->op != Op::reduce) return;
  if (is_four_bits(tensor)) return put_nibbles(stage);
  launch_over(output.name, output.dims, [&](Site& site) {
    Value value = site.emit.eval(stage.value, site.env, site.mask);
    put(site, output, values_of(site.env, output.dims), value, site.mask);
  });
}

// Two 4-bit elements share a byte, so the even ones are written first, then the odd ones are put beside them.
void NaiveVariant::put_nibbles(const Stage& stage) {
  const ir::Output& output = stage.outputs[0];
  for (int parity : {0, 1})
    launch_over(output.name + (parity == 0 ? "_even" : "_odd"), output.dims, [&](Site& site) {
      tile::Builder& b = site.scope.b;
      int buffer = site.scope.tensor(output.name, parity == 0 ? Access::write : Access::read_write);
      ValueId offset = site.emit.tensor_offset(output.name, values_of(site.env, output.dims));
      ValueId odd = b.binary(OpCode::bit_and, offset, b.integer(1));
      ValueId mask = b.logical_and(site.mask, b.binary(OpCode::eq, odd, b.integer(parity)));
      ValueId byte = b.binary(OpCode::shift_right, offset, b.integer(1));
      Value value = site.emit.eval(stage.value, site.env, mask);
      ValueId bits = site.emit.nibble_bits(value, program_.tensor(output.name)->dtype);
      if (parity == 1) {
        ValueId low = b.binary(OpCode::bit_and, b.cast(b.load(buffer, byte, mask), DType::i32), b.integer(15));
        bits = b.binary(OpCode::bit_or, low, b.binary(OpCode::shift_left, bits, b.integer(4)));
      }
      b.store(buffer, byte, b.cast(bits, DType::u8), mask);
    });
}

// One work-item a line.
void NaiveVariant::build_cumulative(const Stage& stage) {
  const ir::Output& output = stage.outputs[0];
  launch_over(output.name, without(output.dims, stage.dim), [&](Site& site) {
    tile::Builder& b = site.scope.b;
    Value size = site.scope.dim(stage.dim);
    DType dtype = site.emit.accumulator(stage.reduction, output.type);
    std::vector<ValueId> start = identity_parts(site.scope, stage.reduction, dtype, site.emit.shape());
    site.emit.loop(site.emit.integer(0), size, 1, start, [&](Value step, const std::vector<ValueId>& sofar) {
      if (stage.reverse) step.id = b.sub(b.sub(size.id, b.integer(1)), step.id);
      Env env = site.env;
      site.emit.bind_dim(env, stage.dim, step);
      Value term = site.emit.convert(site.emit.eval(stage.value, env, site.mask), output.type);
      std::vector<ValueId> next = combine_parts(site.scope, stage.reduction, sofar, {b.cast(term.id, dtype)});
      ValueId shown = stage.exclusive ? sofar[0] : next[0];
      if (output.type == ValueType::real) shown = b.cast(shown, site.scope.real());
      put(site, output, values_of(env, output.dims), {shown, output.type, INT64_MIN, INT64_MAX}, site.mask);
      return next;
    });
  });
}

// ---- scan and fold
// -------------------------------------------------------------------------------------------------------

namespace {

// A dimension is independent if every state has it and no step reads another position along it: then work-items share
// it out. The others are looped over within a work-item, with the old state kept beside the new one.
class Coupling {
 public:
  explicit Coupling(const Stage& stage) : stage_(stage) {
    for (const ir::ScanState& state : stage.states)
      ir::visit(state.body, [&](const Expr& e) {
        if (e.op == Op::reduce) coupled_.insert(e.dims.begin(), e.dims.end());
        if (e.op == Op::state) look_at(e);
      });
  }
  bool independent(const std::string& dim) const {
    for (const ir::ScanState& state : stage_.states)
      if (std::find(state.dims.begin(), state.dims.end(), dim) == state.dims.end()) return false;
    return !coupled_.contains(dim);
  }
  std::vector<std::string> split(const std::vector<std::string>& dims, bool wanted) const {
    std::vector<std::string> kept;
    for (const std::string& dim : dims)
      if (independent(dim) == wanted) kept.push_back(dim);
    return kept;
  }

 private:
  void look_at(const Expr& read) {
    for (const ir::ScanState& state : stage_.states)
      for (size_t axis = 0; state.name == read.name && axis < state.dims.size(); ++axis)
        if (read.args[axis]->op != Op::index || read.args[axis]->name != state.dims[axis])
          coupled_.insert(state.dims[axis]);
  }
  const Stage& stage_;
  std::set<std::string> coupled_;
};

std::string state_buffer(const Stage& stage, const ir::ScanState& state) {
  return stage.outputs[0].name + "_" + state.name + "_state";
}

}  // namespace

void NaiveVariant::build_scan(const Stage& stage) {
  Coupling coupling(stage);
  for (const ir::ScanState& state : stage.states)
    variant_.workspace(state_buffer(stage, state), product_of(program_, state.dims) * IntExpr(16));
  std::vector<std::string> parallel = coupling.split(stage.states[0].dims, true);
  launch_over(stage.outputs[0].name, parallel, [&](Site& site) {
    tile::Builder& b = site.scope.b;
    auto dtype_of = [&](const ir::ScanState& state) {
      ValueType type = stage.outputs[static_cast<size_t>(&state - stage.states.data())].type;
      return type == ValueType::real ? site.scope.real() : type == ValueType::integer ? DType::i64 : DType::boolean;
    };
    auto type_of = [&](const ir::ScanState& state) {
      return stage.outputs[static_cast<size_t>(&state - stage.states.data())].type;
    };
    for (const ir::ScanState& state : stage.states)
      site.scope.workspace(state_buffer(stage, state), dtype_of(state), Access::read_write);
    // Offset of an element of a state in its half of the double buffer.
    auto offset_of = [&](const ir::ScanState& state, ValueId half, const std::vector<Value>& indices) {
      ValueId offset = site.emit.row_major(sizes_of(program_, state.dims), indices);
      ValueId count = b.integer(1, site.scope.index_type());
      for (const std::string& dim : state.dims) count = b.mul(count, site.scope.dim(dim).id);
      return b.add(offset, b.mul(count, half));
    };
    auto half_of = [&](ValueId step) { return b.binary(OpCode::bit_and, step, b.integer(1)); };
    auto each = [&](const ir::ScanState& state, const Env& env, const std::function<void(const Env&)>& act) {
      site.emit.loop_over(coupling.split(state.dims, false), env, {},
                          [&](const Env& inner, const std::vector<ValueId>&) {
                            act(inner);
                            return std::vector<ValueId>{};
                          });
    };
    for (const ir::ScanState& state : stage.states)
      each(state, site.env, [&](const Env& env) {
        Value value = site.emit.convert(site.emit.eval(state.init, env, site.mask), type_of(state));
        ValueId zero = b.integer(0, site.scope.index_type());
        site.emit.store_workspace(state_buffer(stage, state), offset_of(state, zero, values_of(env, state.dims)), value,
                                  site.mask);
      });
    Value length = site.scope.dim(stage.dim);
    site.emit.loop(site.emit.integer(0), length, 1, {}, [&](Value step, const std::vector<ValueId>&) {
      ValueId old_half = half_of(step.id), new_half = b.sub(b.integer(1), old_half);
      Env at_step = site.env;
      site.emit.bind_dim(at_step, stage.dim, step);
      site.emit.read_states([&](const Expr& read, const Env& env, ValueId mask) {
        auto state =
            std::find_if(stage.states.begin(), stage.states.end(), [&](const auto& s) { return s.name == read.name; });
        CHECK(state != stage.states.end()) << "no state " << read.name;
        std::vector<Value> indices;
        for (const ir::ExprRef& index : read.args) indices.push_back(site.emit.eval(index, env, mask));
        return site.emit.load_workspace(state_buffer(stage, *state), type_of(*state),
                                        offset_of(*state, old_half, indices), mask);
      });
      for (const ir::ScanState& state : stage.states)
        each(state, at_step, [&](const Env& env) {
          Value value = site.emit.convert(site.emit.eval(state.body, env, site.mask), type_of(state));
          site.emit.store_workspace(state_buffer(stage, state), offset_of(state, new_half, values_of(env, state.dims)),
                                    value, site.mask);
          const ir::Output& output = stage.outputs[static_cast<size_t>(&state - stage.states.data())];
          if (stage.kind == Stage::Kind::scan) put(site, output, values_of(env, output.dims), value, site.mask);
        });
      return std::vector<ValueId>{};
    });
    if (stage.kind == Stage::Kind::scan) return;
    for (const ir::ScanState& state : stage.states)
      each(state, site.env, [&](const Env& env) {
        ValueId offset = offset_of(state, half_of(length.id), values_of(env, state.dims));
        Value value = site.emit.load_workspace(state_buffer(stage, state), type_of(state), offset, site.mask);
        const ir::Output& output = stage.outputs[static_cast<size_t>(&state - stage.states.data())];
        put(site, output, values_of(env, output.dims), value, site.mask);
      });
  });
}

// ---- sort and topk
// -------------------------------------------------------------------------------------------------------

namespace {

// a stands strictly before b in ascending order, where NaN is the largest; and equality in that order.
struct Order {
  ValueId before, equal;
};
Order compare_values(tile::Builder& b, ValueId x, ValueId y) {
  ValueId less = b.lt(x, y), equal = b.binary(OpCode::eq, x, y);
  if (!is_float(b.type(x).dtype)) return {less, equal};
  ValueId nan_x = b.unary(OpCode::isnan, x), nan_y = b.unary(OpCode::isnan, y);
  ValueId only_y = b.logical_and(nan_y, b.unary(OpCode::bit_not, nan_x));
  return {b.binary(OpCode::bit_or, less, only_y), b.binary(OpCode::bit_or, equal, b.logical_and(nan_x, nan_y))};
}

}  // namespace

// The rank of an element is how many others stand before it; it goes to that place.
void NaiveVariant::build_sort(const Stage& stage) {
  const ir::Output& values = stage.outputs[0];
  bool top = stage.kind == Stage::Kind::topk;
  std::vector<std::string> dims = values.dims;
  for (std::string& dim : dims)
    if (top && dim == stage.new_dim) dim = stage.dim;
  launch_over(values.name, dims, [&](Site& site) {
    tile::Builder& b = site.scope.b;
    DType counts = site.scope.index_type();
    Value mine = site.emit.convert(site.emit.eval(stage.value, site.env, site.mask), values.type);
    ValueId my_place = site.emit.as_index(site.env.at(stage.dim));
    std::vector<ValueId> start = {b.full(b.integer(0, counts), site.emit.shape())};
    std::vector<ValueId> rank = site.emit.loop(
        site.emit.integer(0), site.scope.dim(stage.dim), 1, start, [&](Value other, const std::vector<ValueId>& sofar) {
          Env env = site.env;
          site.emit.bind_dim(env, stage.dim, other);
          Value theirs = site.emit.convert(site.emit.eval(stage.value, env, site.mask), values.type);
          bool descending = top || stage.descending;
          Order order = descending ? compare_values(b, mine.id, theirs.id) : compare_values(b, theirs.id, mine.id);
          ValueId first = b.logical_and(order.equal, b.lt(other.id, my_place));
          ValueId before = b.binary(OpCode::bit_or, order.before, first);
          return std::vector<ValueId>{b.add(sofar[0], b.select(before, b.integer(1, counts), b.integer(0, counts)))};
        });
    ValueId mask = site.mask;
    if (top) mask = b.logical_and(mask, b.lt(rank[0], site.scope.dim(stage.new_dim).id));
    std::vector<Value> at;
    for (const std::string& dim : values.dims)
      at.push_back(dim == (top ? stage.new_dim : stage.dim) ? Value{rank[0], ValueType::integer, 0, INT64_MAX}
                                                            : site.env.at(dim));
    put(site, values, at, mine, mask);
    if (stage.outputs.size() > 1) put(site, stage.outputs[1], at, site.env.at(stage.dim), mask);
  });
}

// ---- scatter
// -------------------------------------------------------------------------------------------------------------

void NaiveVariant::build_scatter(const Stage& stage) {
  if (stage.scatter_op == ir::ScatterOp::assign) return scatter_assign(stage);
  scatter_combine(stage);
}

// Every element is assigned at most once, so the sources may run in parallel.
void NaiveVariant::scatter_assign(const Stage& stage) {
  const ir::Tensor& target = *program_.tensor(stage.outputs[0].name);
  if (target.role == Role::output)
    launch(target.name + "_zero", target.shape, std::vector<std::string>(target.shape.size()), [&](Site& site) {
      site.emit.store_tensor(target.name, site.at, site.emit.convert(site.emit.integer(0), ir::type_of(target.dtype)),
                             site.mask);
    });
  launch_over(target.name, stage.over, [&](Site& site) {
    ValueId mask = site.mask;
    if (stage.condition)
      mask = site.emit.all_of(
          mask, site.emit.convert(site.emit.eval(stage.condition, site.env, mask), ValueType::boolean).id);
    std::vector<Value> at;
    for (const ir::ExprRef& index : stage.indices)
      at.push_back(site.emit.convert(site.emit.eval(index, site.env, mask), ValueType::integer));
    site.emit.store_tensor(target.name, at, site.emit.eval(stage.value, site.env, mask), mask);
  });
}

// One work-item an element of the target looks at all sources: slow, but the order of additions is fixed. Dimensions
// that are an index by themselves need no loop.
void NaiveVariant::scatter_combine(const Stage& stage) {
  const ir::Tensor& target = *program_.tensor(stage.outputs[0].name);
  std::vector<std::string> pinned(target.shape.size()), looped = stage.over;
  for (size_t axis = 0; axis < target.shape.size(); ++axis) {
    if (stage.indices[axis]->op != Op::index ||
        std::find(looped.begin(), looped.end(), stage.indices[axis]->name) == looped.end())
      continue;
    pinned[axis] = stage.indices[axis]->name;
    looped = without(looped, pinned[axis]);
  }
  ir::Reduction reduction = stage.scatter_op == ir::ScatterOp::add   ? ir::Reduction::sum
                            : stage.scatter_op == ir::ScatterOp::mul ? ir::Reduction::prod
                            : stage.scatter_op == ir::ScatterOp::max ? ir::Reduction::max
                                                                     : ir::Reduction::min;
  ValueType type = ir::type_of(target.dtype);
  launch(target.name, target.shape, pinned, [&](Site& site) {
    tile::Builder& b = site.scope.b;
    DType dtype = site.emit.accumulator(reduction, type);
    site.scope.tensor(target.name, target.role == Role::inout ? Access::read_write : Access::write);
    ValueId inside = site.mask;
    for (size_t axis = 0; axis < pinned.size(); ++axis)
      if (!pinned[axis].empty() && !(dim_size(program_, pinned[axis]) == expand_size(program_, target.shape[axis])))
        inside = site.emit.all_of(inside, b.lt(site.at[axis].id, site.scope.dim(pinned[axis]).id));
    std::vector<ValueId> start = identity_parts(site.scope, reduction, dtype, site.emit.shape());
    if (target.role == Role::inout)
      start = combine_parts(site.scope, reduction, start,
                            {b.cast(site.emit.load_tensor(target.name, site.at, site.mask).id, dtype)});
    std::vector<ValueId> sum =
        site.emit.loop_over(looped, site.env, start, [&](const Env& env, const std::vector<ValueId>& sofar) {
          ValueId hit = inside;
          if (stage.condition)
            hit = site.emit.all_of(hit,
                                   site.emit.convert(site.emit.eval(stage.condition, env, hit), ValueType::boolean).id);
          ValueId read = hit;
          for (size_t axis = 0; axis < pinned.size(); ++axis) {
            if (!pinned[axis].empty()) continue;
            Value index = site.emit.convert(site.emit.eval(stage.indices[axis], env, read), ValueType::integer);
            hit = site.emit.all_of(hit, b.binary(OpCode::eq, index.id, site.at[axis].id));
          }
          Value value = site.emit.convert(site.emit.eval(stage.value, env, hit), type);
          std::vector<ValueId> next = combine_parts(site.scope, reduction, sofar, {b.cast(value.id, dtype)});
          return std::vector<ValueId>{b.select(hit, next[0], sofar[0])};
        });
    ValueId result = type == ValueType::real ? b.cast(sum[0], site.scope.real()) : sum[0];
    site.emit.store_tensor(target.name, site.at, {result, type, INT64_MIN, INT64_MAX}, site.mask);
  });
}

}  // namespace hipvault::schedule
