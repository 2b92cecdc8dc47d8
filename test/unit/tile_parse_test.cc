// The text form of tile programs: what is printed reads back to an equal program, and what cannot be read is refused
// with the line and what was expected there.

#include <gtest/gtest.h>

#include <cmath>

#include "tile/builder.h"
#include "tile/passes.h"

namespace hipvault::tile {
namespace {

void expect_equal(const Block& a, const Block& b, const Kernel& ka, const Kernel& kb);

void expect_equal(const Operation& a, const Operation& b, const Kernel& ka, const Kernel& kb) {
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.operands, b.operands);
  EXPECT_EQ(a.results, b.results);
  EXPECT_EQ(a.comment, b.comment);
  const Attrs &x = a.attrs, &y = b.attrs;
  EXPECT_TRUE(x.number == y.number || (std::isnan(x.number) && std::isnan(y.number))) << x.number << " " << y.number;
  EXPECT_EQ(x.integer, y.integer);
  EXPECT_EQ(x.name, y.name);
  EXPECT_EQ(x.buffer, y.buffer);
  EXPECT_EQ(x.axis, y.axis);
  EXPECT_EQ(x.axes, y.axes);
  EXPECT_EQ(x.kind, y.kind);
  EXPECT_EQ(x.reverse, y.reverse);
  EXPECT_EQ(x.descending, y.descending);
  EXPECT_EQ(x.vector, y.vector);
  EXPECT_EQ(x.nontemporal, y.nontemporal);
  EXPECT_EQ(x.layout, y.layout);
  ASSERT_EQ(x.matrix == nullptr, y.matrix == nullptr);
  if (x.matrix) EXPECT_EQ(x.matrix->mnemonic, y.matrix->mnemonic);
  for (ValueId id : a.results) {
    const ValueInfo &v = ka.values[static_cast<size_t>(id)], &w = kb.values[static_cast<size_t>(id)];
    EXPECT_EQ(v.type, w.type);
    EXPECT_EQ(v.hint, w.hint);
    EXPECT_EQ(v.layout, w.layout);
  }
  ASSERT_EQ(a.regions.size(), b.regions.size());
  for (size_t r = 0; r < a.regions.size(); ++r) expect_equal(a.regions[r], b.regions[r], ka, kb);
}

void expect_equal(const Block& a, const Block& b, const Kernel& ka, const Kernel& kb) {
  EXPECT_EQ(a.args, b.args);
  ASSERT_EQ(a.ops.size(), b.ops.size());
  for (size_t k = 0; k < a.ops.size(); ++k) expect_equal(a.ops[k], b.ops[k], ka, kb);
}

void expect_round_trip(const Kernel& kernel) {
  std::string printed = text(kernel);
  Result<Kernel> again = parse_kernel(printed);
  ASSERT_TRUE(again) << again.error().message << "\n" << printed;
  EXPECT_EQ(text(*again), printed);
  EXPECT_TRUE(verify(*again));
  EXPECT_EQ(again->name, kernel.name);
  EXPECT_EQ(again->comment, kernel.comment);
  EXPECT_EQ(again->waves, kernel.waves);
  EXPECT_EQ(again->wave_size, kernel.wave_size);
  EXPECT_EQ(again->waves_per_eu, kernel.waves_per_eu);
  ASSERT_EQ(again->buffers.size(), kernel.buffers.size());
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    EXPECT_EQ(again->buffers[b].name, kernel.buffers[b].name);
    EXPECT_EQ(again->buffers[b].dtype, kernel.buffers[b].dtype);
    EXPECT_EQ(again->buffers[b].writable, kernel.buffers[b].writable);
    EXPECT_EQ(again->buffers[b].readable, kernel.buffers[b].readable);
  }
  expect_equal(kernel.body, again->body, kernel, *again);
}

