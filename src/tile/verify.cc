// Type rules of the tile program. Elementwise operations are one table row each: which dtypes the operands may have and
// what the result's dtype is; their shapes are always equal. All other operations have a function of their own in the
// second table. The rule of SSA (defined once, before use, in an enclosing block) is checked by the walk.

#include <algorithm>
#include <array>
#include <set>

#include "tile/program.h"

namespace hipvault::tile {
namespace {

enum Class : unsigned { kFloat = 1, kInt = 2, kBool = 4, kNumber = kFloat | kInt, kBits = kInt | kBool, kAny = 7 };
enum class Gives { same, boolean, free };  // free: the result's dtype is the operation's own (cast)

struct ValueRule {
  OpCode code;
  unsigned operands;
  Gives gives;
};

constexpr std::array kValueRules = {
    ValueRule{OpCode::neg, kNumber, Gives::same},       ValueRule{OpCode::abs, kNumber, Gives::same},
    ValueRule{OpCode::exp, kFloat, Gives::same},        ValueRule{OpCode::exp2, kFloat, Gives::same},
    ValueRule{OpCode::exp2_flush, kFloat, Gives::same}, ValueRule{OpCode::expm1, kFloat, Gives::same},
    ValueRule{OpCode::log, kFloat, Gives::same},        ValueRule{OpCode::log2, kFloat, Gives::same},
    ValueRule{OpCode::log1p, kFloat, Gives::same},      ValueRule{OpCode::sqrt, kFloat, Gives::same},
    ValueRule{OpCode::rsqrt, kFloat, Gives::same},      ValueRule{OpCode::rcp, kFloat, Gives::same},
    ValueRule{OpCode::sin, kFloat, Gives::same},        ValueRule{OpCode::cos, kFloat, Gives::same},
    ValueRule{OpCode::tan, kFloat, Gives::same},        ValueRule{OpCode::tanh, kFloat, Gives::same},
    ValueRule{OpCode::erf, kFloat, Gives::same},        ValueRule{OpCode::floor, kFloat, Gives::same},
    ValueRule{OpCode::ceil, kFloat, Gives::same},       ValueRule{OpCode::round, kFloat, Gives::same},
    ValueRule{OpCode::trunc, kFloat, Gives::same},      ValueRule{OpCode::sign, kNumber, Gives::same},
    ValueRule{OpCode::isnan, kFloat, Gives::boolean},   ValueRule{OpCode::isinf, kFloat, Gives::boolean},
    ValueRule{OpCode::bit_not, kBits, Gives::same},     ValueRule{OpCode::add, kNumber, Gives::same},
    ValueRule{OpCode::sub, kNumber, Gives::same},       ValueRule{OpCode::mul, kNumber, Gives::same},
    ValueRule{OpCode::div, kFloat, Gives::same},        ValueRule{OpCode::floordiv, kNumber, Gives::same},
    ValueRule{OpCode::mod, kNumber, Gives::same},       ValueRule{OpCode::pow, kNumber, Gives::same},
    ValueRule{OpCode::atan2, kFloat, Gives::same},      ValueRule{OpCode::minimum, kAny, Gives::same},
    ValueRule{OpCode::maximum, kAny, Gives::same},      ValueRule{OpCode::bit_and, kBits, Gives::same},
    ValueRule{OpCode::bit_or, kBits, Gives::same},      ValueRule{OpCode::bit_xor, kBits, Gives::same},
    ValueRule{OpCode::shift_left, kInt, Gives::same},   ValueRule{OpCode::shift_right, kInt, Gives::same},
    ValueRule{OpCode::mul_high_u32, kInt, Gives::same}, ValueRule{OpCode::lt, kAny, Gives::boolean},
    ValueRule{OpCode::le, kAny, Gives::boolean},        ValueRule{OpCode::gt, kAny, Gives::boolean},
    ValueRule{OpCode::ge, kAny, Gives::boolean},        ValueRule{OpCode::eq, kAny, Gives::boolean},
    ValueRule{OpCode::ne, kAny, Gives::boolean},        ValueRule{OpCode::select, kAny, Gives::same},
    ValueRule{OpCode::fma, kFloat, Gives::same},        ValueRule{OpCode::cast, kAny, Gives::free},
    ValueRule{OpCode::bitcast, kAny, Gives::free},
};

unsigned class_of(DType dtype) {
  if (dtype == DType::boolean) return kBool;
  return is_float(dtype) || dtype == DType::e8m0 ? kFloat : kInt;
}

// One operation under inspection. `wrong` is empty as long as all is well.
struct Inspection {
  const Kernel& kernel;
  const Operation& op;
  std::string wrong;

