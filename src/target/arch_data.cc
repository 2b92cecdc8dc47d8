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
      size_t index = static_cast<size_t>(at.first) * static_cast<size_t>(columns) + static_cast<size_t>(at.second);
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
