// Operations that combine values across a tile: reductions fold registers, then lanes, then waves through LDS; products
// go to the matrix instructions; layout conversions and staging go through LDS.

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

const char* combiner(Kind kind) {
  switch (kind) {
    case Kind::sum:
      return "hv::Sum";
    case Kind::prod:
      return "hv::Prod";
    case Kind::max:
      return "hv::Max";
    case Kind::min:
      return "hv::Min";
    case Kind::logical_and:
      return "hv::And";
    case Kind::logical_or:
      return "hv::Or";
    case Kind::argmax:
      return "hv::ArgMax";
    case Kind::argmin:
      return "hv::ArgMin";
    default:
      return "";
  }
}

bool is_arg(const Operation& op) { return op.attrs.kind == Kind::argmax || op.attrs.kind == Kind::argmin; }

// Bits of `bases` that move along `axis`.
uint64_t bits_along(const std::vector<Coords>& bases, int axis) {
  uint64_t bits = 0;
  for (size_t b = 0; b < bases.size(); ++b)
    if (bases[b][static_cast<size_t>(axis)]) bits |= uint64_t{1} << b;
  return bits;
}

// For each bit not in `dropped`, its place among those kept; 0 for dropped ones.
std::vector<uint64_t> compress(int bits, uint64_t dropped) {
  std::vector<uint64_t> columns;
  uint64_t next = 1;
  for (int b = 0; b < bits; ++b) {
    bool drop = dropped >> b & 1;
    columns.push_back(drop ? 0 : next);
    if (!drop) next *= 2;
  }
  return columns;
}

// Small floats have no arithmetic of their own.
bool reducible(DType dtype) { return !(is_float(dtype) && info(dtype).bits <= 16) || dtype == DType::f16; }

}  // namespace

// ---- reductions
// --------------------------------------------------------------------------------------------------------

void KernelPrinter::reduce_declare(const Operation& op) {
  DType dtype = type(op.operands[0]).dtype;
  if (!reducible(dtype))
    problem("print.reduce-dtype", std::string("a reduction in ") + name(dtype) + " is not supported: cast to f32");
  int count = registers(op.results[0]);
  std::string name = name_of(op.results[0], "total"), cpp = type_text(dtype),
              start = identity(op.attrs.kind, dtype).text;
  if (is_arg(op)) {
    cpp = fmt::format("hv::Best<{}, {}>", cpp, type_text(type(op.operands[1]).dtype));
    tile::Attrs last;
    last.integer = static_cast<int64_t>(info(type(op.operands[1]).dtype).max_finite);
    if (info(type(op.operands[1]).dtype).bits == 64) last.integer = INT64_MAX;
    start = fmt::format("{{{}, {}}}", start, literal(type(op.operands[1]).dtype, last).text);
  }
  reduce_names_[&op] = name;
  if (count == 1) return line(fmt::format("{} {} = {};", cpp, name, start));
  line(fmt::format("{} {}[{}];", cpp, name, count));
  if (is_arg(op))
    line(fmt::format("for (int r = 0; r < {}; ++r) {}[r] = {};", count, name, start));
  else
    line(fmt::format("hv::fill<{}>({}, {});", count, name, start));
}

std::string KernelPrinter::combine(const Operation& op, const std::string& a, const std::string& b) const {
  switch (op.attrs.kind) {
    case Kind::sum:
      return fmt::format("{} += {};", a, b);
    case Kind::prod:
      return fmt::format("{} *= {};", a, b);
    case Kind::max:
      return fmt::format("{} = hv::maximum({}, {});", a, a, b);
    case Kind::min:
      return fmt::format("{} = hv::minimum({}, {});", a, a, b);
    case Kind::logical_and:
      return fmt::format("{} &= {};", a, b);
    case Kind::logical_or:
      return fmt::format("{} |= {};", a, b);
    default:
      return fmt::format("{} = {}::of({}, {});", a, combiner(op.attrs.kind), a, b);
  }
}

// One register of the operand joins its accumulator.
std::string KernelPrinter::reduce_fold(const Operation& op) {
  const Layout& layout = *value_info(op.operands[0]).layout;
  std::vector<uint64_t> map = compress(static_cast<int>(layout.reg.size()), bits_along(layout.reg, op.attrs.axis));
  Columns columns;
  for (uint64_t column : identity_columns()) columns.push_back(tile::apply(map, column));
  std::string accumulator = reduce_names_[&op];
  if (registers(op.results[0]) > 1) accumulator += "[" + register_index(columns).text + "]";
  Text value = at(op.operands[0]);
  if (!is_arg(op)) return combine(op, accumulator, value.text) + "\n";
  std::string best = fmt::format("hv::Best<{}, {}>{{{}, {}}}", type_text(type(op.operands[0]).dtype),
                                 type_text(type(op.operands[1]).dtype), value.text, at(op.operands[1]).text);
  return combine(op, accumulator, best) + "\n";
}

