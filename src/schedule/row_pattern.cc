#include "schedule/row_pattern.h"

#include <algorithm>
#include <set>

#include "schedule/fused.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::Expr;
using ir::Op;
using ir::Stage;

namespace {

std::set<std::string> as_set(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return "[" + out + "]";
}

class Finder {
 public:
  explicit Finder(const ir::Program& program) : program_(program) {}

  RowPattern find() {
    find_reductions();
    if (pattern_.problem.empty() && pattern_.reductions.empty()) pattern_.problem = "there is no reduction";
    if (pattern_.problem.empty()) order_columns();
    if (pattern_.problem.empty()) find_results();
    if (pattern_.problem.empty()) check_row_reads();
    if (pattern_.problem.empty()) pattern_.problem = why_not_stored(program_);
    return pattern_;
  }

 private:
  void find_reductions() {
    for (const Stage& stage : program_.stages) {
      if (stage.kind != Stage::Kind::map)
        return refuse(stage.outputs[0].name + " is " + kind_words(stage) + "; row_reduce takes maps and reductions");
      if (stage.value->op != Op::reduce) continue;
      if (pattern_.reductions.empty()) {
        pattern_.rows = stage.outputs[0].dims;
        pattern_.columns = stage.value->dims;
      }
      if (!same_columns(stage.value->dims))
        return refuse(stage.outputs[0].name + " reduces over " + listed(stage.value->dims) + ", but " +
                      pattern_.reductions[0].name() + " over " + listed(pattern_.columns));
      if (as_set(stage.outputs[0].dims) != as_set(pattern_.rows))
        return refuse(stage.outputs[0].name + " has a value for each of " + listed(stage.outputs[0].dims) + ", but " +
                      pattern_.reductions[0].name() + " for each of " + listed(pattern_.rows));
      add_reduction(stage);
    }
  }

  void add_reduction(const Stage& stage) {
    RowReduction reduction{&stage, 0};
    for (const std::string& needed : reductions_read(program_, stage.value))
      for (const RowReduction& earlier : pattern_.reductions)
        if (earlier.name() == needed) reduction.level = std::max(reduction.level, earlier.level + 1);
    pattern_.levels = std::max(pattern_.levels, reduction.level + 1);
    pattern_.reductions.push_back(reduction);
  }

  // The same names, or renamed copies of them in the same order.
  bool same_columns(const std::vector<std::string>& dims) const {
    if (as_set(dims) == as_set(pattern_.columns)) return true;
    if (dims.size() != pattern_.columns.size()) return false;
    for (size_t at = 0; at < dims.size(); ++at)
      if (ir::base_dim(dims[at]) != ir::base_dim(pattern_.columns[at])) return false;
    return true;
  }

  // Columns run in the order in which a tensor has them, so that neighbours in memory are neighbours in the tile.
  void order_columns() {
    std::vector<std::string> ordered;
    visit_loads(program_, pattern_.reductions[0].stage->value->args[0], [&](const Expr& load) {
      std::vector<std::string> seen;
      for (const ir::ExprRef& arg : load.args)
        if (arg->op == Op::index &&
            std::find(pattern_.columns.begin(), pattern_.columns.end(), arg->name) != pattern_.columns.end())
          seen.push_back(arg->name);
      if (ordered.empty() && as_set(seen) == as_set(pattern_.columns) && seen.size() == pattern_.columns.size())
        ordered = seen;
    });
    bool renamed =
        std::any_of(pattern_.reductions.begin(), pattern_.reductions.end(), [&](const RowReduction& reduction) {
          return as_set(reduction.stage->value->dims) != as_set(pattern_.columns);
        });
    if (!ordered.empty() && !renamed) pattern_.columns = ordered;
  }

  void find_results() {
    for (const Stage& stage : program_.stages) {
      const ir::Output& output = stage.outputs[0];
      if (result_tensor(program_, output.name) == nullptr || stage.value->op == Op::reduce) continue;
      std::set<std::string> dims = as_set(output.dims), all = as_set(pattern_.rows);
      if (dims == all) {
        pattern_.row_results.push_back(&stage);
        continue;
      }
      all.insert(pattern_.columns.begin(), pattern_.columns.end());
      if (dims != all)
        return refuse("the result " + output.name + listed(output.dims) + " is neither a value of a row " +
                      listed(pattern_.rows) + " nor of a row's column " + listed(pattern_.columns));
      pattern_.full_results.push_back(&stage);
    }
  }

  // A row may only see its own reductions: whatever depends on one is read at the row's own index.
  void check_row_reads() {
    std::set<std::string> rows = as_set(pattern_.rows);
    auto look = [&](const Expr& e) {
      if (e.op != Op::load || !pattern_.problem.empty()) return;
      const Stage* stage = stage_of(program_, e.name);
      bool depends =
          stage != nullptr && (stage->value->op == Op::reduce || !reductions_read(program_, stage->value).empty());
      if (!depends) return;
      const std::vector<std::string>& dims = stage->outputs[0].dims;
      for (size_t axis = 0; axis < dims.size(); ++axis)
        if (rows.contains(dims[axis]) && (e.args[axis]->op != Op::index || e.args[axis]->name != dims[axis]))
          refuse(e.name + " is read at another row than its own");
    };
    for (const Stage& stage : program_.stages) ir::visit(stage.value, look);
  }

  void refuse(const std::string& words) { pattern_.problem = words; }

  const ir::Program& program_;
  RowPattern pattern_;
};

}  // namespace

bool RowPattern::is_full(const ir::Stage& stage) const {
  return std::find(full_results.begin(), full_results.end(), &stage) != full_results.end();
}

RowPattern find_rows(const ir::Program& normal) { return Finder(normal).find(); }

}  // namespace hipvault::schedule
