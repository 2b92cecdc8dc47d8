#pragma once
// The pieces of the naive sketch: each stage of the normal form becomes launches of its own, one work-item an element.

#include <optional>
#include <string>
#include <vector>

#include "schedule/emit.h"
#include "schedule/variant.h"

namespace hipvault::schedule {

class NaiveVariant {
 public:
  NaiveVariant(const Task& task, Lowered& lowered, int waves, bool wide);
  void build();

 private:
  // A kernel with one work-item for each element of an index space.
  struct Site {
    KernelScope scope;
    Emitter emit;
    Env env;
    tile::ValueId mask = kNoMask;
    std::vector<Value> at;  // coordinates, as given to the constructor
    IntExpr total;
    Site(const Task& task, const std::string& name, int waves, const Facts& facts);
  };
  using Body = std::function<void(Site&)>;

  // One work-item for each element of the shape; `dims` (may be "") bind the coordinates.
  void launch(const std::string& what, const std::vector<IntExpr>& shape, const std::vector<std::string>& dims,
              const Body& body);
  void launch_over(const std::string& what, const std::vector<std::string>& dims, const Body& body);
  void tell_sources(Emitter& emit) const;

  void copy_read_inouts();
  void place_outputs(const ir::Stage& stage);
  void build_stage(const ir::Stage& stage);
  void build_map(const ir::Stage& stage);
  void build_cumulative(const ir::Stage& stage);
  void build_scan(const ir::Stage& stage);
  void build_sort(const ir::Stage& stage);
  void build_scatter(const ir::Stage& stage);
  void scatter_assign(const ir::Stage& stage);
  void scatter_combine(const ir::Stage& stage);
  void put(Site& site, const ir::Output& output, const std::vector<Value>& indices, Value value, tile::ValueId mask);
  void put_nibbles(const ir::Stage& stage);

  const Task& task_;
  const ir::Program& program_;
  VariantBuilder variant_;
  int waves_;
  Facts facts_;
  int launches_ = 0;
  std::set<std::string> workspace_, results_, done_;  // outputs by where they are read
  std::map<std::string, std::string> copies_;
};

}  // namespace hipvault::schedule
