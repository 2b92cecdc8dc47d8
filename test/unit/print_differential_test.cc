// Printed kernels, compiled by clang and run on the simulator, against the tile interpreter on the program as it was
// built. The two share the program only: layouts, printing, the device library, clang and the simulator stand on one
// side.

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "print/hip.h"
#include "print/hiplib.h"
#include "support/printed_kernels.h"
#include "support/sim_run.h"
#include "tile/builder.h"
#include "tile/interpret.h"
#include "tile/passes.h"

namespace hipvault {
namespace {

using tile::Builder;
using tile::Kernel;
using tile::Kind;
using tile::OpCode;
using tile::ValueId;

const target::Arch& arch() { return *target::find_arch("gfx942"); }

std::string printed(Kernel kernel, const std::map<std::string, int64_t>& multiple_of = {}) {
  tile::PassContext context;
  context.arch = &arch();
  context.multiple_of = multiple_of;
  for (const tile::BufferArg& buffer : kernel.buffers) context.alignment[buffer.name] = 16;
  Status status = tile::run_passes(kernel, context);
  if (!status) ADD_FAILURE() << render(status.error());
  Status sound = tile::verify(kernel);
  if (!sound) ADD_FAILURE() << render(sound.error());
  Result<std::string> text = print::print_kernel(kernel, arch());
  if (!text) ADD_FAILURE() << render(text.error()) << "\n" << tile::text(kernel);
  return text.value_or("");
}

std::string compiled(const std::string& kernels) { return test::compile_printed(kernels); }

// Bytes of `count` elements drawn for the dtype.
std::string random_bytes(DType dtype, int64_t count, uint64_t seed) {
  Random random(seed);
  std::string bytes(static_cast<size_t>(bytes_of(dtype, count)), '\0');
  for (int64_t k = 0; k < count; ++k)
    is_float(dtype) ? encode(dtype, bytes.data(), k, random.normal())
                    : encode_int(dtype, bytes.data(), k, random.between(-9, 9));
  return bytes;
}

struct Arguments {
  std::vector<std::string> buffers;  // in the kernel's order
  std::vector<int64_t> scalars;
  std::array<int64_t, 3> grid = {1, 1, 1};
};

// Runs both ways; writable buffers agree within `tolerance`, relative to 1 + |expected|.
void expect_same(const Kernel& kernel, const std::string& code, Arguments arguments, double tolerance) {
  test::SimRun run(code, kernel.name);
  for (size_t b = 0; b < arguments.buffers.size(); ++b) {
    std::vector<char> bytes(arguments.buffers[b].begin(), arguments.buffers[b].end());
    kernel.buffers[b].writable ? run.inout(bytes) : run.input(bytes);
  }
  for (size_t k = 0; k < arguments.scalars.size(); ++k) run.value(arguments.scalars[k], kernel.scalars[k].dtype);
  hipvault::Run result = run.launch(arguments.grid, kernel.waves * kernel.wave_size);
  ASSERT_EQ(result.status, RunStatus::completed) << kernel.name << ": " << result.message;
  for (const Finding& finding : result.findings)
    ADD_FAILURE() << kernel.name << ": " << finding.message << " " << finding.source;
  tile::Memory memory;
  for (std::string& buffer : arguments.buffers) memory.buffers.push_back(&buffer), memory.base.push_back(0);
  for (int64_t scalar : arguments.scalars) memory.scalars.push_back(static_cast<double>(scalar));
  Status status = tile::interpret(kernel, arguments.grid, memory);
  ASSERT_TRUE(status) << render(status.error());
  for (size_t b = 0; b < arguments.buffers.size(); ++b) {
    if (!kernel.buffers[b].writable) continue;
    DType dtype = kernel.buffers[b].dtype;
    int64_t count = static_cast<int64_t>(arguments.buffers[b].size()) * 8 / info(dtype).bits, wrong = 0;
    for (int64_t k = 0; k < count && wrong < 3; ++k) {
      double expected = decode(dtype, arguments.buffers[b].data(), k),
             got = decode(dtype, run.result().buffers[b].data(), k);
      bool same = std::isnan(expected)
                      ? std::isnan(got)
                      : expected == got || std::fabs(got - expected) <= tolerance * (1 + std::fabs(expected));
      if (!same)
        ++wrong, ADD_FAILURE() << kernel.name << ": element " << k << " is " << got << ", expected " << expected;
    }
  }
}

std::string zeros(DType dtype, int64_t count) { return std::string(static_cast<size_t>(bytes_of(dtype, count)), '\0'); }

// ---- pointwise
// -----------------------------------------------------------------------------------------------------------

Kernel pointwise(const std::string& name, DType dtype, int tile) {
  Builder b(name, 4);
  int x = b.buffer("x", dtype, false), y = b.buffer("y", dtype, true);
  ValueId n = b.scalar("n", DType::i32);
  ValueId at = b.add(b.mul(b.program_id(0), b.integer(tile)), b.range(tile)), in = b.lt(at, n);
  ValueId v = b.cast(b.load(x, at, in), DType::f32);
  b.store(y, at, b.cast(b.add(b.mul(v, v), b.constant(0.5)), dtype), in);
  return b.finish();
}

TEST(PrintPointwise, RaggedAndWholeSizesOfEveryFloatAgree) {
  std::vector<Kernel> kernels;
  std::string text;
  for (DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f8e4m3fnuz, DType::f64})
    for (bool whole : {false, true}) {
      kernels.push_back(pointwise(std::string("square_") + name(dtype) + (whole ? "_whole" : "_ragged"), dtype, 2048));
      text +=
          printed(kernels.back(), whole ? std::map<std::string, int64_t>{{"n", 16}} : std::map<std::string, int64_t>{});
    }
  std::string code = compiled(text);
  for (size_t k = 0; k < kernels.size(); ++k) {
    DType dtype = kernels[k].buffers[0].dtype;
    int64_t n = k % 2 ? 4000 : 2049;
    expect_same(kernels[k], code, {{random_bytes(dtype, n, k), zeros(dtype, n)}, {n}, {(n + 2047) / 2048, 1, 1}}, 1e-6);
  }
}

// ---- reductions
// ----------------------------------------------------------------------------------------------------------

Kernel row_reduction(const std::string& name, DType dtype, Kind kind, int rows, int columns, int waves, int axis) {
  Builder b(name, waves);
  int x = b.buffer("x", dtype, false), y = b.buffer("y", dtype, true);
  ValueId row = b.range_along(rows, 0, 2), column = b.range_along(columns, 1, 2);
  ValueId v = b.load(x, b.add(b.mul(row, b.integer(columns)), column));
  ValueId out = b.range(axis == 1 ? rows : columns);
  b.store(y, out, b.reduce(kind, v, axis));
  return b.finish();
}

TEST(PrintReduce, EveryKindShapeAndNumberOfWavesAgrees) {
  std::vector<Kernel> kernels;
  std::string text;
  for (auto [rows, columns] : {std::pair{1, 1024}, {4, 512}, {32, 8}, {2, 64}})
    for (int waves : {1, 4})
      for (int axis : {0, 1})
        for (auto [kind, dtype] : {std::pair{Kind::sum, DType::f32},
                                   {Kind::max, DType::f32},
                                   {Kind::min, DType::i32},
                                   {Kind::logical_or, DType::i64},
                                   {Kind::prod, DType::f64}}) {
          kernels.push_back(
              row_reduction("r" + std::to_string(kernels.size()), dtype, kind, rows, columns, waves, axis));
          text += printed(kernels.back());
        }
  std::string code = compiled(text);
  for (size_t k = 0; k < kernels.size(); ++k) {
    const Kernel& kernel = kernels[k];
    DType dtype = kernel.buffers[0].dtype;
    int64_t in = 0, out = 0;
    tile::visit(kernel.body, [&](const tile::Operation& op) {
      if (op.code == OpCode::load) in = tile::elements(kernel.type(op.results[0]));
      if (op.code == OpCode::store) out = tile::elements(kernel.type(op.operands[1]));
    });
    expect_same(kernel, code, {{random_bytes(dtype, in, k), zeros(dtype, out)}, {}}, 1e-5);
  }
}

TEST(PrintReduce, ArgmaxTakesTheFirstOfEqualsAndNan) {
  Builder b("argmax", 4);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::i32, true);
  ValueId row = b.range_along(4, 0, 2), column = b.range_along(1024, 1, 2);
  auto [value, index] = b.arg_reduce(Kind::argmax, b.load(x, b.add(b.mul(row, b.integer(1024)), column)), column, 1);
  b.store(y, b.range(4), index);
  Kernel kernel = b.finish();
  std::vector<float> data(4096, 1.0f);
  data[1024 + 700] = data[1024 + 90] = 7.0f;                             // first of equals: 90
  data[2048 + 1000] = data[2048 + 500] = std::nanf(""), data[2049] = 9;  // first NaN: 500
  data[3072 + 1023] = 2.0f;
  test::SimRun run(compiled(printed(kernel)), "argmax");
  ASSERT_EQ(run.input(data).output<int>(4).launch(1, 256).status, RunStatus::completed);
  EXPECT_EQ(run.values<int>(1), (std::vector<int>{0, 90, 500, 1023}));
}

