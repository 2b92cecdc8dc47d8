// contract: a sum of products on matrix instructions. A work-group computes a tile [tile_m, tile_n] of the result,
// walking the depth in steps of tile_k; the passes bring both operands through LDS into the instruction's layout. What
// is computed on the operands before (dequantisation, casts) and on the sum after (bias, activation) is put in place.
//
// Ragged edges are masked: outside of its matrix an operand is 0. Rows, columns and depth may each be several
// dimensions, taken apart from one running index.
//
// Each operand is loaded along the dimension that its last axis runs along, rows or depth, so all four layouts of a
// matmul read whole lines, by vectors where sizes and alignment allow.
//
// Variants: `tiled`, 32-bit indices, those axes contiguous; `any_size`, the same kernel with 64-bit indices and any
// strides, element by element.

#include <algorithm>

#include "base/check.h"
#include "schedule/contract_pattern.h"
#include "schedule/emit.h"
#include "schedule/fused.h"
#include "schedule/naive.h"
#include "schedule/plan_parts.h"
#include "schedule/sketch.h"
#include "schedule/variant.h"

namespace hipvault::schedule {
namespace {

using ir::ValueType;
using tile::OpCode;
using tile::ValueId;

std::string why_not(const Task& task) { return find_contraction(task).problem; }

// ---- decisions
// -----------------------------------------------------------------------------------------------------------

std::vector<const target::MatrixOp*> instructions(const Task& task, const ContractPattern& pattern) {
  std::vector<const target::MatrixOp*> found;
  for (const target::MatrixOp& op : target::arch_of(task.gpu).matrix_ops)
    if (op.a == pattern.left_type && op.b == pattern.right_type && op.c == pattern.sum_type) found.push_back(&op);
  return found;
}

const target::MatrixOp& instruction(const Task& task, const ContractPattern& pattern, const Made& made) {
  for (const target::MatrixOp* op : instructions(task, pattern))
    if (op->mnemonic == made.at("matrix")) return *op;
  CHECK(false) << "no instruction " << made.at("matrix");
  return *instructions(task, pattern)[0];
}

Question ask_matrix(const Task& task, const ContractPattern& pattern) {
  Question question{"matrix", {}, ""};
  for (const target::MatrixOp* op : instructions(task, pattern)) question.choices.push_back({op->mnemonic, true, ""});
  question.preferred = question.choices.front().value;
  return question;
}

Question ask_tile(const std::string& name, int least, int64_t wanted, const std::string& mnemonic) {
  Question question{name, {}, ""};
  for (int64_t extent : {16, 32, 64, 128, 256})
    question.choices.push_back(
        allow_if(extent >= least, extent, mnemonic + " covers " + std::to_string(least) + " at once"));
  question.preferred = prefer(question.choices, std::to_string(std::max<int64_t>(least, wanted)));
  return question;
}

int64_t extent_wanted(const Task& task, const std::vector<std::string>& dims, int64_t most) {
  return std::clamp<int64_t>(next_power_of_two(size_value(task, product_of(task.normal, dims))), 16, most);
}

// Tensors over rows and columns that the epilogue reads: their tiles come through LDS into the sum's layout.
int64_t epilogue_tiles(const Task& task, const ContractPattern& pattern) {
  std::set<std::string> found;
  auto reads = [&](const ir::Expr& load, const std::vector<std::string>& dims) {
    return std::any_of(dims.begin(), dims.end(), [&](const std::string& dim) { return load.free.contains(dim); });
  };
  for (const ir::Stage* stage : pattern.results)
    visit_loads(task.normal, stage->value, [&](const ir::Expr& load) {
      if (load.name != pattern.sum->outputs[0].name && reads(load, pattern.rows) && reads(load, pattern.columns))
        found.insert(load.name);
    });
  return static_cast<int64_t>(found.size());
}

std::string lds_problem(const Task& task, const ContractPattern& pattern, const Made& made, int64_t tile_k) {
  int64_t m = number_of(made, "tile_m"), n = number_of(made, "tile_n");
  int64_t left = m * tile_k * info(pattern.left_type).bits / 8;
  int64_t right = n * tile_k * info(pattern.right_type).bits / 8;
  int64_t after = epilogue_tiles(task, pattern) * m * n * 4, all = left + right + after;
  int64_t most = target::arch_of(task.gpu).lds_bytes;
  if (all <= most) return "";
  return "the operands' tiles are " + std::to_string(left) + " + " + std::to_string(right) + " bytes" +
         (after > 0 ? ", what is read after the sum " + std::to_string(after) + " more," : ",") + " " +
         std::to_string(all - most) + " more than the " + std::to_string(most) + " bytes of LDS; take smaller tiles";
}

Question ask_depth(const Task& task, const ContractPattern& pattern, const Made& made) {
  const target::MatrixOp& op = instruction(task, pattern, made);
  Question question = ask_tile("tile_k", op.k, std::max(32, op.k), op.mnemonic);
  question.choices.insert(question.choices.begin(),
                          allow_if(op.k <= 8, 8, op.mnemonic + " covers " + std::to_string(op.k) + " at once"));
  for (Choice& choice : question.choices) {
    std::string problem = lds_problem(task, pattern, made, std::stoll(choice.value));
    if (choice.legal && !problem.empty()) choice.legal = false, choice.reason = problem;
  }
  question.preferred = prefer(question.choices, question.preferred.empty() ? "32" : question.preferred);
  return question;
}

std::string waves_problem(const Task& task, const ContractPattern& pattern, const Made& made, int64_t waves) {
  const target::MatrixOp& op = instruction(task, pattern, made);
  int64_t m = number_of(made, "tile_m"), n = number_of(made, "tile_n"), k = number_of(made, "tile_k");
  int64_t blocks = m / op.m * (n / op.n), lanes = waves * target::arch_of(task.gpu).wave_sizes.front();
  if (waves > blocks)
    return "a tile of " + std::to_string(m) + " x " + std::to_string(n) + " has " + std::to_string(blocks) +
           " blocks of the instruction, too few for " + std::to_string(waves) + " waves";
  int64_t operands = (m * k * info(pattern.left_type).bits + n * k * info(pattern.right_type).bits) / 32;
  int64_t needed = (m * n * info(pattern.sum_type).bits / 32 + 2 * operands) / lanes + 32;
  if (needed > 400)
    return "about " + std::to_string(needed) +
           " registers a lane for the sums and operands, of 512 there are, leave no room for addresses; take more "
           "waves";
  return "";
}

Question ask_waves(const Task& task, const ContractPattern& pattern, const Made& made) {
  Question question{"waves", {}, ""};
  for (int64_t waves : {1, 2, 4, 8}) {
    std::string problem = waves_problem(task, pattern, made, waves);
    question.choices.push_back(allow_if(problem.empty(), waves, problem));
  }
  question.preferred = prefer(question.choices, "4");
  return question;
}

Question next(const Task& task, const Made& made) {
  ContractPattern pattern = find_contraction(task);
  if (!made.contains("matrix")) return ask_matrix(task, pattern);
  const target::MatrixOp& op = instruction(task, pattern, made);
  if (!made.contains("tile_m")) return ask_tile("tile_m", op.m, extent_wanted(task, pattern.rows, 64), op.mnemonic);
  if (!made.contains("tile_n")) return ask_tile("tile_n", op.n, extent_wanted(task, pattern.columns, 64), op.mnemonic);
  if (!made.contains("tile_k")) return ask_depth(task, pattern, made);
  if (!made.contains("waves")) return ask_waves(task, pattern, made);
  return {};
}

// ---- vectors

// Of rows, columns and depth those along which some tensor's last axis runs.
std::set<std::string> fast_dims(const Task& task, const ContractPattern& pattern) {
  std::set<std::string> found;
  auto look = [&](const ir::Expr& load) {
    size_t rank = load.args.size() - (load.has_else ? 1 : 0);
    if (rank == 0 || load.args[rank - 1]->op != ir::Op::index) return;
    for (const std::vector<std::string>* dims : {&pattern.rows, &pattern.columns, &pattern.depth})
      if (dims->back() == load.args[rank - 1]->name) found.insert(dims->back());
  };
  visit_loads(task.normal, pattern.left, look);
  visit_loads(task.normal, pattern.right, look);
  for (const ir::Stage* stage : pattern.results) visit_loads(task.normal, stage->value, look);
  for (const ir::Tensor* tensor : task.normal.results()) {
    const std::string& last = tensor->axis_dims.empty() ? "" : tensor->axis_dims.back();
    for (const std::vector<std::string>* dims : {&pattern.rows, &pattern.columns})
      if (dims->back() == last) found.insert(last);
  }
  return found;
}

// How many neighbours a lane may move at once at the task's sizes, 16 bytes at most.
int64_t vector_of(const Task& task, const std::set<std::string>& dims) {
  int64_t vector = 128 / std::max(8, narrowest_bits(task.program));
  for (const std::string& dim : dims)
    while (size_value(task, dim_size(task.normal, dim)) % vector != 0) vector /= 2;
  return vector;
}

// ---- building
// ------------------------------------------------------------------------------------------------------------

class ContractKernel {
 public:
  ContractKernel(const Task& task, const ContractPattern& pattern, const Made& made, const std::string& name,
                 const Facts& facts)
      : pattern_(pattern),
        op_(instruction(task, pattern, made)),
        m_(static_cast<int32_t>(number_of(made, "tile_m"))),
        n_(static_cast<int32_t>(number_of(made, "tile_n"))),
        k_(static_cast<int32_t>(number_of(made, "tile_k"))),
        fast_dims_(fast_dims(task, pattern)),
        vector_(facts.wide ? 1 : vector_of(task, fast_dims_)),
        scope_(task, name, static_cast<int>(number_of(made, "waves")), facts),
        emit_(scope_, {}) {}