  const Type& in(size_t i) const { return kernel.type(op.operands[i]); }
  const Type& out(size_t i) const { return kernel.type(op.results[i]); }
  bool need(bool condition, const std::string& words) {
    if (!condition && wrong.empty()) wrong = words;
    return condition;
  }
  bool need_operands(size_t low, size_t high) {
    return need(op.operands.size() >= low && op.operands.size() <= high,
                "has " + std::to_string(op.operands.size()) + " operands, not " + std::to_string(low) +
                    (low == high ? "" : " to " + std::to_string(high)));
  }
  bool need_axis(size_t rank) {
    return need(op.attrs.axis >= 0 && op.attrs.axis < static_cast<int>(rank),
                "has axis " + std::to_string(op.attrs.axis) + " of a tile with rank " + std::to_string(rank));
  }
};

bool is_scalar_of(const Type& type, DType dtype) { return type.shape.empty() && !type.lds && type.dtype == dtype; }
bool is_offset(DType dtype) { return dtype == DType::i32 || dtype == DType::i64; }

void check_value(Inspection& i, const ValueRule& rule) {
  const Type& result = i.out(0);
  for (size_t k = 0; k < i.op.operands.size(); ++k) {
    i.need(i.in(k).shape == result.shape,
           "has operand " + text(i.in(k)) + " where the shape of " + text(result) + " is needed");
    if (i.op.code == OpCode::select && k == 0) {
      i.need(i.in(0).dtype == DType::boolean, "selects on " + text(i.in(0)) + ", not on bool");
      continue;
    }
    i.need((class_of(i.in(k).dtype) & rule.operands) != 0, "does not take " + text(i.in(k)));
    size_t first = i.op.code == OpCode::select ? 1 : 0;
    i.need(i.in(k).dtype == i.in(first).dtype, "mixes " + text(i.in(first)) + " and " + text(i.in(k)));
  }
  if (rule.gives == Gives::same) i.need(result.dtype == i.in(i.op.operands.size() - 1).dtype, "gives " + text(result));
  if (rule.gives == Gives::boolean) i.need(result.dtype == DType::boolean, "gives " + text(result) + ", not bool");
  if (i.op.code == OpCode::bitcast) i.need(info(result.dtype).bits == info(i.in(0).dtype).bits, "changes the width");
}

void check_argument(Inspection& i) {
  for (const ScalarArg& arg : i.kernel.scalars)
    if (arg.name == i.op.attrs.name) {
      i.need(is_scalar_of(i.out(0), arg.dtype), "gives " + text(i.out(0)) + " for an argument of " + name(arg.dtype));
      return;
    }
  i.need(false, "names the argument \"" + i.op.attrs.name + "\", which the kernel does not have");
}

void check_program(Inspection& i) {
  i.need(i.op.attrs.axis >= 0 && i.op.attrs.axis < 3, "has an axis that is not 0, 1 or 2");
  i.need(is_scalar_of(i.out(0), DType::i32), "gives " + text(i.out(0)) + ", not i32");
}

void check_range(Inspection& i) {
  i.need(i.out(0).dtype == DType::i32 && i.out(0).shape.size() == 1, "gives " + text(i.out(0)) + ", not i32[n]");
}

void check_splat(Inspection& i) {
  i.need(i.in(0).shape.empty() && i.in(0).dtype == i.out(0).dtype, "of " + text(i.in(0)) + " gives " + text(i.out(0)));
}

void check_expand_dims(Inspection& i) {
  std::vector<int32_t> shape = i.in(0).shape;
  if (!i.need(i.op.attrs.axis >= 0 && i.op.attrs.axis <= static_cast<int>(shape.size()),
              "has an axis outside the tile"))
    return;
  shape.insert(shape.begin() + i.op.attrs.axis, 1);
  i.need(i.out(0).shape == shape && i.out(0).dtype == i.in(0).dtype,
         "of " + text(i.in(0)) + " gives " + text(i.out(0)));
}

void check_broadcast(Inspection& i) {
  const std::vector<int32_t>&from = i.in(0).shape, &to = i.out(0).shape;
  bool fits = from.size() == to.size() && i.in(0).dtype == i.out(0).dtype;
  for (size_t d = 0; fits && d < from.size(); ++d) fits = from[d] == to[d] || from[d] == 1;
  i.need(fits, "of " + text(i.in(0)) + " gives " + text(i.out(0)));
}

void check_reshape(Inspection& i) {
  i.need(elements(i.in(0)) == elements(i.out(0)) && i.in(0).dtype == i.out(0).dtype,
         "of " + text(i.in(0)) + " gives " + text(i.out(0)));
}

void check_permute(Inspection& i) {
  const std::vector<int>& axes = i.op.attrs.axes;
  std::vector<int> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool fits =
      axes.size() == i.in(0).shape.size() && i.out(0).shape.size() == axes.size() && i.in(0).dtype == i.out(0).dtype;
  for (size_t d = 0; fits && d < axes.size(); ++d)
    fits = sorted[d] == static_cast<int>(d) && i.out(0).shape[d] == i.in(0).shape[static_cast<size_t>(axes[d])];
  i.need(fits, "of " + text(i.in(0)) + " gives " + text(i.out(0)));
}

void check_convert(Inspection& i) { i.need(i.in(0) == i.out(0), "of " + text(i.in(0)) + " gives " + text(i.out(0))); }

bool check_buffer(Inspection& i) {
  return i.need(i.op.attrs.buffer >= 0 && i.op.attrs.buffer < static_cast<int>(i.kernel.buffers.size()),
                "names no buffer of the kernel");
}
void check_offsets_and_mask(Inspection& i, size_t mask_at, const std::vector<int32_t>& shape) {
  i.need(is_offset(i.in(0).dtype) && i.in(0).shape == shape, "has offsets " + text(i.in(0)));
  if (i.op.operands.size() > mask_at)
    i.need(i.in(mask_at).dtype == DType::boolean && i.in(mask_at).shape == shape,
           "has the mask " + text(i.in(mask_at)));
}

void check_load(Inspection& i) {
  if (!i.need_operands(1, 3) || !check_buffer(i)) return;
  const BufferArg& buffer = i.kernel.buffers[static_cast<size_t>(i.op.attrs.buffer)];
  i.need(buffer.readable, "reads \"" + buffer.name + "\", which is not readable");
  i.need(i.out(0).dtype == buffer.dtype, "gives " + text(i.out(0)) + " from a buffer of " + name(buffer.dtype));
  check_offsets_and_mask(i, 1, i.out(0).shape);
  if (i.op.operands.size() > 2) i.need(i.in(2) == i.out(0), "has `other` " + text(i.in(2)));
}

void check_store(Inspection& i) {
  if (!i.need_operands(2, 3) || !check_buffer(i)) return;
  const BufferArg& buffer = i.kernel.buffers[static_cast<size_t>(i.op.attrs.buffer)];
  i.need(buffer.writable, "writes \"" + buffer.name + "\", which is not writable");
  i.need(i.in(1).dtype == buffer.dtype, "puts " + text(i.in(1)) + " into a buffer of " + name(buffer.dtype));
  check_offsets_and_mask(i, 2, i.in(1).shape);
}

void check_atomic(Inspection& i) {
  check_store(i);
  i.need(i.wrong.empty() && i.out(0) == i.in(1), "gives " + text(i.out(0)));
  Kind kind = i.op.attrs.kind;
  i.need(kind == Kind::sum || kind == Kind::max || kind == Kind::min || kind == Kind::logical_and ||
             kind == Kind::logical_or || kind == Kind::exchange,
         std::string("has the kind ") + kind_name(kind));
}

void check_lds_alloc(Inspection& i) { i.need(i.out(0).lds && !i.out(0).shape.empty(), "gives " + text(i.out(0))); }
void check_lds_store(Inspection& i) {
  i.need(i.in(0).lds && !i.in(1).lds && i.in(0).shape == i.in(1).shape && i.in(0).dtype == i.in(1).dtype,
         "puts " + text(i.in(1)) + " into " + text(i.in(0)));
}
void check_lds_load(Inspection& i) {
  i.need(i.in(0).lds && !i.out(0).lds && i.in(0).shape == i.out(0).shape && i.in(0).dtype == i.out(0).dtype,
         "gets " + text(i.out(0)) + " from " + text(i.in(0)));
}
void check_nothing(Inspection&) {}

void check_reduce(Inspection& i) {
  bool arg = i.op.attrs.kind == Kind::argmax || i.op.attrs.kind == Kind::argmin;
  size_t count = arg ? 2 : 1;
  if (!i.need_operands(count, count) || !i.need(i.op.results.size() == count, "has the wrong number of results"))
    return;
  if (!i.need_axis(i.in(0).shape.size())) return;
  std::vector<int32_t> shape = i.in(0).shape;
  shape.erase(shape.begin() + i.op.attrs.axis);
  for (size_t k = 0; k < count; ++k) {
    i.need(i.in(k).shape == i.in(0).shape, "mixes shapes");
    i.need(i.out(k).shape == shape && i.out(k).dtype == i.in(k).dtype,
           "of " + text(i.in(k)) + " gives " + text(i.out(k)));
  }
  if (arg) i.need(class_of(i.in(1).dtype) == kInt, "has positions of " + text(i.in(1)));
  Kind kind = i.op.attrs.kind;
  bool logic = kind == Kind::logical_and || kind == Kind::logical_or;
  i.need((class_of(i.in(0).dtype) & (logic ? kBits : kNumber)) != 0,
         std::string(kind_name(kind)) + " does not take " + text(i.in(0)));
  i.need(kind != Kind::none && kind != Kind::exchange, std::string("has the kind ") + kind_name(kind));
}

void check_scan(Inspection& i) {
  i.need_axis(i.in(0).shape.size());
  i.need(i.in(0) == i.out(0), "of " + text(i.in(0)) + " gives " + text(i.out(0)));
  Kind kind = i.op.attrs.kind;
  i.need(kind == Kind::sum || kind == Kind::prod || kind == Kind::max || kind == Kind::min,
         std::string("has the kind ") + kind_name(kind));
  i.need((class_of(i.in(0).dtype) & kNumber) != 0, "does not take " + text(i.in(0)));
}

void check_dot(Inspection& i) {
  const std::vector<int32_t>&a = i.in(0).shape, &b = i.in(1).shape, &c = i.in(2).shape;
  bool fits = a.size() == 2 && b.size() == 2 && c.size() == 2 && a[0] == c[0] && a[1] == b[0] && b[1] == c[1];
  i.need(fits, "of " + text(i.in(0)) + " and " + text(i.in(1)) + " into " + text(i.in(2)));
  i.need(i.in(2) == i.out(0), "gives " + text(i.out(0)));
  i.need(((class_of(i.in(0).dtype) & class_of(i.in(1).dtype)) & kNumber) != 0, "mixes integers and floats");
}

void check_gather(Inspection& i) {
  std::vector<int32_t> source = i.in(0).shape, indices = i.in(1).shape;
  if (!i.need_axis(source.size()) || !i.need(indices.size() == source.size(), "mixes ranks")) return;
  source[static_cast<size_t>(i.op.attrs.axis)] = indices[static_cast<size_t>(i.op.attrs.axis)] = 0;
  i.need(source == indices && is_offset(i.in(1).dtype), "at " + text(i.in(1)) + " of " + text(i.in(0)));
  i.need(i.out(0).shape == i.in(1).shape && i.out(0).dtype == i.in(0).dtype, "gives " + text(i.out(0)));
}

void check_sort(Inspection& i) {
  if (!i.need(!i.op.operands.empty() && i.op.results.size() == i.op.operands.size(), "has the wrong number of results"))
    return;
  i.need_axis(i.in(0).shape.size());
  for (size_t k = 0; k < i.op.operands.size(); ++k)
    i.need(i.in(k).shape == i.in(0).shape && i.out(k) == i.in(k), "of " + text(i.in(k)) + " gives " + text(i.out(k)));
}

// Types of `values` equal those of `expected`.
bool same_types(const Kernel& kernel, const std::vector<ValueId>& values, const std::vector<ValueId>& expected) {
  if (values.size() != expected.size()) return false;
  for (size_t k = 0; k < values.size(); ++k)
    if (kernel.type(values[k]) != kernel.type(expected[k])) return false;
  return true;
}

bool ends_in_yield(const Block& block) { return !block.ops.empty() && block.ops.back().code == OpCode::yield; }

void check_for(Inspection& i) {
  if (!i.need(i.op.operands.size() >= 3 && i.op.regions.size() == 1, "needs low, high, step and one region")) return;
  const Type& iv = i.in(0);
  i.need(iv.shape.empty() && is_offset(iv.dtype) && i.in(1) == iv && i.in(2) == iv, "has bounds of different types");
  const Block& body = i.op.regions[0];
  std::vector<ValueId> initial(i.op.operands.begin() + 3, i.op.operands.end());
  if (!i.need(body.args.size() == initial.size() + 1 && ends_in_yield(body), "has a malformed region")) return;
  i.need(i.kernel.type(body.args[0]) == iv, "has an induction variable of another type");
  i.need(same_types(i.kernel, std::vector<ValueId>(body.args.begin() + 1, body.args.end()), initial),
         "changes types on entry");
  i.need(same_types(i.kernel, body.ops.back().operands, initial), "yields other types than it was given");
  i.need(same_types(i.kernel, i.op.results, initial), "gives other types than it was given");
}

void check_if(Inspection& i) {
  if (!i.need(i.op.regions.size() == 2 && is_scalar_of(i.in(0), DType::boolean), "needs a scalar bool and two regions"))
    return;
  for (const Block& region : i.op.regions)
    i.need(
        ends_in_yield(region) && region.args.empty() && same_types(i.kernel, region.ops.back().operands, i.op.results),
        "has a region that yields other types than its results");
}

struct OpRule {
  OpCode code;
  void (*check)(Inspection&);
};
constexpr std::array kOpRules = {
    OpRule{OpCode::constant, check_nothing},
    OpRule{OpCode::argument, check_argument},
    OpRule{OpCode::program_id, check_program},
    OpRule{OpCode::num_programs, check_program},
    OpRule{OpCode::range, check_range},
    OpRule{OpCode::splat, check_splat},
    OpRule{OpCode::expand_dims, check_expand_dims},
    OpRule{OpCode::broadcast, check_broadcast},
    OpRule{OpCode::reshape, check_reshape},
    OpRule{OpCode::permute, check_permute},
    OpRule{OpCode::convert_layout, check_convert},
    OpRule{OpCode::load, check_load},
    OpRule{OpCode::store, check_store},
    OpRule{OpCode::atomic, check_atomic},
    OpRule{OpCode::lds_alloc, check_lds_alloc},
    OpRule{OpCode::lds_store, check_lds_store},
    OpRule{OpCode::lds_load, check_lds_load},
    OpRule{OpCode::barrier, check_nothing},
    OpRule{OpCode::reduce, check_reduce},
    OpRule{OpCode::scan, check_scan},
    OpRule{OpCode::dot, check_dot},
    OpRule{OpCode::gather, check_gather},
    OpRule{OpCode::sort, check_sort},
    OpRule{OpCode::for_loop, check_for},
    OpRule{OpCode::if_else, check_if},
    OpRule{OpCode::yield, check_nothing},
};

void apply_rule(Inspection& i) {
  for (const ValueRule& rule : kValueRules)
    if (rule.code == i.op.code) return check_value(i, rule);
  for (const OpRule& rule : kOpRules)
    if (rule.code == i.op.code) return rule.check(i);
  i.need(false, "has no type rule");
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel) {}

