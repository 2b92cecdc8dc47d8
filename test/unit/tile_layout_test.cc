// The algebra of layouts against plain enumeration: every small matrix over GF(2), every blocked layout of small tiles
// from the mixed-radix formula, matrix operands from AMD's published formulas, changes of shape element by element.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tile/layout.h"

namespace hipvault::tile {
namespace {

// ---- GF(2)
// ---------------------------------------------------------------------------------------------------------------

// Column masks of the matrix number `code` with `rows` bits a column.
std::vector<uint64_t> matrix_number(uint64_t code, int rows, int columns) {
  std::vector<uint64_t> out;
  for (int c = 0; c < columns; ++c) out.push_back(code >> (c * rows) & ((uint64_t{1} << rows) - 1));
  return out;
}

// Row by row: the parity of the input bits that reach the row.
uint64_t multiply(const std::vector<uint64_t>& columns, uint64_t input) {
  uint64_t out = 0;
  for (int row = 0; row < 8; ++row) {
    int ones = 0;
    for (size_t c = 0; c < columns.size(); ++c) ones += static_cast<int>(columns[c] >> row & input >> c & 1);
    out |= static_cast<uint64_t>(ones % 2) << row;
  }
  return out;
}

std::set<uint64_t> image_of(const std::vector<uint64_t>& columns) {
  std::set<uint64_t> image;
  for (uint64_t input = 0; input < uint64_t{1} << columns.size(); ++input) image.insert(multiply(columns, input));
  return image;
}

TEST(TileGf2, ApplyAndRankOfEverySmallMatrix) {
  for (auto [rows, columns] : {std::pair{1, 3}, {2, 2}, {3, 3}, {2, 4}, {3, 4}, {4, 3}})
    for (uint64_t code = 0; code < uint64_t{1} << (rows * columns); ++code) {
      std::vector<uint64_t> matrix = matrix_number(code, rows, columns);
      for (uint64_t input = 0; input < uint64_t{1} << columns; ++input)
        ASSERT_EQ(tile::apply(matrix, input), multiply(matrix, input)) << rows << "x" << columns << " " << code;
      ASSERT_EQ(uint64_t{1} << rank(matrix), image_of(matrix).size()) << rows << "x" << columns << " " << code;
    }
}

TEST(TileGf2, TheRightInverseOfEverySmallSurjection) {
  int surjections = 0;
  for (auto [rows, columns] : {std::pair{1, 3}, {2, 2}, {3, 3}, {2, 4}, {3, 4}})
    for (uint64_t code = 0; code < uint64_t{1} << (rows * columns); ++code) {
      std::vector<uint64_t> matrix = matrix_number(code, rows, columns);
      if (image_of(matrix).size() != size_t{1} << rows) continue;
      ++surjections;
      std::vector<uint64_t> inverse = tile::invert(matrix, rows);
      ASSERT_EQ(inverse.size(), static_cast<size_t>(rows));
      for (uint64_t y = 0; y < uint64_t{1} << rows; ++y)
        ASSERT_EQ(multiply(matrix, multiply(inverse, y)), y) << rows << "x" << columns << " " << code;
    }
  // Surjections onto r bits from c: the product of (2^c - 2^i), i < r. 7 + 6 + 168 + 210 + 2520.
  EXPECT_EQ(surjections, 7 + 6 + 168 + 210 + 2520);
}

TEST(TileGf2, RepeatedElementsAreTakenFromTheEarliestInput) {
  // Bits 0 and 2 give the same element: the inverse uses bit 0, the cheaper place.
  std::vector<uint64_t> inverse = tile::invert({1, 2, 1, 0}, 2);
  EXPECT_EQ(inverse, (std::vector<uint64_t>{1, 2}));
}

// ---- elements by enumeration
// ---------------------------------------------------------------------------------------------------

struct Holder {
  int reg, lane, wave;
  auto operator<=>(const Holder&) const = default;
};

template <class F>
void for_holders(const Layout& layout, F f) {
  for (int wave = 0; wave < 1 << layout.wave.size(); ++wave)
    for (int lane = 0; lane < 1 << layout.lane.size(); ++lane)
      for (int reg = 0; reg < layout.registers(); ++reg) f(Holder{reg, lane, wave}, layout.at(reg, lane, wave));
}

// How many holders each element has.
std::map<Coords, int> counts_of(const Layout& layout) {
  std::map<Coords, int> counts;
  for_holders(layout, [&](const Holder&, const Coords& at) { ++counts[at]; });
  return counts;
}

int64_t product(const std::vector<int32_t>& shape) {
  int64_t count = 1;
  for (int32_t extent : shape) count *= extent;
  return count;
}

TEST(TileLayout, FlattenIsRowMajorAndUnflattenUndoesIt) {
  std::vector<int32_t> shape = {2, 8, 4};
  uint64_t number = 0;
  for (int32_t i = 0; i < 2; ++i)
    for (int32_t j = 0; j < 8; ++j)
      for (int32_t k = 0; k < 4; ++k, ++number) {
        EXPECT_EQ(flatten({i, j, k}, shape), number);
        EXPECT_EQ(unflatten(number, shape), (Coords{i, j, k}));
      }
}

// Digit `digit` of a number written with these radices, lowest first.
int32_t take_digit(int& number, int radix) {
  int32_t digit = number % radix;
  number /= radix;
  return digit;
}

// Where everything fits: along d, coordinate = register digit + vector * (lane digit + lanes * (wave digit + waves *
// high register digit)).
void expect_blocked(const std::vector<int32_t>& shape, const std::vector<int32_t>& vector,
                    const std::vector<int32_t>& lanes, const std::vector<int32_t>& waves,
                    const std::vector<int>& order) {
  Layout layout = Layout::blocked(shape, vector, lanes, waves, order);
  ASSERT_TRUE(layout.is_injective());
  for_holders(layout, [&](const Holder& holder, const Coords& at) {
    Coords expected(shape.size(), 0), scale(shape.size(), 1);
    auto add = [&](int& number, const std::vector<int32_t>& radix) {
      for (int axis : order) {
        size_t d = static_cast<size_t>(axis);
        expected[d] += scale[d] * take_digit(number, radix[d]);
        scale[d] *= radix[d];
      }
    };
    int reg = holder.reg, lane = holder.lane, wave = holder.wave;
    add(reg, vector);
    add(lane, lanes);
    add(wave, waves);
    std::vector<int32_t> rest;
    for (size_t d = 0; d < shape.size(); ++d) rest.push_back(shape[d] / scale[d]);
    add(reg, rest);
    ASSERT_EQ(at, expected) << layout.text();
    ASSERT_EQ(reg + lane + wave, 0);
  });
}

TEST(TileLayout, BlockedFollowsTheMixedRadixFormulaWhereItFits) {
  int checked = 0;
  for (int32_t rows : {1, 2, 4, 8})
    for (int32_t columns : {2, 8, 16})
      for (int32_t v : {1, 2, 4})
        for (int32_t l0 : {1, 2, 4})
          for (int32_t l1 : {1, 4})
            for (int32_t w0 : {1, 2})
              for (int32_t w1 : {1, 2})
                for (bool columns_first : {true, false}) {
                  std::vector<int32_t> vector = columns_first ? std::vector<int32_t>{1, v} : std::vector<int32_t>{v, 1};
                  if (vector[0] * l0 * w0 > rows || vector[1] * l1 * w1 > columns) continue;
                  ++checked;
                  expect_blocked({rows, columns}, vector, {l0, l1}, {w0, w1},
                                 columns_first ? std::vector<int>{1, 0} : std::vector<int>{0, 1});
                }
  EXPECT_GT(checked, 200);
}

TEST(TileLayout, BlockedBeyondTheShapeRepeatsEveryElementEquallyOften) {
  for (int32_t rows : {1, 2, 8})
    for (int32_t columns : {1, 4, 32})
      for (int32_t v : {1, 4, 8})
        for (int32_t waves : {1, 4}) {
          Layout layout = Layout::blocked({rows, columns}, {1, v}, {2, 32}, {waves, 1}, {1, 0});
          EXPECT_TRUE(layout.is_surjective()) << layout.text();
          std::map<Coords, int> counts = counts_of(layout);
          EXPECT_EQ(static_cast<int64_t>(counts.size()), rows * columns) << layout.text();
          for (const auto& [at, count] : counts) EXPECT_EQ(count, counts.begin()->second) << layout.text();
          // No register is a pure copy of another: 64 lanes and the waves hold what registers do not.
          std::set<Coords> of_one_lane;
          for (int reg = 0; reg < layout.registers(); ++reg) of_one_lane.insert(layout.at(reg, 0, 0));
          EXPECT_EQ(static_cast<int>(of_one_lane.size()), layout.registers()) << layout.text();
        }
}

TEST(TileLayout, SurjectiveAndInjectiveAgreeWithCounting) {
  for (uint64_t code = 0; code < 1 << 12; ++code) {
    std::vector<uint64_t> columns = matrix_number(code, 3, 4);
    Layout layout;
    layout.shape = {2, 4};
    for (size_t c = 0; c < 4; ++c)
      (c < 2 ? layout.reg : c == 2 ? layout.lane : layout.wave).push_back(unflatten(columns[c], layout.shape));
    std::map<Coords, int> counts = counts_of(layout);
    ASSERT_EQ(layout.is_surjective(), counts.size() == 8) << code;
    ASSERT_EQ(layout.is_injective(), counts.size() == 16) << code;
    ASSERT_EQ(layout.columns(), columns) << code;
  }
}

TEST(TileLayout, EqualityComparesShapeAndAllBases) {
  Layout layout = Layout::blocked({4, 4}, {1, 2}, {2, 2}, {2, 1}, {1, 0}), other = layout;
  EXPECT_EQ(layout, other);
  other.lane[0] = {1, 1};
  EXPECT_FALSE(layout == other);
  EXPECT_EQ(Layout::blocked({2, 2}, {1, 2}, {2, 1}, {1, 1}, {1, 0}).text(),
            "shape=[2,2] reg=[(0,1)] lane=[(1,0)] wave=[]");
}

// ---- matrix operands
// -----------------------------------------------------------------------------------------------------------

// AMD's formulas of one instruction: rows of A (columns of B) in the low lanes, consecutive k a lane.
Coords in_instruction(const target::MatrixOp& op, char which, int lane, int element) {
  int tile = op.m, run = op.k / (64 / tile), high = lane / tile, low = lane % tile;
  if (which == 'a') return {low, run * high + element};
  if (which == 'b') return {run * high + element, low};
  if (op.c == DType::f64) return {4 * element + high, low};
  return tile == 16 ? Coords{4 * high + element, low} : Coords{8 * (element / 4) + 4 * high + element % 4, low};
}

void expect_operand(const target::MatrixOp& op, char which, int32_t waves_m, int32_t waves_n, int32_t more_m,
                    int32_t more_n, int32_t more_k) {
  std::vector<int32_t> unit = {which == 'b' ? op.k : op.m, which == 'a' ? op.k : op.n};
  std::vector<int32_t> waves = {which == 'b' ? 1 : waves_m, which == 'a' ? 1 : waves_n};
  std::vector<int32_t> more = {which == 'b' ? more_k : more_m, which == 'a' ? more_k : more_n};
  std::vector<int32_t> shape = {unit[0] * waves[0] * more[0], unit[1] * waves[1] * more[1]};
  Layout layout = Layout::matrix(op, which, shape, {waves_m, waves_n});
  ASSERT_TRUE(layout.is_surjective());
  int elements = unit[0] * unit[1] / 64;
  ASSERT_EQ(layout.registers(), elements * more[0] * more[1]);
  for_holders(layout, [&](const Holder& holder, const Coords& at) {
    Coords base = in_instruction(op, which, holder.lane, holder.reg % elements);
    int steps = holder.reg / elements, wave = holder.wave, wave_n = wave % waves_n, wave_m = wave / waves_n;
    // Waves lie side by side along n, then m; further instructions along the second axis, then the first.
    Coords expected = {base[0] + unit[0] * ((which == 'b' ? 0 : wave_m) + waves[0] * (steps / more[1])),
                       base[1] + unit[1] * ((which == 'a' ? 0 : wave_n) + waves[1] * (steps % more[1]))};
    ASSERT_EQ(at, expected) << op.mnemonic << " " << which << " register " << holder.reg << " lane " << holder.lane
                            << " wave " << wave;
  });
}

TEST(TileMatrixLayout, EveryInstructionOfGfx942FollowsAmdsFormulas) {
  const target::Arch& arch = *target::find_arch("gfx942");
  EXPECT_GE(arch.matrix_ops.size(), 17u);
  for (const target::MatrixOp& op : arch.matrix_ops)
    for (char which : {'a', 'b', 'c'}) {
      expect_operand(op, which, 1, 1, 1, 1, 1);
      expect_operand(op, which, 2, 2, 1, 2, 2);
      expect_operand(op, which, 4, 1, 2, 1, 4);
      expect_operand(op, which, 1, 4, 2, 2, 1);
    }
}

// ---- changes of shape
// ----------------------------------------------------------------------------------------------------------

std::vector<Layout> samples() {
  std::vector<Layout> out = {Layout::blocked({4, 8}, {1, 4}, {2, 2}, {2, 1}, {1, 0}),
                             Layout::blocked({8, 4}, {2, 1}, {4, 4}, {1, 4}, {0, 1}),
                             Layout::blocked({2, 2}, {1, 2}, {1, 64}, {4, 1}, {1, 0})};
  const target::Arch& arch = *target::find_arch("gfx942");
  for (char which : {'a', 'b', 'c'}) out.push_back(Layout::matrix(arch.matrix_ops[0], which, {32, 32}, {2, 2}));
  Layout swizzled;
  swizzled.shape = {4, 8};
  swizzled.reg = {{0, 1}, {1, 2}}, swizzled.lane = {{2, 4}, {0, 2}, {0, 0}}, swizzled.wave = {{2, 6}};
  out.push_back(swizzled);
  return out;
}

// Elements that each (lane, wave) holds; its registers in any order.
std::map<std::pair<int, int>, std::set<Coords>> held_by_lane(const Layout& layout) {
  std::map<std::pair<int, int>, std::set<Coords>> held;
  for_holders(layout, [&](const Holder& h, const Coords& at) { held[{h.lane, h.wave}].insert(at); });
  return held;
}

TEST(TileShapes, WithoutAxisKeepsWhatEachLaneHeld) {
  for (const Layout& layout : samples())
    for (int axis : {0, 1}) {
      auto before = held_by_lane(layout), after = held_by_lane(layout.without_axis(axis));
      for (auto& [lane, elements] : before) {
        std::set<Coords> projected;
        for (Coords at : elements) at.erase(at.begin() + axis), projected.insert(at);
        ASSERT_EQ(after[lane], projected) << layout.text() << " axis " << axis;
      }
    }
}

TEST(TileShapes, WithoutAxisKeepsNoPureCopiesInRegisters) {
  Layout row = Layout::blocked({2, 64}, {1, 4}, {1, 16}, {2, 1}, {1, 0});
  EXPECT_EQ(row.without_axis(1).registers(), 1);
  EXPECT_EQ(row.without_axis(0).registers(), 4);
}

TEST(TileShapes, WithAxisInsertsAnExtentOfOne) {
  for (const Layout& layout : samples())
    for (int axis : {0, 1, 2}) {
      Layout larger = layout.with_axis(axis);
      std::vector<int32_t> shape = layout.shape;
      shape.insert(shape.begin() + axis, 1);
      ASSERT_EQ(larger.shape, shape);
      for_holders(layout, [&](const Holder& h, Coords at) {
        at.insert(at.begin() + axis, 0);
        ASSERT_EQ(larger.at(h.reg, h.lane, h.wave), at);
      });
      ASSERT_EQ(larger.narrowed_to(shape), larger);
      ASSERT_EQ(larger.without_axis(axis).columns().size(),
                layout.columns().size() - static_cast<size_t>(std::count(layout.reg.begin(), layout.reg.end(),
                                                                         Coords(layout.shape.size(), 0))));
    }
}

TEST(TileShapes, PermutedMovesCoordinates) {
  for (const Layout& layout : samples()) {
    Layout turned = layout.permuted({1, 0});
    for_holders(layout, [&](const Holder& h, const Coords& at) {
      ASSERT_EQ(turned.at(h.reg, h.lane, h.wave), (Coords{at[1], at[0]}));
    });
    Layout three = layout.with_axis(2).permuted({2, 0, 1});
    ASSERT_EQ(three, layout.with_axis(0));
  }
}

TEST(TileShapes, ReshapedKeepsTheRowMajorNumber) {
  for (const Layout& layout : samples()) {
    int32_t count = static_cast<int32_t>(product(layout.shape));
    for (const std::vector<int32_t>& shape :
         {std::vector<int32_t>{count}, {count / 2, 2}, {2, count / 4, 2}, {1, count}, {2, 1, count / 2}}) {
      Layout other = layout.reshaped(shape);
      for_holders(layout, [&](const Holder& h, const Coords& at) {
        Coords to = other.at(h.reg, h.lane, h.wave);
        int64_t from_number = at[0] * layout.shape[1] + at[1], to_number = 0;
        for (size_t d = 0; d < shape.size(); ++d) to_number = to_number * shape[d] + to[d];
        ASSERT_EQ(from_number, to_number);
      });
    }
  }
}

TEST(TileShapes, BroadcastGivesEachLaneTheWholeOfWhatGrew) {
  for (const Layout& layout : samples()) {
    for (int axis : {0, 1}) {
      std::vector<int32_t> narrow = layout.shape, wide = layout.shape;
      narrow[static_cast<size_t>(axis)] = 1;
      Layout thin = layout.narrowed_to(narrow), grown = thin.broadcast_to(wide);
      auto before = held_by_lane(layout), thin_held = held_by_lane(thin), after = held_by_lane(grown);
      ASSERT_EQ(grown.shape, wide);
      for (auto& [lane, elements] : before) {
        std::set<Coords> squeezed, spread;
        for (Coords at : elements) at[static_cast<size_t>(axis)] = 0, squeezed.insert(at);
        ASSERT_EQ(thin_held[lane], squeezed);
        for (Coords at : squeezed)
          for (int32_t c = 0; c < wide[static_cast<size_t>(axis)]; ++c)
            at[static_cast<size_t>(axis)] = c, spread.insert(at);
        ASSERT_EQ(after[lane], spread) << layout.text();
      }
    }
  }
}

// ---- conversions
// ---------------------------------------------------------------------------------------------------------------

TEST(TileLayout, AConversionIsTheInverseAfterTheSource) {
  const target::MatrixOp& op = target::find_arch("gfx942")->matrix_ops[0];
  Layout rows = Layout::blocked({32, 32}, {1, 8}, {16, 4}, {1, 1}, {1, 0}),
         operand = Layout::matrix(op, 'a', {32, 32}, {1, 1});
  std::vector<uint64_t> from = rows.columns(), back = tile::invert(operand.columns(), 10);
  for_holders(rows, [&](const Holder& h, const Coords& at) {
    uint64_t source = static_cast<uint64_t>(h.reg) | static_cast<uint64_t>(h.lane) << rows.reg.size();
    uint64_t place = tile::apply(back, tile::apply(from, source));
    int reg = static_cast<int>(place) & (operand.registers() - 1), lane = static_cast<int>(place >> operand.reg.size());
    ASSERT_EQ(operand.at(reg, lane, 0), at);
  });
}

}  // namespace
}  // namespace hipvault::tile
