#pragma once
// What every plan has in common: its buffers, sizes and scalars come from the op; and sizes are rewritten over the
// names that a caller of the plan gives (free dimensions and int parameters), since derived ones are unknown to it.

#include <string>
#include <vector>

#include "ir/program.h"
#include "record/plan.h"
#include "schedule/schedule.h"

namespace hipvault::schedule {

// `math`: precise, or fast where the program has something to gain: an exp or a division in f32.
Question ask_math(const Task& task);
constexpr const char* kFastMathPromise =
    "fast math in the fast variant: exp below 2^-126 is zero, divisors lie between 2^-126 and 2^126";

// Without variants.
Plan plan_of(const Task& task);

IntExpr expand_size(const ir::Program& program, const IntExpr& size);  // derived names replaced
IntExpr dim_size(const ir::Program& program, const std::string& dim);
IntExpr product_of(const ir::Program& program, const std::vector<std::string>& dims);
int64_t size_value(const Task& task, const IntExpr& size);  // at the task's sizes

IntExpr compare(IntExpr::Kind kind, const IntExpr& a, const IntExpr& b);

// What reals are computed in: f64 if any tensor or cast is f64 or the op accumulates in it.
DType real_type(const ir::Program& program);

// The tensor that holds a stage output, if it is a result or an inout tensor.
const ir::Tensor* result_tensor(const ir::Program& program, const std::string& output);

std::string clean_name(const std::string& name);  // letters, digits and _

}  // namespace hipvault::schedule
