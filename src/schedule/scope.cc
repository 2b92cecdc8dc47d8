#include "schedule/scope.h"

#include "base/check.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

namespace {

// The op's own name belongs to the C entry of the printed file; no kernel carries it.
std::string beside_the_entry(const Task& task, const std::string& kernel_name) {
  return kernel_name == clean_name(task.program.name) ? kernel_name + "_kernel" : kernel_name;
}

}  // namespace

KernelScope::KernelScope(const Task& task, const std::string& kernel_name, int waves, const Facts& facts)
    : b(beside_the_entry(task, kernel_name), waves, target::arch_of(task.gpu).wave_sizes.front()),
      task_(task),
      facts_(facts),
      real_(real_type(task.program)) {
  for (const ir::Tensor& tensor : program().tensors) names_.insert(clean_name(tensor.name));
  declare_sizes();
  for (const ir::Tensor& tensor : program().tensors) declare_strides(tensor);
  for (const ir::ScalarParam& param : program().scalar_params) {
    std::string name = unused_name(param.name);
    scalar_names_[name] = param.name;
    Value value{b.scalar(name, DType::f64), ir::ValueType::real};
    if (param.is_bool)
      value = {b.binary(tile::OpCode::ne, value.id, b.constant(0, DType::f64)), ir::ValueType::boolean};
    scalars_[param.name] = value;
  }
}

// All sizes that could be asked for are declared now, since arguments must be defined outside of loops; those that
// nobody reads are dropped at the end.
void KernelScope::declare_sizes() {
  for (const ir::Dim& dim : program().dims) declare_size(IntExpr::name(dim.name), dim.name);
  for (const ir::Tensor& tensor : program().tensors)
    for (const IntExpr& extent : tensor.shape) declare_size(extent, tensor.name + "_size");
  auto declare_in = [&](const ir::ExprRef& expr) {
    if (expr)
      ir::visit(expr, [&](const ir::Expr& e) {
        if (e.op == ir::Op::size) declare_size(e.size_expr, "size");
      });
  };
  for (const ir::Stage& stage : program().stages) {
    declare_in(stage.value);
    declare_in(stage.condition);
    for (const ir::ExprRef& index : stage.indices) declare_in(index);
    for (const ir::ScanState& state : stage.states) declare_in(state.init), declare_in(state.body);
  }
}

IntExpr KernelScope::expanded(const IntExpr& size) const {
  IntExpr over_plan = expand_size(program(), size);
  std::map<std::string, IntExpr> values;
  for (const auto& [name, value] : facts_.fixed) values.emplace(name, IntExpr(value));
  over_plan = over_plan.substitute(values);
  if (!over_plan.names().empty()) return over_plan;
  Result<int64_t> value = over_plan.evaluate({});
  return value ? IntExpr(*value) : over_plan;
}

void KernelScope::declare_size(const IntExpr& size, const std::string& wanted) {
  IntExpr passed = expanded(size);
  if (passed.kind() == IntExpr::Kind::constant || size_arguments_.contains(passed.text())) return;
  bool is_param = passed.kind() == IntExpr::Kind::name && program().dim(passed.text()) == nullptr;
  bool is_dim = size.kind() == IntExpr::Kind::name && program().dim(size.name_text()) != nullptr;
  std::string name = unused_name(is_param ? passed.text() : wanted);
  int64_t limit = facts_.wide ? kWideSize : kNarrowSize;
  Integer& made = argument(name, passed, is_dim ? 0 : -limit, limit);
  size_arguments_[passed.text()] = name;
  if (facts_.wide) return;
  made.when = compare(IntExpr::Kind::le, passed, IntExpr(limit));
  if (!is_dim) made.when = logical_and(made.when, compare(IntExpr::Kind::ge, passed, IntExpr(-limit)));
}