  Status run() {
    for (const ValueInfo& value : kernel_.values)
      for (int32_t extent : value.type.shape)
        if (extent < 1 || (extent & (extent - 1)) != 0)
          return problem("a value of type " + text(value.type) + ": extents must be powers of two");
    return block(kernel_.body, true);
  }

 private:
  Status problem(const std::string& words) const {
    return fail("tile.verify", "kernel " + kernel_.name + ": " + words);
  }
  Status problem(const Operation& op, const std::string& words) const {
    std::string at = op.results.empty() ? "" : "%" + std::to_string(op.results[0]) + " = ";
    return problem(at + op_name(op.code) + " " + words);
  }

  bool define(ValueId value) {
    if (value < 0 || value >= static_cast<ValueId>(kernel_.values.size())) return false;
    return ever_.insert(value).second && visible_.insert(value).second;
  }

  Status block(const Block& block, bool top) {
    std::set<ValueId> outside = visible_;
    for (ValueId arg : block.args)
      if (!define(arg)) return problem("a region argument %" + std::to_string(arg) + " is defined twice");
    for (size_t at = 0; at < block.ops.size(); ++at) {
      const Operation& op = block.ops[at];
      if (op.code == OpCode::yield && (top || at + 1 != block.ops.size()))
        return problem(op, "stands where no region ends");
      if (Status status = operation(op); !status) return status;
    }
    visible_ = std::move(outside);
    return {};
  }

