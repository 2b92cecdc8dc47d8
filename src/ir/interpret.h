#pragma once
// The definition: evaluates any element of any output on demand, slowly, plainly and exactly (double precision for
// reals, int64 for integers), in bounded memory. It shares no code with the generator or the simulator. When it
// disagrees with anything else, it is right until the language changes.
//
// With every value comes a bound on the error that an honest kernel may make in computing it: a running error analysis
// (Higham, "Accuracy and Stability of Numerical Algorithms", ch. 3) under an ErrorModel. Reals computed in the
// accumulate type have unit roundoff u; n-term sums add u·growth(n)·Σ|x|; every function propagates through its
// derivative. A branch that could go either way within its operands' error widens the bound to cover both results.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/program.h"

namespace hipvault::ir {

struct Bindings {
  Sizes sizes;                                       // all of them: from bind_sizes
  std::map<std::string, const HostTensor*> tensors;  // inputs, and inout tensors with their old values
  std::map<std::string, double> scalars;
};

struct ErrorModel {
  double unit_roundoff = 0x1p-24;  // of the type intermediate values are kept in
  double function_ulps = 4;        // transcendental functions, in units of the roundoff
  // The sum of n terms may be off by u * growth(n) * Σ|x_i|. Statistical, not worst case: a kernel may add in any
  // order.
  double sum_base = 8, sum_sqrt = 4;  // growth(n) = sum_base + sum_sqrt * sqrt(n)
};

struct Value {
  double real = 0;      // the value, for integers and booleans too
  int64_t integer = 0;  // exact, for integer and boolean types
  double error = 0;     // absolute bound; 0 for exact values
  ValueType type = ValueType::real;
};

class Interpreter {
 public:
  // `memory_budget`: bytes for remembered stage values; more is recomputed.
  Interpreter(const Program& program, const Bindings& bindings, const ErrorModel& model = {},
              size_t memory_budget = 256 << 20);
  ~Interpreter();

  // The element of a result or inout tensor, after its declared rounding (whose half-ulp is in `error`), or of any
  // stage output. An error of the op or its inputs (an index out of range, an int overflow, `=` twice to one element,
  // an out-of-range cast to int) is a Diagnostic.
  Result<Value> element(const std::string& output, const std::vector<int64_t>& index);

  // A whole result, by element(); for small sizes and tests.
  Result<HostTensor> tensor(const std::string& output);

  // Whether `got` is right for some input within the error bounds of what the element was computed from: discrete
  // outputs (positions of argmax, sort and topk; quantised values; comparisons) with near ties. For continuous outputs
  // the same as |got - value| <= error.
  Result<bool> acceptable(const std::string& output, const std::vector<int64_t>& index, double got);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipvault::ir
