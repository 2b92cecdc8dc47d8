#include "schedule/plan_parts.h"

#include <cctype>

#include "base/check.h"

namespace hipvault::schedule {

Plan plan_of(const Task& task) {
  Plan plan;
  plan.op = task.program.name;
  plan.arch = task.gpu.arch;
  for (const ir::Tensor& tensor : task.program.tensors) {
    BufferSpec buffer{tensor.name, tensor.dtype, tensor.role, {}};
    for (const IntExpr& extent : tensor.shape) buffer.shape.push_back(expand_size(task.program, extent));
    plan.buffers.push_back(std::move(buffer));
  }
  for (const ir::Dim& dim : task.program.dims)
    if (dim.free) plan.sizes.push_back(dim.name);
  for (const ir::IntParam& param : task.program.int_params) plan.sizes.push_back(param.name);
  for (const ir::ScalarParam& param : task.program.scalar_params) plan.scalars.push_back({param.name, DType::f64});
  plan.accumulate = name(real_type(task.program));
  return plan;
}

IntExpr expand_size(const ir::Program& program, const IntExpr& size) {
  IntExpr expanded = size;
  for (size_t depth = 0; depth <= program.dims.size(); ++depth) {
    std::map<std::string, IntExpr> derived;
    for (const std::string& name : expanded.names())
      if (const ir::Dim* dim = program.dim(name); dim != nullptr && !dim->free) derived.emplace(name, dim->size);
    if (derived.empty()) return expanded;
    expanded = expanded.substitute(derived);
  }
  CHECK(false) << "the size " << size.text() << " is defined in terms of itself";
  return expanded;
}

IntExpr dim_size(const ir::Program& program, const std::string& name) {
  const ir::Dim* dim = program.dim(name);
  CHECK(dim != nullptr) << "no dimension " << name;
  return expand_size(program, dim->free ? IntExpr::name(dim->name) : dim->size);
}

IntExpr product_of(const ir::Program& program, const std::vector<std::string>& dims) {
  IntExpr product(1);
  for (const std::string& dim : dims) product = product * dim_size(program, dim);
  return product;
}

int64_t size_value(const Task& task, const IntExpr& size) {
  Result<int64_t> value = size.evaluate(task.sizes);
  CHECK(value.has_value()) << size.text() << ": " << value.error().message;
  return *value;
}

IntExpr compare(IntExpr::Kind kind, const IntExpr& a, const IntExpr& b) { return IntExpr::make(kind, {a, b}); }

namespace {

bool casts_to_f64(const ir::ExprRef& expr) {
  bool found = false;
  if (expr) ir::visit(expr, [&](const ir::Expr& e) { found |= e.op == ir::Op::cast && e.dtype == DType::f64; });
  return found;
}

}  // namespace

DType real_type(const ir::Program& program) {
  bool wide = program.policy.accumulate == DType::f64;
  for (const ir::Tensor& tensor : program.tensors) wide |= tensor.dtype == DType::f64;
  for (const ir::Stage& stage : program.stages) {
    wide |= casts_to_f64(stage.value) || casts_to_f64(stage.condition);
    for (const ir::ScanState& state : stage.states) wide |= casts_to_f64(state.init) || casts_to_f64(state.body);
  }
  return wide ? DType::f64 : DType::f32;
}

const ir::Tensor* result_tensor(const ir::Program& program, const std::string& output) {
  const ir::Tensor* tensor = program.tensor(output);
  return tensor != nullptr && tensor->role != Role::input ? tensor : nullptr;
}

Question ask_math(const Task& task) {
  bool gains = false;
  for (const ir::Stage& stage : task.normal.stages) {
    if (stage.value == nullptr) continue;
    ir::visit(stage.value, [&](const ir::Expr& expr) {
      bool real_division = expr.op == ir::Op::div && expr.type == ir::ValueType::real;
      gains |= expr.op == ir::Op::exp || expr.op == ir::Op::exp2 || real_division;
    });
  }
  bool single = real_type(task.normal) == DType::f32;
  std::string why_not = !single ? "the op computes in f64" : "there is no exp and no division to make faster";
  return {"math", {{"precise", true, ""}, {"fast", gains && single, gains && single ? "" : why_not}}, "precise"};
}

std::string clean_name(const std::string& name) {
  std::string clean;
  for (char c : name) clean += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return clean;
}

}  // namespace hipvault::schedule