// ---- softmax: loads, two reductions, maps between
// --------------------------------------------------------------------------

TEST(PrintRow, SoftmaxOverRowsAgrees) {
  std::vector<Kernel> kernels;
  std::string text;
  for (auto [rows, waves] : {std::pair{4, 4}, {1, 4}, {1, 1}, {8, 2}}) {
    Builder b("softmax" + std::to_string(kernels.size()), waves);
    int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::bf16, true);
    ValueId count = b.scalar("rows", DType::i32), columns = b.scalar("columns", DType::i32);
    ValueId row = b.add(b.mul(b.program_id(0), b.integer(rows)), b.range_along(rows, 0, 2)),
            column = b.range_along(1024, 1, 2);
    ValueId in = b.logical_and(b.lt(row, count), b.lt(column, columns)), at = b.add(b.mul(row, columns), column);
    ValueId v = b.load(x, at, in, b.constant(-INFINITY));
    ValueId e = b.unary(OpCode::exp, b.sub(v, b.expand_dims(b.reduce(Kind::max, v, 1), 1)));
    b.store(y, at, b.cast(b.binary(OpCode::div, e, b.expand_dims(b.reduce(Kind::sum, e, 1), 1)), DType::bf16), in);
    kernels.push_back(b.finish());
    text += printed(kernels.back());
  }
  std::string code = compiled(text);
  for (size_t k = 0; k < kernels.size(); ++k) {
    int64_t rows = 8, columns = 1000;  // whole groups of rows, a ragged row
    expect_same(
        kernels[k], code,
        {{random_bytes(DType::f32, rows * columns, k), zeros(DType::bf16, rows * columns)}, {rows, columns}, {8, 1, 1}},
        0.004);
  }
}