void KernelPrinter::reduce_finish(const Operation& op) {
  const std::string& name = reduce_names_[&op];
  const Layout& layout = *value_info(op.operands[0]).layout;
  int count = registers(op.results[0]);
  uint64_t lanes = bits_along(layout.lane, op.attrs.axis);
  if (lanes) {
    std::string call = fmt::format("hv::lane_reduce<{}, {}>", combiner(op.attrs.kind), lanes);
    if (lanes + 1 == uint64_t{1} << lane_bits_) call = fmt::format("hv::wave_reduce<{}>", combiner(op.attrs.kind));
    std::string lane = lanes + 1 == uint64_t{1} << lane_bits_ ? "" : ", lane";
    if (count == 1) {
      line(fmt::format("{} = {}({}{});", name, call, name, lane));
    } else {
      line("#pragma unroll");
      line(fmt::format("for (int r = 0; r < {}; ++r) {}[r] = {}({}[r]{});", count, name, call, name, lane));
    }
  }
  if (bits_along(layout.wave, op.attrs.axis)) reduce_waves(op);
  for (size_t k = 0; k < op.results.size(); ++k) {
    Storage& storage = storage_[static_cast<size_t>(op.results[k])];
    std::string part = !is_arg(op) ? "" : k == 0 ? ".value" : ".index";
    if (count == 1) {
      storage = {Storage::single, {name + part}};
      continue;
    }
    if (part.empty()) {
      storage = {Storage::array, {name}};
      continue;
    }
    std::string array = fresh(name + (k == 0 ? "_value" : "_index"));
    line(declare_array(op.results[k], array));
    line(fmt::format("for (int r = 0; r < {}; ++r) {}[r] = {}[r]{};", count, array, name, part));
    storage = {Storage::array, {array}};
  }
}

// Waves that share a result meet in LDS: one lane of each leaves its part, then every lane folds the parts it needs.
void KernelPrinter::reduce_waves(const Operation& op) {
  const Layout& layout = *value_info(op.operands[0]).layout;
  const std::string& name = reduce_names_[&op];
  uint64_t lanes = bits_along(layout.lane, op.attrs.axis), waves = bits_along(layout.wave, op.attrs.axis);
  int count = registers(op.results[0]);
  int kept_lane_bits = lane_bits_ - __builtin_popcountll(lanes), shared = 1 << __builtin_popcountll(waves);
  std::string scratch = fresh(name + "_parts"), cpp = type_text(type(op.operands[0]).dtype);
  if (is_arg(op)) cpp = fmt::format("hv::Best<{}, {}>", cpp, type_text(type(op.operands[1]).dtype));
  // [register][kept waves][kept lanes][waves that share]: the parts to fold are neighbours.
  int kept_wave_bits = wave_bits_ - __builtin_popcountll(waves), slots = 1 << (kept_lane_bits + kept_wave_bits);
  bool one_row = count * slots == 1;
  line(fmt::format("__shared__ {} {}{}[{}];", cpp, scratch, one_row ? "" : fmt::format("[{}]", count * slots), shared));
  std::vector<uint64_t> lane_map = compress(lane_bits_, lanes), wave_map = compress(wave_bits_, waves);
  for (uint64_t& column : wave_map) column <<= kept_lane_bits;
  Text slot = lane_wave_index(lane_map, wave_map);
  std::vector<uint64_t> share_map = compress(wave_bits_, ~waves & ((uint64_t{1} << wave_bits_) - 1));
  Text share = lane_wave_index(std::vector<uint64_t>(static_cast<size_t>(lane_bits_), 0), share_map);
  std::string leader = lanes == 0                               ? ""
                       : lanes + 1 == uint64_t{1} << lane_bits_ ? "if (lane == 0) "
                                                                : fmt::format("if ((lane & {}) == 0) ", lanes);
  if (loop_depth_ > 0) line("hv::barrier();  // the parts of the last round have been read");
  auto parts = [&](const std::string& r) {
    if (one_row) return scratch;
    std::string row = r.empty() ? slot.text : slot.text == "0" ? r : fmt::format("{} * {} + {}", r, slots, slot.text);
    return fmt::format("{}[{}]", scratch, row);
  };
  std::string r = count == 1 ? "" : "r", target = count == 1 ? name : name + "[r]", from = parts(r);
  std::string leave = fmt::format("{}{}[{}] = {};", leader, from, share.text, target);
  if (count > 1) line("#pragma unroll");
  line(count == 1 ? leave : fmt::format("for (int r = 0; r < {}; ++r) {}", count, leave));
  line("hv::barrier();");
  if (count > 1) {
    line("#pragma unroll");
    line(fmt::format("for (int r = 0; r < {}; ++r) {{", count));
    indent_ += "  ";
  }
  line(fmt::format("{} = {}[0];", target, from));
  line("#pragma unroll");
  line(fmt::format("for (int w = 1; w < {}; ++w) {}", shared, combine(op, target, from + "[w]")));
  if (count > 1) {
    indent_.resize(indent_.size() - 2);
    line("}");
  }
}

}  // namespace hipvault::print