  BuiltKernel build() {
    tile::Builder& b = scope_.b;
    for (const ir::Tensor* tensor : scope_.program().results()) scope_.tensor(tensor->name, Access::write);
    if (vector_ > 1)
      for (const std::string& dim : fast_dims_) scope_.use_size_multiple(dim_size(scope_.program(), dim), vector_);
    ValueId rows = count(pattern_.rows), columns = count(pattern_.columns), depth = count(pattern_.depth);
    Env batch;
    if (!pattern_.batches.empty())
      emit_.bind_linear(batch, pattern_.batches, {b.cast(b.program_id(2), scope_.index_type()), ValueType::integer});
    ValueId row = b.name(running(0, m_, 0), "row"), column = b.name(running(1, n_, 1), "column");
    Env at_row = batch, at_column = batch;
    emit_.bind_linear(at_row, pattern_.rows, {row, ValueType::integer});
    emit_.bind_linear(at_column, pattern_.columns, {column, ValueType::integer});
    ValueId row_inside = b.lt(row, rows), column_inside = b.lt(column, columns);
    ValueId zero = b.full(b.constant(0, pattern_.sum_type), {m_, n_});
    Value end{depth, ValueType::integer, 0, kNarrowSize};
    std::vector<ValueId> sum =
        emit_.loop(emit_.integer(0), end, k_, {zero}, [&](Value first, const std::vector<ValueId>& sofar) {
          ValueId left = operand(pattern_.left, pattern_.left_type, at_row, pattern_.rows, first, depth, row_inside, 1);
          ValueId right =
              operand(pattern_.right, pattern_.right_type, at_column, pattern_.columns, first, depth, column_inside, 0);
          return std::vector<ValueId>{b.dot(left, right, sofar[0])};
        });
    at_row.insert(at_column.begin(), at_column.end());
    move_along(at_row, pattern_.rows, pattern_.columns);
    ValueId inside = emit_.all_of(row_inside, column_inside);
    emit_.set_parts(inside, {row_inside, column_inside});
    store(at_row, sum[0], inside);
    BuiltKernel built = scope_.finish({cdiv(product_of(scope_.program(), pattern_.rows), IntExpr(m_)),
                                       cdiv(product_of(scope_.program(), pattern_.columns), IntExpr(n_)),
                                       product_of(scope_.program(), pattern_.batches)});
    set_instruction(built.kernel.body);
    return built;
  }

