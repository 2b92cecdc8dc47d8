#pragma once
// VariantBuilder: collects the kernels of one variant of a plan, in order of launch. The variant's condition is what
// its kernels demanded; the lifetime of a workspace buffer is the span of launches that name it.

#include <map>
#include <string>
#include <vector>

#include "schedule/scope.h"

namespace hipvault::schedule {

class VariantBuilder {
 public:
  VariantBuilder(Lowered& lowered, std::string name) : lowered_(lowered) { variant_.name = std::move(name); }

  void add(BuiltKernel built);
  void workspace(const std::string& name, const IntExpr& bytes) { bytes_[name] = bytes; }
  void require(const IntExpr& condition) { conditions_.emplace(condition.text(), condition); }
  void finish();  // appends the variant to the plan, unless no sizes and strides can meet its condition

 private:
  bool is_impossible() const;
  void drop_kernels();

  Lowered& lowered_;
  Variant variant_;
  std::map<std::string, IntExpr> bytes_, conditions_;
};

// A Lowered with the plan's skeleton, ready for variants.
Lowered start_lowered(const Task& task);

}  // namespace hipvault::schedule