// ---- scans, products, conversions, control
// ---------------------------------------------------------------------------------

TEST(PrintScan, ForwardAndReverseAgree) {
  std::vector<Kernel> kernels;
  std::string text;
  for (auto [rows, columns] : {std::pair{1, 1024}, {4, 512}, {64, 4}})
    for (bool reverse : {false, true}) {
      Builder b("scan" + std::to_string(kernels.size()), 4);
      int x = b.buffer("x", DType::i32, false), y = b.buffer("y", DType::i32, true);
      ValueId at = b.add(b.mul(b.range_along(rows, 0, 2), b.integer(columns)), b.range_along(columns, 1, 2));
      b.store(y, at, b.scan(Kind::sum, b.load(x, at), 1, reverse));
      kernels.push_back(b.finish());
      text += printed(kernels.back());
    }
  std::string code = compiled(text);
  int64_t sizes[] = {1024, 1024, 2048, 2048, 256, 256};
  for (size_t k = 0; k < kernels.size(); ++k)
    expect_same(kernels[k], code, {{random_bytes(DType::i32, sizes[k], k), zeros(DType::i32, sizes[k])}, {}}, 0);
}

TEST(PrintDot, EveryMatrixInstructionAgrees) {
  std::vector<Kernel> kernels;
  std::string text;
  for (const target::MatrixOp& op : arch().matrix_ops) {
    if (op.m < 16) continue;  // several small products in one: no tile program makes them
    Builder b("dot" + std::to_string(kernels.size()), 4);
    int x = b.buffer("a", op.a, false), w = b.buffer("b", op.b, false), y = b.buffer("c", op.c, true);
    int m = op.m * 2, n = op.n * 2, k = op.k * 2;
    ValueId a = b.load(x, b.add(b.mul(b.range_along(m, 0, 2), b.integer(k)), b.range_along(k, 1, 2)));
    ValueId v = b.load(w, b.add(b.mul(b.range_along(k, 0, 2), b.integer(n)), b.range_along(n, 1, 2)));
    ValueId c = b.add(b.mul(b.range_along(m, 0, 2), b.integer(n)), b.range_along(n, 1, 2));
    b.store(y, c, b.dot(a, v, b.full(b.constant(0.0, op.c), {m, n})));
    Kernel kernel = b.finish();
    tile::visit(kernel.body, [&](tile::Operation& operation) {
      if (operation.code == OpCode::dot) operation.attrs.matrix = &op;
    });
    kernels.push_back(kernel);
    text += printed(kernel);
  }
  std::string code = compiled(text);
  size_t at = 0;
  for (const target::MatrixOp& op : arch().matrix_ops) {
    if (op.m < 16) continue;
    expect_same(kernels[at++], code,
                {{random_bytes(op.a, op.m * op.k * 4, at), random_bytes(op.b, op.k * op.n * 4, at + 99),
                  zeros(op.c, op.m * op.n * 4)},
                 {}},
                1e-5);
  }
  EXPECT_GE(at, 4u);
}