void KernelScope::declare_strides(const ir::Tensor& tensor) {
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    std::string at = std::to_string(axis);
    IntExpr passed = IntExpr::name(tensor.name + ".stride." + at);
    std::string name = unused_name(clean_name(tensor.name) + "_stride_" + at);
    int64_t limit = facts_.wide ? INT64_MAX : INT32_MAX;
    Integer& made = argument(name, passed, 0, limit);
    if (!facts_.wide) made.when = compare(IntExpr::Kind::le, passed, IntExpr(limit));
    size_arguments_[passed.text()] = name;
  }
}

std::string KernelScope::unused_name(std::string name) {
  name = clean_name(name);
  std::string candidate = name;
  for (int n = 1; names_.contains(candidate); ++n) candidate = name + "_" + std::to_string(n);
  names_.insert(candidate);
  return candidate;
}

KernelScope::Integer& KernelScope::argument(const std::string& name, const IntExpr& passed, int64_t low, int64_t high) {
  Integer integer;
  integer.value = {b.scalar(name, index_type()), ir::ValueType::integer, low, high};
  integer.passed = passed;
  return integers_.emplace(name, std::move(integer)).first->second;
}

int KernelScope::tensor(const std::string& name, Access access) {
  auto found = buffers_.find(name);
  if (found != buffers_.end()) return found->second;
  const ir::Tensor* tensor = program().tensor(name);
  CHECK(tensor != nullptr) << "no tensor " << name;
  // Two 4-bit elements share a byte: the kernel sees the bytes.
  DType dtype = info(tensor->dtype).bits < 8 ? DType::u8 : tensor->dtype;
  int index = b.buffer(clean_name(name), dtype, access != Access::read, access != Access::write);
  KernelArg arg;
  arg.name = name;
  buffer_args_.push_back(arg);
  if (!facts_.wide) require_span(name);
  return buffers_[name] = index;
}

int KernelScope::workspace(const std::string& name, DType dtype, Access access) {
  auto found = buffers_.find("workspace " + name);
  if (found != buffers_.end()) return found->second;
  int index = b.buffer(unused_name("ws_" + name), dtype, access != Access::read, access != Access::write);
  KernelArg arg;
  arg.kind = KernelArg::Kind::workspace;
  arg.name = name;
  buffer_args_.push_back(arg);
  return buffers_["workspace " + name] = index;
}

// Every element must be at an offset that 32 bits hold.
void KernelScope::require_span(const std::string& name) {
  const ir::Tensor& tensor = *program().tensor(name);
  IntExpr last(0);
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
    last = last + (expanded(tensor.shape[axis]) - IntExpr(1)) * IntExpr::name(name + ".stride." + std::to_string(axis));
  if (!tensor.shape.empty()) require(compare(IntExpr::Kind::le, last, IntExpr(INT32_MAX)));
}

Value KernelScope::size(const IntExpr& size) {
  IntExpr passed = expanded(size);
  if (passed.kind() == IntExpr::Kind::constant)
    return {b.integer(passed.value(), index_type()), ir::ValueType::integer, passed.value(), passed.value()};
  auto found = size_arguments_.find(passed.text());
  CHECK(found != size_arguments_.end()) << "the size " << passed.text() << " was not declared";
  return integers_.at(found->second).value;
}

Value KernelScope::dim(const std::string& name) { return size(dim_size(program(), name)); }

Value KernelScope::stride(const std::string& tensor, size_t axis) {
  return integers_.at(size_arguments_.at(tensor + ".stride." + std::to_string(axis))).value;
}

Value KernelScope::scalar(const std::string& name) {
  auto found = scalars_.find(name);
  CHECK(found != scalars_.end()) << "no parameter " << name;
  return found->second;
}

void KernelScope::require(const IntExpr& condition) { requirements_.emplace(condition.text(), condition); }

void KernelScope::use_unit_stride(const std::string& tensor, size_t axis) {
  IntExpr stride = IntExpr::name(tensor + ".stride." + std::to_string(axis));
  require(compare(IntExpr::Kind::eq, stride, IntExpr(1)));
}

