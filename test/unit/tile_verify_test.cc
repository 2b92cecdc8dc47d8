// The law of tile programs: every rule refuses a program that breaks it, in the words written here; and the builder's
// broadcasting, against shapes worked out by hand.

#include <gtest/gtest.h>

#include "tile/builder.h"

namespace hipvault::tile {
namespace {

const std::string kHead = "kernel k(x: f32*, y: f32* writable, h: f16*, w: i32* writable unreadable, N: i32) waves 4\n";
// Values to be wrong with: %0 scalar, %1 offsets, %2 mask, %3 value, %4 f16, %5 matrix, %6 bool scalar, %7 LDS.
const std::string kValues =
    "  %0 = constant integer=2 : i32\n"
    "  %1 = range : i32[8]\n"
    "  %2 = constant integer=1 : bool[8]\n"
    "  %3 = constant number=1 : f32[8]\n"
    "  %4 = constant number=1 : f16[8]\n"
    "  %5 = constant number=1 : f32[4,8]\n"
    "  %6 = constant integer=0 : bool\n"
    "  %7 = lds_alloc : lds f32[8]\n";

std::string problem_of(const std::string& lines) {
  Result<Kernel> kernel = parse_kernel(kHead + kValues + lines);
  if (!kernel) return "does not parse: " + kernel.error().message;
  Status status = verify(*kernel);
  if (status) return "";
  EXPECT_EQ(status.error().code, "tile.verify");
  return status.error().message;
}

struct Case {
  const char *lines, *message;  // the message without "kernel k: "
};

void expect_refusals(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.lines), std::string("kernel k: ") + c.message) << c.lines;
}

TEST(TileVerify, TheValuesUsedByTheseTestsAreSound) { EXPECT_EQ(problem_of(""), ""); }

TEST(TileVerify, ElementwiseOperations) {
  expect_refusals({
      {"  %9 = add %3, %4 : f32[8]\n", "%9 = add mixes f32[8] and f16[8]"},
      {"  %9 = add %3, %5 : f32[8]\n", "%9 = add has operand f32[4,8] where the shape of f32[8] is needed"},
      {"  %9 = add %3, %3 : f16[8]\n", "%9 = add gives f16[8]"},
      {"  %9 = add %2, %2 : bool[8]\n", "%9 = add does not take bool[8]"},
      {"  %9 = exp %1 : i32[8]\n", "%9 = exp does not take i32[8]"},
      {"  %9 = bit_and %3, %3 : f32[8]\n", "%9 = bit_and does not take f32[8]"},
      {"  %9 = shift_left %2, %2 : bool[8]\n", "%9 = shift_left does not take bool[8]"},
      {"  %9 = lt %3, %3 : f32[8]\n", "%9 = lt gives f32[8], not bool"},
      {"  %9 = isnan %1 : bool[8]\n", "%9 = isnan does not take i32[8]"},
      {"  %9 = select %1, %3, %3 : f32[8]\n", "%9 = select selects on i32[8], not on bool"},
      {"  %9 = select %2, %3, %4 : f32[8]\n", "%9 = select mixes f32[8] and f16[8]"},
      {"  %9 = fma %1, %1, %1 : i32[8]\n", "%9 = fma does not take i32[8]"},
      {"  %9 = bitcast %3 : f16[8]\n", "%9 = bitcast changes the width"},
      {"  %9 = cast %3 : f16[4]\n", "%9 = cast has operand f32[8] where the shape of f16[4] is needed"},
      {"  %9 = neg %3, %3 : f32[8]\n", "%9 = neg has 2 operands"},
      {"  %9 = add %3 : f32[8]\n", "%9 = add has 1 operands"},
  });
}

