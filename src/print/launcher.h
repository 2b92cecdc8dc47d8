#pragma once
// The host half of the stand-alone file: from the plan, a function that chooses a variant by sizes, strides and
// alignment and launches its kernels, and one that says how much workspace it needs. It allocates nothing and waits for
// nothing, so that a stream capture can hold it.

#include <string>

#include "record/plan.h"

namespace hipvault::print {

std::string launcher_text(const Plan& plan);

// An integer expression over sizes as C++ over int64_t; names become identifiers (x.stride.1 → x_stride_1).
std::string size_text(const IntExpr& expr, int precedence = 0);
std::string size_identifier(const std::string& name);

}  // namespace hipvault::print