TEST(PrintConvert, TransposeGoesThroughLdsAndComesOutRight) {
  std::vector<Kernel> kernels;
  std::string text;
  for (DType dtype : {DType::f32, DType::f16, DType::i8}) {
    Builder b(std::string("transpose_") + name(dtype), 4);
    int x = b.buffer("x", dtype, false), y = b.buffer("y", dtype, true);
    ValueId in = b.add(b.mul(b.range_along(64, 0, 2), b.integer(32)), b.range_along(32, 1, 2));
    ValueId out = b.add(b.mul(b.range_along(32, 0, 2), b.integer(64)), b.range_along(64, 1, 2));
    b.store(y, out, b.permute(b.load(x, in), {1, 0}));
    kernels.push_back(b.finish());
    text += printed(kernels.back());
  }
  EXPECT_NE(text.find("__shared__"), std::string::npos);
  std::string code = compiled(text);
  for (const Kernel& kernel : kernels)
    expect_same(kernel, code,
                {{random_bytes(kernel.buffers[0].dtype, 2048, 5), zeros(kernel.buffers[0].dtype, 2048)}, {}}, 0);
}

TEST(PrintControl, LoopsWithCarriedTilesConditionsAndAtomicsAgree) {
  Builder b("control", 2);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::f32, true),
      hits = b.buffer("hits", DType::i32, true);
  ValueId n = b.scalar("n", DType::i32);
  std::vector<ValueId> sums =
      b.for_loop(b.integer(0), n, b.integer(256), {b.full(b.constant(0.0), {256}), b.constant(0.0)},
                 [&](ValueId k, const std::vector<ValueId>& carried) {
                   ValueId at = b.add(k, b.range(256));
                   ValueId v = b.load(x, at, b.lt(at, n));
                   return std::vector<ValueId>{b.add(carried[0], v), b.add(carried[1], b.reduce(Kind::max, v, 0))};
                 });
  std::vector<ValueId> chosen = b.if_else(
      b.binary(OpCode::gt, n, b.integer(500)), [&] { return std::vector<ValueId>{b.add(sums[0], sums[1])}; },
      [&] { return std::vector<ValueId>{b.mul(sums[0], b.constant(2.0))}; });
  b.store(y, b.range(256), chosen[0]);
  b.atomic(Kind::sum, hits, b.binary(OpCode::mod, b.range(256), b.integer(4)), b.full(b.integer(1), {256}));
  Kernel kernel = b.finish();
  std::string code = compiled(printed(kernel));
  for (int64_t n : {300, 700})
    expect_same(kernel, code, {{random_bytes(DType::f32, n, 3), zeros(DType::f32, 256), zeros(DType::i32, 4)}, {n}},
                1e-5);
}

// Many lanes add to few places, two of which share a word. Small integers, so that every order gives the same sums.
TEST(PrintControl, AtomicsOfSixteenBitFloatsAgree) {
  std::vector<Kernel> kernels;
  std::string text;
  for (DType dtype : {DType::f16, DType::bf16}) {
    for (Kind kind : {Kind::sum, Kind::max, Kind::min}) {
      Builder b(std::string("atomic_") + tile::kind_name(kind) + "_" + name(dtype), 2);
      int x = b.buffer("x", dtype, false), y = b.buffer("y", dtype, true);
      ValueId lane = b.range(128);
      b.atomic(kind, y, b.binary(OpCode::mod, lane, b.integer(6)), b.load(x, lane));
      kernels.push_back(b.finish());
      text += printed(kernels.back());
    }
  }
  std::string code = compiled(text);
  for (const Kernel& kernel : kernels) {
    DType dtype = kernel.buffers[0].dtype;
    std::string x = zeros(dtype, 128);
    Random random(11);
    for (int64_t k = 0; k < 128; ++k) encode(dtype, x.data(), k, static_cast<double>(random.between(-3, 3)));
    encode(dtype, x.data(), 5, kernel.name.find("sum") == std::string::npos ? NAN : 3.0);
    expect_same(kernel, code, {{x, zeros(dtype, 6)}, {}}, 0);
  }
}

// The largest of floats is NaN when one is.
TEST(PrintControl, AtomicExtremesOfFloatsKeepNaN) {
  Builder b("extremes", 1);
  int x = b.buffer("x", DType::f32, false), hi = b.buffer("hi", DType::f32, true),
      lo = b.buffer("lo", DType::f32, true);
  ValueId lane = b.range(64), place = b.binary(OpCode::mod, lane, b.integer(4));
  b.atomic(Kind::max, hi, place, b.load(x, lane));
  b.atomic(Kind::min, lo, place, b.load(x, lane));
  Kernel kernel = b.finish();
  std::string data = random_bytes(DType::f32, 64, 8);
  encode(DType::f32, data.data(), 6, NAN);
  expect_same(kernel, compiled(printed(kernel)), {{data, zeros(DType::f32, 4), zeros(DType::f32, 4)}, {}}, 0);
}

}  // namespace
}  // namespace hipvault
