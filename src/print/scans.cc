// Scans: a lane holds consecutive elements, then lanes, then waves follow. Each lane scans its own, lanes scan their
// totals, waves leave theirs in LDS, and what comes before a lane is combined into all of its elements.

#include <fmt/format.h>

#include "base/check.h"
#include "print/kernel_printer.h"

namespace hipvault::print {

using tile::Coords;
using tile::Kind;
using tile::Layout;
using tile::Operation;
using tile::ValueId;

namespace {

int count_along(const std::vector<Coords>& bases, int axis) {
  int bits = 0;
  for (const Coords& basis : bases) bits += basis[static_cast<size_t>(axis)] != 0;
  return bits;
}

// The bits along the axis come first in registers, lanes and waves, in order.
bool is_consecutive(const Layout& layout, int axis) {
  int32_t expected = 1;
  for (const std::vector<Coords>* bases : {&layout.reg, &layout.lane, &layout.wave}) {
    bool over = false;
    for (const Coords& basis : *bases) {
      int32_t along = basis[static_cast<size_t>(axis)];
      if (along && (over || along != expected)) return false;
      if (along) expected *= 2;
      over = over || !along;
    }
  }
  return true;
}

const char* scan_combiner(Kind kind) {
  switch (kind) {
    case Kind::sum:
      return "hv::Sum";
    case Kind::prod:
      return "hv::Prod";
    case Kind::max:
      return "hv::Max";
    default:
      return "hv::Min";
  }
}

}  // namespace

void KernelPrinter::scan(const Operation& op) {
  ValueId value = op.results[0];
  const Layout& layout = *value_info(value).layout;
  DType dtype = type(value).dtype;
  if (is_float(dtype) && info(dtype).bits < 32)
    return problem("print.scan-dtype",
                   std::string("a scan in ") + hipvault::name(dtype) + " is not supported: cast to f32");
  if (!is_consecutive(layout, op.attrs.axis))
    return problem("print.scan-layout", "a scan needs consecutive elements in a lane");
  int own = 1 << count_along(layout.reg, op.attrs.axis), lane_bits = count_along(layout.lane, op.attrs.axis),
      wave_bits = count_along(layout.wave, op.attrs.axis), rows = layout.registers() / own;
  std::string source = as_array(op.operands[0], "terms"), name = name_of(value, "running"), cpp = type_text(dtype),
              combine = std::string(scan_combiner(op.attrs.kind)) + "::of";
  bool reverse = op.attrs.reverse;
  line(fmt::format("{} {}[{}];", cpp, name, layout.registers()));
  storage_[static_cast<size_t>(value)] = {Storage::array, {name}};
  std::string read = layout.registers() == 1 && registers(op.operands[0]) == 1 ? source : source + "[at]";
  std::string first = reverse ? fmt::format("{}", own - 1) : "0", last = reverse ? "0" : fmt::format("{}", own - 1);
  std::string base = rows > 1 ? fmt::format("q * {} + ", own) : "";
  std::string total = fresh(name + "_total"), before = fresh(name + "_before");
  line(fmt::format("{} {}[{}], {}[{}];", cpp, total, rows, before, rows));
  line("#pragma unroll");
  line(fmt::format("for (int q = 0; q < {}; ++q) {{", rows));
  line("#pragma unroll");
  line(fmt::format("  for (int k = 0; k < {}; ++k) {{", own));
  line(fmt::format("    const int at = {}{};", base, reverse ? fmt::format("{} - k", own - 1) : "k"));
  line(fmt::format("    {}[at] = k == 0 ? {} : {}({}[at {} 1], {});", name, read, combine, name, reverse ? "+" : "-",
                   read));
  line("  }");
  line(fmt::format("  {}[q] = hv::lane_scan<{}, {}, {}>({}[{}{}], lane);", total, scan_combiner(op.attrs.kind),
                   lane_bits, reverse, name, base, last));
  line(fmt::format("  {}[q] = hv::lane_value({}[q], lane {} 1);", before, total, reverse ? "+" : "-"));
  line("}");
  int group = 1 << lane_bits;
  line(fmt::format("bool has_before_{} = {};", name,
                   lane_bits == 0 ? "false"
                   : reverse      ? fmt::format("(lane & {}) != {}", group - 1, group - 1)
                                  : fmt::format("(lane & {}) != 0", group - 1)));
  if (wave_bits) {
    int shared = 1 << wave_bits, slots = 1 << (lane_bits_ - lane_bits + wave_bits_ - wave_bits);
    std::string parts = fresh(name + "_parts");
    line(fmt::format("__shared__ {} {}[{}][{}];", cpp, parts, rows * slots, shared));
    std::string slot = fmt::format("lane / {} * {} + wave / {}", group, 1 << (wave_bits_ - wave_bits), shared);
    if (loop_depth_ > 0) line("hv::barrier();  // the parts of the last round have been read");
    line("#pragma unroll");
    line(fmt::format("for (int q = 0; q < {}; ++q)", rows));
    line(fmt::format("  if ((lane & {}) == {}) {}[q * {} + {}][wave % {}] = {}[q];", group - 1, reverse ? 0 : group - 1,
                     parts, slots, slot, shared, total));
    line("hv::barrier();");
    line("#pragma unroll");
    line(fmt::format("for (int w = 0; w < {}; ++w) {{", shared));
    line(fmt::format("  const int from = {};", reverse ? "w" : fmt::format("{} - w", shared - 1)));
    line(fmt::format("  if (from {} wave % {}) {{", reverse ? ">" : "<", shared));
    line("#pragma unroll");
    line(fmt::format("    for (int q = 0; q < {}; ++q) {{", rows));
    line(fmt::format("      const {} part = {}[q * {} + {}][from];", cpp, parts, slots, slot));
    line(fmt::format("      {}[q] = has_before_{} ? {}(part, {}[q]) : part;", before, name, combine, before));
    line("    }");
    line(fmt::format("    has_before_{} = true;", name));
    line("  }");
    line("}");
  }
  if (lane_bits || wave_bits) {
    line(fmt::format("if (has_before_{}) {{", name));
    line("#pragma unroll");
    line(fmt::format("  for (int r = 0; r < {}; ++r) {}[r] = {}({}[r / {}], {}[r]);", layout.registers(), name, combine,
                     before, own, name));
    line("}");
  }
}

}  // namespace hipvault::print
