// Where values of matrix operands lie, against AMD's calculator: test/matrix/layouts.txt has a hash of every layout it
// prints, for every instruction and modifier of CDNA2, CDNA3 and RDNA4 (test/matrix/calculator_layouts.py).

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "support/matrix_run.h"

namespace hipvault::isa {
namespace {

using target::MatrixInstruction;
using target::MatrixPlace;

uint64_t fnv(const std::string& text) {
  uint64_t value = 0xcbf29ce484222325;
  for (char c : text) value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return value;
}

struct Query {
  std::string arch, mnemonic, operand;
  int lanes = 64, cbsz = 0, abid = 0, blgp = 0, set = 0;
};

// By lane and place in the registers, the elements there.
using Cells = std::map<std::tuple<int, int, int>, std::set<std::array<int, 3>>>;  // block, row, column

void add(Cells& cells, int lane, int bit, const MatrixPlace& at) {
  cells[{lane, bit / 32, bit % 32}].insert({at.block, at.row, at.column});
}

// A value of sparse A may be any of two in four k; the calculator shows all four for each pair of stored values.
void add_sparse(Cells& cells, int lane, int bit, const MatrixPlace& stored) {
  for (int k = 0; k < 4; ++k) add(cells, lane, bit, {stored.block, stored.row, stored.column / 2 * 4 + k});
}

void fill(const MatrixInstruction& op, const Query& q, int lane, Cells& cells) {
  const bool sparse = is_sparse(op.family);
  if (q.operand == "A" || q.operand == "K") {
    if (!target::is_read(op.layout_a, lane / op.m)) return;
    for (int e = 0; e < elements_a(op); ++e) {
      MatrixPlace at = place_a(op, lane, e);
      if (q.operand == "K")
        add_sparse(cells, lane, 2 * (q.set * elements_a(op) + e / 2 * 2), at);
      else if (sparse)
        add_sparse(cells, lane, e / 2 * 2 * bits_of(op.a), at);
      else
        for (int block = 0; block < op.blocks; ++block)
          if (target::source_block(q.cbsz, q.abid, block) == at.block)
            add(cells, lane, e * bits_of(op.a), {block, at.row, at.column});
    }
  } else if (q.operand == "B") {
    if (!target::is_read(op.layout_b, lane / op.n)) return;
    for (int reader = 0; reader < op.lanes; ++reader)
      for (int e = 0; target::source_lane(q.blgp, reader) == lane && e < elements_b(op); ++e)
        add(cells, lane, e * bits_of(op.b), place_b(op, reader, e));
  } else {
    for (int e = 0; e < elements_c(op); ++e) add(cells, lane, e * bits_of(op.c), place_c(op, lane, e));
  }
}

std::string text_of(const MatrixInstruction& op, const Query& q) {
  Cells cells;
  for (int lane = 0; lane < op.lanes; ++lane) fill(op, q, lane, cells);
  std::string text;
  for (const auto& [place, entries] : cells) {
    auto [lane, reg, bit] = place;
    text += std::to_string(lane) + ":" + std::to_string(reg) + "." + std::to_string(bit) + ":";
    for (const auto& [block, row, column] : entries)
      text += std::to_string(row) + "," + std::to_string(column) + "," + std::to_string(block) + ";";
    text += "\n";
  }
  return text;
}

TEST(MatrixLayouts, AreThoseOfTheCalculator) {
  std::ifstream file(std::string(HIPVAULT_SOURCE_DIR) + "/test/matrix/layouts.txt");
  ASSERT_TRUE(file) << "test/matrix/layouts.txt is missing";
  std::set<std::pair<std::string, std::string>> seen;
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream in(line);
    Query q;
    uint64_t expected = 0;
    in >> q.arch >> q.lanes >> q.mnemonic >> q.operand >> q.cbsz >> q.abid >> q.blgp >> q.set >> std::hex >> expected;
    const MatrixInstruction* op = target::find_matrix_instruction(q.arch, q.mnemonic, q.lanes);
    ASSERT_TRUE(op) << line;
    EXPECT_EQ(fnv(text_of(*op, q)), expected) << line << "\n" << text_of(*op, q).substr(0, 400);
    seen.insert({q.arch, q.mnemonic});
  }
  EXPECT_GT(lines, 900);
  // And no instruction of these archs escapes the calculator.
  for (const char* arch : {"gfx90a", "gfx942", "gfx1201"})
    for (const MatrixInstruction& op : target::matrix_instructions(arch))
      EXPECT_TRUE(seen.contains({arch, op.mnemonic})) << arch << " " << op.mnemonic;
}

// What tiles are laid out by is the same table: D exactly, A and B up to one order of k that both share.
TEST(MatrixLayouts, TilesUseTheSamePlacesUpToTheOrderOfK) {
  auto place = [](const target::OperandMap& map, int lane, int element) {
    std::pair<int, int> at{0, 0};
    for (size_t b = 0; b < map.lane_bits.size(); ++b)
      if (lane >> b & 1) at.first ^= map.lane_bits[b].first, at.second ^= map.lane_bits[b].second;
    for (size_t b = 0; b < map.element_bits.size(); ++b)
      if (element >> b & 1) at.first ^= map.element_bits[b].first, at.second ^= map.element_bits[b].second;
    return at;
  };
  for (const target::Arch& arch : target::simulated_archs())
    for (const target::MatrixOp& tile : arch.matrix_ops) {
      const MatrixInstruction& op = *target::find_matrix_instruction(arch.name, tile.mnemonic, arch.wave_sizes[0]);
      std::map<int, int> order;  // the tile's k to the hardware's
      for (int lane = 0; lane < op.lanes; ++lane) {
        for (int e = 0; e < elements_a(op); ++e) {
          MatrixPlace a = place_a(op, lane, e), b = place_b(op, lane, e);
          auto [row, k] = place(tile.map_a, lane, e);
          auto [k_b, column] = place(tile.map_b, lane, e);
          EXPECT_EQ(row, a.row);
          EXPECT_EQ(column, b.column);
          EXPECT_EQ(k, k_b);
          EXPECT_EQ(order.emplace(k, a.column).first->second, a.column) << tile.mnemonic;
          EXPECT_EQ(order[k], b.row) << tile.mnemonic;
        }
        for (int e = 0; e < elements_c(op); ++e) {
          MatrixPlace c = place_c(op, lane, e);
          EXPECT_EQ(place(tile.map_c, lane, e), std::pair(c.row, c.column)) << tile.mnemonic;
        }
      }
      EXPECT_EQ(order.size(), static_cast<size_t>(op.k)) << tile.mnemonic;
    }
}

}  // namespace
}  // namespace hipvault::isa
