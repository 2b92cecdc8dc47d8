// transpose: maps whose result runs along one dimension while a tensor they read runs along another.
//
//   y[N,M] = x[M,N]:  lanes that are neighbours along M write neighbours of y, but read elements of x that are N apart,
//                     64 cache lines for 64 elements
//
// A work-group takes a tile of both dimensions. What is read across is loaded along its own fast dimension and goes
// through LDS into the result's order; the passes choose the layouts and a swizzle whose reads and writes both spread
// over the banks (tile/stage_to_lds.h). Reads along the result's dimension (a bias, a residual) are as in pointwise.
//
// Rejected: a tile of LDS padded by one column, as is often written by hand: it leaves 16-byte accesses misaligned.
//
// Variants: `tiled`, 32-bit indices, rows of both sides contiguous and aligned to the vector; `any_size`, 64-bit, any
// strides.

#include <algorithm>
#include <optional>

#include "schedule/emit.h"
#include "schedule/fused.h"
#include "schedule/plan_parts.h"
#include "schedule/sketch.h"
#include "schedule/variant.h"

namespace hipvault::schedule {
namespace {

using ir::Op;
using ir::Stage;
using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

struct Pattern {
  std::vector<const Stage*> results;  // all over `dims`
  std::vector<std::string> dims;
  std::string across;              // the fast dimension of what is read across; the result's is dims.back()
  std::set<std::string> crossing;  // tensors read across
  std::string problem;
};

Pattern find_pattern(const ir::Program& program) {
  Pattern pattern;
  pattern.problem = why_not_maps(program);
  if (!pattern.problem.empty()) return pattern;
  for (const Stage& stage : program.stages) {
    if (result_tensor(program, stage.outputs[0].name) == nullptr) continue;
    if (!pattern.results.empty() && stage.outputs[0].dims != pattern.dims)
      return pattern.problem = "its results have different dimensions", pattern;
    pattern.dims = stage.outputs[0].dims;
    pattern.results.push_back(&stage);
  }
  auto look = [&](const ir::Expr& load) {
    size_t rank = load.args.size() - (load.has_else ? 1 : 0);
    if (rank < 2 || load.args[rank - 1]->op != Op::index) return;
    const std::string& last = load.args[rank - 1]->name;
    bool ours = std::find(pattern.dims.begin(), pattern.dims.end(), last) != pattern.dims.end();
    bool both =
        std::any_of(load.args.begin(), load.args.begin() + static_cast<std::ptrdiff_t>(rank),
                    [&](const ir::ExprRef& arg) { return arg->op == Op::index && arg->name == pattern.dims.back(); });
    if (!ours || !both || last == pattern.dims.back() || (!pattern.across.empty() && last != pattern.across)) return;
    pattern.across = last;
    pattern.crossing.insert(load.name);
  };
  for (const Stage* stage : pattern.results) visit_loads(program, stage->value, look);
  if (pattern.across.empty())
    pattern.problem =
        "nothing is read along another dimension than the result is written; pointwise moves all rows as they lie";
  for (const ir::Tensor& tensor : program.tensors)
    if (info(tensor.dtype).bits < 8) pattern.problem = tensor.name + " has two elements a byte";
  return pattern;
}

std::string why_not(const Task& task) { return find_pattern(task.normal).problem; }

// ---- decisions

std::string vector_problem(const Task& task, const Pattern& pattern, int64_t vector) {
  int widest = widest_bits(task.program);
  if (vector * widest > 128)
    return std::to_string(vector) + " elements of " + element_name(task.program, widest) + " are " +
           std::to_string(vector * widest / 8) + " bytes; a lane moves at most 16";
  for (const std::string& dim : {pattern.across, pattern.dims.back()}) {
    int64_t size = size_value(task, dim_size(task.normal, dim));
    if (size % vector != 0)
      return dim + " = " + std::to_string(size) + " is not a multiple of " + std::to_string(vector);
  }
  return "";
}

Question ask_vector(const Task& task, const Pattern& pattern) {
  Question question{"vector", {}, ""};
  for (int64_t vector : {1, 2, 4, 8, 16}) {
    std::string problem = vector_problem(task, pattern, vector);
    question.choices.push_back(allow_if(problem.empty(), vector, problem));
  }
  question.preferred = prefer(question.choices, std::to_string(std::clamp(128 / widest_bits(task.program), 1, 16)));
  return question;
}

Question ask_tile(const std::string& name, int64_t vector, int64_t wanted) {
  Question question{name, {}, ""};
  for (int64_t extent : {16, 32, 64, 128})
    question.choices.push_back(
        allow_if(extent >= vector, extent, "one access moves " + std::to_string(vector) + " elements"));
  question.preferred = prefer(question.choices, std::to_string(wanted));
  return question;
}

// What keeps a tile from being handled by so many waves; empty: nothing.
std::string waves_problem(const Task& task, const Pattern& pattern, const Made& made, int64_t waves) {
  const target::Arch& arch = target::arch_of(task.gpu);
  int64_t elements = number_of(made, "tile_across") * number_of(made, "tile_along");
  int64_t tensors = static_cast<int64_t>(task.program.tensors.size());
  int64_t a_lane = elements / (waves * arch.wave_sizes.front());
  if (a_lane < number_of(made, "vector"))
    return "a tile of " + std::to_string(elements) + " elements gives " + std::to_string(waves) +
           " waves less than one vector a lane";
  int64_t registers = a_lane * std::max(1, widest_bits(task.program) / 32) * (tensors + 1);
  if (registers > 256)
    return "about " + std::to_string(registers) + " registers a lane (" + std::to_string(a_lane) + " elements of " +
           std::to_string(tensors) + " tensors and temporaries); 256 are available";
  int64_t lds = elements * std::max(32, widest_bits(task.program)) / 8 *
                static_cast<int64_t>(pattern.crossing.size() + pattern.results.size());
  if (lds > arch.lds_bytes)
    return "up to " + std::to_string(lds) + " bytes of LDS for the tiles, of " + std::to_string(arch.lds_bytes) +
           " there are; take a smaller tile";
  return "";
}

Question ask_waves(const Task& task, const Pattern& pattern, const Made& made) {
  Question question{"waves", {}, ""};
  for (int64_t waves : {1, 2, 4, 8, 16}) {
    std::string problem = waves_problem(task, pattern, made, waves);
    question.choices.push_back(allow_if(problem.empty(), waves, problem));
  }
  question.preferred = prefer(question.choices, "4");
  return question;
}

int64_t tile_wanted(const Task& task, const std::string& dim) {
  return std::clamp<int64_t>(next_power_of_two(size_value(task, dim_size(task.normal, dim))), 16, 64);
}

Question next(const Task& task, const Made& made) {
  Pattern pattern = find_pattern(task.normal);
  if (!made.contains("vector")) return ask_vector(task, pattern);
  int64_t vector = number_of(made, "vector");
  if (!made.contains("tile_across")) return ask_tile("tile_across", vector, tile_wanted(task, pattern.across));
  if (!made.contains("tile_along")) return ask_tile("tile_along", vector, tile_wanted(task, pattern.dims.back()));
  if (!made.contains("waves")) return ask_waves(task, pattern, made);
  if (!made.contains("math")) return ask_math(task);
  return {};
}

// ---- building

class TransposeKernel {
 public:
  TransposeKernel(const Task& task, const Pattern& pattern, const Made& made, const std::string& name,
                  const Facts& facts)
      : pattern_(pattern),
        vector_(facts.wide ? 1 : number_of(made, "vector")),
        across_(static_cast<int32_t>(number_of(made, "tile_across"))),
        along_(static_cast<int32_t>(number_of(made, "tile_along"))),
        scope_(task, name, static_cast<int>(number_of(made, "waves")), facts),
        emit_(scope_, {across_, along_}) {}