  Status operation(const Operation& op) {
    if (op_operands(op.code) >= 0 && op.code != OpCode::if_else &&
        op_operands(op.code) != static_cast<int>(op.operands.size()))
      return problem(op, "has " + std::to_string(op.operands.size()) + " operands");
    if (op_results(op.code) >= 0 && op_results(op.code) != static_cast<int>(op.results.size()))
      return problem(op, "has " + std::to_string(op.results.size()) + " results");
    bool lds_allowed = op.code == OpCode::lds_store || op.code == OpCode::lds_load || op.code == OpCode::yield ||
                       op.code == OpCode::for_loop;
    for (ValueId operand : op.operands) {
      if (!visible_.contains(operand))
        return problem(op, "uses %" + std::to_string(operand) + ", which is not defined here");
      if (kernel_.type(operand).lds && !lds_allowed)
        return problem(op, "takes the LDS tile %" + std::to_string(operand));
    }
    for (const Block& region : op.regions)
      if (Status status = block(region, false); !status) return status;
    for (ValueId result : op.results)
      if (!define(result)) return problem(op, "defines %" + std::to_string(result) + " a second time");
    Inspection inspection{kernel_, op, ""};
    apply_rule(inspection);
    return inspection.wrong.empty() ? Status{} : problem(op, inspection.wrong);
  }

  const Kernel& kernel_;
  std::set<ValueId> visible_, ever_;
};

}  // namespace

Status verify(const Kernel& kernel) { return Verifier(kernel).run(); }

}  // namespace hipvault::tile
