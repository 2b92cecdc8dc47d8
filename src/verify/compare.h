#pragma once
// Compares raw output bytes with the reference, element by element, and says in words where the largest error is.
//
// The tolerance of an element is the error bound the interpreter computes for it (dtype, accumulate dtype, reduction
// length, conditioning), never a habit such as 1e-2: an absolute tolerance lets zeros pass when outputs are tiny (a
// softmax over 400,000 columns), a relative one fails honest cancellation.

#include "record/verdict.h"
#include "verify/reference.h"

namespace hipvault::verify {

// One result as a run left it.
struct OutputBytes {
  const HostTensor* layout = nullptr;  // dtype, shape, strides, offset; and the bytes before the run
  const std::string* bytes = nullptr;  // after it
  bool poisoned = false;               // the bytes before were poison (a result, not an inout tensor)
};

// The state of comparing several outputs and runs of one case; starts as a pass.
struct Comparison {
  Outcome outcome = Outcome::pass;
  std::string message;
  double max_error = 0, tolerance = 0, worst = 0;
  std::string where;
  int64_t elements = 0;
  int64_t wrong = 0;
};

struct CompareOptions {
  bool nan_propagates = true;
  double smallest_normal = 0;  // results below it may be flushed to zero
};

// Errors: those of the op or its inputs. What is wrong with the candidate goes into `total`; the worst element wins,
// and an element that was never written, or NaN in the wrong place, wins over a wrong value.
Status compare_output(Reference& reference, const OutputBytes& output, const std::vector<int64_t>& elements,
                      const CompareOptions& options, Comparison& total);

// First element at which two runs differ in bits, as "y[3]: 0.25 in one run, 0.5 in another"; empty if none.
std::string first_difference(const HostTensor& layout, const std::string& one, const std::string& other,
                             const std::vector<int64_t>& elements);

// "y[3, 17]"
std::string element_name(const HostTensor& layout, int64_t linear);

}  // namespace hipvault::verify
