#include "verify/trivial.h"

#include <algorithm>
#include <cmath>

#include "verify/compare.h"
#include "verify/sampling.h"

namespace hipvault::verify {
namespace {

constexpr const char* kConstants[] = {"zeros", "ones", "nan", "mean"};

Result<double> mean_of(Reference& reference, const HostTensor& result) {
  double total = 0;
  for (int64_t linear = 0; linear < result.elements(); ++linear) {
    Result<ir::Value> value = reference.value(result.name, result.shape, linear);
    if (!value) return fail(value.error());
    if (std::isfinite(value->real)) total += value->real;
  }
  return total / static_cast<double>(std::max<int64_t>(result.elements(), 1));
}

void put(HostTensor& tensor, int64_t linear, double value) {
  int64_t position = tensor.position_of(linear);
  if (is_float(tensor.dtype)) return encode(tensor.dtype, tensor.bytes.data(), position, value);
  encode_int(tensor.dtype, tensor.bytes.data(), position, std::isfinite(value) ? static_cast<int64_t>(value) : 0);
}

double get(const HostTensor& tensor, int64_t linear) {
  return decode(tensor.dtype, tensor.bytes.data(),
                tensor.position_of(linear % std::max<int64_t>(tensor.elements(), 1)));
}

Result<double> constant_value(const std::string& trivial, Reference& reference, const HostTensor& result) {
  if (trivial == "zeros") return 0.0;
  if (trivial == "ones") return 1.0;
  if (trivial == "nan") return std::nan("");
  return mean_of(reference, result);
}

// The bytes the trivial candidate leaves in `result`.
Result<HostTensor> trivial_output(const ir::Program& program, const std::string& trivial, Reference& reference,
                                  HostTensor result) {
  bool constant =
      std::any_of(std::begin(kConstants), std::end(kConstants), [&](const char* name) { return trivial == name; });
  if (constant) {
    Result<double> value = constant_value(trivial, reference, result);
    if (!value) return fail(value.error());
    for (int64_t linear = 0; linear < result.elements(); ++linear) put(result, linear, *value);
    return result;
  }
  for (const HostTensor& tensor : reference.inputs().tensors) {
    if ("copy of " + tensor.name != trivial || tensor.elements() == 0) continue;
    for (int64_t linear = 0; linear < result.elements(); ++linear) put(result, linear, get(tensor, linear));
  }
  return result;
}

}  // namespace

std::vector<std::string> trivial_names(const ir::Program& program) {
  std::vector<std::string> names(std::begin(kConstants), std::end(kConstants));
  for (const ir::Tensor& tensor : program.tensors) {
    if (tensor.role != Role::output) names.push_back("copy of " + tensor.name);
  }
  return names;
}

Result<bool> trivial_is_right(const ir::Program& program, const std::string& trivial, Reference& reference) {
  Comparison total;
  for (size_t at = 0; at < program.tensors.size(); ++at) {
    if (program.tensors[at].role == Role::input) continue;
    const HostTensor& before = reference.inputs().tensors[at];
    Result<HostTensor> made = trivial_output(program, trivial, reference, before);
    if (!made) return fail(made.error());
    OutputBytes output{&before, &made->bytes, false};
    Random random(1);
    std::vector<int64_t> elements = sample_elements(before.shape, before.elements(), random);
    Status done = compare_output(reference, output, elements, {program.policy.nan_propagates, 0}, total);
    if (!done) return fail(done.error());
  }
  return total.outcome == Outcome::pass && total.elements > 0;
}

}  // namespace hipvault::verify
