#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "ir/interpret_impl.h"

namespace hipvault::ir {

void Interpreter::Impl::wrong(const std::string& code, const std::string& message, const std::string& hint) {
  if (error_) return;
  std::string where;
  if (at_ != nullptr && !at_->outputs.empty()) {
    where = " in the computation of " + at_->outputs[0].name;
    std::string indices;
    for (const std::string& dim : at_->outputs[0].dims) {
      auto slot = slots_.find(dim);
      if (slot != slots_.end())
        indices += fmt::format("{}{}={}", indices.empty() ? "" : ", ", dim, env_[static_cast<size_t>(slot->second)]);
    }
    if (!indices.empty()) where += " at " + indices;
  }
  error_ = Diagnostic{code, message + where, hint, at_ == nullptr ? Place{} : at_->place};
}

V Interpreter::Impl::eval(const Node& node) {
  switch (node.kind) {
    case Node::Kind::constant:
      return node.value;
    case Node::Kind::index:
      return integer_value(env_[static_cast<size_t>(node.slot)]);
    case Node::Kind::load_tensor:
      return eval_load_tensor(node);
    case Node::Kind::load_stage:
      return eval_load_stage(node);
    case Node::Kind::state:
      return eval_state(node);
    case Node::Kind::cast:
      return eval_cast(node);
    case Node::Kind::reduce:
      return eval_reduce(node);
    case Node::Kind::unary: {
      V a = eval(*node.args[0]);
      if (node.op == Op::isnan) return integer_value(std::isnan(a.r));
      if (node.op == Op::isinf) return integer_value(std::isinf(a.r), scalars_.may_overflow(a) ? 1 : 0);
      if (!node.integers) return scalars_.unary(node.op, as_real(*node.args[0], a));
      V out;
      const char* why = "";
      if (!integer_operation(node.op, a, {}, out, why)) wrong("ir.integer", why);
      return out;
    }
    case Node::Kind::binary:
      return eval_binary(node);
    case Node::Kind::compare: {
      V a = eval(*node.args[0]), b = eval(*node.args[1]);
      // Integers compare exactly, also beyond 2^53.
      if (node.integers && a.e + b.e == 0) return Scalars::compare(node.op, a.i < b.i ? -1 : a.i > b.i, 0, 0);
      if (node.integers) return Scalars::compare(node.op, a.r, b.r, a.e + b.e);
      return scalars_.compare(node.op, as_real(*node.args[0], a), as_real(*node.args[1], b));
    }
    case Node::Kind::logical:
      return eval_logical(node);
    case Node::Kind::choose:
      return eval_choose(node);
    case Node::Kind::generator:
      return eval_generator(node);
  }
  return {};
}

V Interpreter::Impl::as_real(const Node& node, const V& value) const {
  return node.type == ValueType::real ? value : scalars_.from_integer(value);
}

V Interpreter::Impl::eval_binary(const Node& node) {
  V a = eval(*node.args[0]), b = eval(*node.args[1]);
  if (!node.integers) return scalars_.binary(node.op, as_real(*node.args[0], a), as_real(*node.args[1], b));
  V out;
  const char* why = "";
  if (!integer_operation(node.op, a, b, out, why))
    wrong("ir.integer", fmt::format("{}: {} {} {}", why, a.i, op_spelling(node.op), b.i));
  return out;
}

bool Interpreter::Impl::try_eval(const Node& node, V& out) {
  if (failed()) return false;
  out = eval(node);
  bool fine = !failed();
  error_.reset();
  return fine;
}

V Interpreter::Impl::eval_logical(const Node& node) {
  V a = eval(*node.args[0]);
  if (node.op == Op::logical_not) return integer_value(!a.i, a.e);
  bool decides = node.op == Op::logical_and ? a.i == 0 : a.i != 0;
  if (decides && a.e == 0) return a;
  V b;
  if (a.e == 0) return eval(*node.args[1]);
  // The left side may be either; the right side then may count.
  if (decides) {
    if (!try_eval(*node.args[1], b)) return integer_value(a.i);
    bool same = b.e == 0 && (b.i != 0) == (a.i != 0);
    return integer_value(a.i, same ? 0 : 1);
  }
  b = eval(*node.args[1]);
  bool settled = b.e == 0 && (node.op == Op::logical_and ? b.i == 0 : b.i != 0);
  return integer_value(b.i, settled ? 0 : 1);
}

V Interpreter::Impl::eval_choose(const Node& node) {
  V condition = eval(*node.args[0]);
  V taken = eval(*node.args[condition.i ? 1 : 2]);
  if (node.type != ValueType::real) taken.r = static_cast<double>(taken.i);
  if (condition.e == 0) return taken;
  V other;
  if (!try_eval(*node.args[condition.i ? 2 : 1], other)) return taken;
  if (taken.r == other.r) return taken.e < other.e ? V{taken.r, taken.i, other.e} : taken;
  double apart = std::fabs(taken.r - other.r) + other.e;
  taken.e = std::isnan(apart) ? kInfinity : std::max(taken.e, apart);
  return taken;
}

V Interpreter::Impl::eval_generator(const Node& node) {
  V seed = eval(*node.args[0]), counter = eval(*node.args[1]);
  uint32_t word = philox_word(static_cast<uint64_t>(seed.i), static_cast<uint64_t>(counter.i));
  double e = seed.e + counter.e > 0 ? kInfinity : 0;
  if (node.op == Op::random) return integer_value(word, e);
  return real_value(static_cast<double>(word >> 8) * 0x1p-24, e);
}

V Interpreter::Impl::eval_load_tensor(const Node& node) {
  if (node.view == nullptr) return {};
  int64_t position = node.view->tensor->offset;
  bool inside = true;
  std::vector<V> unsure;
  for (size_t axis = 0; axis < node.args.size(); ++axis) {
    int slot = node.index_slots[axis];
    int64_t index;
    if (slot >= 0) {
      index = env_[static_cast<size_t>(slot)];
    } else {
      V value = eval(*node.args[axis]);
      if (value.e > 0 && unsure.empty()) unsure.resize(node.args.size());
      if (value.e > 0) unsure[axis] = value;
      index = value.i;
    }
    if (index < 0 || index >= node.extents[axis]) {
      inside = false;
      if (node.otherwise == nullptr && !failed())
        wrong(
            "ir.range",
            fmt::format("index {} of axis {} of {} is outside 0 … {}", index, axis, node.name, node.extents[axis] - 1),
            "give the value outside with: else");
    }
    position += index * node.strides[axis];
  }
  if (failed()) return {};
  if (!unsure.empty()) {
    std::vector<V> indices;
    for (const Node* arg : node.args) indices.push_back(eval(*arg));
    return uncertain_load(node, indices);
  }
  V value = inside ? node.view->at(position) : eval(*node.otherwise);
  if (node.type != ValueType::real) value.r = static_cast<double>(value.i);
  return value;
}

V Interpreter::Impl::eval_load_stage(const Node& node) {
  constexpr size_t kMostAxes = 16;
  int64_t indices[kMostAxes];
  CHECK(node.args.size() <= kMostAxes) << "a stage of " << node.args.size() << " axes";
  bool unsure = false, inside = true;
  for (size_t axis = 0; axis < node.args.size(); ++axis) {
    int slot = node.index_slots[axis];
    if (slot >= 0) {
      indices[axis] = env_[static_cast<size_t>(slot)];
    } else {
      V value = eval(*node.args[axis]);
      unsure = unsure || value.e > 0;
      indices[axis] = value.i;
    }
    if (indices[axis] >= 0 && indices[axis] < node.extents[axis]) continue;
    inside = false;
    if (node.otherwise == nullptr && !failed())
      wrong("ir.range",
            fmt::format("index {} of axis {} of {} is outside 0 … {}", indices[axis], axis, node.name,
                        node.extents[axis] - 1),
            "give the value outside with: else");
  }
  if (failed()) return {};
  if (unsure) {
    std::vector<V> values;
    for (const Node* arg : node.args) values.push_back(eval(*arg));
    return uncertain_load(node, values);
  }
  return inside ? stage_value(*node.stage, node.output, indices) : eval(*node.otherwise);
}

// An index that may be one of several: the value may be any of theirs.
V Interpreter::Impl::uncertain_load(const Node& node, const std::vector<V>& indices) {
  auto value_at = [&](const std::vector<int64_t>& place, V& out) {
    bool inside = true;
    for (size_t axis = 0; axis < place.size(); ++axis)
      inside = inside && place[axis] >= 0 && place[axis] < node.extents[axis];
    if (!inside && node.otherwise == nullptr) return false;
    if (!inside) return try_eval(*node.otherwise, out);
    if (node.kind == Node::Kind::load_tensor)
      return out = node.view->at(node.view->tensor->position(place.data())), true;
    out = stage_value(*node.stage, node.output, place.data());
    bool fine = !failed();
    error_.reset();
    return fine;
  };
  std::vector<int64_t> index;
  for (const V& at : indices) index.push_back(at.i);
  V value;
  value_at(index, value);
  std::vector<std::vector<int64_t>> places;
  if (!possible_places(node, places)) value.e = kInfinity;
  for (size_t n = 0; n < places.size() && value.e < kInfinity; ++n) {
    V other;
    if (!value_at(places[n], other)) continue;
    double apart = other.r == value.r ? other.e : std::fabs(other.r - value.r) + other.e;
    value.e = std::isnan(apart) ? kInfinity : std::max(value.e, apart);
  }
  return value;
}

V Interpreter::Impl::eval_state(const Node& node) {
  const StateRecord& state = node.stage->states[static_cast<size_t>(node.output)];
  CHECK(node.stage->current != nullptr) << "the state " << node.name << " outside a step";
  int64_t at = 0;
  for (size_t axis = 0; axis < node.args.size(); ++axis) {
    if (!state.coupled[axis]) continue;
    V index = eval(*node.args[axis]);
    if (index.i < 0 || index.i >= state.extents[axis]) {
      wrong("ir.range", fmt::format("index {} of axis {} of the state {} is outside 0 … {}", index.i, axis, node.name,
                                    state.extents[axis] - 1));
      return {};
    }
    at = at * state.extents[axis] + index.i;
  }
  return (*node.stage->current)[static_cast<size_t>(state.offset + at)];
}

V Interpreter::Impl::eval_cast(const Node& node) {
  return cast_value(node.dtype, eval(*node.args[0]), node.args[0]->type);
}

// Casts and declared result types: to a float, nearest even; to an integer, truncation, which must be in range.
V Interpreter::Impl::cast_value(DType dtype, const V& a, ValueType from) {
  if (failed()) return {};
  if (dtype == DType::boolean)
    return integer_value(from == ValueType::real ? a.r != 0 : a.i != 0, a.e > 0 && std::fabs(a.r) <= a.e ? 1 : 0);
  const DTypeInfo& type = info(dtype);
  if (type.is_float) return Scalars::round(dtype, a);
  V out = a;
  if (from == ValueType::real) {
    double r = std::trunc(a.r);
    if (!(r >= -0x1p63 && r < 0x1p63)) {
      wrong("ir.cast", fmt::format("{} does not fit into {}", a.r, type.name), "clamp it before");
      return {};
    }
    V truncated = scalars_.unary(Op::trunc, a);
    out = integer_value(static_cast<int64_t>(r), truncated.e);
  }
  int64_t low = type.is_signed ? -(int64_t{1} << (type.bits - 1)) : 0;
  int64_t high = type.bits == 64 ? INT64_MAX : (int64_t{1} << (type.bits - (type.is_signed ? 1 : 0))) - 1;
  if (type.bits == 64 && type.is_signed) low = INT64_MIN;
  if (type.bits == 64 && !type.is_signed && from != ValueType::real) return out;  // u64 values travel as their bits
  if (out.i < low || out.i > high)
    wrong("ir.cast", fmt::format("{} does not fit into {}", out.i, type.name), "clamp it before");
  return out;
}

}  // namespace hipvault::ir
