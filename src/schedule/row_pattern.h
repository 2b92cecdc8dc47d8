#pragma once
// What row_reduce recognises: reductions over the same dimensions (the columns) of the same rows, maps between them,
// and results that are maps over rows x columns or single values of a row.
//
//   x_max[B] = max(x, N)                      level 0
//   y_sum[B] = sum(exp(x - x_max[B]), N)      level 1: needs x_max
//   y[B,N]   = exp(x - x_max[B]) / y_sum[B]   a full result

#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace hipvault::schedule {

struct RowReduction {
  const ir::Stage* stage = nullptr;
  int level = 0;
  const std::string& name() const { return stage->outputs[0].name; }
};

struct RowPattern {
  std::string problem;                     // why the task is none; empty: it is
  std::vector<std::string> rows, columns;  // dimensions, outermost first
  std::vector<RowReduction> reductions;    // in order of definition
  int levels = 0;
  std::vector<const ir::Stage*> full_results, row_results;  // row results that are not reductions themselves

  bool is_full(const ir::Stage& stage) const;
};

RowPattern find_rows(const ir::Program& normal);

}  // namespace hipvault::schedule
