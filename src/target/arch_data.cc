#include "target/arch_data.h"

#include <algorithm>

#include "base/check.h"

namespace hipvault::target {
namespace {

using Bits = std::vector<std::pair<int, int>>;

int log2_of(int value) {
  int bits = 0;
  while ((1 << bits) < value) ++bits;
  return bits;
}

// Operand A of M x K: low lane bits are rows, high lane bits the high part of k, element bits the low part.
OperandMap left_map(int m, int k, int lanes) {
  OperandMap map;
  int run = k / (lanes / m);
  for (int bit = 1; bit < m; bit *= 2) map.lane_bits.push_back({bit, 0});
  for (int bit = run; bit < k; bit *= 2) map.lane_bits.push_back({0, bit});
  for (int bit = 1; bit < run; bit *= 2) map.element_bits.push_back({0, bit});
  return map;
}

OperandMap transposed(OperandMap map) {
  for (std::pair<int, int>& bit : map.lane_bits) std::swap(bit.first, bit.second);
  for (std::pair<int, int>& bit : map.element_bits) std::swap(bit.first, bit.second);
  return map;
}

OperandMap result_map(ResultRows rows) {
  OperandMap map;
  int columns = rows == ResultRows::quads32 ? 32 : 16;
  for (int bit = 1; bit < columns; bit *= 2) map.lane_bits.push_back({0, bit});
  struct Pattern {
    Bits lane_rows, element_rows;
  };
  static const Pattern kPatterns[] = {
      {{{4, 0}, {8, 0}}, {{1, 0}, {2, 0}}},           // quads16
      {{{4, 0}}, {{1, 0}, {2, 0}, {8, 0}, {16, 0}}},  // quads32
      {{{1, 0}, {2, 0}}, {{4, 0}, {8, 0}}},           // strided
      {{{8, 0}}, {{1, 0}, {2, 0}, {4, 0}}},           // halves
  };
  const Pattern& pattern = kPatterns[static_cast<int>(rows)];
  map.lane_bits.insert(map.lane_bits.end(), pattern.lane_rows.begin(), pattern.lane_rows.end());
  map.element_bits = pattern.element_rows;
  return map;
}

std::pair<int, int> apply(const OperandMap& map, int lane, int element) {
  std::pair<int, int> at{0, 0};
  auto add = [&](const Bits& bits, int index) {
    for (size_t bit = 0; bit < bits.size(); ++bit) {
      if ((index >> bit & 1) == 0) continue;
      at.first ^= bits[bit].first;
      at.second ^= bits[bit].second;
    }
  };
  add(map.lane_bits, lane);
  add(map.element_bits, element);
  return at;
}

std::string map_problem(const OperandMap& map, const char* operand, int rows, int columns, int lanes) {
  if (map.lane_bits.size() != static_cast<size_t>(log2_of(lanes))) {
    return std::string(operand) + ": the map has not one lane bit per bit of the lane number";
  }
  int elements = 1 << map.element_bits.size();
  if (lanes * elements != rows * columns) return std::string(operand) + ": lanes x elements is not rows x columns";
  std::vector<bool> seen(static_cast<size_t>(rows * columns));
  for (int lane = 0; lane < lanes; ++lane) {
    for (int element = 0; element < elements; ++element) {
      std::pair<int, int> at = apply(map, lane, element);
      if (at.first < 0 || at.first >= rows || at.second < 0 || at.second >= columns) {
        return std::string(operand) + ": the map leaves the operand";
      }
      size_t index = static_cast<size_t>(at.first * columns + at.second);
      if (seen[index]) return std::string(operand) + ": two places hold the same element";
      seen[index] = true;
    }
  }
  return "";
}

void check_phases(const Arch& arch) {
  for (const Arch::LdsPhases& phases : arch.lds_read_phases) {
    std::vector<int> lanes;
    for (const std::vector<int>& group : phases.groups) lanes.insert(lanes.end(), group.begin(), group.end());
    std::sort(lanes.begin(), lanes.end());
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      CHECK(lanes[lane] == static_cast<int>(lane)) << arch.name << ": LDS phases of " << phases.bytes << " bytes";
    }
    CHECK(static_cast<int>(lanes.size()) == arch.wave_sizes[0]) << arch.name << ": LDS phases do not cover a wave";
  }
}

}  // namespace

MatrixOp make_matrix_op(const MatrixRow& row, int lanes) {
  MatrixOp op{row.mnemonic, row.builtin, row.m, row.n, row.k, row.a, row.b, row.c, row.cycles, {}, {}, {}};
  op.map_a = left_map(row.m, row.k, lanes);
  op.map_b = transposed(left_map(row.n, row.k, lanes));
  op.map_c = result_map(row.rows);
  return op;
}

std::vector<std::vector<int>> consecutive_groups(int count, int length) {
  std::vector<std::vector<int>> groups(static_cast<size_t>(count));
  for (int lane = 0; lane < count * length; ++lane) groups[static_cast<size_t>(lane / length)].push_back(lane);
  return groups;
}

std::string problem_of(const MatrixOp& op, int lanes) {
  if (op.m <= 0 || op.n <= 0 || op.k <= 0 || op.cycles <= 0) return "shape and cycles must be positive";
  std::string problem = map_problem(op.map_a, "A", op.m, op.k, lanes);
  if (problem.empty()) problem = map_problem(op.map_b, "B", op.k, op.n, lanes);
  if (problem.empty()) problem = map_problem(op.map_c, "C", op.m, op.n, lanes);
  return problem;
}

Arch checked(Arch arch) {
  CHECK(!arch.wave_sizes.empty()) << arch.name << " has no wave size";
  for (const MatrixOp& op : arch.matrix_ops) {
    std::string problem = problem_of(op, arch.wave_sizes[0]);
    CHECK(problem.empty()) << arch.name << " " << op.mnemonic << ": " << problem;
  }
  check_phases(arch);
  return arch;
}

}  // namespace hipvault::target
