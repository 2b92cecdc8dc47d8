#include "tile/simplify.h"

#include <fmt/format.h>

#include <set>

namespace hipvault::tile {
namespace {

bool is_pure(const Operation& op) {
  OpGroup group = op_group(op.code);
  return group == OpGroup::value || group == OpGroup::index ||
         (group == OpGroup::shape && op.code != OpCode::convert_layout);
}

class Simplifier {
 public:
  explicit Simplifier(Kernel& kernel) : kernel_(kernel), same_as_(kernel.values.size(), -1) {}

  void run() {
    rewrite(kernel_.body);
    while (remove_dead(kernel_.body)) {
    }
  }

 private:
  ValueId resolve(ValueId value) const {
    while (same_as_[static_cast<size_t>(value)] >= 0) value = same_as_[static_cast<size_t>(value)];
    return value;
  }

  std::optional<int64_t> constant(ValueId value) const {
    auto found = constants_.find(value);
    return found == constants_.end() ? std::nullopt : std::optional<int64_t>(found->second);
  }

  void rewrite(Block& block) {
    std::map<std::string, ValueId> outer = seen_;
    std::vector<Operation> kept;
    for (Operation& op : block.ops) {
      for (ValueId& operand : op.operands) operand = resolve(operand);
      for (Block& region : op.regions) rewrite(region);
      if (is_pure(op)) {
        ValueId result = op.results[0];
        ValueId same = unchanged_operand(op);
        if (same < 0) fold(op);
        if (same < 0) same = seen_before(op);
        if (same >= 0) {
          if (kernel_.values[static_cast<size_t>(same)].hint.empty())
            kernel_.values[static_cast<size_t>(same)].hint = kernel_.values[static_cast<size_t>(result)].hint;
          same_as_[static_cast<size_t>(result)] = same;
          continue;
        }
      }
      kept.push_back(std::move(op));
    }
    block.ops = std::move(kept);
    seen_ = std::move(outer);
  }

  // The operand that the operation gives back as it is; -1: none.
  ValueId unchanged_operand(const Operation& op) const {
    if (op.operands.size() != 2 || is_float(kernel_.type(op.results[0]).dtype)) return -1;
    std::optional<int64_t> a = constant(op.operands[0]), b = constant(op.operands[1]);
    bool boolean = kernel_.type(op.operands[0]).dtype == DType::boolean;
    switch (op.code) {
      case OpCode::add:
        if (a == 0) return op.operands[1];
        [[fallthrough]];
      case OpCode::sub:
        return b == 0 ? op.operands[0] : -1;
      case OpCode::mul:
        return b == 1 ? op.operands[0] : a == 1 ? op.operands[1] : -1;
      case OpCode::floordiv:
        return b == 1 ? op.operands[0] : -1;
      case OpCode::bit_and:
        return !boolean ? -1 : b == 1 ? op.operands[0] : a == 1 ? op.operands[1] : -1;
      case OpCode::bit_or:
        return !boolean ? -1 : b == 0 ? op.operands[0] : a == 0 ? op.operands[1] : -1;
      default:
        return -1;
    }
  }

  static std::optional<int64_t> compute(OpCode code, int64_t a, int64_t b) {
    int64_t out = 0;
    bool overflow = false;
    switch (code) {
      case OpCode::add:
        overflow = __builtin_add_overflow(a, b, &out);
        break;
      case OpCode::sub:
        overflow = __builtin_sub_overflow(a, b, &out);
        break;
      case OpCode::mul:
        overflow = __builtin_mul_overflow(a, b, &out);
        break;
      case OpCode::lt:
        return a < b;
      case OpCode::le:
        return a <= b;
      case OpCode::gt:
        return a > b;
      case OpCode::ge:
        return a >= b;
      case OpCode::eq:
        return a == b;
      case OpCode::ne:
        return a != b;
      case OpCode::bit_and:
        return a & b;
      case OpCode::bit_or:
        return a | b;
      default:
        return std::nullopt;
    }
    return overflow ? std::nullopt : std::optional<int64_t>(out);
  }

  // Knows constants and turns arithmetic on them into constants. A range of one element is the constant 0.
  void fold(Operation& op) {
    const Type& type = kernel_.type(op.results[0]);
    if (is_float(type.dtype)) return;
    std::optional<int64_t> value;
    if (op.code == OpCode::constant) value = op.attrs.integer;
    if (op.code == OpCode::range && type.shape[0] == 1) value = 0;
    bool passes_on =
        op_group(op.code) == OpGroup::shape ||
        (op.code == OpCode::cast && !is_float(kernel_.type(op.operands[0]).dtype) && info(type.dtype).bits >= 32);
    if (passes_on) value = constant(op.operands[0]);
    if (op.operands.size() == 2 && info(type.dtype).is_signed + (type.dtype == DType::boolean))
      if (std::optional<int64_t> a = constant(op.operands[0]), b = constant(op.operands[1]); a && b)
        value = compute(op.code, *a, *b);
    if (!value) return;
    if (type.dtype == DType::i32 && *value != static_cast<int32_t>(*value)) return;
    if (passes_on && op.code == OpCode::cast && type.dtype == DType::boolean) return;
    constants_[op.results[0]] = *value;
    if (op.code == OpCode::constant) return;
    op.code = OpCode::constant;
    op.operands.clear();
    op.attrs = Attrs{};
    op.attrs.integer = *value;
  }

  ValueId seen_before(const Operation& op) {
    const Type& type = kernel_.type(op.results[0]);
    std::string key = fmt::format("{} {} {} {} {} {} {}", op_name(op.code), text(type), op.attrs.integer,
                                  __builtin_bit_cast(uint64_t, op.attrs.number), op.attrs.name, op.attrs.axis,
                                  static_cast<int>(op.attrs.kind));
    for (int axis : op.attrs.axes) key += fmt::format(",{}", axis);
    for (ValueId operand : op.operands) key += fmt::format(" %{}", operand);
    auto [found, is_new] = seen_.emplace(key, op.results[0]);
    return is_new ? -1 : found->second;
  }

  bool remove_dead(Block& body) {
    std::set<ValueId> used;
    visit(body, [&](const Operation& op) { used.insert(op.operands.begin(), op.operands.end()); });
    bool changed = false;
    visit_blocks(body, [&](Block& block) {
      changed |= std::erase_if(block.ops, [&](const Operation& op) {
                   if (has_effect(op)) return false;
                   for (ValueId result : op.results)
                     if (used.contains(result)) return false;
                   return true;
                 }) > 0;
    });
    return changed;
  }

  void visit_blocks(Block& block, const std::function<void(Block&)>& f) {
    f(block);
    for (Operation& op : block.ops)
      for (Block& region : op.regions) visit_blocks(region, f);
  }

  Kernel& kernel_;
  std::vector<ValueId> same_as_;
  std::map<ValueId, int64_t> constants_;
  std::map<std::string, ValueId> seen_;
};

}  // namespace

Status simplify(Kernel& kernel, const PassContext&) {
  Simplifier(kernel).run();
  return {};
}

}  // namespace hipvault::tile