TEST(TileVerify, LeavesAndShapes) {
  expect_refusals({
      {"  %9 = argument name=M : i32\n", "%9 = argument names the argument \"M\", which the kernel does not have"},
      {"  %9 = argument name=N : i64\n", "%9 = argument gives i64 for an argument of i32"},
      {"  %9 = program_id axis=3 : i32\n", "%9 = program_id has an axis that is not 0, 1 or 2"},
      {"  %9 = num_programs axis=0 : i64\n", "%9 = num_programs gives i64, not i32"},
      {"  %9 = range : i32[4,4]\n", "%9 = range gives i32[4,4], not i32[n]"},
      {"  %9 = range : i32[12]\n", "a value of type i32[12]: extents must be powers of two"},
      {"  %9 = splat %1 : i32[8]\n", "%9 = splat of i32[8] gives i32[8]"},
      {"  %9 = splat %0 : f32[8]\n", "%9 = splat of i32 gives f32[8]"},
      {"  %9 = expand_dims axis=2 %1 : i32[8,1]\n", "%9 = expand_dims has an axis outside the tile"},
      {"  %9 = expand_dims axis=1 %1 : i32[1,8]\n", "%9 = expand_dims of i32[8] gives i32[1,8]"},
      {"  %9 = broadcast %1 : i32[4,8]\n", "%9 = broadcast of i32[8] gives i32[4,8]"},
      {"  %9 = broadcast %5 : f32[8,8]\n", "%9 = broadcast of f32[4,8] gives f32[8,8]"},
      {"  %9 = reshape %5 : f32[16]\n", "%9 = reshape of f32[4,8] gives f32[16]"},
      {"  %9 = permute axes=0,0 %5 : f32[4,4]\n", "%9 = permute of f32[4,8] gives f32[4,4]"},
      {"  %9 = permute axes=1,0 %5 : f32[4,8]\n", "%9 = permute of f32[4,8] gives f32[4,8]"},
      {"  %9 = convert_layout %3 : f16[8]\n", "%9 = convert_layout of f32[8] gives f16[8]"},
  });
}

TEST(TileVerify, Memory) {
  expect_refusals({
      {"  %9 = load %1 : f32[8]\n", "%9 = load names no buffer of the kernel"},
      {"  %9 = load buffer=w %1 : i32[8]\n", "%9 = load reads \"w\", which is not readable"},
      {"  %9 = load buffer=x %1 : f16[8]\n", "%9 = load gives f16[8] from a buffer of f32"},
      {"  %9 = load buffer=x %3 : f32[8]\n", "%9 = load has offsets f32[8]"},
      {"  %9 = load buffer=x %1, %1 : f32[8]\n", "%9 = load has the mask i32[8]"},
      {"  %9 = load buffer=x %1, %2, %4 : f32[8]\n", "%9 = load has `other` f16[8]"},
      {"  %9 = load buffer=x : f32[8]\n", "%9 = load has 0 operands, not 1 to 3"},
      {"  store buffer=x %1, %3\n", "store writes \"x\", which is not writable"},
      {"  store buffer=y %1, %4\n", "store puts f16[8] into a buffer of f32"},
      {"  store buffer=y %1, %3, %6\n", "store has the mask bool"},
      {"  store buffer=y %1\n", "store has 1 operands, not 2 to 3"},
      {"  %9 = atomic buffer=y kind=prod %1, %3 : f32[8]\n", "%9 = atomic has the kind prod"},
      {"  %9 = atomic buffer=y kind=sum %1, %3 : f32[4]\n", "%9 = atomic gives f32[4]"},
      {"  %9 = lds_alloc : f32[8]\n", "%9 = lds_alloc gives f32[8]"},
      {"  lds_store %7, %4\n", "lds_store puts f16[8] into lds f32[8]"},
      {"  %9 = lds_load %7 : f32[4]\n", "%9 = lds_load gets f32[4] from lds f32[8]"},
      {"  %9 = lds_load %3 : f32[8]\n", "%9 = lds_load gets f32[8] from f32[8]"},
      {"  %9 = neg %7 : f32[8]\n", "%9 = neg takes the LDS tile %7"},
  });
}

