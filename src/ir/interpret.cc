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
