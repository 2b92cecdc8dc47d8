// Scatter, seen from the element: which steps of the walk write to it? All places are computed once and sorted; when
// that does not fit in memory the walk is repeated for each element. An axis whose index is a plain dimension is not
// walked: the element fixes it.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "ir/interpret_impl.h"

namespace hipvault::ir {
namespace {

// Identity of the operator; an integer type's own extreme for max= and min=, as it has no infinity.
V identity_of(ScatterOp op, DType dtype) {
  const DTypeInfo& type = info(dtype);
  bool extreme = op == ScatterOp::max || op == ScatterOp::min;
  if (type.is_float) return real_value(!extreme ? op == ScatterOp::mul : op == ScatterOp::max ? -kInfinity : kInfinity);
  if (!extreme) return integer_value(op == ScatterOp::mul);
  if (dtype == DType::boolean) return integer_value(op == ScatterOp::min);
  int magnitude = type.bits - (type.is_signed ? 1 : 0);
  int64_t high = magnitude >= 63 ? INT64_MAX : (int64_t{1} << magnitude) - 1;
  return integer_value(op == ScatterOp::min ? high : type.is_signed ? -high - 1 : 0);
}

constexpr Op kCombine[] = {Op::number, Op::add, Op::mul, Op::maximum, Op::minimum};

}  // namespace

// The place over the axes that are not fixed; -1 when the condition says no.
int64_t Interpreter::Impl::scatter_place(StageRecord& record) {
  if (record.condition != nullptr && eval(*record.condition).i == 0) return -1;
  int64_t place = 0;
  for (size_t axis = 0; axis < record.indices.size(); ++axis) {
    if (record.fixed_axis[axis] >= 0) continue;
    V index = eval(*record.indices[axis]);
    if (failed()) return -1;
    if (index.i < 0 || index.i >= record.target_extents[axis]) {
      wrong("ir.range",
            fmt::format("index {} of axis {} of {} is outside 0 … {}", index.i, axis, record.stage->outputs[0].name,
                        record.target_extents[axis] - 1),
            "leave such elements out with: if");
      return -1;
    }
    place = place * record.target_extents[axis] + index.i;
  }
  return place;
}

int64_t Interpreter::Impl::wanted_place(const StageRecord& record, const int64_t* index) const {
  int64_t place = 0;
  for (size_t axis = 0; axis < record.fixed_axis.size(); ++axis)
    if (record.fixed_axis[axis] < 0) place = place * record.target_extents[axis] + index[axis];
  return place;
}

void Interpreter::Impl::index_scatter(StageRecord& record) {
  record.indexed = true;
  for (size_t axis = 0; axis < record.fixed_axis.size(); ++axis) {
    int slot = record.fixed_axis[axis];
    if (slot >= 0 && sizes_[static_cast<size_t>(slot)] > record.target_extents[axis])
      wrong("ir.range", fmt::format("index {} of axis {} of {} is outside 0 … {}", record.target_extents[axis], axis,
                                    record.stage->outputs[0].name, record.target_extents[axis] - 1));
  }
  int64_t steps = 1, step = 0;
  for (int64_t extent : record.over_extents) steps *= extent;
  if (steps > static_cast<int64_t>(budget_ / 4 / sizeof(std::pair<int64_t, int64_t>))) return;
  walk(record.over_slots, record.over_extents, [&] {
    int64_t place = scatter_place(record);
    if (place >= 0) record.hits.emplace_back(place, step);
    ++step;
    return true;
  });
  std::sort(record.hits.begin(), record.hits.end());
  record.hits.shrink_to_fit();
  record.listed = true;
}

V Interpreter::Impl::scatter_value(StageRecord& record, const int64_t* index) {
  std::vector<int> touched = record.over_slots;
  for (int slot : record.fixed_axis)
    if (slot >= 0) touched.push_back(slot);
  Hold hold(env_, touched);
  if (!record.indexed) index_scatter(record);
  if (failed()) return {};
  const Output& target = record.stage->outputs[0];
  V total = scatter_start(record, index);
  for (size_t axis = 0; axis < record.fixed_axis.size(); ++axis) {
    int slot = record.fixed_axis[axis];
    if (slot < 0) continue;
    if (index[axis] >= sizes_[static_cast<size_t>(slot)]) return cast_value(*target.dtype, total, target.type);
    env_[static_cast<size_t>(slot)] = index[axis];
  }
  int64_t wanted = wanted_place(record, index), count = 0;
  double magnitude = std::fabs(total.r);
  auto hit = [&] { combine(record, total, ++count, magnitude); };
  if (record.listed) {
    for (auto at = std::lower_bound(record.hits.begin(), record.hits.end(), std::pair<int64_t, int64_t>(wanted, 0));
         at != record.hits.end() && at->first == wanted && !failed(); ++at) {
      int64_t rest = at->second;
      for (size_t i = record.over_slots.size(); i-- > 0;) {
        env_[static_cast<size_t>(record.over_slots[i])] = rest % record.over_extents[i];
        rest /= record.over_extents[i];
      }
      hit();
    }
  } else {
    walk(record.over_slots, record.over_extents, [&] {
      if (scatter_place(record) == wanted) hit();
      return true;
    });
  }
  if (record.stage->scatter_op == ScatterOp::add && target.type == ValueType::real && count > 0)
    total.e += scalars_.u * scalars_.growth(static_cast<double>(count)) * magnitude;
  return cast_value(*target.dtype, total, target.type);
}

V Interpreter::Impl::scatter_start(const StageRecord& record, const int64_t* index) {
  const Tensor& target = *program_.tensor(record.stage->outputs[0].name);
  if (target.role != Role::inout) return identity_of(record.stage->scatter_op, target.dtype);
  const TensorView* view = view_of(target.name);
  return view == nullptr ? V{} : view->at(view->tensor->position(index));
}

void Interpreter::Impl::combine(StageRecord& record, V& total, int64_t count, double& magnitude) {
  V x = eval(*record.value);
  const Output& target = record.stage->outputs[0];
  ScatterOp op = record.stage->scatter_op;
  if (op == ScatterOp::assign) {
    if (count > 1)
      wrong("ir.twice", fmt::format("'=' writes twice to one element of {}", target.name),
            "use += or make the places distinct");
    total = cast_value(*target.dtype, x, record.value->type);
    return;
  }
  if (target.type == ValueType::real) {
    if (op == ScatterOp::add) {
      magnitude += std::fabs(x.r);
      total = Scalars::finish(total.r + x.r, total.e + x.e, total.e + x.e);
    } else {
      total = scalars_.binary(kCombine[static_cast<size_t>(op)], total, x);
    }
    return;
  }
  if (record.value->type == ValueType::real) x = cast_value(*target.dtype, x, ValueType::real);
  const char* why = "";
  if (!failed() && !integer_operation(kCombine[static_cast<size_t>(op)], total, x, total, why))
    wrong("ir.integer", why);
}

}  // namespace hipvault::ir