// Everything the text form can say.
Kernel everything() {
  Builder b("everything", 2, 32);
  b.describe("Does all there is.\n\nTwice.");
  b.set_waves_per_eu(3);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::f32, true, false),
      z = b.buffer("z", DType::i32, true);
  ValueId n = b.scalar("x.stride.0", DType::i64), s = b.scalar("scale", DType::f32);
  ValueId odd = b.add(b.constant(0.1), b.constant(-INFINITY));
  b.constant(NAN);
  b.constant(-0.0);
  b.constant(1e-300, DType::f64);
  b.integer(INT64_MIN, DType::i64);
  ValueId row = b.range_along(4, 0, 2), column = b.range_along(16, 1, 2);
  ValueId at = b.name(b.add(b.mul(row, b.integer(16)), column), "place");
  b.comment("Reads,\nmasked.");
  ValueId v = b.load(x, at, b.lt(b.cast(at, DType::i64), n), b.constant(1.5));
  ValueId t = b.reshape(b.permute(v, {1, 0}), {64});
  t = b.reshape(b.sort({t, b.range(64)}, 0, true)[0], {4, 16});
  v = b.scan(Kind::prod, b.add(v, t), 1, true);
  auto [best, where] = b.arg_reduce(Kind::argmin, v, column, 1);
  b.store(z, b.range(4), where);
  b.store(y, b.range(4), best);
  b.atomic(Kind::exchange, z, b.range(4), where, b.boolean(true));
  ValueId lds = b.lds_alloc(DType::f32, {4, 16});
  b.lds_store(lds, b.gather(v, b.broadcast(column, {4, 16}), 1));
  b.barrier();
  v = b.lds_load(lds);
  std::vector<ValueId> out =
      b.for_loop(b.integer(0), b.program_id(2), b.integer(1), {v, odd}, [&](ValueId i, const std::vector<ValueId>& c) {
        ValueId more = b.if_else(
            b.lt(i, b.num_programs(0)), [&] { return std::vector<ValueId>{b.mul(c[0], s)}; },
            [&] { return std::vector<ValueId>{b.bitcast(b.bitcast(c[0], DType::i32), DType::f32)}; })[0];
        return std::vector<ValueId>{more, b.add(c[1], s)};
      });
  b.store(y, at, b.fma(out[0], out[1], b.select(b.boolean(false), out[0], b.constant(2.0))));
  return b.finish();
}

TEST(TileText, EveryAttributeRegionAndCommentComesBack) { expect_round_trip(everything()); }

Kernel product_kernel() {
  Builder b("product", 4);
  int a = b.buffer("a", DType::f16, false), w = b.buffer("w", DType::f16, false), c = b.buffer("c", DType::f32, true);
  ValueId row = b.range_along(64, 0, 2), column = b.range_along(64, 1, 2), zero = b.full(b.constant(0.0), {64, 64});
  ValueId sum =
      b.for_loop(b.integer(0), b.integer(4), b.integer(1), {zero}, [&](ValueId k, const std::vector<ValueId>& carried) {
        ValueId at = b.add(b.add(b.mul(row, b.integer(256)), b.mul(k, b.integer(64))), column);
        return std::vector<ValueId>{b.dot(b.load(a, at), b.load(w, at), carried[0])};
      })[0];
  b.store(c, b.add(b.mul(row, b.integer(64)), column), sum);
  return b.finish();
}

TEST(TileText, LayoutsSwizzlesVectorsAndMatrixInstructionsComeBackAfterEveryPass) {
  PassContext context;
  context.arch = target::find_arch("gfx942");
  context.alignment = {{"a", 16}, {"w", 16}, {"c", 16}};
  int shown = 0;
  context.show = [&](const std::string& pass, const std::string& printed) {
    if (printed == "unchanged") return;
    ++shown;
    Result<Kernel> again = parse_kernel(printed);
    ASSERT_TRUE(again) << pass << ": " << again.error().message;
    EXPECT_EQ(text(*again), printed) << pass;
  };
  Kernel kernel = product_kernel();
  Status status = run_passes(kernel, context);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_GE(shown, 3);
  expect_round_trip(kernel);
  std::string printed = text(kernel);
  for (const char* part : {"matrix=v_mfma_", "vector=8", "lds_alloc layout={reg=", " {reg=["})
    EXPECT_NE(printed.find(part), std::string::npos) << part;
}