 private:
  ValueId count(const std::vector<std::string>& dims) {
    tile::Builder& b = scope_.b;
    ValueId size = scope_.dim(dims[0]).id;
    for (size_t at = 1; at < dims.size(); ++at) size = b.mul(size, scope_.dim(dims[at]).id);
    IntExpr total = scope_.expanded(product_of(scope_.program(), dims));
    if (!scope_.wide()) scope_.require(compare(IntExpr::Kind::le, total, IntExpr(kNarrowSize)));
    return size;
  }

  // From here on lanes are neighbours along the last of these dimensions, whichever a tensor's last axis is.
  void move_along(const Env& env, const std::vector<std::string>& a, const std::vector<std::string>& b) {
    if (!scope_.wide()) emit_.set_tiled({env.at(a.back()), env.at(b.back())}, vector_);
  }

  // Index tile along `axis` of rank 2, from this work-group's first.
  ValueId running(int program_axis, int32_t extent, int axis) {
    tile::Builder& b = scope_.b;
    ValueId first = b.mul(b.cast(b.program_id(program_axis), scope_.index_type()), b.integer(extent));
    return b.add(first, b.cast(b.range_along(extent, axis, 2), scope_.index_type()));
  }

  // A tile of one side: [m, k] with depth along axis 1, or [k, n] with depth along axis 0; 0 outside.
  ValueId operand(const ir::ExprRef& side, DType dtype, Env env, const std::vector<std::string>& dims, Value first,
                  ValueId depth, ValueId inside, int depth_axis) {
    tile::Builder& b = scope_.b;
    ValueId k = b.add(first.id, b.cast(b.range_along(k_, depth_axis, 2), scope_.index_type()));
    emit_.bind_linear(env, pattern_.depth, {b.name(k, "k"), ValueType::integer});
    move_along(env, dims, pattern_.depth);
    ValueId mask = emit_.all_of(inside, b.lt(k, depth));
    ValueId value = emit_.eval_as(side, env, mask, dtype);
    ValueId zero = is_float(dtype) ? b.constant(0, dtype) : b.integer(0, dtype);
    return b.select(mask, value, zero);
  }

