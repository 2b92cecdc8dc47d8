// pointwise: maps without reductions, fused into one kernel for each index space that has a result.
//
// A lane takes `vector` neighbours along the last dimension and `items` such vectors, so the tile is [lanes * items,
// vector]. If every tensor is read at exactly the result's dimensions, all dimensions run together into one ("flat");
// otherwise the vector's place is taken apart into coordinates, once for all its elements. Reads along other axes (a
// transposed operand, a gather) are legal and merely not vectorised.
//
// Variants: `vector`, 32-bit indices, for contiguous rows aligned to the vector and a last dimension it divides (with
// vector 1: any strides); `any_size`, 64-bit and strided, for the rest.

#include <algorithm>

#include "schedule/emit.h"
#include "schedule/fused.h"
#include "schedule/plan_parts.h"
#include "schedule/sketch.h"
#include "schedule/variant.h"

namespace hipvault::schedule {
namespace {

using ir::Stage;
using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

// Results with the same dimensions share a kernel.
struct Space {
  std::vector<std::string> dims;
  std::vector<const Stage*> results;
  bool flat = false;
};

bool reads_flat(const ir::Program& program, const Space& space) {
  bool flat = space.dims.size() > 1;
  for (const Stage* stage : space.results)
    visit_loads(program, stage->value,
                [&](const ir::Expr& load) { flat &= load.args.empty() || indexed_by(load, space.dims); });
  return flat;
}

std::vector<Space> spaces_of(const ir::Program& program) {
  std::vector<Space> spaces;
  for (const Stage& stage : program.stages) {
    if (result_tensor(program, stage.outputs[0].name) == nullptr) continue;
    auto same = [&](const Space& space) { return space.dims == stage.outputs[0].dims; };
    auto found = std::find_if(spaces.begin(), spaces.end(), same);
    if (found == spaces.end()) found = spaces.insert(spaces.end(), Space{stage.outputs[0].dims, {}, false});
    found->results.push_back(&stage);
  }
  for (Space& space : spaces) space.flat = reads_flat(program, space);
  return spaces;
}

std::string why_not(const Task& task) { return why_not_maps(task.normal); }

// ---- decisions
// -----------------------------------------------------------------------------------------------------------

struct Decided {
  int64_t vector = 1, items = 1, waves = 4;
  bool stride = false, nontemporal = false, fixed = false;
};

// What keeps a lane from moving `vector` elements at once; empty: nothing.
std::string vector_problem(const Task& task, int64_t vector) {
  int widest = widest_bits(task.program);
  if (vector * widest > 256)
    return std::to_string(vector) + " elements of " + element_name(task.program, widest) + " are " +
           std::to_string(vector * widest / 8) + " bytes; a lane moves at most 32 (two accesses of 16)";
  for (const Space& space : spaces_of(task.normal)) {
    if (vector > 1 && space.dims.empty()) return "the result is a single element";
    if (space.dims.empty()) continue;
    int64_t last = size_value(task, dim_size(task.normal, space.dims.back()));
    if (last % vector != 0)
      return space.dims.back() + " = " + std::to_string(last) + " is not a multiple of " + std::to_string(vector);
  }
  return "";
}

Question ask_vector(const Task& task) {
  Question question{"vector", {}, ""};
  for (int64_t vector : {1, 2, 4, 8, 16}) {
    std::string problem = vector_problem(task, vector);
    question.choices.push_back(allow_if(problem.empty(), vector, problem));
  }
  question.preferred = prefer(question.choices, std::to_string(std::clamp(128 / widest_bits(task.program), 1, 8)));
  return question;
}

Question ask_items(const Task& task, const Made& made) {
  Question question{"items", {}, ""};
  int64_t vector = number_of(made, "vector"), tensors = static_cast<int64_t>(task.program.tensors.size());
  for (int64_t items : {1, 2, 4, 8}) {
    int64_t registers = vector * items * (tensors + 2);
    question.choices.push_back(allow_if(registers <= 256, items,
                                        "about " + std::to_string(registers) + " registers a lane (vector " +
                                            std::to_string(vector) + " x items " + std::to_string(items) + " x " +
                                            std::to_string(tensors) + " tensors and temporaries); 256 are available"));
  }
  question.preferred = prefer(question.choices, "2");
  return question;
}

Question ask_waves(const Task& task) {
  Question question{"waves", {}, ""};
  const target::Arch& arch = target::arch_of(task.gpu);
  int64_t most = arch.max_group_size / arch.wave_sizes.front();
  for (int64_t waves : {1, 2, 4, 8, 16})
    question.choices.push_back(
        allow_if(waves <= most, waves, "a work-group holds at most " + std::to_string(most) + " waves"));
  question.preferred = prefer(question.choices, "4");
  return question;
}

Question next(const Task& task, const Made& made) {
  if (!made.contains("vector")) return ask_vector(task);
  if (!made.contains("items")) return ask_items(task, made);
  if (!made.contains("waves")) return ask_waves(task);
  if (!made.contains("grid")) return {"grid", {{"oneshot", true, ""}, {"stride", true, ""}}, "oneshot"};
  if (!made.contains("nontemporal")) return {"nontemporal", {{"off", true, ""}, {"on", true, ""}}, "off"};
  if (!made.contains("math")) return ask_math(task);
  if (!made.contains("sizes")) return {"sizes", {{"symbolic", true, ""}, {"fixed", true, ""}}, "symbolic"};
  return {};
}

Decided decided(const Made& made) {
  return {number_of(made, "vector"),   number_of(made, "items"),       number_of(made, "waves"),
          made.at("grid") == "stride", made.at("nontemporal") == "on", made.at("sizes") == "fixed"};
}

// ---- building
// ------------------------------------------------------------------------------------------------------------

class PointwiseKernel {
 public:
  PointwiseKernel(const Task& task, const Space& space, const std::string& name, const Decided& decided,
                  const Facts& facts)
      : task_(task),
        space_(space),
        decided_(decided),
        lanes_(static_cast<int32_t>(decided.waves * decided.items) * target::arch_of(task.gpu).wave_sizes.front()),
        scope_(task, name, static_cast<int>(decided.waves), facts),
        emit_(scope_, {lanes_, static_cast<int32_t>(decided.vector)}) {}

