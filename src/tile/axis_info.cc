#include "tile/axis_info.h"

#include <algorithm>
#include <numeric>

namespace hipvault::tile {
namespace {

constexpr int64_t kLargest = int64_t{1} << 40;  // divides 0 as far as anybody asks

int64_t power_of_two_in(int64_t value) { return value == 0 ? kLargest : std::min(kLargest, value & -value); }
int64_t capped_product(int64_t a, int64_t b) { return a >= kLargest / b ? kLargest : a * b; }

size_t axes_of(const Type& type) { return std::max<size_t>(1, type.shape.size()); }
int64_t extent(const Type& type, size_t axis) { return type.shape.empty() ? 1 : type.shape[axis]; }

// The divisor of every element, not just of the first of a run.
int64_t divisor_of_all(const AxisInfo& info, size_t axis) {
  return info.contiguity[axis] > 1 ? 1 : info.divisibility[axis];
}

AxisInfo of_constant(int64_t value, const Type& type) {
  AxisInfo info;
  for (size_t d = 0; d < axes_of(type); ++d) {
    info.contiguity.push_back(1);
    info.constancy.push_back(extent(type, d));
    info.divisibility.push_back(power_of_two_in(value));
  }
  info.constant = value;
  return info;
}

AxisInfo add(const AxisInfo& a, const AxisInfo& b, bool subtract) {
  AxisInfo info = a;
  for (size_t d = 0; d < a.contiguity.size(); ++d) {
    int64_t left = std::min(a.contiguity[d], b.constancy[d]),
            right = subtract ? 1 : std::min(a.constancy[d], b.contiguity[d]);
    info.contiguity[d] = std::max({left, right, int64_t{1}});
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = std::gcd(a.divisibility[d], b.divisibility[d]);
    // A shorter run than the operand had starts inside the operand's run.
    info.divisibility[d] =
        std::gcd(info.divisibility[d],
                 std::max(a.contiguity[d], b.contiguity[d]) > info.contiguity[d] ? info.contiguity[d] : kLargest);
  }
  info.constant.reset();
  if (a.constant && b.constant) info.constant = subtract ? *a.constant - *b.constant : *a.constant + *b.constant;
  return info;
}

AxisInfo multiply(const AxisInfo& a, const AxisInfo& b) {
  if (b.constant == 1) return a;
  if (a.constant == 1) return b;
  AxisInfo info = a;
  for (size_t d = 0; d < a.contiguity.size(); ++d) {
    info.contiguity[d] = 1;
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = capped_product(divisor_of_all(a, d), divisor_of_all(b, d));
  }
  info.constant.reset();
  if (a.constant && b.constant) info.constant = *a.constant * *b.constant;
  return info;
}

// Values of a run of length g, aligned to g, fall into one bucket of any multiple of g.
int64_t bucket_run(const AxisInfo& a, const AxisInfo& b, size_t axis, int64_t extent) {
  if (b.constancy[axis] < extent) return 1;
  return std::gcd(std::gcd(a.contiguity[axis], a.divisibility[axis]), b.divisibility[axis]);
}

AxisInfo divide(const AxisInfo& a, const AxisInfo& b, const Type& type) {
  if (b.constant == 1) return a;
  AxisInfo info = a;
  for (size_t d = 0; d < a.contiguity.size(); ++d) {
    info.contiguity[d] = 1;
    info.constancy[d] = std::max(std::min(a.constancy[d], b.constancy[d]), bucket_run(a, b, d, extent(type, d)));
    info.divisibility[d] = 1;
    if (b.constant && power_of_two_in(*b.constant) == *b.constant && a.contiguity[d] == 1)
      info.divisibility[d] = std::max<int64_t>(1, a.divisibility[d] / *b.constant);
  }
  info.constant.reset();
  return info;
}

AxisInfo modulo(const AxisInfo& a, const AxisInfo& b, const Type& type) {
  AxisInfo info = a;
  for (size_t d = 0; d < a.contiguity.size(); ++d) {
    info.contiguity[d] = bucket_run(a, b, d, extent(type, d));
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = std::gcd(a.divisibility[d], b.divisibility[d]);
    if (info.contiguity[d] < a.contiguity[d]) info.divisibility[d] = std::gcd(info.divisibility[d], info.contiguity[d]);
  }
  info.constant.reset();
  return info;
}

// x < n is the same for a whole aligned run of x when n is a multiple of the run; so is n > x, n <= x and x >= n.
AxisInfo compare(OpCode code, const AxisInfo& a, const AxisInfo& b, const Type& type) {
  AxisInfo info = a;
  bool left = code == OpCode::lt || code == OpCode::ge, right = code == OpCode::gt || code == OpCode::le;
  for (size_t d = 0; d < a.contiguity.size(); ++d) {
    int64_t run = left ? bucket_run(a, b, d, extent(type, d)) : right ? bucket_run(b, a, d, extent(type, d)) : 1;
    info.contiguity[d] = info.divisibility[d] = 1;
    info.constancy[d] = std::max(std::min(a.constancy[d], b.constancy[d]), run);
  }
  info.constant.reset();
  return info;
}

}  // namespace

AxisAnalysis::AxisAnalysis(const Kernel& kernel, const std::map<std::string, int64_t>& multiple_of)
    : kernel_(kernel), multiple_of_(multiple_of) {
  for (const ValueInfo& value : kernel.values) infos_.push_back(unknown(value.type));
  block(kernel.body);
}

AxisInfo AxisAnalysis::unknown(const Type& type) const {
  return AxisInfo{std::vector<int64_t>(axes_of(type), 1), std::vector<int64_t>(axes_of(type), 1),
                  std::vector<int64_t>(axes_of(type), 1), std::nullopt};
}

void AxisAnalysis::block(const Block& block) {
  for (const Operation& op : block.ops) operation(op);
}

void AxisAnalysis::operation(const Operation& op) {
  if (op.code == OpCode::for_loop) {
    AxisInfo& iv = infos_[static_cast<size_t>(op.regions[0].args[0])];
    iv.divisibility[0] = std::gcd(of(op.operands[0]).divisibility[0], of(op.operands[2]).divisibility[0]);
  }
  for (const Block& region : op.regions) block(region);
  if (op.results.size() == 1) infos_[static_cast<size_t>(op.results[0])] = compute(op);
}

AxisInfo AxisAnalysis::compute(const Operation& op) const {
  const Type& type = kernel_.type(op.results[0]);
  if (is_float(type.dtype)) return unknown(type);
  auto in = [&](size_t k) -> const AxisInfo& { return of(op.operands[k]); };
  AxisInfo info = unknown(type);
  switch (op.code) {
    case OpCode::constant:
      return of_constant(op.attrs.integer, type);
    case OpCode::argument:
      if (auto fact = multiple_of_.find(op.attrs.name); fact != multiple_of_.end())
        info.divisibility[0] = power_of_two_in(fact->second);
      return info;
    case OpCode::range:
      info.contiguity[0] = type.shape[0];
      info.divisibility[0] = type.shape[0] == 1 ? kLargest : type.shape[0];
      return info;
    case OpCode::splat:
      for (size_t d = 0; d < type.shape.size(); ++d) {
        info.constancy[d] = type.shape[d];
        info.divisibility[d] = in(0).divisibility[0];
      }
      info.constant = in(0).constant;
      return info;
    case OpCode::expand_dims: {
      info = in(0);
      int64_t all = kLargest;
      for (size_t d = 0; d < info.contiguity.size(); ++d) all = std::gcd(all, divisor_of_all(info, d));
      auto at = op.attrs.axis;
      info.contiguity.insert(info.contiguity.begin() + at, 1);
      info.constancy.insert(info.constancy.begin() + at, 1);
      info.divisibility.insert(info.divisibility.begin() + at, all);
      return info;
    }
    case OpCode::broadcast:
      info = in(0);
      for (size_t d = 0; d < type.shape.size(); ++d)
        if (kernel_.type(op.operands[0]).shape[d] != type.shape[d]) info.constancy[d] = type.shape[d];
      return info;
    case OpCode::permute:
      for (size_t d = 0; d < type.shape.size(); ++d) {
        size_t from = static_cast<size_t>(op.attrs.axes[d]);
        info.contiguity[d] = in(0).contiguity[from];
        info.constancy[d] = in(0).constancy[from];
        info.divisibility[d] = in(0).divisibility[from];
      }
      return info;
    case OpCode::cast:
      return is_float(kernel_.type(op.operands[0]).dtype) ? info : in(0);
    case OpCode::convert_layout:
      return in(0);
    case OpCode::add:
      return add(in(0), in(1), false);
    case OpCode::sub:
      return add(in(0), in(1), true);
    case OpCode::mul:
      return multiply(in(0), in(1));
    case OpCode::shift_left:
      if (in(1).constant && *in(1).constant >= 0 && *in(1).constant < 31)
        return multiply(in(0), of_constant(int64_t{1} << *in(1).constant, type));
      return info;
    case OpCode::floordiv:
      return divide(in(0), in(1), type);
    case OpCode::mod:
      return modulo(in(0), in(1), type);
    case OpCode::lt:
    case OpCode::le:
    case OpCode::gt:
    case OpCode::ge:
    case OpCode::eq:
    case OpCode::ne:
      return is_float(kernel_.type(op.operands[0]).dtype) ? info : compare(op.code, in(0), in(1), type);
    default:
      break;
  }
  if (op_group(op.code) != OpGroup::value) return info;
  // Any function of values that are equal is equal.
  for (size_t d = 0; d < info.constancy.size(); ++d) {
    info.constancy[d] = kLargest;
    for (size_t k = 0; k < op.operands.size(); ++k) info.constancy[d] = std::min(info.constancy[d], in(k).constancy[d]);
  }
  return info;
}

int AxisAnalysis::access_width(const Operation& access, int axis, int64_t buffer_alignment) const {
  size_t d = static_cast<size_t>(axis);
  const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(access.attrs.buffer)];
  const AxisInfo& offsets = of(access.operands[0]);
  int64_t bits = info(buffer.dtype).bits;
  int64_t aligned_bits = std::min(capped_product(offsets.divisibility[d], bits), buffer_alignment * 8);
  int64_t width = std::min({offsets.contiguity[d], aligned_bits / bits, 128 / bits});
  size_t mask_at = access.code == OpCode::load ? 1 : 2;
  if (access.operands.size() > mask_at) width = std::min(width, of(access.operands[mask_at]).constancy[d]);
  int result = 1;
  while (result * 2 <= width) result *= 2;
  return result;
}

}  // namespace hipvault::tile
