#include "verify/index_ranges.h"

#include <algorithm>
#include <optional>
#include <set>

namespace hipvault::verify {
namespace {

using ir::Expr;
using ir::ExprRef;

class RangeFinder {
 public:
  RangeFinder(const ir::Program& program, const Sizes& sizes) : program_(program), sizes_(sizes) {}

  std::map<std::string, IndexRange> find() {
    for (const ir::Stage& stage : program_.stages) {
      look_at(stage.value);
      look_at(stage.condition);
      for (const ir::ScanState& state : stage.states) {
        look_at(state.init);
        look_at(state.body);
      }
      if (stage.kind == ir::Stage::Kind::scatter) scatter(stage);
    }
    return std::move(ranges_);
  }

 private:
  void look_at(const ExprRef& expr) {
    if (!expr) return;
    ir::visit(expr, [&](const Expr& node) {
      if (node.op != ir::Op::load || node.has_else) return;
      for (size_t axis = 0; axis < node.args.size(); ++axis) {
        if (std::optional<int64_t> extent = axis_size(node.name, axis)) constrain(node.args[axis], *extent, false);
      }
    });
  }

  void scatter(const ir::Stage& stage) {
    bool distinct = stage.scatter_op == ir::ScatterOp::assign;
    guarded_ = guarded_above(stage.condition);
    for (size_t axis = 0; axis < stage.indices.size(); ++axis) {
      look_at(stage.indices[axis]);
      if (std::optional<int64_t> extent = axis_size(stage.outputs[0].name, axis))
        constrain(stage.indices[axis], *extent, distinct);
      if (distinct) mark_distinct(stage.indices[axis]);
    }
    guarded_.clear();
  }

  // Integer tensors that the condition of a scatter holds below something: `… if x >= 0 and x < bins`.
  std::set<std::string> guarded_above(const ExprRef& condition) const {
    std::set<std::string> names;
    if (!condition) return names;
    ir::visit(condition, [&](const Expr& node) {
      bool below = node.op == ir::Op::lt || node.op == ir::Op::le,
           above = node.op == ir::Op::gt || node.op == ir::Op::ge;
      if (!below && !above) return;
      ir::visit(node.args[below ? 0 : 1], [&](const Expr& inner) {
        if (inner.op == ir::Op::load) names.insert(inner.name);
      });
    });
    return names;
  }

  void mark_distinct(const ExprRef& expr) {
    ir::visit(expr, [&](const Expr& node) {
      if (node.op == ir::Op::load && is_integer_tensor(node.name)) ranges_[node.name].distinct = true;
    });
  }

  std::optional<int64_t> axis_size(const std::string& name, size_t axis) const {
    if (const ir::Tensor* tensor = program_.tensor(name)) {
      if (axis >= tensor->shape.size()) return std::nullopt;
      Result<int64_t> value = tensor->shape[axis].evaluate(sizes_);
      return value ? std::optional<int64_t>(*value) : std::nullopt;
    }
    const ir::Output* output = program_.output(name);
    if (output == nullptr || axis >= output->dims.size()) return std::nullopt;
    auto at = sizes_.find(output->dims[axis]);
    return at == sizes_.end() ? std::nullopt : std::optional<int64_t>(at->second);
  }

  std::optional<int64_t> constant(const ExprRef& expr) const {
    if (expr->op == ir::Op::number && expr->type != ir::ValueType::real) return expr->integer;
    if (expr->op != ir::Op::size) return std::nullopt;
    Result<int64_t> value = expr->size_expr.evaluate(sizes_);
    return value ? std::optional<int64_t>(*value) : std::nullopt;
  }

  bool is_integer_tensor(const std::string& name) const {
    const ir::Tensor* tensor = program_.tensor(name);
    return tensor != nullptr && tensor->role != Role::output && !is_float(tensor->dtype);
  }

  void constrain(const ExprRef& expr, int64_t high, bool distinct, int depth = 0) {
    if (depth > 32) return;
    switch (expr->op) {
      case ir::Op::load:
        return constrain_load(*expr, high, distinct, depth);
      case ir::Op::cast:
        return constrain(expr->args[0], high, distinct, depth + 1);
      case ir::Op::select:
        constrain(expr->args[1], high, distinct, depth + 1);
        return constrain(expr->args[2], high, distinct, depth + 1);
      case ir::Op::floordiv:
        if (std::optional<int64_t> by = constant(expr->args[1]))
          constrain(expr->args[0], saturating(high, *by), distinct, depth + 1);
        return;
      case ir::Op::mul:
        return constrain_product(*expr, high, distinct, depth);
      case ir::Op::add:
        return constrain_sum(*expr, high, distinct, depth);
      default:
        return;
    }
  }

  void constrain_load(const Expr& load, int64_t high, bool distinct, int depth) {
    if (is_integer_tensor(load.name)) {
      IndexRange& range = ranges_[load.name];
      if (guarded_.contains(load.name)) return;
      range.high = std::min(range.high, std::max<int64_t>(high, 0));
      range.distinct |= distinct;
      return;
    }
    for (const ir::Stage& stage : program_.stages) {
      if (stage.value && !stage.outputs.empty() && stage.outputs[0].name == load.name &&
          stage.kind == ir::Stage::Kind::map) {
        constrain(stage.value, high, distinct, depth + 1);
      }
    }
  }

  void constrain_product(const Expr& product, int64_t high, bool distinct, int depth) {
    for (int side : {0, 1}) {
      std::optional<int64_t> factor = constant(product.args[1 - side]);
      if (factor && *factor > 0) constrain(product.args[side], (high + *factor - 1) / *factor, distinct, depth + 1);
    }
  }

  // x + y < high: each side is held below high minus the largest value of the other where that is known.
  void constrain_sum(const Expr& sum, int64_t high, bool distinct, int depth) {
    for (int side : {0, 1}) {
      std::optional<int64_t> other = largest(sum.args[1 - side]);
      if (other) constrain(sum.args[side], high - *other, distinct, depth + 1);
    }
  }

  std::optional<int64_t> largest(const ExprRef& expr) const {
    if (std::optional<int64_t> value = constant(expr)) return value;
    if (expr->op != ir::Op::index) return std::nullopt;
    auto at = sizes_.find(expr->name);
    return at == sizes_.end() ? std::nullopt : std::optional<int64_t>(at->second - 1);
  }

  static int64_t saturating(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
  }

  const ir::Program& program_;
  const Sizes& sizes_;
  std::map<std::string, IndexRange> ranges_;
  std::set<std::string> guarded_;
};

}  // namespace

std::map<std::string, IndexRange> index_ranges(const ir::Program& program, const Sizes& sizes) {
  return RangeFinder(program, sizes).find();
}

}  // namespace hipvault::verify
