// A row over several work-groups, on the simulator: every work-group stores one sum a row, the next launch reads those
// of all. Each sum is held by many lanes and stored by one of them; which one is asked of the thread's number, and
// clang asks for parts of it in ways of its own (for 2 rows over 8 waves: the low byte). A row that nobody stored shows
// as the fill.

#include <gtest/gtest.h>

#include "print/hip.h"
#include "support/printed_kernels.h"
#include "support/sim_run.h"
#include "tile/builder.h"
#include "tile/passes.h"

namespace hipvault {
namespace {

using tile::Builder;
using tile::Kind;
using tile::ValueId;

struct Shape {
  int rows, waves, split;  // rows of a work-group, work-groups a row
  int vector;              // elements that a lane loads at once
  std::string name() const {
    return std::to_string(rows) + "_" + std::to_string(waves) + "_" + std::to_string(split) + "_" +
           std::to_string(vector);
  }
};
constexpr Shape kShapes[] = {{2, 8, 2, 1},  {2, 8, 2, 4},    {2, 16, 4, 1}, {4, 16, 2, 1},  {4, 8, 8, 4},
                             {1, 4, 64, 1}, {16, 16, 16, 1}, {64, 2, 2, 1}, {8, 1, 128, 4}, {1, 1, 256, 1}};
constexpr int kColumns = 1024;  // of a work-group

std::string printed(tile::Kernel kernel, int vector) {
  const target::Arch& arch = *target::find_arch("gfx942");
  tile::PassContext context;
  context.arch = &arch;
  for (const tile::BufferArg& buffer : kernel.buffers) context.alignment[buffer.name] = vector * 4;
  Status status = tile::run_passes(kernel, context);
  if (!status) ADD_FAILURE() << render(status.error());
  Result<std::string> text = print::print_kernel(kernel, arch);
  if (!text) ADD_FAILURE() << render(text.error());
  return text.value_or("");
}

ValueId row_of(Builder& b, const Shape& shape) {
  return b.add(b.mul(b.program_id(0), b.integer(shape.rows)), b.range_along(shape.rows, 0, 2));
}

tile::Kernel sum_parts(const Shape& shape) {
  Builder b("parts_" + shape.name(), shape.waves);
  int x = b.buffer("x", DType::i32, false), parts = b.buffer("parts", DType::i32, true);
  ValueId count = b.scalar("rows", DType::i32), row = row_of(b, shape), inside = b.lt(row, count);
  ValueId part = b.program_id(1);
  ValueId column = b.add(b.mul(part, b.integer(kColumns)), b.range_along(kColumns, 1, 2));
  ValueId v = b.load(x, b.add(b.mul(row, b.integer(kColumns * shape.split)), column), inside);
  ValueId sum = b.expand_dims(b.reduce(Kind::sum, v, 1), 1);
  b.store(parts, b.add(b.mul(row, b.integer(shape.split)), part), sum, inside);
  return b.finish();
}

tile::Kernel sum_all(const Shape& shape) {
  Builder b("all_" + shape.name(), shape.waves);
  int parts = b.buffer("parts", DType::i32, false), y = b.buffer("y", DType::i32, true);
  ValueId count = b.scalar("rows", DType::i32), row = row_of(b, shape), inside = b.lt(row, count);
  ValueId at = b.add(b.mul(row, b.integer(shape.split)), b.range_along(shape.split, 1, 2));
  b.store(y, row, b.expand_dims(b.reduce(Kind::sum, b.load(parts, at, inside), 1), 1), inside);
  return b.finish();
}

constexpr int32_t kFill = -77;

// The second buffer after a launch whose first is `in`.
std::vector<int32_t> launched(const std::string& code, const std::string& kernel, const Shape& shape, int groups,
                              const std::vector<int32_t>& in, size_t out, int rows) {
  test::SimRun run(code, kernel);
  run.input(in);
  run.inout(std::vector<int32_t>(out, kFill));
  run.value(rows, DType::i32);
  Run result = run.launch({(rows + shape.rows - 1) / shape.rows, groups, 1}, shape.waves * 64);
  EXPECT_EQ(result.status, RunStatus::completed) << kernel << ": " << result.message;
  for (const Finding& finding : result.findings) ADD_FAILURE() << kernel << ": " << finding.message;
  return run.values<int32_t>(1);
}

TEST(PrintRowParts, EveryPartIsStoredOnceAndReadByTheNextLaunch) {
  std::string text;
  for (const Shape& shape : kShapes) text += printed(sum_parts(shape), shape.vector) + printed(sum_all(shape), 1);
  std::string code = test::compile_printed(text);
  for (const Shape& shape : kShapes) {
    int rows = shape.rows == 1 ? 2 : shape.rows + 1;  // the last work-group has one row only
    size_t parts = static_cast<size_t>(rows * shape.split);
    std::vector<int32_t> x(parts * kColumns), sums(parts), totals(static_cast<size_t>(rows));
    for (size_t at = 0; at < x.size(); ++at) {
      x[at] = static_cast<int32_t>(at * 2654435761u >> 12 & 0xfff);
      sums[at / kColumns] += x[at];
      totals[at / kColumns / static_cast<size_t>(shape.split)] += x[at];
    }
    EXPECT_EQ(launched(code, "parts_" + shape.name(), shape, shape.split, x, parts, rows), sums) << shape.name();
    EXPECT_EQ(launched(code, "all_" + shape.name(), shape, 1, sums, totals.size(), rows), totals) << shape.name();
  }
}

}  // namespace
}  // namespace hipvault
