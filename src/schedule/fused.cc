#include "schedule/fused.h"

#include <algorithm>
#include <bit>

#include "schedule/plan_parts.h"

namespace hipvault::schedule {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stage;

const Stage* stage_of(const ir::Program& program, const std::string& output) {
  for (const Stage& stage : program.stages)
    for (const ir::Output& made : stage.outputs)
      if (made.name == output) return &stage;
  return nullptr;
}

namespace {

// The stage whose expression is put in place of a load, if any.
const Stage* stage_in_place(const ir::Program& program, const Expr& load) {
  const ir::Tensor* tensor = program.tensor(load.name);
  if (tensor != nullptr && tensor->role != Role::output) return nullptr;
  const Stage* stage = stage_of(program, load.name);
  return stage != nullptr && stage->kind == Stage::Kind::map ? stage : nullptr;
}

void visit_through(const ir::Program& program, const ExprRef& expr, std::set<const Stage*>& seen,
                   const std::function<void(const Expr&, const Stage*)>& f) {
  ir::visit(expr, [&](const Expr& e) {
    if (e.op != Op::load) return;
    const Stage* stage = stage_in_place(program, e);
    f(e, stage);
    bool enter = stage != nullptr && stage->value->op != Op::reduce && seen.insert(stage).second;
    if (enter) visit_through(program, stage->value, seen, f);
  });
}

}  // namespace

void visit_loads(const ir::Program& program, const ExprRef& expr, const std::function<void(const Expr&)>& f) {
  std::set<const Stage*> seen;
  visit_through(program, expr, seen, [&](const Expr& load, const Stage* stage) {
    if (stage == nullptr) f(load);
  });
}

std::set<std::string> reductions_read(const ir::Program& program, const ExprRef& expr) {
  std::set<std::string> names;
  std::set<const Stage*> seen;
  visit_through(program, expr, seen, [&](const Expr& load, const Stage* stage) {
    if (stage != nullptr && stage->value->op == Op::reduce) names.insert(load.name);
  });
  return names;
}

bool indexed_by(const Expr& load, const std::vector<std::string>& dims) {
  size_t rank = load.args.size() - (load.has_else ? 1 : 0);
  if (rank != dims.size()) return false;
  for (size_t axis = 0; axis < rank; ++axis)
    if (load.args[axis]->op != Op::index || load.args[axis]->name != dims[axis]) return false;
  return true;
}

std::string kind_words(const Stage& stage) {
  constexpr const char* kWords[] = {"", "a running reduction", "a scan", "a fold", "a sort", "a top-k", "a scatter"};
  return kWords[static_cast<size_t>(stage.kind)];
}

std::string why_not_stored(const ir::Program& program) {
  for (const ir::Tensor* tensor : program.results()) {
    if (tensor->role == Role::inout) return tensor->name + " is changed in place, by a scatter";
    if (info(tensor->dtype).bits < 8)
      return tensor->name + " has two elements a byte, which two lanes would both write";
  }
  return "";
}

std::string why_not_maps(const ir::Program& program) {
  for (const Stage& stage : program.stages) {
    if (stage.kind != Stage::Kind::map)
      return stage.outputs[0].name + " is " + kind_words(stage) + "; pointwise fuses maps only";
    bool reduces = false;
    ir::visit(stage.value, [&](const Expr& e) { reduces |= e.op == Op::reduce; });
    if (reduces) return stage.outputs[0].name + " is a reduction; pointwise fuses maps only";
  }
  return why_not_stored(program);
}

int widest_bits(const ir::Program& program) {
  int bits = 8;
  for (const ir::Tensor& tensor : program.tensors) bits = std::max(bits, info(tensor.dtype).bits);
  return bits;
}

int narrowest_bits(const ir::Program& program) {
  int bits = 64;
  for (const ir::Tensor& tensor : program.tensors) bits = std::min(bits, info(tensor.dtype).bits);
  return bits;
}

std::string element_name(const ir::Program& program, int bits) {
  for (const ir::Tensor& tensor : program.tensors)
    if (info(tensor.dtype).bits == bits) return name(tensor.dtype);
  return std::to_string(bits) + " bits";
}

int64_t next_power_of_two(int64_t value) {
  return value <= 1 ? 1 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value)));
}

}  // namespace hipvault::schedule