  void store(const Env& env, ValueId sum, ValueId mask) {
    const ir::Output& output = pattern_.sum->outputs[0];
    auto put = [&](const ir::Output& result, Value value) {
      std::vector<Value> at;
      for (const std::string& dim : result.dims) at.push_back(env.at(dim));
      emit_.store_tensor(result.name, at, emit_.convert(value, result.type), mask);
    };
    Value value{sum, output.type, INT32_MIN, INT32_MAX};
    if (result_tensor(scope_.program(), output.name) != nullptr) put(output, value);
    emit_.bind_value(output.name, output.dtype ? emit_.rounded(value, *output.dtype) : value);
    for (const ir::Stage* stage : pattern_.results) put(stage->outputs[0], emit_.eval(stage->value, env, mask));
  }

  void set_instruction(tile::Block& block) {
    for (tile::Operation& op : block.ops) {
      if (op.code == OpCode::dot) op.attrs.matrix = &op_;
      for (tile::Block& region : op.regions) set_instruction(region);
    }
  }

  const ContractPattern& pattern_;
  const target::MatrixOp& op_;
  int32_t m_, n_, k_;
  std::set<std::string> fast_dims_;
  int64_t vector_;
  KernelScope scope_;
  Emitter emit_;
};

Result<Lowered> build(const Task& task, const Made& made) {
  ContractPattern pattern = find_contraction(task);
  Lowered lowered = start_lowered(task);
  for (bool wide : {false, true}) {
    Facts facts;
    facts.wide = wide;
    VariantBuilder variant(lowered, wide ? "any_size" : "tiled");
    variant.add(
        ContractKernel(task, pattern, made, clean_name(task.program.name) + (wide ? "_any_size" : ""), facts).build());
    // Sums of 8-bit products stay exact in 32 bits up to this depth.
    if (pattern.sum_type == DType::i32)
      variant.require(compare(IntExpr::Kind::le, product_of(task.normal, pattern.depth), IntExpr(int64_t{1} << 16)));
    variant.finish();
  }
  if (pattern.sum_type == DType::i32) {
    NaiveVariant(task, lowered, 4, true).build();
    lowered.plan.variants.back().name = "any_depth";
  }
  lowered.promises.push_back("any strides, fastest for contiguous rows; results do not differ between runs");
  return lowered;
}

}  // namespace

const Sketch kContract{"contract", why_not, next, build};

}  // namespace hipvault::schedule