void KernelScope::use_stride_multiple(const std::string& tensor, size_t axis, int64_t factor) {
  if (factor <= 1) return;
  IntExpr stride = IntExpr::name(tensor + ".stride." + std::to_string(axis));
  require(compare(IntExpr::Kind::eq, mod(stride, IntExpr(factor)), IntExpr(0)));
  Integer& argument = integers_.at(size_arguments_.at(stride.text()));
  argument.multiple = std::max(argument.multiple, factor);
}

void KernelScope::use_alignment(const std::string& tensor, int64_t bytes) {
  int64_t& known = alignment_[clean_name(tensor)];
  if (bytes <= known) return;
  known = bytes;
  require(compare(IntExpr::Kind::ge, IntExpr::name(tensor + ".align"), IntExpr(bytes)));
}

void KernelScope::use_size_multiple(const IntExpr& size, int64_t factor) {
  IntExpr passed = expanded(size);
  if (factor <= 1 || passed.kind() == IntExpr::Kind::constant) return;
  require(compare(IntExpr::Kind::eq, mod(passed, IntExpr(factor)), IntExpr(0)));
  auto found = size_arguments_.find(passed.text());
  if (found == size_arguments_.end()) return;
  Integer& argument = integers_.at(found->second);
  argument.multiple = std::max(argument.multiple, factor);
}

KernelArg KernelScope::pass_scalar(const tile::ScalarArg& arg, BuiltKernel& built) const {
  KernelArg pass;
  pass.dtype = arg.dtype;
  auto integer = integers_.find(arg.name);
  if (integer == integers_.end()) {
    pass.kind = KernelArg::Kind::scalar;
    pass.name = scalar_names_.at(arg.name);
    return pass;
  }
  pass.kind = KernelArg::Kind::integer;
  pass.name = arg.name;
  pass.value = integer->second.passed;
  const IntExpr& when = integer->second.when;
  if (!when.is_constant(1)) built.conditions.emplace(when.text(), when);
  if (integer->second.multiple > 1) built.multiple_of[arg.name] = integer->second.multiple;
  return pass;
}

BuiltKernel KernelScope::finish(const std::array<IntExpr, 3>& grid) {
  BuiltKernel built;
  built.kernel = b.finish();
  remove_dead(built.kernel);
  built.launch.kernel = built.kernel.name;
  built.launch.grid = grid;
  built.launch.block = IntExpr(int64_t{built.kernel.waves} * built.kernel.wave_size);
  built.launch.args = buffer_args_;
  for (const auto& [name, value] : facts_.fixed)
    require(compare(IntExpr::Kind::eq, IntExpr::name(name), IntExpr(value)));
  built.conditions = requirements_;
  for (const tile::ScalarArg& arg : built.kernel.scalars) built.launch.args.push_back(pass_scalar(arg, built));
  built.alignment = alignment_;
  return built;
}

namespace {

using tile::OpCode;

bool must_stay(const tile::Operation& op) {
  return op.code == OpCode::store || op.code == OpCode::atomic || op.code == OpCode::lds_store ||
         op.code == OpCode::barrier || op.code == OpCode::yield || !op.regions.empty();
}

void sweep(tile::Block& block, std::set<tile::ValueId>& used) {
  std::vector<tile::Operation> kept;
  for (size_t at = block.ops.size(); at-- > 0;) {
    tile::Operation& op = block.ops[at];
    bool live = must_stay(op);
    for (tile::ValueId result : op.results) live |= used.contains(result);
    if (!live) continue;
    for (tile::Block& region : op.regions) sweep(region, used);
    used.insert(op.operands.begin(), op.operands.end());
    kept.push_back(std::move(op));
  }
  block.ops.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace

void remove_dead(tile::Kernel& kernel) {
  std::set<tile::ValueId> used;
  sweep(kernel.body, used);
  std::set<std::string> read;
  for (const tile::Operation& op : kernel.body.ops)
    if (op.code == OpCode::argument) read.insert(op.attrs.name);
  std::erase_if(kernel.scalars, [&](const tile::ScalarArg& arg) { return !read.contains(arg.name); });
}

}  // namespace hipvault::schedule
