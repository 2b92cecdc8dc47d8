// row_reduce: reductions over rows with maps between them, in one kernel or, for rows split over work-groups, one
// launch a level of dependent reductions and one for the results.
//
// Example, softmax over rows of 4096 bf16 with rows_per_group 1, waves 4, vector 8, residency registers: a row is one
// tile [1,4096], 16 values a lane, loaded once; max, sum and result are computed from those registers.
// residency reread walks the row once per level of reductions and once for the results, in tiles of
// waves * 64 * vector elements a row; lds keeps the row in LDS between the walks.
//
// Variants: `rows`, for contiguous rows aligned to the vector (vector 1: any strides) that fit the residency;
// `any_size`, one row a group, 64-bit, strided, re-reading, for the rest.

#include <algorithm>

#include "schedule/fused.h"
#include "schedule/plan_parts.h"
#include "schedule/row_kernel.h"
#include "schedule/sketch.h"
#include "schedule/variant.h"

namespace hipvault::schedule {
namespace {

std::string why_not(const Task& task) { return find_rows(task.normal).problem; }

int64_t row_count(const Task& task, const RowPattern& pattern) {
  return size_value(task, product_of(task.normal, pattern.rows));
}
int64_t column_count(const Task& task, const RowPattern& pattern) {
  return size_value(task, product_of(task.normal, pattern.columns));
}
int wave_size(const Task& task) { return target::arch_of(task.gpu).wave_sizes.front(); }

// Columns of a tile. Resident rows are whole; otherwise every lane has two vectors, but no more than the row needs.
int64_t tile_columns(const Task& task, const RowPattern& pattern, const Made& made, int64_t rows, bool resident) {
  int64_t whole = std::max(next_power_of_two(column_count(task, pattern)), number_of(made, "vector"));
  if (resident) return whole;
  int64_t lanes = number_of(made, "waves") * wave_size(task);
  int64_t wanted = next_power_of_two(std::max<int64_t>(1, lanes * number_of(made, "vector") * 2 / rows));
  return std::min(whole, wanted);
}

// ---- decisions
// -----------------------------------------------------------------------------------------------------------

Question ask_rows(const Task& task, const RowPattern& pattern) {
  Question question{"rows_per_group", {}, ""};
  int64_t rows = std::max<int64_t>(1, row_count(task, pattern));
  for (int64_t take : {1, 2, 4, 8, 16, 32, 64})
    question.choices.push_back(
        allow_if(take <= next_power_of_two(rows), take, "there are only " + std::to_string(rows) + " rows"));
  int64_t columns = std::max<int64_t>(1, next_power_of_two(column_count(task, pattern)));
  question.preferred = prefer(question.choices, std::to_string(std::clamp<int64_t>(1024 / columns, 1, 64)));
  return question;
}

Question ask_waves(const Task& task, const RowPattern& pattern, const Made& made) {
  Question question{"waves", {}, ""};
  const target::Arch& arch = target::arch_of(task.gpu);
  int64_t most = arch.max_group_size / wave_size(task), rows = number_of(made, "rows_per_group");
  int64_t elements = rows * next_power_of_two(column_count(task, pattern));
  for (int64_t waves : {1, 2, 4, 8, 16}) {
    int64_t lanes = waves * wave_size(task);
    if (waves > most)
      question.choices.push_back(illegal(waves, "a work-group holds at most " + std::to_string(most) + " waves"));
    else
      question.choices.push_back(
          allow_if(waves == 1 || elements >= lanes, waves,
                   std::to_string(rows) + " rows of " + std::to_string(column_count(task, pattern)) + " columns are " +
                       std::to_string(elements) + " elements, fewer than the " + std::to_string(lanes) + " lanes"));
  }
  question.preferred =
      prefer(question.choices,
             std::to_string(std::clamp<int64_t>(next_power_of_two(elements / (wave_size(task) * 16)), 1, 8)));
  return question;
}

Question ask_vector(const Task& task, const RowPattern& pattern) {
  Question question{"vector", {}, ""};
  int64_t last = size_value(task, dim_size(task.normal, pattern.columns.back()));
  int widest = widest_bits(task.program), narrowest = narrowest_bits(task.program);
  for (int64_t vector : {1, 2, 4, 8, 16}) {
    std::string problem;
    if (last % vector != 0)
      problem =
          pattern.columns.back() + " = " + std::to_string(last) + " is not a multiple of " + std::to_string(vector);
    if (vector * narrowest > 128 || vector * std::min(widest, 32) > 256)
      problem = std::to_string(vector) + " elements of " + element_name(task.program, widest) + " are " +
                std::to_string(vector * widest / 8) + " bytes; a lane moves at most 16 at once";
    question.choices.push_back(allow_if(problem.empty(), vector, problem));
  }
  question.preferred = prefer(question.choices, std::to_string(std::clamp(128 / narrowest, 1, 8)));
  return question;
}

// Tensors that have the columns, and their bytes an element: what a resident row holds.
struct Held {
  int tensors = 0;
  int64_t bytes = 0;
};
Held held_tensors(const Task& task, const RowPattern& pattern) {
  Held held;
  for (const ir::Tensor& tensor : task.normal.tensors) {
    bool has_column = std::any_of(tensor.axis_dims.begin(), tensor.axis_dims.end(),
                                  [&](const std::string& dim) { return dim == pattern.columns.back(); });
    if (tensor.role != Role::input || !has_column) continue;
    ++held.tensors;
    held.bytes += std::max(1, info(tensor.dtype).bits / 8);
  }
  return held;
}

std::string register_problem(const Task& task, const RowPattern& pattern, const Made& made) {
  int64_t rows = number_of(made, "rows_per_group"), lanes = number_of(made, "waves") * wave_size(task);
  int64_t columns = tile_columns(task, pattern, made, rows, true);
  int64_t each = std::max<int64_t>(1, rows * columns / lanes), tensors = held_tensors(task, pattern).tensors;
  int64_t needed = each * (tensors + 1) + 24;
  constexpr int64_t kAvailable = 256;  // that one instruction can name
  if (needed <= kAvailable) return "";
  return std::to_string(each) + " elements a lane of " + std::to_string(tensors) + " tensors need about " +
         std::to_string(needed) + " registers, but " + std::to_string(kAvailable) +
         " are available; take more waves or fewer rows, or reread";
}

std::string lds_problem(const Task& task, const RowPattern& pattern, const Made& made) {
  int64_t rows = number_of(made, "rows_per_group"), columns = tile_columns(task, pattern, made, rows, true);
  int64_t bytes = rows * columns * held_tensors(task, pattern).bytes, most = target::arch_of(task.gpu).lds_bytes;
  int64_t each = rows * columns / std::max<int64_t>(1, number_of(made, "waves") * wave_size(task));
  if (bytes > most)
    return std::to_string(rows) + " rows of " + std::to_string(columns) + " columns are " + std::to_string(bytes) +
           " bytes of LDS, " + std::to_string(bytes - most) + " more than the " + std::to_string(most) +
           " there are; take fewer rows, or reread";
  if (each > 128)
    return std::to_string(each) + " elements a lane are read at once; at most 128 fit the registers; take more waves";
  return "";
}

Question ask_residency(const Task& task, const RowPattern& pattern, const Made& made) {
  Question question{"residency", {}, ""};
  std::string registers = register_problem(task, pattern, made), lds = lds_problem(task, pattern, made);
  question.choices = {{"registers", registers.empty(), registers}, {"lds", lds.empty(), lds}, {"reread", true, ""}};
  question.preferred = registers.empty() ? "registers" : "reread";
  return question;
}

Question ask_split(const Task& task, const RowPattern& pattern, const Made& made) {
  Question question{"split", {}, ""};
  bool reread = made.at("residency") == "reread";
  int64_t rows = number_of(made, "rows_per_group"), columns = column_count(task, pattern);
  int64_t tile = tile_columns(task, pattern, made, rows, false);
  for (int64_t split : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    std::string problem;
    if (split > 1 && !reread)
      problem = "a row in " + made.at("residency") + " belongs to one work-group; split needs residency reread";
    if (split > 1 && problem.empty() && split * tile > next_power_of_two(columns))
      problem = std::to_string(columns) + " columns are " + std::to_string((columns + tile - 1) / tile) + " tiles of " +
                std::to_string(tile) + ", too few for " + std::to_string(split) + " work-groups";
    question.choices.push_back(allow_if(problem.empty(), split, problem));
  }
  int64_t groups = std::max<int64_t>(1, row_count(task, pattern) / rows);
  int64_t wanted = std::clamp<int64_t>(next_power_of_two(2 * task.gpu.cus / groups), 1, 256);
  question.preferred = prefer(question.choices, groups >= task.gpu.cus ? "1" : std::to_string(wanted));
  return question;
}

Question next(const Task& task, const Made& made) {
  RowPattern pattern = find_rows(task.normal);
  if (!made.contains("rows_per_group")) return ask_rows(task, pattern);
  if (!made.contains("waves")) return ask_waves(task, pattern, made);
  if (!made.contains("vector")) return ask_vector(task, pattern);
  if (!made.contains("residency")) return ask_residency(task, pattern, made);
  if (!made.contains("split")) return ask_split(task, pattern, made);
  if (!made.contains("math")) return ask_math(task);
  if (!made.contains("sizes")) return {"sizes", {{"symbolic", true, ""}, {"fixed", true, ""}}, "symbolic"};
  return {};
}

// ---- building
// ------------------------------------------------------------------------------------------------------------

RowShape shape_of(const Task& task, const RowPattern& pattern, const Made& made) {
  RowShape shape;
  shape.rows = static_cast<int>(number_of(made, "rows_per_group"));
  shape.waves = static_cast<int>(number_of(made, "waves"));
  shape.vector = number_of(made, "vector");
  shape.split = number_of(made, "split");
  const std::string& residency = made.at("residency");
  shape.residency = residency == "registers" ? Residency::registers
                    : residency == "lds"     ? Residency::lds
                                             : Residency::reread;
  shape.columns = static_cast<int>(tile_columns(task, pattern, made, shape.rows, shape.residency != Residency::reread));
  return shape;
}

void add_variant(const Task& task, const RowPattern& pattern, const RowShape& shape, Lowered& lowered,
                 const std::string& name, const Facts& facts) {
  VariantBuilder variant(lowered, name);
  std::string kernel = clean_name(task.program.name) + (facts.wide ? "_any_size" : "");
  if (shape.split == 1) {
    variant.add(RowKernel(task, pattern, shape, kernel, facts).build_whole());
    return variant.finish();
  }
  IntExpr parts = product_of(task.normal, pattern.rows) * IntExpr(shape.split * 8);
  for (const RowReduction& reduction : pattern.reductions)
    for (size_t part : {0, 1}) variant.workspace(part_buffer(reduction, part), parts);
  for (int level = 0; level < pattern.levels; ++level)
    variant.add(RowKernel(task, pattern, shape, kernel + "_part_" + std::to_string(level), facts).build_level(level));
  variant.add(RowKernel(task, pattern, shape, kernel + "_finish", facts).build_results());
  variant.finish();
}

Result<Lowered> build(const Task& task, const Made& made) {
  RowPattern pattern = find_rows(task.normal);
  Lowered lowered = start_lowered(task);
  Facts facts;
  facts.fast_math = made.at("math") == "fast";
  if (made.at("sizes") == "fixed")
    for (const std::string& size : lowered.plan.sizes) facts.fixed[size] = task.sizes.at(size);
  RowShape shape = shape_of(task, pattern, made);
  add_variant(task, pattern, shape, lowered, "rows", facts);
  Facts wide;
  wide.wide = true;
  add_variant(task, pattern, RowShape{}, lowered, "any_size", wide);
  lowered.promises.push_back("any sizes and strides; fastest for contiguous rows of a multiple of " +
                             std::to_string(shape.vector) + " elements");
  if (facts.fast_math) lowered.promises.push_back(kFastMathPromise);
  lowered.promises.push_back("results do not differ between runs");
  return lowered;
}

}  // namespace

const Sketch kRowReduce{"row_reduce", why_not, next, build};

}  // namespace hipvault::schedule
