#pragma once
// One kernel of row_reduce: rows x columns as tiles [R,C], per-row values as [R,1].

#include <map>
#include <string>
#include <vector>

#include "schedule/emit.h"
#include "schedule/row_pattern.h"

namespace hipvault::schedule {

enum class Residency { registers, lds, reread };

struct RowShape {
  int rows = 1;        // of a work-group
  int columns = 1024;  // of a tile
  int waves = 4;
  int64_t vector = 1;
  Residency residency = Residency::reread;
  int64_t split = 1;  // work-groups a row
};

// With split > 1 a kernel does one level of reductions, or the results; their parts meet in the workspace, [rows,
// split] values a reduction: each later kernel combines them again, which is cheaper than a launch of its own.
class RowKernel {
 public:
  RowKernel(const Task& task, const RowPattern& pattern, const RowShape& shape, const std::string& name,
            const Facts& facts);
  BuiltKernel build_whole();           // all levels and results; split 1
  BuiltKernel build_level(int level);  // parts of one level
  BuiltKernel build_results();         // combines all, writes results

 private:
  using Parts = std::vector<tile::ValueId>;
  struct Span {
    Value low, high;  // columns of this work-group
  };

  void declare_results();
  void begin();
  Span span();
  Env columns_at(tile::ValueId first);  // env with the columns of a tile
  tile::ValueId column_mask();
  Env env_for(const ir::Stage& stage, const Env& env) const;  // renamed columns
  Parts body_parts(const RowReduction& reduction, const Env& env);
  void reduce_resident(const RowReduction& reduction, const Env& env);
  void reduce_looping(int level);
  void bind_reduction(const RowReduction& reduction, const Parts& row_parts);
  void combine_stored(int below);
  void store_parts(const RowReduction& reduction, const Parts& row_parts);
  void store_full(const Env& env);
  void store_row_values();
  tile::ValueId spread(tile::ValueId value, const std::vector<int32_t>& shape);
  DType part_type(const RowReduction& reduction) const;
  ir::ValueType body_type(const RowReduction& reduction) const;
  tile::ValueId column_number(const Env& env, const ir::Stage& stage);
  BuiltKernel finish(const IntExpr& groups_y);

  const Task& task_;
  const RowPattern& pattern_;
  RowShape shape_;
  KernelScope scope_;
  Emitter emit_;
  IntExpr row_count_, column_count_;
  tile::ValueId rows_size_ = -1, columns_size_ = -1;  // scalars
  Env row_env_;
  tile::ValueId row_ = -1, row_mask_ = kNoMask;
  Value column_;  // the current tile's, linear
  std::map<tile::ValueId, tile::ValueId> column_masks_;
  std::map<std::string, Parts> current_;  // of this kernel's level, [R,1]
};

std::string part_buffer(const RowReduction& reduction, size_t part);

}  // namespace hipvault::schedule