  BuiltKernel build() {
    tile::Builder& b = scope_.b;
    for (const Stage* stage : pattern_.results) scope_.tensor(stage->outputs[0].name, Access::write);
    const std::string &slow = pattern_.across, &fast = pattern_.dims.back();
    std::vector<std::string> others;
    for (const std::string& dim : pattern_.dims)
      if (dim != slow && dim != fast) others.push_back(dim);
    ValueId rest = b.cast(b.program_id(0), scope_.index_type());
    ValueId column_tile = take_tile(rest, fast, along_), row_tile = take_tile(rest, slow, across_);
    Env env;
    ValueId inside = emit_.all_of(place(env, slow, row_tile, across_, 0), place(env, fast, column_tile, along_, 1));
    if (!others.empty()) emit_.bind_linear(env, others, {rest, ValueType::integer});
    if (!scope_.wide()) emit_.set_tiled({env.at(slow), env.at(fast)}, vector_);
    for (const Stage* stage : pattern_.results) store(*stage, env, inside);
    IntExpr groups = cdiv(size_of(fast), IntExpr(along_)) * cdiv(size_of(slow), IntExpr(across_)) *
                     product_of(scope_.program(), others);
    if (!scope_.wide()) scope_.require(compare(IntExpr::Kind::le, groups, IntExpr(kNarrowSize)));
    return scope_.finish({groups, IntExpr(1), IntExpr(1)});
  }

