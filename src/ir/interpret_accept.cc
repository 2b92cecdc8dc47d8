// Discrete results near a tie. A kernel whose logits are off in the last bit may pick the other of two near-equal
// tokens, and everything behind that choice is then different, but right:
//
//   token = i[B, min(where(cumsum(p) > u, V, size(V) - 1), V)]     cumsum(p)[7] = u to the last bit: place 7 or 8
//
// So a result is followed backwards as long as it only chooses (positions, gathers, branches, extremes of choices), and
// is right if some choice within the errors leads to it. An interval of integers instead would say "anything from 7 to
// the last": the branch not taken is far away.

#include <algorithm>
#include <utility>

#include "ir/interpret_impl.h"

namespace hipvault::ir {
namespace {

constexpr size_t kMostAlternatives = 64;  // that an uncertain integer may be before anything goes

void add_once(std::vector<int64_t>& values, int64_t value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace

// All that the integer may be, its likeliest value first; false: too many, or not known.
bool Interpreter::Impl::possible(const Node& node, std::vector<int64_t>& values) {
  V value = eval(node);
  if (failed()) return false;
  add_once(values, value.i);
  if (value.e == 0) return true;
  if (node.kind == Node::Kind::choose) {
    V condition = eval(*node.args[0]);
    if (condition.e == 0) return possible(*node.args[condition.i ? 1 : 2], values);
    bool known = possible(*node.args[condition.i ? 1 : 2], values) && possible(*node.args[condition.i ? 2 : 1], values);
    error_.reset();  // of the branch not taken
    return known && values.size() <= kMostAlternatives;
  }
  bool extreme =
      node.kind == Node::Kind::reduce && (node.reduction == Reduction::max || node.reduction == Reduction::min);
  if (extreme) return possible_extremes(node, values);
  if (2 * value.e >= static_cast<double>(kMostAlternatives)) return false;
  for (int64_t by = 1; by <= static_cast<int64_t>(value.e); ++by)
    add_once(values, value.i - by), add_once(values, value.i + by);
  return true;
}

// The largest (smallest) of integers of which some are uncertain: what is certain bounds it from one side, and each
// alternative beyond that bound may be it.
bool Interpreter::Impl::possible_extremes(const Node& node, std::vector<int64_t>& values) {
  bool largest = node.reduction == Reduction::max, known = true;
  auto beyond = [&](int64_t a, int64_t b) { return largest ? a > b : a < b; };
  std::vector<int64_t> found;
  std::optional<int64_t> bound;  // some value is at least this far, whatever the uncertain ones are
  walk(node.over, node.over_extents, [&] {
    std::vector<int64_t> own;
    known = possible(*node.args[0], own) && known;
    if (own.empty()) return true;
    int64_t least = own[0];
    for (int64_t value : own) least = beyond(least, value) ? value : least;
    if (!bound || beyond(least, *bound)) bound = least;
    std::erase_if(found, [&](int64_t value) { return beyond(*bound, value); });
    for (int64_t value : own)
      if (!beyond(*bound, value)) add_once(found, value);
    known = known && found.size() <= kMostAlternatives;
    return known;
  });
  for (int64_t value : found) add_once(values, value);
  return known && !failed();
}

// The places that a load with uncertain indices may mean.
bool Interpreter::Impl::possible_places(const Node& load, std::vector<std::vector<int64_t>>& places) {
  places = {{}};
  bool known = true;
  for (size_t axis = 0; axis < load.args.size(); ++axis) {
    std::vector<int64_t> values;
    known = possible(*load.args[axis], values) && known;
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& place : places) {
      for (int64_t value : values) {
        longer.push_back(place);
        longer.back().push_back(value);
      }
    }
    places = std::move(longer);
    if (places.size() > kMostAlternatives) return places.resize(kMostAlternatives), false;
  }
  return known;
}

// What follows the computation backwards as long as it only chooses: positions, gathers at positions, branches.
bool Interpreter::Impl::accepts(const Node& node, double got) {
  if (failed()) return false;
  if (node.kind == Node::Kind::reduce && node.reduction >= Reduction::argmax) return accepts_position(node, got);
  if (node.kind == Node::Kind::choose) {
    V condition = eval(*node.args[0]);
    if (failed()) return false;
    if (accepts(*node.args[condition.i ? 1 : 2], got)) return true;
    if (condition.e == 0) return false;
    bool other = accepts(*node.args[condition.i ? 2 : 1], got);
    error_.reset();
    return other;
  }
  bool load = node.kind == Node::Kind::load_stage || (node.kind == Node::Kind::load_tensor && node.view != nullptr);
  if (load) {
    std::vector<std::vector<int64_t>> places;
    bool known = possible_places(node, places);
    for (const std::vector<int64_t>& place : places) {
      bool inside = true;
      for (size_t axis = 0; axis < place.size(); ++axis)
        inside = inside && place[axis] >= 0 && place[axis] < node.extents[axis];
      bool right = !failed() && inside && accepts_at(node, place, got);
      if (places.size() > 1) error_.reset();
      if (right) return true;
      known = known && inside;
    }
    if (known && !failed()) return false;
  }
  bool extreme = node.kind == Node::Kind::reduce && node.type != ValueType::real &&
                 (node.reduction == Reduction::max || node.reduction == Reduction::min);
  std::vector<int64_t> values;
  if (extreme && possible(node, values))
    return std::any_of(values.begin(), values.end(), [&](int64_t value) { return static_cast<double>(value) == got; });
  V value = eval(node);
  if (failed()) return false;
  if (std::isnan(value.r) || std::isnan(got)) return std::isnan(value.r) == std::isnan(got);
  return got == value.r || std::fabs(got - value.r) <= value.e;
}

bool Interpreter::Impl::accepts_at(const Node& load, const std::vector<int64_t>& place, double got) {
  if (load.kind == Node::Kind::load_stage) return accepts_stage(*load.stage, load.output, place.data(), got);
  V value = load.view->at(load.view->tensor->position(place.data()));
  return value.r == got || (std::isnan(value.r) && std::isnan(got));
}

bool Interpreter::Impl::accepts_stage(StageRecord& record, int output, const int64_t* index, double got) {
  const OutputRecord& out = record.outputs[static_cast<size_t>(output)];
  if (record.stage->kind == Stage::Kind::scatter) {
    V value = stage_value(record, output, index);
    if (std::isnan(value.r) || std::isnan(got)) return std::isnan(value.r) == std::isnan(got);
    return got == value.r || std::fabs(got - value.r) <= value.e;
  }
  const Stage* outer = std::exchange(at_, record.stage);
  Hold hold(env_, out.slots);
  for (size_t axis = 0; axis < out.slots.size(); ++axis) env_[static_cast<size_t>(out.slots[axis])] = index[axis];
  bool right = false;
  bool sorts = record.stage->kind == Stage::Kind::sort || record.stage->kind == Stage::Kind::topk;
  bool discrete = !out.output->dtype || !is_float(*out.output->dtype);
  if (record.stage->kind == Stage::Kind::map && record.value->type != ValueType::real && discrete) {
    right = accepts(*record.value, got);
  } else if (sorts && output == 1) {
    right = accepts_rank(record, got);
  } else {
    right = accepts_rounded(record, output, got);
  }
  at_ = outer;
  return right;
}

// A position is right for a rank if its value may have that rank.
bool Interpreter::Impl::accepts_rank(StageRecord& record, double got) {
  Row* row = row_of(record);
  if (row == nullptr || failed()) return false;
  V exact = sort_value(record, *row, 1);
  if (got == exact.r) return true;
  if (row->source.empty() || got != std::floor(got) || got < 0 || got >= static_cast<double>(row->source.size()))
    return false;
  V wanted = sort_value(record, *row, 0);
  const V& chosen = row->source[static_cast<size_t>(got)];
  return chosen.e + wanted.e > 0 && std::fabs(chosen.r - wanted.r) <= chosen.e + wanted.e;
}

// Right if rounding some value within the error gives it.
bool Interpreter::Impl::accepts_rounded(StageRecord& record, int output, double got) {
  const Output& out = *record.outputs[static_cast<size_t>(output)].output;
  V value = raw_value(record, output);
  if (failed()) return false;
  ValueType from = raw_type(record, output);
  V low = value, high = value, rounded = declared(out, value, from);
  if (failed()) return false;
  if (std::isnan(rounded.r) || std::isnan(got)) return std::isnan(rounded.r) == std::isnan(got);
  if (got == rounded.r) return true;
  if (value.e == 0) return false;
  if (!out.dtype || !is_float(*out.dtype)) return std::fabs(got - rounded.r) <= rounded.e;
  low.r -= value.e, high.r += value.e;
  return got >= round_fast(*out.dtype, low.r) && got <= round_fast(*out.dtype, high.r);
}

bool Interpreter::Impl::accepts_position(const Node& node, double got) {
  V exact = eval(node);
  if (failed()) return false;
  if (got == exact.r) return true;
  if (exact.e == 0 || got != std::floor(got) || got < 0 || got >= static_cast<double>(node.count)) return false;
  double sign = node.reduction == Reduction::argmax ? 1 : -1, low = -kInfinity;
  V chosen;
  int64_t position = 0;
  walk(node.over, node.over_extents, [&] {
    V x = eval(*node.args[0]);
    low = std::max(low, sign * x.r - x.e);
    if (static_cast<double>(position) == got) chosen = x;
    ++position;
    return true;
  });
  return sign * chosen.r + chosen.e >= low;
}

}  // namespace hipvault::ir
