// The tile interpreter on programs whose results are worked out by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tile/builder.h"
#include "tile/interpret.h"

namespace hipvault::tile {
namespace {

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
template <class T>
std::vector<T> values_of(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Runs the kernel on these buffers in place.
Status run(const Kernel& kernel, std::vector<std::string>& buffers, std::vector<double> scalars = {},
           std::array<int64_t, 3> grid = {1, 1, 1}) {
  Memory memory;
  for (std::string& buffer : buffers) memory.buffers.push_back(&buffer), memory.base.push_back(0);
  memory.scalars = std::move(scalars);
  return interpret(kernel, grid, memory);
}

constexpr float kNan = NAN, kInfinity = INFINITY;

// What `body` makes of the f32 tile `in`, as T of the result's dtype.
template <class T>
std::vector<T> mapped(const std::vector<float>& in, std::vector<int32_t> shape, DType to,
                      const std::function<ValueId(Builder&, ValueId)>& body) {
  Builder b("k", 1);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", to, true);
  ValueId result = body(b, b.reshape(b.load(x, b.range(static_cast<int32_t>(in.size()))), std::move(shape)));
  int32_t count = static_cast<int32_t>(elements(b.type(result)));
  b.store(y, b.range(count), b.type(result).shape.empty() ? b.full(result, {1}) : b.reshape(result, {count}));
  std::vector<std::string> buffers = {bytes_of_values(in), std::string(static_cast<size_t>(count) * sizeof(T), '\0')};
  Status status = run(b.finish(), buffers);
  EXPECT_TRUE(status) << status.error().message;
  return values_of<T>(buffers[1]);
}

TEST(TileInterpret, MasksGiveOtherAndKeepMemory) {
  Builder b("k", 1);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::f32, true);
  ValueId n = b.scalar("n", DType::i32), at = b.add(b.mul(b.program_id(0), b.integer(4)), b.range(4));
  ValueId in = b.lt(at, n);
  b.store(y, at, b.load(x, at, in, b.constant(9.0)), b.lt(at, b.add(n, b.integer(1))));
  std::vector<std::string> buffers = {bytes_of_values<float>({1, 2, 3, 4, 5}),
                                      bytes_of_values<float>({0, 0, 0, 0, 0, 0, 7, 8})};
  ASSERT_TRUE(run(b.finish(), buffers, {5}, {2, 1, 1}));
  EXPECT_EQ(values_of<float>(buffers[1]), (std::vector<float>{1, 2, 3, 4, 5, 9, 7, 8}));
}

TEST(TileInterpret, AccessesOutsideABufferNameOperationBufferAndProgram) {
  Builder b("far", 1);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::f32, true);
  ValueId lane = b.range(4), at = b.add(lane, b.full(b.program_id(1), {4}));
  b.store(y, lane, b.load(x, at));
  Kernel kernel = b.finish();
  std::vector<std::string> buffers(2, std::string(16, '\0'));
  Status status = run(kernel, buffers, {}, {1, 2, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "kernel far: element 4 is outside the buffer of 16 bytes in: load buffer=x %3 (program 0,1,0)");
}

TEST(TileInterpret, SumsRoundInTheirOwnTypeAsATree) {
  // bf16 has 8 significant bits: 256 + 1 is 256, and as a tree (256 + 1) + (1 + 1) = 256 + 2 = 258.
  auto sum = [](DType dtype) {
    return mapped<float>({256, 1, 1, 1}, {4}, DType::f32, [dtype](Builder& b, ValueId v) {
      return b.cast(b.reduce(Kind::sum, b.cast(v, dtype), 0), DType::f32);
    });
  };
  EXPECT_EQ(sum(DType::f32), std::vector<float>{259});
  EXPECT_EQ(sum(DType::bf16), std::vector<float>{258});
}

TEST(TileInterpret, ReductionsAlongEitherAxis) {
  std::vector<float> in = {1, -2, 3, 4, 5, 6, -7, 0.5f};
  auto reduced = [&](Kind kind, int axis) {
    return mapped<float>(in, {2, 4}, DType::f32, [&](Builder& b, ValueId v) { return b.reduce(kind, v, axis); });
  };
  EXPECT_EQ(reduced(Kind::sum, 0), (std::vector<float>{6, 4, -4, 4.5f}));
  EXPECT_EQ(reduced(Kind::sum, 1), (std::vector<float>{6, 4.5f}));
  EXPECT_EQ(reduced(Kind::prod, 1), (std::vector<float>{-24, -105}));
  EXPECT_EQ(reduced(Kind::max, 0), (std::vector<float>{5, 6, 3, 4}));
  EXPECT_EQ(reduced(Kind::min, 1), (std::vector<float>{-2, -7}));
}

TEST(TileInterpret, MaximumKeepsNanAndArgmaxTakesTheFirst) {
  std::vector<float> in = {1, 7, 7, 0, 2, kNan, 9, kNan};
  std::vector<float> most =
      mapped<float>(in, {2, 4}, DType::f32, [](Builder& b, ValueId v) { return b.reduce(Kind::max, v, 1); });
  EXPECT_EQ(most[0], 7);
  EXPECT_TRUE(std::isnan(most[1]));
  auto where = [&](Kind kind) {
    return mapped<int32_t>(in, {2, 4}, DType::i32, [kind](Builder& b, ValueId v) {
      return b.arg_reduce(kind, v, b.range_along(4, 1, 2), 1).second;
    });
  };
  EXPECT_EQ(where(Kind::argmax), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(where(Kind::argmin), (std::vector<int32_t>{3, 1}));
}

TEST(TileInterpret, ScansBothWays) {
  auto scanned = [](Kind kind, bool reverse) {
    return mapped<float>({1, 2, 3, 4}, {4}, DType::f32,
                         [=](Builder& b, ValueId v) { return b.scan(kind, v, 0, reverse); });
  };
  EXPECT_EQ(scanned(Kind::sum, false), (std::vector<float>{1, 3, 6, 10}));
  EXPECT_EQ(scanned(Kind::sum, true), (std::vector<float>{10, 9, 7, 4}));
  EXPECT_EQ(scanned(Kind::prod, false), (std::vector<float>{1, 2, 6, 24}));
}

TEST(TileInterpret, SortsStablyWithNanLast) {
  std::vector<float> in = {3, kNan, 1, 3, -kInfinity, 2, 1, 0};
  auto order = [&](bool descending) {
    return mapped<int32_t>(in, {8}, DType::i32,
                           [=](Builder& b, ValueId v) { return b.sort({v, b.range(8)}, 0, descending)[1]; });
  };
  EXPECT_EQ(order(false), (std::vector<int32_t>{4, 7, 2, 6, 5, 0, 3, 1}));
  EXPECT_EQ(order(true), (std::vector<int32_t>{1, 0, 3, 5, 2, 6, 7, 4}));
}

TEST(TileInterpret, MovesElements) {
  std::vector<float> in = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(mapped<float>(in, {2, 4}, DType::f32, [](Builder& b, ValueId v) { return b.permute(v, {1, 0}); }),
            (std::vector<float>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(mapped<float>({5, 6}, {2, 1}, DType::f32, [](Builder& b, ValueId v) { return b.broadcast(v, {2, 2}); }),
            (std::vector<float>{5, 5, 6, 6}));
  EXPECT_EQ(mapped<float>(in, {2, 4}, DType::f32,
                          [](Builder& b, ValueId v) {
                            ValueId index = b.binary(OpCode::sub, b.integer(3), b.range_along(4, 1, 2));
                            return b.gather(v, b.broadcast(index, {2, 4}), 1);
                          }),
            (std::vector<float>{3, 2, 1, 0, 7, 6, 5, 4}));
}

TEST(TileInterpret, MatrixProduct) {
  // [[1 2] [3 4]] * [[5 6] [7 8]] + 100 = [[19 22] [43 50]] + 100
  EXPECT_EQ(mapped<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, DType::f32,
                          [](Builder& b, ValueId v) {
                            ValueId both = b.reshape(v, {8});
                            auto part = [&](int first) {
                              return b.reshape(b.gather(both, b.add(b.range(4), b.integer(first)), 0), {2, 2});
                            };
                            return b.dot(part(0), part(4), b.full(b.constant(100.0), {2, 2}));
                          }),
            (std::vector<float>{119, 122, 143, 150}));
}

TEST(TileInterpret, RoundingDivisionAndCasts) {
  std::vector<float> in = {-7, 7, -2.5f, 2.5f, 0.5f, 1.5f, 300, kNan};
  auto unary = [&](OpCode code) {
    return mapped<float>({-7, 7, -2.5f, 2.5f, 0.5f, 1.5f, 300, -0.75f}, {8}, DType::f32,
                         [code](Builder& b, ValueId v) { return b.unary(code, v); });
  };
  EXPECT_EQ(unary(OpCode::round), (std::vector<float>{-7, 7, -2, 2, 0, 2, 300, -1}));
  EXPECT_EQ(unary(OpCode::floor), (std::vector<float>{-7, 7, -3, 2, 0, 1, 300, -1}));
  EXPECT_EQ(unary(OpCode::trunc), (std::vector<float>{-7, 7, -2, 2, 0, 1, 300, 0}));
  EXPECT_EQ(mapped<int32_t>(in, {8}, DType::i32, [](Builder& b, ValueId v) { return b.cast(v, DType::i32); }),
            (std::vector<int32_t>{-7, 7, -2, 2, 0, 1, 300, 0}));
  auto by = [&](OpCode code, int divisor) {
    return mapped<int32_t>({-7, 7, -8, 8}, {4}, DType::i32, [=](Builder& b, ValueId v) {
      return b.binary(code, b.cast(v, DType::i32), b.integer(divisor));
    });
  };
  EXPECT_EQ(by(OpCode::floordiv, 4), (std::vector<int32_t>{-2, 1, -2, 2}));
  EXPECT_EQ(by(OpCode::mod, 4), (std::vector<int32_t>{1, 3, 0, 0}));
  EXPECT_EQ(by(OpCode::mod, -4), (std::vector<int32_t>{-3, -1, 0, 0}));
  EXPECT_EQ(by(OpCode::shift_right, 1), (std::vector<int32_t>{-4, 3, -4, 4}));
}

TEST(TileInterpret, LoopsCarryAndBranchesChoose) {
  // Fibonacci numbers by carried values that change places; from 10 on, halves.
  Builder b("k", 1);
  int y = b.buffer("y", DType::i32, true);
  ValueId n = b.scalar("n", DType::i32);
  std::vector<ValueId> out =
      b.for_loop(b.integer(0), n, b.integer(1), {b.integer(0), b.integer(1)},
                 [&](ValueId, const std::vector<ValueId>& c) { return std::vector<ValueId>{c[1], b.add(c[0], c[1])}; });
  ValueId big = b.lt(b.integer(9), out[0]);
  ValueId result = b.if_else(
      big, [&] { return std::vector<ValueId>{b.binary(OpCode::floordiv, out[0], b.integer(2))}; },
      [&] { return std::vector<ValueId>{out[0]}; })[0];
  b.store(y, b.program_id(0), result);
  Kernel kernel = b.finish();
  for (auto [count, expected] : {std::pair{0, 0}, {1, 1}, {6, 8}, {10, 27}}) {
    std::vector<std::string> buffers = {std::string(4, '\0')};
    ASSERT_TRUE(run(kernel, buffers, {static_cast<double>(count)}));
    EXPECT_EQ(values_of<int32_t>(buffers[0])[0], expected) << count;
  }
}

TEST(TileInterpret, AtomicsGiveTheOldValueAndAddUp) {
  Builder b("k", 1);
  int count = b.buffer("count", DType::i32, true), old = b.buffer("old", DType::i32, true);
  ValueId at = b.add(b.mul(b.program_id(0), b.integer(4)), b.range(4));
  b.store(old, at, b.atomic(Kind::sum, count, b.full(b.integer(0), {4}), b.full(b.integer(3), {4})));
  std::vector<std::string> buffers = {bytes_of_values<int32_t>({100}), std::string(32, '\0')};
  ASSERT_TRUE(run(b.finish(), buffers, {}, {2, 1, 1}));
  EXPECT_EQ(values_of<int32_t>(buffers[0]), std::vector<int32_t>{124});
  EXPECT_EQ(values_of<int32_t>(buffers[1]), (std::vector<int32_t>{100, 103, 106, 109, 112, 115, 118, 121}));
}

TEST(TileInterpret, DivisionByZeroIsAnErrorOfTheProgram) {
  Builder b("zero", 1);
  int y = b.buffer("y", DType::i32, true);
  b.store(y, b.range(4), b.binary(OpCode::floordiv, b.integer(1), b.range(4)));
  std::vector<std::string> buffers = {std::string(16, '\0')};
  Status status = run(b.finish(), buffers);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("an integer division by zero in: floordiv"), std::string::npos)
      << status.error().message;
}

}  // namespace
}  // namespace hipvault::tile
