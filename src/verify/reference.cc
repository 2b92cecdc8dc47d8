#include "verify/reference.h"

namespace hipvault::verify {

std::vector<int64_t> multi_index(const std::vector<int64_t>& shape, int64_t linear) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = linear % shape[axis];
    linear /= shape[axis];
  }
  return index;
}

Reference::Reference(const ir::Program& program, CaseInputs inputs, double unit_roundoff) : inputs_(std::move(inputs)) {
  ir::Bindings bindings;
  bindings.sizes = inputs_.sizes;
  bindings.scalars = inputs_.scalars;
  for (size_t at = 0; at < program.tensors.size(); ++at) {
    if (program.tensors[at].role != Role::output) bindings.tensors[program.tensors[at].name] = &inputs_.tensors[at];
  }
  ir::ErrorModel model;
  model.unit_roundoff = unit_roundoff;
  interpreter_ = std::make_unique<ir::Interpreter>(program, bindings, model);
}

Result<ir::Value> Reference::value(const std::string& output, const std::vector<int64_t>& shape, int64_t linear) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unordered_map<int64_t, ir::Value>& known = known_[output];
  auto at = known.find(linear);
  if (at != known.end()) return at->second;
  Result<ir::Value> made = interpreter_->element(output, multi_index(shape, linear));
  if (made) known.emplace(linear, *made);
  return made;
}

Result<bool> Reference::acceptable(const std::string& output, const std::vector<int64_t>& shape, int64_t linear,
                                   double got) {
  std::lock_guard<std::mutex> lock(mutex_);
  return interpreter_->acceptable(output, multi_index(shape, linear), got);
}

}  // namespace hipvault::verify
