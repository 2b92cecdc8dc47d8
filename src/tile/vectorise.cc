#include "tile/vectorise.h"

#include <algorithm>

#include "tile/axis_info.h"

namespace hipvault::tile {
namespace {

// Consecutive elements along one axis that consecutive registers hold, and that axis.
std::pair<int, int> run_of_registers(const Layout& layout) {
  int axis = 0, run = 1;
  for (size_t bit = 0; bit < layout.reg.size(); ++bit) {
    const Coords& basis = layout.reg[bit];
    int along = -1, nonzero = 0;
    for (size_t d = 0; d < basis.size(); ++d)
      if (basis[d]) along = static_cast<int>(d), ++nonzero;
    if (nonzero != 1 || basis[static_cast<size_t>(along)] != run || (bit && along != axis)) break;
    axis = along;
    run *= 2;
  }
  return {axis, run};
}

}  // namespace

Status vectorise(Kernel& kernel, const PassContext& context) {
  AxisAnalysis axes(kernel, context.multiple_of);
  visit(kernel.body, [&](Operation& op) {
    if (op.code != OpCode::load && op.code != OpCode::store) return;
    const ValueInfo& offsets = kernel.values[static_cast<size_t>(op.operands[0])];
    if (!offsets.layout) return;
    const BufferArg& buffer = kernel.buffers[static_cast<size_t>(op.attrs.buffer)];
    auto fact = context.alignment.find(buffer.name);
    int64_t alignment = fact == context.alignment.end() ? std::max(1, info(buffer.dtype).bits / 8) : fact->second;
    auto [axis, run] = run_of_registers(*offsets.layout);
    op.attrs.vector = std::min(run, axes.access_width(op, axis, alignment));
  });
  return {};
}

}  // namespace hipvault::tile