TEST(TileText, WrittenByHand) {
  Result<Kernel> kernel = parse_kernel(
      "# Adds one.\n"
      "kernel add_one(x: f32*, y: f32* writable unreadable, N: i32) waves 1\n"
      "\n"
      "  %0.n = argument name=N : i32\n"
      "  %1 = range : i32[64]\n"
      "  %2 = splat %0 : i32[64]\n"
      "  %3 = lt %1, %2 : bool[64]\n"
      "  # the load\n"
      "  %5 = load buffer=x %1, %3 : f32[64]\r\n"
      "  %6 = constant number=1 : f32[64]\n"
      "  %7 = add %5, %6 : f32[64]\n"
      "  store buffer=y %1, %7, %3");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_TRUE(verify(*kernel)) << verify(*kernel).error().message;
  EXPECT_EQ(kernel->comment, "Adds one.");
  EXPECT_FALSE(kernel->buffers[1].readable);
  ASSERT_EQ(kernel->body.ops.size(), 8u);
  EXPECT_EQ(kernel->body.ops[4].comment, "the load");
  EXPECT_EQ(kernel->type(5), (Type{DType::f32, {64}, false}));
  EXPECT_EQ(kernel->values.size(), 8u);  // %4 is a hole
}

struct Refusal {
  const char *body, *message;
};

TEST(TileText, RefusalsNameTheLineAndWhatWasExpected) {
  const std::string head = "kernel k(x: f32*, N: i32) waves 1\n";
  const Refusal refusals[] = {
      {"  %0 = rage : i32[4]\n", "line 2: expected an operation, found `rage : i32[4]`"},
      {"  %0 = range : i33[4]\n", "line 2: expected a dtype such as f32, found `i33[4]`"},
      {"  %0 = range : i32[4\n", "line 2: expected `]` after the extents, found the end of the line"},
      {"  %0 = range : i32[0]\n", "line 2: expected an extent of at least 1, found `0]`"},
      {"  %0 = range i32[4]\n", "line 2: expected an attribute, operands or `:`, found `i32[4]`"},
      {"  %0 = range\n", "line 2: expected `:` and the result's type, found the end of the line"},
      {"  %0 = range : i32[4] extra\n", "line 2: expected the end of the line, found `extra`"},
      {"  %0 range : i32[4]\n", "line 2: expected `=` after the results, found `range : i32[4]`"},
      {"  %a = range : i32[4]\n", "line 2: expected a value's number, found `a = range : i32[4]`"},
      {"  %99999999 = range : i32[4]\n", "line 2: expected a value's number, found `99999999 = range : i32[4]`"},
      {"  %0 = range : i32[4]\n\n  %1 = load buffer=q %0 : f32[4]\n",
       "line 4: expected a buffer of the kernel, found `q %0 : f32[4]`"},
      {"  %0 = range size=4 : i32[4]\n", "line 2: expected an attribute, found `size=4 : i32[4]`"},
      {"  %0 = constant number=1.5x : f32\n", "line 2: expected a number, found `1.5x : f32`"},
      {"  %0 = constant integer=one : i32\n", "line 2: expected an integer, found `one : i32`"},
      {"  %0 = constant number=1 : f32[8]\n  %1 = reduce axis=0 kind=total %0 : f32\n",
       "line 3: expected a kind such as sum, found `total %0 : f32`"},
      {"  %0 = range : i32[4] {reg=[(1)] lane=[(4)] wave=[]}\n",
       "line 2: expected a coordinate inside the tile, found `4)] wave=[]}`"},
      {"  %0 = range : i32[4] {reg=[(1,0)] lane=[] wave=[]}\n",
       "line 2: expected `)` after the coordinates, one a dimension, found `,0)] lane=[] wave=[]}`"},
      {"  %0 = range : i32[4] {lane=[]}\n", "line 2: expected `reg=[` in a layout, found `lane=[]}`"},
      {"  barrier layout={reg=[] lane=[] wave=[]}\n",
       "line 2: expected a result: a layout has its shape, found the end of the line"},
      {"  %0 = constant number=0 : f32[4,4]\n  %1 = dot matrix=v_mfma_f99 %0, %0, %0 : f32[4,4]\n",
       "line 3: expected a matrix instruction of a known arch, found `v_mfma_f99 %0, %0, %0 : f32[4,4]`"},
      {"  %0 = constant integer=1 : i32\n  for_loop %0, %0, %0\n  { %1 : i32\n    yield\n",
       "line 6: expected `}` after the region's operations, found the end of the line"},
      {"  }\n", "line 2: expected an operation, found `}`"},
      {"  barrier %0,\n", "line 2: expected `%` before a value's number, found the end of the line"},
  };
  for (const Refusal& refusal : refusals) {
    Result<Kernel> kernel = parse_kernel(head + refusal.body);
    ASSERT_FALSE(kernel) << refusal.body;
    EXPECT_EQ(kernel.error().message, refusal.message);
    EXPECT_EQ(kernel.error().code, "tile.syntax");
  }
}