  BuiltKernel build() {
    tile::Builder& b = scope_.b;
    for (const Stage* stage : space_.results) scope_.tensor(stage->outputs[0].name, Access::write);
    ValueId count = vector_count();
    ValueId first = b.mul(b.cast(b.program_id(0), scope_.index_type()), b.integer(lanes_));
    IntExpr groups = cdiv(count_expr_, IntExpr(lanes_));
    if (decided_.stride) {
      int64_t most = int64_t{task_.gpu.cus} * std::max<int64_t>(1, 32 / decided_.waves);
      groups = IntExpr::make(IntExpr::Kind::min, {groups, IntExpr(most)});
      ValueId step = b.mul(b.cast(b.num_programs(0), scope_.index_type()), b.integer(lanes_));
      b.for_loop(first, count, step, {}, [&](ValueId base, const std::vector<ValueId>&) {
        emit_tile(base, count);
        return std::vector<ValueId>{};
      });
    } else {
      emit_tile(first, count);
    }
    BuiltKernel built = scope_.finish({groups, IntExpr(1), IntExpr(1)});
    if (decided_.nontemporal) mark_nontemporal(built.kernel.body);
    return built;
  }

 private:
  // How many vectors there are; notes what the division relies on.
  ValueId vector_count() {
    tile::Builder& b = scope_.b;
    ValueId count = b.integer(1, scope_.index_type());
    count_expr_ = IntExpr(1);
    for (const std::string& dim : space_.dims) {
      ValueId size = scope_.dim(dim).id;
      IntExpr expr = dim_size(scope_.program(), dim);
      if (&dim == &space_.dims.back() && decided_.vector > 1) {
        scope_.use_size_multiple(expr, decided_.vector);
        size = b.binary(OpCode::floordiv, size, b.integer(decided_.vector));
        expr = floordiv(expr, IntExpr(decided_.vector));
        columns_ = size;
      }
      count = b.mul(count, size);
      count_expr_ = count_expr_ * expr;
    }
    if (!scope_.wide())
      scope_.require(compare(IntExpr::Kind::le, count_expr_ * IntExpr(decided_.vector), IntExpr(kNarrowSize)));
    return count;
  }

