// Stages: maps, running reductions, sorts, scans. A row (all elements along the dimension that runs) is computed once
// and remembered; the oldest rows go when memory is short.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "ir/interpret_impl.h"

namespace hipvault::ir {

constexpr size_t kMostTies = 64;  // neighbours in sorted order that may swap before anything goes

// `index`: of the output's axes, inside them.
V Interpreter::Impl::stage_value(StageRecord& record, int output, const int64_t* index) {
  if (failed()) return {};
  const Stage* outer = std::exchange(at_, record.stage);
  V value;
  if (record.stage->kind == Stage::Kind::scatter) {
    value = scatter_value(record, index);
  } else {
    const OutputRecord& out = record.outputs[static_cast<size_t>(output)];
    Hold hold(env_, out.slots);
    for (size_t axis = 0; axis < out.slots.size(); ++axis) env_[static_cast<size_t>(out.slots[axis])] = index[axis];
    value = compute_stage(record, output);
  }
  at_ = outer;
  return value;
}

V Interpreter::Impl::compute_stage(StageRecord& record, int output) {
  const Output& out = *record.outputs[static_cast<size_t>(output)].output;
  if (record.stage->kind == Stage::Kind::map) {
    int64_t key = 0;
    size_t entry = 0;
    if (record.memo) {
      key = record.memo->key(env_);
      entry = static_cast<size_t>(key & record.memo->mask);
      if (record.memo->keys[entry] == key) return record.memo->values[entry];
    }
    V value = declared(out, eval(*record.value), record.value->type);
    if (record.memo && !failed()) record.memo->keys[entry] = key, record.memo->values[entry] = value;
    return value;
  }
  return declared(out, raw_value(record, output), raw_type(record, output));
}

ValueType Interpreter::Impl::raw_type(const StageRecord& record, int output) const {
  const Stage& stage = *record.stage;
  switch (stage.kind) {
    case Stage::Kind::map:
      return record.value->type;
    case Stage::Kind::cumulative:
      return stage.reduction == Reduction::max || stage.reduction == Reduction::min
                 ? record.value->type
                 : std::max(record.value->type, ValueType::integer);
    case Stage::Kind::sort:
    case Stage::Kind::topk:
      return output == 1 ? ValueType::integer : record.value->type;
    case Stage::Kind::scan:
    case Stage::Kind::fold: {
      const ScanState& state = stage.states[static_cast<size_t>(output)];
      return std::max(state.init->type, state.body->type);
    }
    case Stage::Kind::scatter:
      break;
  }
  return stage.outputs[0].type;
}

// Before the declared rounding.
V Interpreter::Impl::raw_value(StageRecord& record, int output) {
  if (record.stage->kind == Stage::Kind::map) return eval(*record.value);
  Row* row = row_of(record);
  if (row == nullptr || failed()) return {};
  switch (record.stage->kind) {
    case Stage::Kind::cumulative:
      return row->values[static_cast<size_t>(env_[static_cast<size_t>(record.slot)])];
    case Stage::Kind::sort:
    case Stage::Kind::topk:
      return sort_value(record, *row, output);
    default:
      return scan_value(record, *row, output);
  }
}

V Interpreter::Impl::declared(const Output& output, const V& value, ValueType from) {
  return output.dtype ? cast_value(*output.dtype, value, from) : value;
}

int64_t Interpreter::Impl::row_key(const StageRecord& record) const {
  int64_t key = 0;
  for (size_t i = 0; i < record.key_slots.size(); ++i)
    key = key * record.key_extents[i] + env_[static_cast<size_t>(record.key_slots[i])];
  return key;
}

Row* Interpreter::Impl::row_of(StageRecord& record) {
  int64_t key = row_key(record);
  auto found = record.rows.find(key);
  if (found != record.rows.end()) return found->second.get();
  bool scans = !record.stage->states.empty();
  int64_t length = scans ? record.block * std::max<int64_t>(record.local, 1) : record.extent * 2;
  size_t bytes = static_cast<size_t>(length + 1) * sizeof(V), most = std::max<size_t>(1, budget_ / 4 / bytes);
  while (record.rows.size() >= most) {
    record.rows.erase(record.row_order.front());
    record.row_order.pop_front();
  }
  auto row = std::make_unique<Row>();
  // The row is filled with its dimensions as they are now; what runs is set while filling and put back.
  std::vector<int> running = {record.slot};
  Hold hold(env_, running);
  if (record.stage->kind == Stage::Kind::cumulative) fill_cumulative(record, *row);
  if (record.stage->kind == Stage::Kind::sort || record.stage->kind == Stage::Kind::topk) fill_sort(record, *row);
  if (failed()) return nullptr;
  Row* kept = row.get();
  record.rows[key] = std::move(row);
  record.row_order.push_back(key);
  return kept;
}

void Interpreter::Impl::fill_cumulative(StageRecord& record, Row& row) {
  const Stage& stage = *record.stage;
  bool integers = raw_type(record, 0) != ValueType::real;
  Op op = stage.reduction == Reduction::sum    ? Op::add
          : stage.reduction == Reduction::prod ? Op::mul
          : stage.reduction == Reduction::max  ? Op::maximum
                                               : Op::minimum;
  double identity = op == Op::add ? 0 : op == Op::mul ? 1 : op == Op::maximum ? -kInfinity : kInfinity;
  if (integers && stage.exclusive && std::isinf(identity))
    return wrong("ir.empty", "the largest or smallest of no integers (an exclusive running extreme)");
  V total = integers ? integer_value(std::isinf(identity) ? 0 : static_cast<int64_t>(identity)) : real_value(identity);
  ExactSum sum;
  double magnitude = 0, errors = 0;
  int64_t count = 0;
  row.values.resize(static_cast<size_t>(record.extent));
  for (int64_t step = 0; step < record.extent && !failed(); ++step) {
    int64_t at = stage.reverse ? record.extent - 1 - step : step;
    env_[static_cast<size_t>(record.slot)] = at;
    if (stage.exclusive) row.values[static_cast<size_t>(at)] = total;
    V x = eval(*record.value);
    ++count;
    const char* why = "";
    if (integers) {
      if (std::isinf(identity) && count == 1) {
        total = x;
      } else if (!integer_operation(op, total, x, total, why)) {
        wrong("ir.integer", why);
      }
    } else if (op == Op::add) {  // as for a sum: so many terms in any order
      sum.add(x.r);
      magnitude += std::fabs(x.r);
      errors += x.e;
      double n = static_cast<double>(count);
      total = Scalars::finish(sum.value(), errors + (n > 1 ? scalars_.u * scalars_.growth(n) * magnitude : 0), errors);
      total = scalars_.overflowing_sum(total, magnitude + errors);
    } else {
      total = scalars_.binary(op, total, x);
    }
    if (!stage.exclusive) row.values[static_cast<size_t>(at)] = total;
  }
}

void Interpreter::Impl::fill_sort(StageRecord& record, Row& row) {
  const Stage& stage = *record.stage;
  bool descending = stage.kind == Stage::Kind::topk || stage.descending,
       integers = record.value->type != ValueType::real;
  std::vector<V> values(static_cast<size_t>(record.extent));
  bool unsure = false;
  for (int64_t at = 0; at < record.extent && !failed(); ++at) {
    env_[static_cast<size_t>(record.slot)] = at;
    values[static_cast<size_t>(at)] = eval(*record.value);
    unsure = unsure || values[static_cast<size_t>(at)].e > 0;
  }
  auto below = [&](const V& a, const V& b) {  // NaN is the largest
    if (integers) return a.i < b.i;
    return std::isnan(b.r) ? !std::isnan(a.r) : a.r < b.r;
  };
  row.positions.resize(values.size());
  std::iota(row.positions.begin(), row.positions.end(), 0);
  std::stable_sort(row.positions.begin(), row.positions.end(), [&](int64_t a, int64_t b) {
    const V &x = values[static_cast<size_t>(a)], &y = values[static_cast<size_t>(b)];
    return descending ? below(y, x) : below(x, y);
  });
  for (int64_t from : row.positions) row.values.push_back(values[static_cast<size_t>(from)]);
  if (!unsure) return;
  // The k-th value lies between the k-th of all lower and the k-th of all upper ends.
  row.source = values;
  std::vector<double> low, high;
  for (const V& x : values)
    if (!std::isnan(x.r)) low.push_back(x.r - x.e), high.push_back(x.r + x.e);
  std::sort(low.begin(), low.end());
  std::sort(high.begin(), high.end());
  if (descending) std::reverse(low.begin(), low.end()), std::reverse(high.begin(), high.end());
  size_t nans = values.size() - low.size(), first = descending ? nans : 0;
  for (size_t k = 0; k < low.size(); ++k) {
    V& value = row.values[first + k];
    double e = std::max(high[k] == value.r ? 0 : high[k] - value.r, low[k] == value.r ? 0 : value.r - low[k]);
    value.e = std::isnan(e) ? kInfinity : e;
  }
}

V Interpreter::Impl::sort_value(StageRecord& record, Row& row, int output) {
  const Stage& stage = *record.stage;
  size_t rank = static_cast<size_t>(
      env_[static_cast<size_t>(stage.kind == Stage::Kind::topk ? slot_of(stage.new_dim) : record.slot)]);
  if (rank >= row.values.size())
    return wrong("ir.range", fmt::format("topk wants {} of {} values", rank + 1, row.values.size())), V{};
  const V& value = row.values[rank];
  if (output == 0) return value;
  V position = integer_value(row.positions[rank]);
  if (row.source.empty()) return position;
  // Neighbours in the order that are as good here.
  for (int step : {-1, 1}) {
    size_t near = 0;
    for (int64_t other = static_cast<int64_t>(rank) + step;
         other >= 0 && other < static_cast<int64_t>(row.values.size()); other += step) {
      const V& source = row.source[static_cast<size_t>(row.positions[static_cast<size_t>(other)])];
      if (!(std::fabs(source.r - value.r) <= source.e + value.e) || source.e + value.e == 0) break;
      if (++near > kMostTies) return position.e = kInfinity, position;
      position.e =
          std::max(position.e, std::fabs(static_cast<double>(row.positions[static_cast<size_t>(other)] - position.i)));
    }
  }
  return position;
}

int64_t Interpreter::Impl::local_index(const StateRecord& state) const {
  int64_t at = 0;
  for (size_t i = 0; i < state.coupled_slots.size(); ++i)
    at = at * state.coupled_extents[i] + env_[static_cast<size_t>(state.coupled_slots[i])];
  return state.offset + at;
}

void Interpreter::Impl::start_scan(StageRecord& record, std::vector<V>& states) {
  states.resize(static_cast<size_t>(record.local));
  for (const StateRecord& state : record.states)
    walk(state.coupled_slots, state.coupled_extents, [&] {
      states[static_cast<size_t>(local_index(state))] = eval(*state.init);
      return true;
    });
}

// One step at the place where the scanned dimension's slot stands.
void Interpreter::Impl::step_scan(StageRecord& record, std::vector<V>& states) {
  std::vector<V> next(states.size());
  record.current = &states;
  ++generation_;
  for (const StateRecord& state : record.states)
    walk(state.coupled_slots, state.coupled_extents, [&] {
      next[static_cast<size_t>(local_index(state))] = eval(*state.body);
      return true;
    });
  record.current = nullptr;
  states = std::move(next);
}

V Interpreter::Impl::scan_value(StageRecord& record, Row& row, int output) {
  const StateRecord& state = record.states[static_cast<size_t>(output)];
  int64_t& at = env_[static_cast<size_t>(record.slot)];
  int64_t wanted = record.stage->kind == Stage::Kind::fold ? record.extent - 1 : at, saved = at;
  if (row.marks.empty()) {
    row.marks.emplace_back();
    start_scan(record, row.marks[0]);
  }
  if (wanted < 0) return row.marks[0][static_cast<size_t>(local_index(state))];  // a fold of nothing
  int64_t block = wanted / record.block;
  if (row.block != block) {
    int64_t from = std::min<int64_t>(block, static_cast<int64_t>(row.marks.size()) - 1);
    std::vector<V> states = row.marks[static_cast<size_t>(from)];
    row.values.clear();
    for (at = from * record.block; at < std::min(record.extent, (block + 1) * record.block) && !failed(); ++at) {
      if (at % record.block == 0 && at / record.block == static_cast<int64_t>(row.marks.size()))
        row.marks.push_back(states);
      step_scan(record, states);
      if (at / record.block == block) row.values.insert(row.values.end(), states.begin(), states.end());
    }
    at = saved;
    row.block = failed() ? -1 : block;
  }
  if (failed()) return {};
  return row.values[static_cast<size_t>((wanted % record.block) * record.local + local_index(state))];
}

}  // namespace hipvault::ir