TEST(TileVerify, AcrossATile) {
  expect_refusals({
      {"  %9 = reduce axis=1 kind=sum %3 : f32\n", "%9 = reduce has axis 1 of a tile with rank 1"},
      {"  %9 = reduce axis=0 kind=sum %5 : f32[4]\n", "%9 = reduce of f32[4,8] gives f32[4]"},
      {"  %9 = reduce axis=0 kind=and %3 : f32\n", "%9 = reduce and does not take f32[8]"},
      {"  %9 = reduce axis=0 kind=sum %2 : bool\n", "%9 = reduce sum does not take bool[8]"},
      {"  %9 = reduce axis=0 kind=exchange %3 : f32\n", "%9 = reduce has the kind exchange"},
      {"  %9 = reduce axis=0 kind=argmax %3 : f32\n", "%9 = reduce has 1 operands, not 2"},
      {"  %9, %10 = reduce axis=0 kind=argmax %3, %4 : f32, f16\n", "%9 = reduce has positions of f16[8]"},
      {"  %9, %10 = reduce axis=0 kind=argmax %3, %0 : f32, i32\n", "%9 = reduce mixes shapes"},
      {"  %9 = scan axis=0 kind=argmax %3 : f32[8]\n", "%9 = scan has the kind argmax"},
      {"  %9 = scan axis=0 kind=sum %3 : f32[4]\n", "%9 = scan of f32[8] gives f32[4]"},
      {"  %9 = scan axis=0 kind=sum %2 : bool[8]\n", "%9 = scan does not take bool[8]"},
      {"  %9 = dot %5, %5, %5 : f32[4,8]\n", "%9 = dot of f32[4,8] and f32[4,8] into f32[4,8]"},
      {"  %9 = gather axis=0 %3, %3 : f32[8]\n", "%9 = gather at f32[8] of f32[8]"},
      {"  %9 = gather axis=0 %5, %1 : f32[8]\n", "%9 = gather mixes ranks"},
      {"  %9 = gather axis=0 %3, %1 : f16[8]\n", "%9 = gather gives f16[8]"},
      {"  %9 = sort axis=0 %3, %4 : f32[8]\n", "%9 = sort has the wrong number of results"},
      {"  %9 = sort axis=0 %3 : f16[8]\n", "%9 = sort of f32[8] gives f16[8]"},
      {"  %9 = sort axis=1 %3 : f32[8]\n", "%9 = sort has axis 1 of a tile with rank 1"},
  });
}

TEST(TileVerify, Control) {
  expect_refusals({
      {"  for_loop %0, %0\n  { %9 : i32\n    yield\n  }\n", "for_loop needs low, high, step and one region"},
      {"  for_loop %0, %0, %0\n", "for_loop needs low, high, step and one region"},
      {"  for_loop %0, %0, %0\n  { %9 : i32\n  }\n", "for_loop has a malformed region"},
      {"  for_loop %0, %0, %1\n  { %9 : i32\n    yield\n  }\n", "for_loop has bounds of different types"},
      {"  for_loop %0, %0, %0\n  { %9 : i64\n    yield\n  }\n", "for_loop has an induction variable of another type"},
      {"  %11 = for_loop %0, %0, %0, %3 : f32[8]\n  { %9 : i32, %10 : f16[8]\n    yield %10\n  }\n",
       "%11 = for_loop changes types on entry"},
      {"  %11 = for_loop %0, %0, %0, %3 : f32[8]\n  { %9 : i32, %10 : f32[8]\n    yield %4\n  }\n",
       "%11 = for_loop yields other types than it was given"},
      {"  %11 = for_loop %0, %0, %0, %3 : f16[8]\n  { %9 : i32, %10 : f32[8]\n    yield %10\n  }\n",
       "%11 = for_loop gives other types than it was given"},
      {"  if_else %6\n  {\n    yield\n  }\n", "if_else needs a scalar bool and two regions"},
      {"  if_else %0\n  {\n    yield\n  }\n  {\n    yield\n  }\n", "if_else needs a scalar bool and two regions"},
      {"  %9 = if_else %6 : f32[8]\n  {\n    yield %3\n  }\n  {\n    yield %4\n  }\n",
       "%9 = if_else has a region that yields other types than its results"},
      {"  yield\n", "yield stands where no region ends"},
      {"  if_else %6\n  {\n    yield\n    barrier\n  }\n  {\n    yield\n  }\n", "yield stands where no region ends"},
  });
}

TEST(TileVerify, DefinedOnceBeforeUseInAnEnclosingBlock) {
  expect_refusals({
      {"  %9 = neg %10 : f32[8]\n  %10 = neg %3 : f32[8]\n", "%9 = neg uses %10, which is not defined here"},
      {"  %3 = neg %4 : f16[8]\n", "%3 = neg defines %3 a second time"},
      {"  if_else %6\n  {\n    %9 = neg %3 : f32[8]\n    yield\n  }\n  {\n    yield\n  }\n  %10 = neg %9 : f32[8]\n",
       "%10 = neg uses %9, which is not defined here"},
      {"  for_loop %0, %0, %0\n  { %3 : i32\n    yield\n  }\n", "a region argument %3 is defined twice"},
      {"  if_else %6\n  {\n    %9 = neg %3 : f32[8]\n    yield\n  }\n  {\n    %9 = neg %3 : f32[8]\n    yield\n  }\n",
       "%9 = neg defines %9 a second time"},
  });
}