  void emit_tile(ValueId base, ValueId count) {
    tile::Builder& b = scope_.b;
    ValueId lane = b.cast(b.range_along(lanes_, 0, 2), scope_.index_type());
    ValueId vector = b.name(b.add(base, lane), decided_.vector > 1 ? "vector" : "element");
    ValueId mask = b.name(b.lt(vector, count), "inside");
    Env env = coordinates(vector);
    for (const Stage* stage : space_.results) {
      const ir::Output& output = stage->outputs[0];
      Value value = emit_.convert(emit_.eval(stage->value, env, mask), output.type);
      std::vector<Value> at;
      for (const std::string& dim : output.dims) at.push_back(env.at(dim));
      emit_.store_tensor(output.name, at, value, mask);
    }
  }

  ValueId element_of(ValueId vector) {
    tile::Builder& b = scope_.b;
    if (decided_.vector == 1) return vector;
    ValueId within = b.cast(b.range_along(static_cast<int32_t>(decided_.vector), 1, 2), scope_.index_type());
    return b.add(b.mul(vector, b.integer(decided_.vector)), within);
  }

  Env coordinates(ValueId vector) {
    tile::Builder& b = scope_.b;
    Env env;
    const std::vector<std::string>& dims = space_.dims;
    if (dims.empty()) return env;
    if (space_.flat && decided_.vector > 1) {
      Value linear{b.name(element_of(vector), "element"), ValueType::integer, 0, kNarrowSize};
      emit_.bind_linear(env, dims, linear);
      emit_.set_collapsed(env, dims, linear);
      emit_.set_fast(linear, decided_.vector);
      return env;
    }
    if (decided_.vector == 1) {
      emit_.bind_linear(env, dims, {vector, ValueType::integer});
      return env;
    }
    ValueId column = dims.size() > 1 ? b.binary(OpCode::mod, vector, columns_) : vector;
    Value last{b.name(element_of(column), dims.back() + "_i"), ValueType::integer};
    std::vector<std::string> outer(dims.begin(), dims.end() - 1);
    if (!outer.empty())
      emit_.bind_linear(env, outer, {b.binary(OpCode::floordiv, vector, columns_), ValueType::integer});
    emit_.bind_dim(env, dims.back(), last);
    emit_.set_fast(last, decided_.vector);
    return env;
  }

  static void mark_nontemporal(tile::Block& block) {
    for (tile::Operation& op : block.ops) {
      if (op.code == OpCode::load || op.code == OpCode::store) op.attrs.nontemporal = true;
      for (tile::Block& region : op.regions) mark_nontemporal(region);
    }
  }

  const Task& task_;
  const Space& space_;
  Decided decided_;
  int32_t lanes_;
  KernelScope scope_;
  Emitter emit_;
  IntExpr count_expr_;
  ValueId columns_ = -1;
};

void add_variant(const Task& task, Lowered& lowered, const std::string& name, const Decided& decided,
                 const Facts& facts) {
  VariantBuilder variant(lowered, name);
  std::vector<Space> spaces = spaces_of(task.normal);
  for (size_t at = 0; at < spaces.size(); ++at) {
    std::string kernel = clean_name(task.program.name) + (spaces.size() > 1 ? "_" + std::to_string(at) : "") +
                         (facts.wide ? "_any_size" : "");
    variant.add(PointwiseKernel(task, spaces[at], kernel, decided, facts).build());
  }
  variant.finish();
}

Result<Lowered> build(const Task& task, const Made& made) {
  Decided choices = decided(made);
  Lowered lowered = start_lowered(task);
  Facts facts;
  facts.fast_math = made.at("math") == "fast";
  if (choices.fixed)
    for (const std::string& size : lowered.plan.sizes) facts.fixed[size] = task.sizes.at(size);
  add_variant(task, lowered, choices.vector > 1 ? "vector" : "narrow", choices, facts);
  Decided general;
  Facts wide;
  wide.wide = true;
  add_variant(task, lowered, "any_size", general, wide);
  lowered.promises.push_back("any sizes and strides; fastest for contiguous rows aligned to " +
                             std::to_string(choices.vector * widest_bits(task.program) / 8) + " bytes");
  if (facts.fast_math) lowered.promises.push_back(kFastMathPromise);
  lowered.promises.push_back("results do not differ between runs");
  return lowered;
}

}  // namespace

const Sketch kPointwise{"pointwise", why_not, next, build};

}  // namespace hipvault::schedule
