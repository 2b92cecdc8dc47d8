#include "tile/free_values.h"

namespace hipvault::tile {
namespace {

// Index arithmetic dearer than this is computed once and held.
constexpr int kCheapOperations = 24;

int cost_of(const Kernel& kernel, const Operation& op, const std::vector<int>& costs) {
  const Type& type = kernel.type(op.results[0]);
  if (op.code == OpCode::constant || op.code == OpCode::range || op.code == OpCode::splat || type.shape.empty())
    return 0;
  bool value = op_group(op.code) == OpGroup::value;
  if (!value && (op_group(op.code) != OpGroup::shape || op.code == OpCode::convert_layout)) return -1;
  if (value && is_float(type.dtype) && op.code != OpCode::cast && op.code != OpCode::select) return -1;
  int total = value ? 1 : 0;
  for (ValueId operand : op.operands) {
    int cost = costs[static_cast<size_t>(operand)];
    if (cost < 0) return -1;
    total += cost;
  }
  return total > kCheapOperations ? -1 : total;
}

}  // namespace

std::vector<int> free_costs(const Kernel& kernel) {
  std::vector<int> costs(kernel.values.size(), -1);
  for (size_t v = 0; v < costs.size(); ++v)
    if (kernel.values[v].type.shape.empty()) costs[v] = 0;
  visit(kernel.body, [&](const Operation& op) {
    if (op.results.size() == 1) costs[static_cast<size_t>(op.results[0])] = cost_of(kernel, op, costs);
  });
  return costs;
}

}  // namespace hipvault::tile
