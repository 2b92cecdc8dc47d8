#pragma once
// The right answers for one set of inputs, with the error an honest kernel may make, computed on demand and remembered.

#include <memory>
#include <mutex>
#include <unordered_map>

#include "ir/interpret.h"
#include "verify/inputs.h"

namespace hipvault::verify {

// Thread-safe. Holds the inputs, because the interpreter reads them.
class Reference {
 public:
  Reference(const ir::Program& program, CaseInputs inputs, double unit_roundoff);

  const CaseInputs& inputs() const { return inputs_; }

  // The element of a result or inout tensor at a row-major linear id. Errors are those of the op or its inputs.
  Result<ir::Value> value(const std::string& output, const std::vector<int64_t>& shape, int64_t linear);
  // As ir::Interpreter::acceptable.
  Result<bool> acceptable(const std::string& output, const std::vector<int64_t>& shape, int64_t linear, double got);

 private:
  CaseInputs inputs_;
  std::mutex mutex_;
  std::unique_ptr<ir::Interpreter> interpreter_;
  std::map<std::string, std::unordered_map<int64_t, ir::Value>> known_;
};

std::vector<int64_t> multi_index(const std::vector<int64_t>& shape, int64_t linear);

}  // namespace hipvault::verify
