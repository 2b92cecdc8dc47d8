#pragma once
// Tensor programs and plans for tests of the judge, built without the op language.

#include <string>
#include <vector>

#include "ir/program.h"
#include "record/plan.h"

namespace hipvault::test {

inline ir::ExprRef at(const std::string& tensor, std::vector<std::string> dims,
                      ir::ValueType type = ir::ValueType::real) {
  std::vector<ir::ExprRef> indices;
  for (const std::string& dim : dims) indices.push_back(ir::index(dim));
  return ir::load(tensor, type, indices);
}

inline ir::Tensor tensor(const std::string& name, DType dtype, Role role, std::vector<std::string> dims) {
  ir::Tensor made{name, dtype, role, {}, dims};
  for (const std::string& dim : dims) made.shape.push_back(IntExpr::name(dim));
  return made;
}

inline ir::Stage result_stage(const std::string& name, DType dtype, std::vector<std::string> dims, ir::ExprRef value) {
  ir::Stage stage;
  stage.outputs = {{name, std::move(dims), value->type, dtype, true}};
  stage.value = std::move(value);
  return stage;
}

inline ir::Case sized(const std::string& name, std::map<std::string, int64_t> sizes) {
  ir::Case made;
  made.name = name;
  made.sizes = std::move(sizes);
  return made;
}

inline ir::Program program(const std::string& name, std::vector<std::string> dims, std::vector<ir::Tensor> tensors,
                           std::vector<ir::Stage> stages, std::vector<ir::Case> cases) {
  ir::Program made;
  made.name = name;
  for (const std::string& dim : dims) made.dims.push_back({dim, IntExpr::name(dim), true});
  made.tensors = std::move(tensors);
  made.stages = std::move(stages);
  made.cases = std::move(cases);
  return made;
}

// y[M,N] = softmax of x[M,N] over N.
inline ir::Program softmax_program(DType dtype = DType::f32) {
  using ir::Op;
  ir::ExprRef x = at("x", {"M", "N"});
  ir::ExprRef shifted = ir::apply(Op::exp, {ir::apply(Op::sub, {x, ir::reduce(ir::Reduction::max, x, {"N"})})});
  ir::ExprRef y = ir::apply(Op::div, {shifted, ir::reduce(ir::Reduction::sum, shifted, {"N"})});
  return program("softmax", {"M", "N"},
                 {tensor("x", dtype, Role::input, {"M", "N"}), tensor("y", dtype, Role::output, {"M", "N"})},
                 {result_stage("y", dtype, {"M", "N"}, y)},
                 {sized("small", {{"M", 3}, {"N", 37}}), sized("odd", {{"M", 5}, {"N", 67}})});
}

// y[M,N] = 2 x[M,N] + 1.
inline ir::Program affine_program() {
  ir::ExprRef y = ir::apply(ir::Op::add, {ir::apply(ir::Op::mul, {ir::number(2), at("x", {"M", "N"})}), ir::number(1)});
  return program("affine", {"M", "N"},
                 {tensor("x", DType::f32, Role::input, {"M", "N"}), tensor("y", DType::f32, Role::output, {"M", "N"})},
                 {result_stage("y", DType::f32, {"M", "N"}, y)},
                 {sized("small", {{"M", 3}, {"N", 37}}), sized("odd", {{"M", 5}, {"N", 67}})});
}

// y[N,D] = table[token[N], D].
inline ir::Program gather_program() {
  ir::ExprRef row = at("token", {"N"}, ir::ValueType::integer);
  ir::ExprRef y = ir::load("table", ir::ValueType::real, {row, ir::index("D")});
  return program("gather", {"V", "D", "N"},
                 {tensor("table", DType::f32, Role::input, {"V", "D"}), tensor("token", DType::i32, Role::input, {"N"}),
                  tensor("y", DType::f32, Role::output, {"N", "D"})},
                 {result_stage("y", DType::f32, {"N", "D"}, y)}, {sized("small", {{"V", 11}, {"D", 7}, {"N", 9}})});
}

// s[M] = sum of x[M,N] over N.
inline ir::Program row_sum_program(DType dtype = DType::f32) {
  ir::ExprRef sum = ir::reduce(ir::Reduction::sum, at("x", {"M", "N"}), {"N"});
  return program("row_sum", {"M", "N"},
                 {tensor("x", dtype, Role::input, {"M", "N"}), tensor("s", dtype, Role::output, {"M"})},
                 {result_stage("s", dtype, {"M"}, sum)},
                 {sized("small", {{"M", 3}, {"N", 200}}), sized("odd", {{"M", 5}, {"N", 331}})});
}

// i[M] = position of the largest x[M,N].
inline ir::Program argmax_program() {
  ir::ExprRef place = ir::reduce(ir::Reduction::argmax, at("x", {"M", "N"}), {"N"});
  return program("argmax", {"M", "N"},
                 {tensor("x", DType::f32, Role::input, {"M", "N"}), tensor("i", DType::i64, Role::output, {"M"})},
                 {result_stage("i", DType::i64, {"M"}, place)},
                 {sized("small", {{"M", 3}, {"N", 37}}), sized("odd", {{"M", 5}, {"N", 67}})});
}

// A plan with one launch of `kernel` over `grid` groups of `block`: the tensors of the op in order, then its
// dimensions.
inline Plan one_launch_plan(const ir::Program& program, const std::string& kernel, IntExpr grid, int64_t block = 64) {
  Plan plan;
  plan.op = program.name;
  plan.arch = "gfx942";
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {grid, IntExpr(1), IntExpr(1)};
  launch.block = IntExpr(block);
  for (const ir::Tensor& tensor : program.tensors) {
    plan.buffers.push_back({tensor.name, tensor.dtype, tensor.role, tensor.shape});
    KernelArg arg;
    arg.name = tensor.name;
    launch.args.push_back(arg);
  }
  for (const ir::Dim& dim : program.dims) {
    plan.sizes.push_back(dim.name);
    KernelArg arg;
    arg.kind = KernelArg::Kind::integer;
    arg.value = IntExpr::name(dim.name);
    launch.args.push_back(arg);
  }
  IntExpr when(1);
  for (const ir::Tensor& tensor : program.tensors) {
    // The fake kernels index contiguous tensors: every stride must be what the shape says.
    IntExpr stride(1);
    for (size_t axis = tensor.shape.size(); axis-- > 0;) {
      IntExpr given = IntExpr::name(tensor.name + ".stride." + std::to_string(axis));
      when = logical_and(when, IntExpr::make(IntExpr::Kind::eq, {given, stride}));
      stride = stride * IntExpr::make(IntExpr::Kind::max, {tensor.shape[axis], IntExpr(1)});
    }
  }
  Variant variant;
  variant.name = "only";
  variant.when = when;
  variant.launches = {launch};
  plan.variants = {variant};
  return plan;
}

}  // namespace hipvault::test