 private:
  IntExpr size_of(const std::string& dim) const { return dim_size(scope_.program(), dim); }

  // Which tile of the dimension; `rest` keeps what the other dimensions share.
  ValueId take_tile(ValueId& rest, const std::string& dim, int32_t extent) {
    tile::Builder& b = scope_.b;
    ValueId tiles = b.binary(OpCode::floordiv, b.add(scope_.dim(dim).id, b.integer(extent - 1)), b.integer(extent));
    ValueId tile = b.binary(OpCode::mod, rest, tiles);
    rest = b.binary(OpCode::floordiv, rest, tiles);
    return tile;
  }

  // Binds the dimension to its tile along `axis`; gives the mask of what is inside.
  ValueId place(Env& env, const std::string& dim, ValueId tile, int32_t extent, int axis) {
    tile::Builder& b = scope_.b;
    if (vector_ > 1) scope_.use_size_multiple(size_of(dim), vector_);
    if (!scope_.wide()) scope_.require(compare(IntExpr::Kind::le, size_of(dim), IntExpr(kNarrowSize)));
    ValueId index = b.add(b.mul(tile, b.integer(extent)), b.cast(b.range_along(extent, axis, 2), scope_.index_type()));
    emit_.bind_dim(env, dim, {b.name(index, dim + "_i"), ValueType::integer});
    return b.lt(index, scope_.dim(dim).id);
  }

  // A plain copy is never converted on the way, so LDS holds the tensor's own type.
  void store(const Stage& stage, const Env& env, ValueId inside) {
    const ir::Output& output = stage.outputs[0];
    DType dtype = scope_.program().tensor(output.name)->dtype;
    std::vector<Value> at;
    for (const std::string& dim : output.dims) at.push_back(env.at(dim));
    ValueId value = emit_.eval_as(stage.value, env, inside, dtype);
    scope_.b.store(scope_.tensor(output.name, Access::write), emit_.tensor_offset(output.name, at), value, inside);
  }

  const Pattern& pattern_;
  int64_t vector_;
  int32_t across_, along_;
  KernelScope scope_;
  Emitter emit_;
};

Result<Lowered> build(const Task& task, const Made& made) {
  Pattern pattern = find_pattern(task.normal);
  Lowered lowered = start_lowered(task);
  for (bool wide : {false, true}) {
    Facts facts;
    facts.wide = wide;
    facts.fast_math = !wide && made.at("math") == "fast";
    VariantBuilder variant(lowered, wide ? "any_size" : "tiled");
    std::string name = clean_name(task.program.name) + (wide ? "_any_size" : "");
    variant.add(TransposeKernel(task, pattern, made, name, facts).build());
    variant.finish();
    if (facts.fast_math) lowered.promises.push_back(kFastMathPromise);
  }
  lowered.promises.push_back("any sizes and strides; fastest for contiguous rows aligned to " +
                             std::to_string(number_of(made, "vector") * widest_bits(task.program) / 8) + " bytes");
  lowered.promises.push_back("results do not differ between runs");
  return lowered;
}

}  // namespace

const Sketch kTranspose{"transpose", why_not, next, build};

}  // namespace hipvault::schedule
