// Values as C++ expressions at a register of the loop being printed. Free values (ranges, offsets, masks) are computed
// in place; the ones that are named or used often become local constants in the outermost loop they do not change in.

#include <fmt/format.h>

#include "base/check.h"
#include "print/kernel_printer.h"

namespace hipvault::print {

using tile::Coords;
using tile::Layout;
using tile::OpCode;
using tile::Operation;
using tile::ValueId;

KernelPrinter::Columns KernelPrinter::identity_columns() const {
  Columns columns;
  for (int bit = 0; bit < loop_.inner_bits + loop_.outer_bits; ++bit) columns.push_back(uint64_t{1} << bit);
  return columns;
}

std::vector<Field> KernelPrinter::loop_fields() const {
  std::vector<Field> fields;
  if (loop_.inner_bits) fields.push_back({{"e"}, loop_.inner_bits});
  if (loop_.outer_bits) fields.push_back({{loop_.inner_bits ? "i" : "r"}, loop_.outer_bits});
  return fields;
}

// An integer made of the loop's register bits.
Text KernelPrinter::register_index(const Columns& columns) {
  Columns seen = columns;
  if (loop_.at_vector_start)
    for (int bit = 0; bit < loop_.inner_bits; ++bit) seen[static_cast<size_t>(bit)] = 0;
  return linear_index(loop_fields(), seen);
}

Text KernelPrinter::lane_wave_index(const std::vector<uint64_t>& lane, const std::vector<uint64_t>& wave) {
  std::vector<uint64_t> both = lane;
  both.insert(both.end(), wave.begin(), wave.end());
  size_t lanes = lane.size();
  // Neighbouring bits across the border between lanes and waves are one term over `thread`.
  bool crosses = !wave.empty() && lane.back() && wave[0] == lane.back() * 2;
  if (wave.empty()) return linear_index({{{"thread"}, static_cast<int>(lanes)}}, lane);
  if (crosses) return linear_index({{{"thread"}, static_cast<int>(both.size())}}, both);
  return linear_index({{{"lane"}, static_cast<int>(lanes)}, {{"wave"}, static_cast<int>(wave.size())}}, both);
}

Text KernelPrinter::coordinate(const Layout& layout, int axis, const Columns& columns, bool lanes, bool registers) {
  auto d = static_cast<size_t>(axis);
  auto pick = [&](const std::vector<Coords>& bases) {
    std::vector<uint64_t> out;
    for (const Coords& basis : bases) out.push_back(static_cast<uint64_t>(basis[d]));
    return out;
  };
  Text fixed = lanes ? lane_wave_index(pick(layout.lane), pick(layout.wave)) : Text{"0"};
  if (!registers) return fixed;
  std::vector<uint64_t> reg = pick(layout.reg);
  Columns moved;
  for (uint64_t column : columns) moved.push_back(tile::apply(reg, column));
  Text part = register_index(moved);
  if (part.text == "0") return fixed;
  if (fixed.text == "0") return part;
  std::vector<uint64_t> all = pick(layout.lane);
  for (uint64_t column : pick(layout.wave)) all.push_back(column);
  for (uint64_t column : reg) all.push_back(column);
  return bits_meet(all) ? join(fixed, "^", part, kXor) : join(fixed, "+", part, kSum);
}

bool KernelPrinter::is_lazy_shape(ValueId value) const {
  const Operation* op = definition(value);
  return op && op_group(op->code) == tile::OpGroup::shape && op->code != OpCode::convert_layout &&
         op->code != OpCode::splat;
}

// The operand's register for the result's, through a change of shape: bases are matched by the coordinates they move.
KernelPrinter::Columns KernelPrinter::operand_columns(const Operation& op, ValueId operand,
                                                      const Columns& columns) const {
  if (!is_lazy_shape(op.results[0])) return columns;
  const Layout &result = *value_info(op.results[0]).layout, &from = *value_info(operand).layout;
  std::vector<uint64_t> map;
  for (const Coords& basis : result.reg) {
    Coords moved = basis;
    if (op.code == OpCode::expand_dims) moved.erase(moved.begin() + op.attrs.axis);
    if (op.code == OpCode::reshape) moved = tile::unflatten(tile::flatten(basis, result.shape), from.shape);
    if (op.code == OpCode::permute)
      for (size_t k = 0; k < basis.size(); ++k) moved[static_cast<size_t>(op.attrs.axes[k])] = basis[k];
    if (op.code == OpCode::broadcast)
      for (size_t k = 0; k < basis.size(); ++k)
        if (from.shape[k] == 1) moved[k] = 0;
    uint64_t mask = 0;
    for (size_t bit = 0; bit < from.reg.size(); ++bit)
      if (from.reg[bit] == moved) mask = uint64_t{1} << bit;
    map.push_back(mask);
  }
  Columns out;
  for (uint64_t column : columns) out.push_back(tile::apply(map, column));
  return out;
}

Text KernelPrinter::at(ValueId value, const Columns& columns) {
  const Storage& storage = storage_[static_cast<size_t>(value)];
  if (storage.form != Storage::none) return stored(value, columns);
  const Operation* op = definition(value);
  CHECK(op) << "%" << value << " has no text";
  if (free_[static_cast<size_t>(value)] >= 0) return free_text(value, columns);
  if (is_lazy_shape(value)) return at(op->operands[0], operand_columns(*op, op->operands[0], columns));
  problem("print.order", fmt::format("%{} = {} is used before it is printed", value, op_name(op->code)));
  return {"0"};
}

Text KernelPrinter::stored(ValueId value, const Columns& columns) {
  const Storage& storage = storage_[static_cast<size_t>(value)];
  switch (storage.form) {
    case Storage::array:
      return {storage.text.text + "[" + register_index(columns).text + "]"};
    case Storage::vector_local:
      return {storage.text.text + (loop_.at_vector_start ? "[0]" : "[e]")};
    default:
      return storage.text;
  }
}

Text KernelPrinter::free_text(ValueId value, const Columns& columns) {
  const Operation& op = *definition(value);
  if (op.code == OpCode::constant || op.code == OpCode::splat || is_lazy_shape(value)) return build_free(op, columns);
  bool inner = false, outer = false;
  for (size_t bit = 0; bit < columns.size(); ++bit) {
    if (!columns[bit]) continue;
    bool is_inner = static_cast<int>(bit) < loop_.inner_bits;
    if (is_inner && loop_.at_vector_start) continue;
    (is_inner ? inner : outer) = true;
  }
  std::string key = fmt::format("{}:", value);
  for (uint64_t column : columns) key += fmt::format("{},", column);
  if (loop_.at_vector_start && !inner) key += "v";
  std::map<std::string, std::string>& known = inner ? scope_->known_inner : outer ? scope_->known_outer : known_;
  if (auto found = known.find(key); found != known.end()) return {found->second};
  Text text = build_free(op, columns);
  bool worth_a_name = (uses(value) > 1 || !value_info(value).hint.empty()) && text.text.size() > 6;
  if (!worth_a_name) return text;
  std::string name = fresh(default_name(value));
  std::string declaration = fmt::format("const {} {} = {};\n", type_text(type(value).dtype), name, text.text);
  (inner ? scope_->inner : outer ? scope_->outer : scope_->before) += declaration;
  known[key] = name;
  return {name};
}

Text KernelPrinter::build_free(const Operation& op, const Columns& columns) {
  ValueId result = op.results[0];
  DType dtype = type(result).dtype;
  switch (op.code) {
    case OpCode::constant:
      return literal(dtype, op.attrs);
    case OpCode::range:
      return coordinate(*value_info(result).layout, 0, columns, true, true);
    case OpCode::splat:
      return at(op.operands[0], columns);
    case OpCode::cast:
      return convert(at(op.operands[0], columns), type(op.operands[0]).dtype, dtype);
    case OpCode::bitcast:
      return {fmt::format("hv::bits_as<{}>({})", type_text(dtype), at(op.operands[0], columns).text)};
    default:
      break;
  }
  if (is_lazy_shape(result)) return at(op.operands[0], operand_columns(op, op.operands[0], columns));
  std::vector<Text> operands;
  for (ValueId operand : op.operands) operands.push_back(at(operand, columns));
  Result<Text> text = spell(op.code, operands, type(op.operands.back()).dtype);
  if (!text) {
    problem(text.error().code, text.error().message);
    return {"0"};
  }
  return *text;
}

// ---- addresses
// ---------------------------------------------------------------------------------------------------------

// The same for all lanes of a wave, for any one register.
bool KernelPrinter::is_uniform(ValueId value) const {
  if (!is_tile(value)) return true;
  if (free_[static_cast<size_t>(value)] < 0) return false;
  for (const Coords& basis : value_info(value).layout->lane)
    for (int32_t c : basis)
      if (c) {
        const Operation* op = definition(value);
        return op->code == OpCode::splat || op->code == OpCode::constant ||
               (op->code == OpCode::broadcast && is_uniform(op->operands[0])) ||
               (op->code == OpCode::expand_dims && is_uniform(op->operands[0]));
      }
  return true;
}

void KernelPrinter::collect_terms(ValueId value, const Columns& columns,
                                  std::vector<std::pair<ValueId, Columns>>& terms) const {
  const Operation* op = definition(value);
  bool free = free_[static_cast<size_t>(value)] >= 0 && storage_[static_cast<size_t>(value)].form == Storage::none;
  if (free && is_tile(value) && op->code == OpCode::add) {
    for (ValueId operand : op->operands) collect_terms(operand, columns, terms);
    return;
  }
  if (free && is_tile(value) && is_lazy_shape(value)) {
    collect_terms(op->operands[0], operand_columns(*op, op->operands[0], columns), terms);
    return;
  }
  if (free && is_tile(value) && op->code == OpCode::splat) return collect_terms(op->operands[0], columns, terms);
  terms.push_back({value, is_tile(value) ? columns : Columns{}});
}

// What all lanes share goes into a pointer of its own, so that the compiler keeps it in scalar registers.
KernelPrinter::Address KernelPrinter::address(int buffer, ValueId offsets, const std::string& pointer_type) {
  const tile::BufferArg& arg = kernel_.buffers[static_cast<size_t>(buffer)];
  std::vector<std::pair<ValueId, Columns>> terms;
  collect_terms(offsets, identity_columns(), terms);
  Text base{arguments_.at(arg.name)}, index{"0"};
  bool has_index = false, moves = false;
  for (const auto& [value, columns] : terms) {
    Text text = at(value, columns);
    if (is_uniform(value)) {
      if (text.text == "0" || text.text == "0l") continue;
      base = join(base, "+", text, kSum);
      for (size_t bit = 0; bit < columns.size(); ++bit)
        moves = moves || (columns[bit] && !(loop_.at_vector_start && static_cast<int>(bit) < loop_.inner_bits));
    } else {
      index = has_index ? join(index, "+", text, kSum) : text;
      has_index = true;
    }
  }
  if (base.precedence == kPrimary || !is_tile(offsets))
    return {base.precedence == kPrimary ? base.text : "(" + base.text + ")", index};
  if (moves) return {"(" + base.text + ")", index};
  std::string key = pointer_type + " " + base.text;
  auto known = known_.find(key);
  if (known == known_.end()) {
    std::string name = fresh(arg.name + "_base");
    scope_->before += fmt::format("{} {} = {};\n", pointer_type, name, base.text);
    known = known_.emplace(key, name).first;
  }
  return {known->second, index};
}

// True for exactly one of the work-items that hold an element: for accesses that must happen once.
std::string KernelPrinter::replica_predicate(const Layout& layout) const {
  auto zero = [](const Coords& basis) {
    for (int32_t c : basis)
      if (c) return false;
    return true;
  };
  uint64_t lanes = 0, waves = 0;
  for (size_t bit = 0; bit < layout.lane.size(); ++bit)
    if (zero(layout.lane[bit])) lanes |= uint64_t{1} << bit;
  for (size_t bit = 0; bit < layout.wave.size(); ++bit)
    if (zero(layout.wave[bit])) waves |= uint64_t{1} << bit;
  uint64_t all_lanes = (uint64_t{1} << lane_bits_) - 1, all_waves = (uint64_t{1} << wave_bits_) - 1;
  uint64_t mask = waves << lane_bits_ | lanes;
  if (!mask) return "";
  uint64_t all = all_waves << lane_bits_ | all_lanes;
  // All bits from some bit upwards: a comparison; otherwise a mask.
  uint64_t kept = all & ~mask;
  if ((kept & (kept + 1)) == 0) return kept ? fmt::format("thread < {}", kept + 1) : "thread == 0";
  if (!waves) {
    uint64_t kept_lanes = all_lanes & ~lanes;
    if ((kept_lanes & (kept_lanes + 1)) == 0)
      return kept_lanes ? fmt::format("lane < {}", kept_lanes + 1) : "lane == 0";
  }
  if (!lanes && waves == all_waves) return "wave == 0";
  return fmt::format("(thread & {:#x}) == 0", mask);
}

}  // namespace hipvault::print
