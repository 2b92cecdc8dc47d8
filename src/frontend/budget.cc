// How much an op may be once everything it names is written out.
//
// A short file can mean a huge program: after `a = x + x`, `b = a + a`, … sixty lines later stand 2^60 additions, and
// likewise for functions that call each other twice. Expressions share their parts, but whoever inlines, prints or
// compiles them walks them as trees, so the tree is bounded here, where there is a line to point at. A statement with a
// reduction, and a stage of its own, ends the count: they are computed once and read back. Teaching every walk to
// remember what it has seen would only move the hang into the compiler, which gets the text.

#include <fmt/format.h>

#include "frontend/elaborate.h"

namespace hipvault::frontend {
namespace {

constexpr double kMostNodes = 100'000;  // the largest op of the library has some hundreds
constexpr int64_t kMostSteps = 1'000'000;

}  // namespace

// Sizes of shared parts are remembered, so this is linear in what is shared and never in the tree.
double Elaborator::written_out(const ir::ExprRef& e) {
  auto known = sizes_.find(e);
  if (known != sizes_.end()) return known->second;
  auto weight = e->op == ir::Op::load ? weights_.find(e->name) : weights_.end();
  double size = weight == weights_.end() ? 1 : weight->second;
  for (const ir::ExprRef& arg : e->args) size += written_out(arg);
  return sizes_[e] = size;
}

bool Elaborator::affordable(const ir::ExprRef& e, const Pos& pos) {
  if (written_out(e) <= kMostNodes) return true;
  wrong(pos, "size",
        fmt::format("written out, this has more than {} operations: what it reads is doubled again and again",
                    kMostNodes),
        "split the op, or make one of the values on the way a result");
  return false;
}

ir::ExprRef Elaborator::expr(const AstRef& ast, const Scope& scope) {
  if (failed()) return nullptr;
  if (++steps_ > kMostSteps)
    return wrong(ast->pos, "size",
                 fmt::format("the functions of this op expand to more than {} expressions", kMostSteps),
                 "functions that call each other twice double at every call");
  ir::ExprRef value = unbounded(ast, scope);
  return value && affordable(value, ast->pos) ? value : nullptr;
}

// What later statements pay for a read of the stage's output.
void Elaborator::weigh(const ir::Stage& stage) {
  if (stage.kind != ir::Stage::Kind::map || !stage.value) return;
  bool reduces = false;
  ir::visit(stage.value, [&](const ir::Expr& e) { reduces = reduces || e.op == ir::Op::reduce; });
  for (const ir::Output& output : stage.outputs) weights_[output.name] = reduces ? 1 : written_out(stage.value);
}

}  // namespace hipvault::frontend
