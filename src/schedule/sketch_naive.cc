// naive: any tensor program, right for all sizes and strides, never fast. Every reduction, scan, sort and scatter of
// the normal form is a launch of its own into a workspace buffer or the result; pointwise stages are put in place where
// they are read. One work-item computes one element, so the kernels say nothing more than the mathematics:
//
//   x_max[B] = max(x, N)     ->  launch 0: work-item b: for n < N: m = max(m, x[b,n]);  ws_x_max[b] = m
//   y[B,N]   = exp(x - …)    ->  launch 2: work-item (b,n): …
//
// Two variants: 32-bit indices where all sizes and offsets fit, 64-bit ones for the rest. Sums are kept in f64, since
// one work-item adds in sequence, where rounding errors of equal sign pile up.

#include "base/check.h"
#include "schedule/naive.h"
#include "schedule/plan_parts.h"
#include "schedule/sketch.h"

namespace hipvault::schedule {

using ir::Stage;
using tile::OpCode;
using tile::ValueId;

NaiveVariant::NaiveVariant(const Task& task, Lowered& lowered, int waves, bool wide)
    : task_(task), program_(task.normal), variant_(lowered, wide ? "any_size" : "narrow"), waves_(waves) {
  facts_.wide = wide;
}

NaiveVariant::Site::Site(const Task& task, const std::string& name, int waves, const Facts& facts)
    : scope(task, name, waves, facts), emit(scope, {waves * target::arch_of(task.gpu).wave_sizes.front()}) {
  emit.set_wide_sums(true);
}

void NaiveVariant::launch(const std::string& what, const std::vector<IntExpr>& shape,
                          const std::vector<std::string>& dims, const Body& body) {
  std::string name = clean_name(program_.name) + "_" + std::to_string(launches_++) + "_" + clean_name(what) +
                     (facts_.wide ? "_wide" : "");
  Site site(task_, name, waves_, facts_);
  tell_sources(site.emit);
  tile::Builder& b = site.scope.b;
  int32_t width = site.emit.shape()[0];
  IntExpr total(1);
  ValueId count = b.integer(1, site.scope.index_type());
  for (const IntExpr& extent : shape) {
    total = total * expand_size(program_, extent);
    count = b.mul(count, site.scope.size(extent).id);
  }
  ValueId first = b.mul(b.cast(b.program_id(0), site.scope.index_type()), b.integer(width));
  ValueId linear = b.name(b.add(first, b.cast(b.range(width), site.scope.index_type())), "element");
  site.mask = b.name(b.lt(linear, count), "inside");
  if (!facts_.wide) site.scope.require(compare(IntExpr::Kind::le, total, IntExpr(kNarrowSize)));
  ValueId rest = linear;
  site.at.resize(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    ValueId size = site.scope.size(shape[axis]).id;
    ValueId index = axis > 0 ? b.binary(OpCode::mod, rest, size) : rest;
    if (axis > 0) rest = b.binary(OpCode::floordiv, rest, size);
    site.at[axis] = {index, ir::ValueType::integer, 0, (facts_.wide ? kWideSize : kNarrowSize) - 1};
    if (dims[axis].empty()) continue;
    site.emit.bind_dim(site.env, dims[axis], site.at[axis]);
    b.name(index, dims[axis] + "_i");
  }
  b.describe(what);
  body(site);
  variant_.add(site.scope.finish({cdiv(total, IntExpr(width)), IntExpr(1), IntExpr(1)}));
}

void NaiveVariant::launch_over(const std::string& what, const std::vector<std::string>& dims, const Body& body) {
  std::vector<IntExpr> shape;
  for (const std::string& dim : dims) shape.push_back(dim_size(program_, dim));
  launch(what, shape, dims, body);
}

void NaiveVariant::tell_sources(Emitter& emit) const {
  for (const std::string& output : workspace_)
    if (done_.contains(output)) emit.read_workspace(output);
  for (const std::string& output : results_)
    if (done_.contains(output)) emit.read_result(output);
  for (const auto& [tensor, copy] : copies_) emit.read_copy(tensor, copy);
}

// Reads see the values from before the op: an inout tensor that is read anywhere is copied before anything is written.
void NaiveVariant::copy_read_inouts() {
  std::set<std::string> read;
  auto look = [&](const ir::ExprRef& expr) {
    if (expr)
      ir::visit(expr, [&](const ir::Expr& e) {
        if (e.op == ir::Op::load) read.insert(e.name);
      });
  };
  for (const Stage& stage : program_.stages) {
    look(stage.value), look(stage.condition);
    for (const ir::ExprRef& index : stage.indices) look(index);
    for (const ir::ScanState& state : stage.states) look(state.init), look(state.body);
  }
  for (const ir::Tensor& tensor : program_.tensors) {
    if (tensor.role != Role::inout || !read.contains(tensor.name)) continue;
    std::string copy = "old_" + tensor.name;
    IntExpr elements(1);
    for (const IntExpr& extent : tensor.shape) elements = elements * expand_size(program_, extent);
    variant_.workspace(copy, elements * IntExpr(8));
    launch(copy, tensor.shape, std::vector<std::string>(tensor.shape.size()), [&](Site& site) {
      Value value = site.emit.load_tensor(tensor.name, site.at, site.mask);
      site.emit.store_workspace(copy, site.emit.row_major(tensor.shape, site.at), value, site.mask);
    });
    copies_[tensor.name] = copy;
  }
}

// Decides where later stages read each output of a stage.
void NaiveVariant::place_outputs(const Stage& stage) {
  bool in_place = stage.kind == Stage::Kind::map && stage.value->op != ir::Op::reduce;
  for (const ir::Output& output : stage.outputs) {
    if (in_place) continue;
    if (result_tensor(program_, output.name) != nullptr) {
      results_.insert(output.name);
      continue;
    }
    workspace_.insert(output.name);
    variant_.workspace(output.name, product_of(program_, output.dims) * IntExpr(8));
  }
}

void NaiveVariant::build() {
  copy_read_inouts();
  for (const Stage& stage : program_.stages) {
    place_outputs(stage);
    build_stage(stage);
    for (const ir::Output& output : stage.outputs) done_.insert(output.name);
  }
  variant_.finish();
}

void NaiveVariant::build_stage(const Stage& stage) {
  switch (stage.kind) {
    case Stage::Kind::map:
      return build_map(stage);
    case Stage::Kind::cumulative:
      return build_cumulative(stage);
    case Stage::Kind::scan:
    case Stage::Kind::fold:
      return build_scan(stage);
    case Stage::Kind::sort:
    case Stage::Kind::topk:
      return build_sort(stage);
    case Stage::Kind::scatter:
      return build_scatter(stage);
  }
}

namespace {

std::string why_not(const Task&) { return ""; }

Question next(const Task& task, const Made& made) {
  if (made.contains("waves")) return {};
  Question question{"waves", {}, ""};
  int wave = target::arch_of(task.gpu).wave_sizes.front();
  int most = target::arch_of(task.gpu).max_group_size / wave;
  for (int64_t waves : {1, 2, 4, 8, 16})
    question.choices.push_back(
        allow_if(waves <= most, waves,
                 "a work-group holds at most " + std::to_string(most) + " waves of " + std::to_string(wave)));
  question.preferred = prefer(question.choices, "4");
  return question;
}

Result<Lowered> build(const Task& task, const Made& made) {
  Lowered lowered = start_lowered(task);
  int waves = static_cast<int>(number_of(made, "waves"));
  NaiveVariant(task, lowered, waves, false).build();
  NaiveVariant(task, lowered, waves, true).build();
  lowered.promises.push_back("any sizes and strides; results do not differ between runs");
  return lowered;
}

}  // namespace

const Sketch kNaive{"naive", why_not, next, build};

}  // namespace hipvault::schedule
