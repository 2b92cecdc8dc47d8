// LDS: tiles that are stored and loaded as a whole, with the swizzle of their layout, and gathers.

#include <fmt/format.h>

#include "base/check.h"
#include "print/kernel_printer.h"

namespace hipvault::print {

using tile::Coords;
using tile::Layout;
using tile::Operation;
using tile::ValueId;

namespace {

// From element number to offset in LDS, as columns; the layout maps offset bits to coordinates.
std::vector<uint64_t> offsets_of(const tile::Attrs& attrs, const std::vector<int32_t>& shape) {
  int bits = tile::coordinate_bits(shape);
  if (attrs.layout) return tile::invert(attrs.layout->columns(), bits);
  std::vector<uint64_t> columns;
  for (int bit = 0; bit < bits; ++bit) columns.push_back(uint64_t{1} << bit);
  return columns;
}

// Where in LDS the element of each register, lane and wave bit is.
struct Offsets {
  std::vector<uint64_t> reg, lane, wave;
  int run = 1;  // registers that are neighbours in LDS
};
Offsets offsets_in(const Layout& layout, const std::vector<uint64_t>& map) {
  auto through = [&](const std::vector<Coords>& bases) {
    std::vector<uint64_t> out;
    for (const Coords& basis : bases) out.push_back(tile::apply(map, tile::flatten(basis, layout.shape)));
    return out;
  };
  Offsets offsets{through(layout.reg), through(layout.lane), through(layout.wave)};
  for (uint64_t column : offsets.reg) {
    if (column != static_cast<uint64_t>(offsets.run)) break;
    offsets.run *= 2;
  }
  // Neighbours stay neighbours only if no other bit reaches into them.
  for (const std::vector<uint64_t>* columns : {&offsets.lane, &offsets.wave})
    for (uint64_t column : *columns)
      while (column & static_cast<uint64_t>(offsets.run - 1)) offsets.run /= 2;
  for (size_t b = 0; b < offsets.reg.size(); ++b)
    if (offsets.reg[b] >= static_cast<uint64_t>(offsets.run))
      while (offsets.reg[b] & static_cast<uint64_t>(offsets.run - 1)) offsets.run /= 2;
  return offsets;
}

}  // namespace

void KernelPrinter::lds_alloc(const Operation& op) {
  ValueId value = op.results[0];
  std::string name = name_of(value, "shared");
  int bytes = std::max(4, info(type(value).dtype).bits / 8);
  line(fmt::format("__shared__ {} {}[{}] __attribute__((aligned({})));", type_text(type(value).dtype), name,
                   elements(type(value)), std::max(bytes, 16)));
  storage_[static_cast<size_t>(value)] = {Storage::single, {name}};
}

// Moves a tile between registers and LDS, as many neighbours at once as 16 bytes hold.
void KernelPrinter::lds_move(const Operation& op, ValueId lds, ValueId value, const std::string& array, bool to_lds) {
  const Layout& layout = *value_info(value).layout;
  const Operation* alloc = definition(lds);
  CHECK(alloc) << "an LDS tile that is carried by a loop";
  Offsets offsets = offsets_in(layout, offsets_of(alloc->attrs, layout.shape));
  std::string cpp = type_text(type(value).dtype), name = storage_[static_cast<size_t>(lds)].text.text;
  int width = std::min(offsets.run, std::max(1, 128 / std::max(8, info(type(value).dtype).bits))), log_width = 0;
  while ((1 << log_width) < width) ++log_width;
  int total = layout.registers();
  Scope scope;
  scope_ = &scope;
  loop_ = Loop{static_cast<int>(layout.reg.size()) - log_width, log_width, true};
  std::vector<uint64_t> all = offsets.lane;
  all.insert(all.end(), offsets.wave.begin(), offsets.wave.end());
  all.insert(all.end(), offsets.reg.begin(), offsets.reg.end());
  Text fixed = lane_wave_index(offsets.lane, offsets.wave), moving = register_index(offsets.reg);
  Text offset = moving.text == "0"  ? fixed
                : fixed.text == "0" ? moving
                : bits_meet(all)    ? join(fixed, "^", moving, kXor)
                                    : join(fixed, "+", moving, kSum);
  std::string at_register = register_index(identity_columns()).text;
  std::string element = total == 1 ? array : fmt::format("{}[{}]", array, at_register);
  std::string from_register = at_register == "0" ? array : array + " + " + at_register;
  std::string statement;
  if (width == 1) {
    statement = to_lds ? fmt::format("{}[{}] = {};", name, offset.text, element)
                       : fmt::format("{} = {}[{}];", element, name, offset.text);
  } else {
    std::string place = offset.text == "0" ? name : name + " + " + wrap(offset, kSum + 1);
    statement = to_lds ? fmt::format("hv::store<{}>({}, {});", width, place, from_register)
                       : fmt::format("hv::load<{}>({}, {});", width, from_register, place);
  }
  std::string once = to_lds ? replica_predicate(layout) : "";
  if (!once.empty()) statement = fmt::format("if ({}) {}", once, statement);
  if (loop_.outer_bits) {
    line("#pragma unroll");
    statement = fmt::format("for (int {} = 0; {} < {}; ++{}) {}", log_width ? "i" : "r", log_width ? "i" : "r",
                            1 << loop_.outer_bits, log_width ? "i" : "r", statement);
  }
  line(statement);
  loop_ = {};
  scope_ = nullptr;
}

// The value as a register array (or variable) with a name; copies it if it is only an expression.
std::string KernelPrinter::as_array(ValueId value, const std::string& fallback) {
  const Storage& storage = storage_[static_cast<size_t>(value)];
  if (storage.form == Storage::array || storage.form == Storage::single) return storage.text.text;
  std::string name =
      fresh(default_name(value) == "number" || default_name(value) == "value" ? fallback : default_name(value));
  int count = registers(value);
  Scope scope;
  scope_ = &scope;
  loop_ = Loop{static_cast<int>(value_info(value).layout->reg.size()), 0, false};
  std::string target = count == 1 ? name : fmt::format("{}[{}]", name, register_index(identity_columns()).text);
  std::string source = at(value).text;
  line(count == 1 ? fmt::format("{} {};", type_text(type(value).dtype), name) : declare_array(value, name));
  out_ += indented(scope.before, indent_);
  std::string body = scope.outer + fmt::format("{} = {};\n", target, source);
  if (count == 1) {
    out_ += indented(body, indent_);
  } else {
    line("#pragma unroll");
    line(fmt::format("for (int r = 0; r < {}; ++r) {{", count));
    out_ += indented(body, indent_ + "  ");
    line("}");
  }
  loop_ = {};
  scope_ = nullptr;
  return name;
}

void KernelPrinter::lds_store(const Operation& op) {
  std::string array = as_array(op.operands[1], "staged");
  lds_move(op, op.operands[0], op.operands[1], array, true);
}

void KernelPrinter::lds_load(const Operation& op) {
  ValueId value = op.results[0];
  std::string name = name_of(value, "loaded");
  line(registers(value) == 1 ? fmt::format("{} {};", type_text(type(value).dtype), name) : declare_array(value, name));
  storage_[static_cast<size_t>(value)] = {registers(value) == 1 ? Storage::single : Storage::array, {name}};
  lds_move(op, op.operands[0], value, name, false);
}

// A change of layout that leaves every element in its lane: registers are renamed.
void KernelPrinter::convert_registers(const Operation& op) {
  ValueId value = op.results[0], source = op.operands[0];
  const Layout &to = *value_info(value).layout, &from = *value_info(source).layout;
  if (to.lane != from.lane || to.wave != from.wave)
    return problem("print.convert", "a convert_layout between lanes is left: run stage_to_lds");
  std::string array = as_array(source, "source"), name = name_of(value, "moved");
  Columns map;
  for (const Coords& basis : to.reg) {
    uint64_t mask = 0;
    for (size_t b = 0; b < from.reg.size(); ++b)
      if (from.reg[b] == basis) mask = uint64_t{1} << b;
    map.push_back(mask);
  }
  if (registers(value) == 1) {
    storage_[static_cast<size_t>(value)] = {Storage::expression, {registers(source) == 1 ? array : array + "[0]"}};
    return;
  }
  line(declare_array(value, name));
  storage_[static_cast<size_t>(value)] = {Storage::array, {name}};
  loop_ = Loop{static_cast<int>(to.reg.size()), 0, false};
  line("#pragma unroll");
  line(fmt::format("for (int r = 0; r < {}; ++r) {}[r] = {}{};", registers(value), name, array,
                   registers(source) == 1 ? "" : "[" + register_index(map).text + "]"));
  loop_ = {};
}

// The source goes to LDS in row-major order; every lane picks what its indices name.
void KernelPrinter::gather(const Operation& op) {
  ValueId source = op.operands[0], indices = op.operands[1], value = op.results[0];
  if (loop_depth_ > 0) line("hv::barrier();  // the last round has been read");
  std::string shared = fresh("gathered");
  const tile::Type& source_type = type(source);
  line(fmt::format("__shared__ {} {}[{}] __attribute__((aligned(16)));", type_text(source_type.dtype), shared,
                   elements(source_type)));
  std::string array = as_array(source, "source");
  const Layout& from = *value_info(source).layout;
  auto flat = [&](const Layout& layout, int without) {
    std::vector<std::vector<uint64_t>> out;
    for (const std::vector<Coords>* bases : {&layout.reg, &layout.lane, &layout.wave}) {
      out.emplace_back();
      for (Coords basis : *bases) {
        if (without >= 0) basis[static_cast<size_t>(without)] = 0;
        out.back().push_back(tile::flatten(basis, source_type.shape));
      }
    }
    return out;
  };
  auto sum = [](const Text& a, const Text& b) { return a.text == "0" ? b : b.text == "0" ? a : join(a, "+", b, kSum); };
  auto loop_over = [&](int count, const std::string& statement) {
    if (count > 1) line("#pragma unroll");
    line(count > 1 ? fmt::format("for (int r = 0; r < {}; ++r) {}", count, statement) : statement);
  };
  std::vector<std::vector<uint64_t>> put = flat(from, -1);
  loop_ = Loop{static_cast<int>(from.reg.size()), 0, false};
  Text place = sum(lane_wave_index(put[1], put[2]), register_index(put[0]));
  std::string once = replica_predicate(from);
  loop_over(from.registers(), fmt::format("{}{}[{}] = {}{};", once.empty() ? "" : "if (" + once + ") ", shared,
                                          place.text, array, from.registers() > 1 ? "[r]" : ""));
  loop_ = {};
  line("hv::barrier();");
  std::string index_array = as_array(indices, "indices"), name = name_of(value, "picked");
  const Layout& to = *value_info(indices).layout;
  std::vector<std::vector<uint64_t>> take = flat(to, op.attrs.axis);
  int64_t stride = 1;
  for (size_t d = static_cast<size_t>(op.attrs.axis) + 1; d < source_type.shape.size(); ++d)
    stride *= source_type.shape[d];
  int count = to.registers();
  line(count == 1 ? fmt::format("{} {};", type_text(source_type.dtype), name) : declare_array(value, name));
  storage_[static_cast<size_t>(value)] = {count == 1 ? Storage::single : Storage::array, {name}};
  loop_ = Loop{static_cast<int>(to.reg.size()), 0, false};
  Text chosen{index_array + (count > 1 ? "[r]" : "")};
  if (stride > 1) chosen = join(chosen, "*", {std::to_string(stride)}, kProduct);
  Text where = sum(sum(lane_wave_index(take[1], take[2]), register_index(take[0])), chosen);
  loop_over(count, fmt::format("{}{} = {}[{}];", name, count > 1 ? "[r]" : "", shared, where.text));
  loop_ = {};
}

}  // namespace hipvault::print
