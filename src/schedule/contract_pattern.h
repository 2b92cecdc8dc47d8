#pragma once
// What contract recognises: one sum of a product, sum(f0 * f1 * …, K), with factors on two sides. A dimension of the
// result that only the left side uses is a row, one that only the right side uses is a column, one that both use is a
// batch: all storage orders of a matrix product, batches and dequantised operands are the same pattern.
//
//   y[M,N] = sum(x[M,K] * (w[K,N] - zero[N,K//128]) * scale[N,K//128], K)     left x; right (w - zero) * scale

#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace hipvault::schedule {

struct ContractPattern {
  std::string problem;  // why the task is none; empty: it is
  const ir::Stage* sum = nullptr;
  ir::ExprRef left, right;
  std::vector<std::string> rows, columns, batches, depth;
  std::vector<const ir::Stage*> results;  // maps over the sum; the sum itself may be a result too
  DType left_type = DType::f32, right_type = DType::f32, sum_type = DType::f32;  // of the matrix instruction
};

ContractPattern find_contraction(const Task& task);

}  // namespace hipvault::schedule
