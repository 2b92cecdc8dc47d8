#include "engine/work.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace hipvault::engine {
namespace {

using ir::Expr;
using ir::ExprRef;

class Counter {
 public:
  Counter(const ir::Program& program, const Sizes& sizes) : program_(program), sizes_(sizes) {}

  double extent(const std::string& dim) {
    const ir::Dim* found = program_.dim(dim);
    if (found == nullptr) return 1;
    return value(found->size);
  }
  double extents(const std::set<std::string>& dims) {
    double product = 1;
    for (const std::string& dim : dims) product *= extent(dim);
    return product;
  }
  double elements(const ir::Tensor& tensor) {
    double product = 1;
    for (const IntExpr& axis : tensor.shape) product *= value(axis);
    return product;
  }
  double value(const IntExpr& expr) {
    Result<int64_t> number = expr.evaluate(sizes_);
    if (number) return static_cast<double>(*number);
    if (!error_) error_ = number.error();
    return 0;
  }
  const std::optional<Diagnostic>& error() const { return error_; }

  // Calls `f` on every expression of a stage.
  static void each_expression(const ir::Stage& stage, const std::function<void(const ExprRef&)>& f) {
    if (stage.value) f(stage.value);
    if (stage.condition) f(stage.condition);
    for (const ExprRef& index : stage.indices) f(index);
    for (const ir::ScanState& state : stage.states) {
      f(state.init);
      f(state.body);
    }
  }

 private:
  const ir::Program& program_;
  const Sizes& sizes_;
  std::optional<Diagnostic> error_;
};

double bytes_for(DType dtype, double elements) { return elements * info(dtype).bits / 8.0; }

// Elements of `tensor` that the program can touch at most.
double elements_read(Counter& counter, const ir::Program& program, const ir::Tensor& tensor) {
  double reads = 0;
  for (const ir::Stage& stage : program.stages) {
    Counter::each_expression(stage, [&](const ExprRef& expr) {
      ir::visit(expr, [&](const Expr& node) {
        if (node.op != ir::Op::load || node.name != tensor.name) return;
        std::set<std::string> dims;
        for (size_t axis = 0; axis < tensor.shape.size() && axis < node.args.size(); ++axis)
          dims.insert(node.args[axis]->free.begin(), node.args[axis]->free.end());
        reads += counter.extents(dims);
      });
    });
  }
  // `+=` and its like read what they change.
  for (const ir::Stage& stage : program.stages) {
    bool updates = stage.kind == ir::Stage::Kind::scatter && stage.outputs[0].name == tensor.name &&
                   stage.scatter_op != ir::ScatterOp::assign;
    if (updates && tensor.role == Role::inout) reads += counter.extents({stage.over.begin(), stage.over.end()});
  }
  return std::min(reads, counter.elements(tensor));
}

double elements_written(Counter& counter, const ir::Program& program, const ir::Tensor& tensor) {
  double all = counter.elements(tensor);
  if (tensor.role != Role::inout) return all;
  double written = 0;
  for (const ir::Stage& stage : program.stages) {
    if (stage.outputs.empty() || stage.outputs[0].name != tensor.name) continue;
    written += stage.kind == ir::Stage::Kind::scatter ? counter.extents({stage.over.begin(), stage.over.end()}) : all;
  }
  return std::min(written, all);
}

// A product inside the sum whose two sides are spread over different dimensions, both using a summed one.
const Expr* contraction_product(const ExprRef& body, const std::vector<std::string>& summed) {
  const Expr* found = nullptr;
  ir::visit(body, [&](const Expr& node) {
    if (found != nullptr || node.op != ir::Op::mul) return;
    const std::set<std::string>&a = node.args[0]->free, &b = node.args[1]->free;
    auto uses = [&](const std::set<std::string>& dims) {
      return std::any_of(summed.begin(), summed.end(), [&](const std::string& dim) { return dims.contains(dim); });
    };
    auto has_own = [&](const std::set<std::string>& dims, const std::set<std::string>& other) {
      return std::any_of(dims.begin(), dims.end(), [&](const std::string& dim) { return !other.contains(dim); });
    };
    if (uses(a) && uses(b) && has_own(a, b) && has_own(b, a)) found = &node;
  });
  return found;
}

// The widest float type the product reads: that is the matrix instruction it can use.
DType matrix_type(const ir::Program& program, const Expr& product) {
  std::optional<DType> widest;
  for (const ExprRef& side : product.args) {
    ir::visit(side, [&](const Expr& node) {
      const ir::Tensor* tensor = node.op == ir::Op::load ? program.tensor(node.name) : nullptr;
      if (tensor == nullptr || !is_float(tensor->dtype)) return;
      if (!widest || info(tensor->dtype).bits > info(*widest).bits) widest = tensor->dtype;
    });
  }
  return widest.value_or(DType::f32);
}

void add_flops(Counter& counter, const ir::Program& program, const ir::Stage& stage, measure::Work& work) {
  double largest = 0;
  Counter::each_expression(stage, [&](const ExprRef& expr) {
    ir::visit(expr, [&](const Expr& node) {
      if (node.op != ir::Op::reduce || node.reduction != ir::Reduction::sum) return;
      const Expr* product = contraction_product(node.args[0], node.dims);
      if (product == nullptr) return;
      double flops = 2 * counter.extents(node.args[0]->free);
      work.flops += flops;
      if (flops > largest) work.matrix_dtype = matrix_type(program, *product);
      largest = std::max(largest, flops);
    });
  });
}

}  // namespace

Result<measure::Work> work_of(const ir::Program& normal, const Sizes& sizes) {
  measure::Work work;
  Counter counter(normal, sizes);
  for (const ir::Tensor& tensor : normal.tensors) {
    if (tensor.role != Role::output) work.bytes_read += bytes_for(tensor.dtype, elements_read(counter, normal, tensor));
    if (tensor.role != Role::input)
      work.bytes_written += bytes_for(tensor.dtype, elements_written(counter, normal, tensor));
  }
  for (const ir::Stage& stage : normal.stages) add_flops(counter, normal, stage, work);
  if (counter.error()) return fail(*counter.error());
  return work;
}

}  // namespace hipvault::engine
