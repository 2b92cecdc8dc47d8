#pragma once
// Candidates that compute nothing: zeros, ones, NaN, the mean of the result, each input passed through. If one of them
// is right on every draw of a task, the task measures nothing (softmax over 400,000 columns with an absolute tolerance,
// a mean of a normalised row) and must not be admitted.

#include "verify/reference.h"

namespace hipvault::verify {

std::vector<std::string> trivial_names(const ir::Program& program);

// Whether the named one is right everywhere for these inputs. Errors are those of the op or its inputs.
Result<bool> trivial_is_right(const ir::Program& program, const std::string& trivial, Reference& reference);

}  // namespace hipvault::verify
