#include "schedule/contract_pattern.h"

#include <algorithm>
#include <set>

#include "schedule/fused.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::ExprRef;
using ir::Op;
using ir::Stage;

namespace {

void flatten(const ExprRef& expr, std::vector<ExprRef>& factors) {
  if (expr->op != Op::mul) return factors.push_back(expr);
  flatten(expr->args[0], factors);
  flatten(expr->args[1], factors);
}

ExprRef product(const std::vector<ExprRef>& factors) {
  ExprRef whole = factors[0];
  for (size_t at = 1; at < factors.size(); ++at) whole = ir::apply(Op::mul, {whole, factors[at]});
  return whole;
}

class Finder {
 public:
  explicit Finder(const Task& task) : program_(task.normal), arch_(target::arch_of(task.gpu)) {}

  ContractPattern find() {
    find_sum();
    if (pattern_.problem.empty()) find_sides();
    if (pattern_.problem.empty()) find_results();
    if (pattern_.problem.empty()) choose_types();
    if (pattern_.problem.empty()) pattern_.problem = why_not_stored(program_);
    return pattern_;
  }

 private:
  void refuse(const std::string& words) { pattern_.problem = words; }

  void find_sum() {
    for (const Stage& stage : program_.stages) {
      const std::string& name = stage.outputs[0].name;
      if (stage.kind != Stage::Kind::map)
        return refuse(name + " is " + kind_words(stage) + "; contract takes one sum of a product");
      if (stage.value->op != Op::reduce) continue;
      if (pattern_.sum != nullptr) return refuse(name + " is a second reduction; contract takes one");
      if (stage.value->reduction != ir::Reduction::sum || stage.value->args[0]->op != Op::mul)
        return refuse(name + " is not a sum of a product");
      pattern_.sum = &stage;
    }
    if (pattern_.sum == nullptr) return refuse("there is no reduction");
    pattern_.depth = pattern_.sum->value->dims;
  }

  // The division of the factors that leaves the fewest batch dimensions.
  void find_sides() {
    std::vector<ExprRef> factors;
    flatten(pattern_.sum->value->args[0], factors);
    if (factors.size() > 8)
      return refuse("a product of " + std::to_string(factors.size()) +
                    " factors; at most 8 are divided into two sides");
    size_t fewest = SIZE_MAX;
    for (size_t division = 1; division < (size_t{1} << (factors.size() - 1)); ++division) {
      std::vector<ExprRef> sides[2];
      for (size_t at = 0; at < factors.size(); ++at) sides[(division >> at) & 1].push_back(factors[at]);
      if (sides[0].empty() || sides[1].empty()) continue;
      ContractPattern candidate = divide(product(sides[0]), product(sides[1]));
      if (!candidate.problem.empty() || candidate.batches.size() >= fewest) continue;
      fewest = candidate.batches.size();
      pattern_ = candidate;
    }
    if (fewest == SIZE_MAX) refuse("no division of the product has a dimension of its own on each side");
  }

  ContractPattern divide(const ExprRef& a, const ExprRef& b) const {
    ContractPattern divided = pattern_;
    // The first operand is the one that has the result's earlier dimension.
    bool swap = false, decided = false;
    for (const std::string& dim : pattern_.sum->outputs[0].dims) {
      if (decided || a->free.contains(dim) == b->free.contains(dim)) continue;
      swap = b->free.contains(dim);
      decided = true;
    }
    divided.left = swap ? b : a;
    divided.right = swap ? a : b;
    for (const std::string& dim : pattern_.sum->outputs[0].dims) {
      bool left = divided.left->free.contains(dim), right = divided.right->free.contains(dim);
      (left && right ? divided.batches : left ? divided.rows : divided.columns).push_back(dim);
    }
    for (const std::string& dim : pattern_.depth)
      if (!divided.left->free.contains(dim) || !divided.right->free.contains(dim))
        divided.problem = dim + " is on one side only";
    if (divided.rows.empty() || divided.columns.empty()) divided.problem = "a side has no dimension of its own";
    return divided;
  }

  void find_results() {
    std::set<std::string> dims(pattern_.sum->outputs[0].dims.begin(), pattern_.sum->outputs[0].dims.end());
    for (const Stage& stage : program_.stages) {
      const ir::Output& output = stage.outputs[0];
      ir::visit(stage.value, [&](const ir::Expr& e) {
        if (e.op != Op::load) return;
        const Stage* read = stage_of(program_, e.name);
        bool depends =
            read != nullptr &&
            (read == pattern_.sum || reductions_read(program_, read->value).contains(pattern_.sum->outputs[0].name));
        if (depends && !indexed_by(e, read->outputs[0].dims))
          refuse(e.name + " is read at another element than the result's own");
      });
      if (&stage == pattern_.sum || result_tensor(program_, output.name) == nullptr) continue;
      if (std::set<std::string>(output.dims.begin(), output.dims.end()) != dims)
        return refuse("the result " + output.name + " has other dimensions than the sum");
      pattern_.results.push_back(&stage);
    }
  }

  // An operand keeps its own type only if nothing is computed on it: a rounding that the op does not ask for would be
  // an error. Everything else is multiplied in the real type.
  static DType own_type(const ir::Program& program, const ExprRef& side) {
    const ir::Tensor* tensor = side->op == Op::load && !side->has_else ? program.tensor(side->name) : nullptr;
    bool plain = tensor != nullptr && tensor->role != Role::output && info(tensor->dtype).bits >= 8;
    return plain ? tensor->dtype : real_type(program);
  }

  bool supported(DType a, DType b, DType c) const {
    return std::any_of(arch_.matrix_ops.begin(), arch_.matrix_ops.end(),
                       [&](const target::MatrixOp& op) { return op.a == a && op.b == b && op.c == c; });
  }

  void choose_types() {
    DType real = real_type(program_);
    pattern_.left_type = own_type(program_, pattern_.left);
    pattern_.right_type = own_type(program_, pattern_.right);
    bool integers = pattern_.sum->outputs[0].type == ir::ValueType::integer;
    pattern_.sum_type = integers ? DType::i32 : real;
    if (!integers && !supported(pattern_.left_type, pattern_.right_type, real))
      pattern_.left_type = pattern_.right_type = real;
    if (!supported(pattern_.left_type, pattern_.right_type, pattern_.sum_type))
      refuse(arch_.name + " has no matrix instruction for " + name(pattern_.left_type) + " x " +
             name(pattern_.right_type) + " into " + name(pattern_.sum_type));
  }

  const ir::Program& program_;
  const target::Arch& arch_;
  ContractPattern pattern_;
};

}  // namespace

ContractPattern find_contraction(const Task& task) { return Finder(task).find(); }

}  // namespace hipvault::schedule