// ---- builder
// ------------------------------------------------------------------------------------------------------------------

TEST(TileBuilder, ShapesBroadcastAsInNumpy) {
  struct Row {
    std::vector<int32_t> a, b, result;
  };
  const Row rows[] = {
      {{}, {}, {}},          {{}, {8}, {8}},           {{8}, {}, {8}},        {{1}, {8}, {8}},
      {{8}, {4, 1}, {4, 8}}, {{4, 1}, {1, 8}, {4, 8}}, {{4, 8}, {8}, {4, 8}}, {{2, 1, 8}, {4, 1}, {2, 4, 8}}};
  for (const Row& row : rows) {
    Builder b("k", 1);
    auto tile = [&](const std::vector<int32_t>& shape) { return b.full(b.constant(1.0), shape); };
    EXPECT_EQ(b.type(b.add(tile(row.a), tile(row.b))), (Type{DType::f32, row.result, false}));
    EXPECT_EQ(b.type(b.lt(tile(row.b), tile(row.a))), (Type{DType::boolean, row.result, false}));
    ValueId condition = b.full(b.boolean(true), {1});
    std::vector<int32_t> at_least_one = row.result.empty() ? std::vector<int32_t>{1} : row.result;
    EXPECT_EQ(b.type(b.select(condition, tile(row.a), tile(row.b))).shape, at_least_one);
    b.finish();
  }
}

TEST(TileBuilder, TypesMeetAtTheWiderIntegerAndConstantsFollow) {
  Builder b("k", 1);
  ValueId narrow = b.range(4), wide = b.cast(narrow, DType::i64), half = b.cast(narrow, DType::f16);
  EXPECT_EQ(b.type(b.add(narrow, wide)).dtype, DType::i64);
  EXPECT_EQ(b.type(b.add(wide, narrow)).dtype, DType::i64);
  EXPECT_EQ(b.type(b.mul(half, b.constant(0.5))).dtype, DType::f16);
  EXPECT_EQ(b.type(b.mul(b.integer(3), half)).dtype, DType::f16);
  EXPECT_EQ(b.type(b.add(wide, b.integer(3))).dtype, DType::i64);
  EXPECT_EQ(b.type(b.add(b.integer(3), b.constant(0.5))).dtype, DType::f32);
  b.finish();
}

TEST(TileBuilder, LoadsAndStoresBroadcastOffsetsMasksAndValues) {
  Builder b("k", 1);
  int x = b.buffer("x", DType::f16, false), y = b.buffer("y", DType::f16, true);
  ValueId row = b.range_along(4, 0, 2), column = b.range_along(8, 1, 2);
  EXPECT_EQ(b.type(row).shape, (std::vector<int32_t>{4, 1}));
  EXPECT_EQ(b.type(column).shape, (std::vector<int32_t>{1, 8}));
  ValueId v = b.load(x, row, b.lt(column, b.integer(5)), b.constant(0.0));
  EXPECT_EQ(b.type(v), (Type{DType::f16, {4, 8}, false}));
  b.store(y, b.add(row, column), b.constant(2.5), b.boolean(true));
  Kernel kernel = b.finish();
  const Operation& store = kernel.body.ops.back();
  ASSERT_EQ(store.code, OpCode::store);
  for (ValueId operand : store.operands) EXPECT_EQ(kernel.type(operand).shape, (std::vector<int32_t>{4, 8}));
}

TEST(TileBuilderDeath, ASketchsMistakesStop) {
  EXPECT_DEATH(Builder("k", 3), "waves must be a power of two, not 3");
  EXPECT_DEATH(
      {
        Builder b("k", 1);
        b.add(b.cast(b.range(4), DType::f32), b.cast(b.range(4), DType::f16));
      },
      "add of f32\\[4\\] and f16\\[4\\]: cast one of them");
  EXPECT_DEATH(
      {
        Builder b("k", 1);
        b.add(b.range(4), b.range(8));
      },
      "does not broadcast");
}

}  // namespace
}  // namespace hipvault::tile
