#include "ir/interpret.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "ir/interpret_impl.h"

namespace hipvault::ir {

Interpreter::Interpreter(const Program& program, const Bindings& bindings, const ErrorModel& model,
                         size_t memory_budget)
    : impl_(std::make_unique<Impl>(program, bindings, model, memory_budget)) {}
Interpreter::~Interpreter() = default;

// The stage that defines an output, after checking the index; false with an error when there is none.
bool Interpreter::Impl::find(const std::string& output, const std::vector<int64_t>* index, StageRecord*& record,
                             int& which) {
  if (failed()) return false;
  auto found = by_output_.find(output);
  if (found == by_output_.end()) {
    std::string known;
    for (const auto& [name, where] : by_output_) known += (known.empty() ? "" : ", ") + name;
    return wrong("ir.output", fmt::format("op {} has no output named {}", program_.name, output),
                 "its outputs are: " + known),
           false;
  }
  record = found->second.first, which = found->second.second;
  if (index == nullptr) return true;
  const std::vector<int64_t>& extents = record->outputs[static_cast<size_t>(which)].extents;
  bool inside = index->size() == extents.size();
  for (size_t i = 0; inside && i < extents.size(); ++i) inside = (*index)[i] >= 0 && (*index)[i] < extents[i];
  if (!inside) wrong("ir.output", fmt::format("an element outside {}", output));
  return inside;
}

Result<Value> Interpreter::element(const std::string& output, const std::vector<int64_t>& index) {
  StageRecord* record = nullptr;
  int which = 0;
  V v;
  if (impl_->find(output, &index, record, which)) v = impl_->stage_value(*record, which, index.data());
  if (impl_->failed()) {
    Diagnostic error = *impl_->error_;
    impl_->error_.reset();
    return fail(error);
  }
  return Value{v.r, v.i, v.e, record->outputs[static_cast<size_t>(which)].output->type};
}

Result<HostTensor> Interpreter::tensor(const std::string& output) {
  StageRecord* record = nullptr;
  int which = 0;
  if (!impl_->find(output, nullptr, record, which)) {
    Diagnostic error = *impl_->error_;
    impl_->error_.reset();
    return fail(error);
  }
  const OutputRecord& out = record->outputs[static_cast<size_t>(which)];
  ValueType type = out.output->type;
  DType fallback = type == ValueType::real ? DType::f64 : type == ValueType::integer ? DType::i64 : DType::boolean;
  DType dtype = out.output->dtype.value_or(fallback);
  HostTensor result = make_tensor(output, dtype, out.extents);
  std::vector<int64_t> index(out.extents.size(), 0);
  for (int64_t n = 0; n < result.elements(); ++n) {
    V v = impl_->stage_value(*record, which, index.data());
    if (impl_->failed()) {
      Diagnostic error = *impl_->error_;
      impl_->error_.reset();
      return fail(error);
    }
    if (is_float(dtype)) {
      encode(dtype, result.bytes.data(), n, v.r);
    } else {
      encode_int(dtype, result.bytes.data(), n, v.i);
    }
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < out.extents[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
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
  if (node.kind == Node::Kind::load_stage) {
    std::vector<int64_t> index;
    bool exact = true;
    for (size_t axis = 0; axis < node.args.size(); ++axis) {
      V value = eval(*node.args[axis]);
      exact = exact && value.e == 0 && value.i >= 0 && value.i < node.extents[axis];
      index.push_back(value.i);
    }
    if (exact && !failed()) return accepts_stage(*node.stage, node.output, index.data(), got);
  }
  V value = eval(node);
  if (failed()) return false;
  if (std::isnan(value.r) || std::isnan(got)) return std::isnan(value.r) == std::isnan(got);
  return got == value.r || std::fabs(got - value.r) <= value.e;
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

Result<bool> Interpreter::acceptable(const std::string& output, const std::vector<int64_t>& index, double got) {
  StageRecord* record = nullptr;
  int which = 0;
  bool right = false;
  if (impl_->find(output, &index, record, which)) right = impl_->accepts_stage(*record, which, index.data(), got);
  if (impl_->failed()) {
    Diagnostic error = *impl_->error_;
    impl_->error_.reset();
    return fail(error);
  }
  return right;
}

}  // namespace hipvault::ir