TEST(TileText, RefusesBadHeads) {
  const Refusal refusals[] = {
      {"", "line 1: expected `kernel ` at the start of a tile program, found the end of the line"},
      {"kernel (x: f32*) waves 1\n", "line 1: expected the kernel's name, found `(x: f32*) waves 1`"},
      {"kernel k(x f32*) waves 1\n", "line 1: expected `:` after the argument's name, found `f32*) waves 1`"},
      {"kernel k(N: i32, x: f32*) waves 1\n",
       "line 1: expected a scalar: buffers stand before scalars, found `) waves 1`"},
      {"kernel k(x: f32* writeable) waves 1\n",
       "line 1: expected `)` or `,` after an argument, found `writeable) waves 1`"},
      {"kernel k(x: f32*) waves 99\n", "line 1: expected a number of waves, 1 to 32, found `99`"},
      {"kernel k(x: f32*)\n", "line 1: expected `waves ` after the arguments, found the end of the line"},
      {"kernel k() waves 1 wave_size 48\n", "line 1: expected 32 or 64 before this, found the end of the line"},
  };
  for (const Refusal& refusal : refusals) {
    Result<Kernel> kernel = parse_kernel(refusal.body);
    ASSERT_FALSE(kernel) << refusal.body;
    EXPECT_EQ(kernel.error().message, refusal.message);
  }
}

TEST(TileText, TheErrorHasItsPlace) {
  Result<Kernel> kernel = parse_kernel("kernel k() waves 1\n  %0 = rage : i32[4]\n");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().place.line, 2);
  EXPECT_EQ(kernel.error().place.column, 8);
  EXPECT_EQ(kernel.error().place.line_text, "  %0 = rage : i32[4]");
}

TEST(TileText, NoBeginningOfAProgramAndNoFlippedCharacterBreaksTheReader) {
  std::string whole = text(everything());
  for (size_t length = 0; length < whole.size(); ++length) (void)parse_kernel(whole.substr(0, length));
  for (size_t at = 0; at < whole.size(); ++at)
    for (char c : {'%', '{', '}', '9', ' '}) {
      std::string changed = whole;
      changed[at] = c;
      if (Result<Kernel> kernel = parse_kernel(changed)) (void)verify(*kernel);
    }
}

TEST(TileText, RegionsTooDeepAreRefused) {
  std::string deep = "kernel k() waves 1\n";
  for (int level = 0; level < 1000; ++level) deep += "if_else\n{\n";
  Result<Kernel> kernel = parse_kernel(deep);
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().message.find("expected fewer regions inside regions"), std::string::npos);
}

}  // namespace
}  // namespace hipvault::tile
