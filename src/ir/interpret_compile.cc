#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "ir/interpret_impl.h"

namespace hipvault::ir {
namespace {

constexpr int64_t kLargestTable = int64_t{1} << 22;  // entries a table

bool is_compare(Op op) { return op >= Op::lt && op <= Op::ne; }

// Whether a map is cheaper to compute again than to look up.
bool is_cheap(const ExprRef& value) {
  int nodes = 0;
  bool deep = false;
  visit(value, [&](const Expr& e) {
    ++nodes;
    deep = deep || e.op == Op::reduce;
  });
  return !deep && nodes <= 6;
}

}  // namespace

void Memo::prepare(size_t bytes) {
  int64_t room = std::min<int64_t>(kLargestTable, static_cast<int64_t>(bytes / (sizeof(V) + sizeof(int64_t))));
  int64_t size = 1;
  while (size < total && size * 2 <= room) size *= 2;
  keys.assign(static_cast<size_t>(size), -1);
  values.resize(static_cast<size_t>(size));
  mask = size - 1;
}

V TensorView::at(int64_t position) const {
  const char* bytes = tensor->bytes.data();
  if (!table.empty()) {
    if (bits == 16) return {table[reinterpret_cast<const uint16_t*>(bytes)[position]], 0, 0};
    return {table[static_cast<uint8_t>(bytes[position])], 0, 0};
  }
  if (tensor->dtype == DType::f32) return {static_cast<double>(reinterpret_cast<const float*>(bytes)[position]), 0, 0};
  if (is_float) return {decode(tensor->dtype, bytes, position), 0, 0};
  return integer_value(decode_int(tensor->dtype, bytes, position));
}

Interpreter::Impl::Impl(const Program& program, const Bindings& bindings, const ErrorModel& model, size_t memory_budget)
    : program_(program), bindings_(bindings), scalars_(model), budget_(memory_budget) {
  prepare();
}

void Interpreter::Impl::prepare() {
  for (const Stage& stage : program_.stages) prepare_stage(stage);
  // Tables share half of the budget; rows have the other half.
  for (const std::unique_ptr<Node>& node : nodes_)
    if (node->memo) node->memo->prepare(budget_ / 2 / std::max<size_t>(memos_, 1));
  for (const std::unique_ptr<StageRecord>& record : stages_)
    if (record->memo) record->memo->prepare(budget_ / 2 / std::max<size_t>(memos_, 1));
}

int Interpreter::Impl::slot_of(const std::string& dim) {
  auto [found, added] = slots_.emplace(dim, static_cast<int>(env_.size()));
  if (added) {
    env_.push_back(0);
    sizes_.push_back(-1);
    dims_.push_back(dim);
    const Dim* known = program_.dim(dim);
    auto bound = bindings_.sizes.find(dim);
    if (bound != bindings_.sizes.end()) {
      sizes_.back() = bound->second;
    } else if (known != nullptr) {
      Result<int64_t> size = known->size.evaluate(bindings_.sizes);
      if (size) sizes_.back() = *size;
    }
    if (sizes_.back() < 0)
      wrong("ir.size", fmt::format("the size {} has no value", dim), "bind_sizes gives all sizes"), sizes_.back() = 0;
  }
  return found->second;
}

int64_t Interpreter::Impl::extent_of(const std::string& dim) { return sizes_[static_cast<size_t>(slot_of(dim))]; }

std::unique_ptr<Memo> Interpreter::Impl::memo_over(const std::vector<int>& slots) {
  auto memo = std::make_unique<Memo>();
  memo->slots = slots;
  for (int slot : slots) {
    memo->extents.push_back(sizes_[static_cast<size_t>(slot)]);
    memo->total *= std::max<int64_t>(memo->extents.back(), 1);
  }
  ++memos_;
  return memo;
}

const TensorView* Interpreter::Impl::view_of(const std::string& name) {
  std::unique_ptr<TensorView>& view = views_[name];
  if (view) return view.get();
  auto bound = bindings_.tensors.find(name);
  if (bound == bindings_.tensors.end() || bound->second == nullptr)
    return wrong("ir.input", fmt::format("the tensor {} has no data", name)), nullptr;
  view = std::make_unique<TensorView>();
  view->tensor = bound->second;
  const DTypeInfo& type = info(bound->second->dtype);
  view->is_float = type.is_float;
  view->bits = type.bits;
  if (!type.is_float || (type.bits != 16 && type.bits != 8)) return view.get();
  view->table.resize(size_t{1} << type.bits);
  for (uint32_t pattern = 0; pattern < view->table.size(); ++pattern) {
    uint16_t half = static_cast<uint16_t>(pattern);
    view->table[pattern] = decode(type.dtype, &half, 0);
  }
  return view.get();
}

Node* Interpreter::Impl::compile(const ExprRef& expr) {
  bool shared = by_state_.empty();  // inside a scan equal nodes of different scans differ
  if (shared)
    for (const auto& [known, node] : compiled_[expr->hash])
      if (equal(known, expr)) return node;
  Node* node = make_node(expr);
  if (shared) compiled_[expr->hash].emplace_back(expr, node);
  return node;
}

Node* Interpreter::Impl::make_node(const ExprRef& expr) {
  const Expr& e = *expr;
  auto owned = std::make_unique<Node>();
  Node& node = *owned;
  node.op = e.op;
  node.type = e.type;
  node.dtype = e.dtype;
  node.name = e.name;
  for (const ExprRef& arg : e.args) node.args.push_back(compile(arg));
  for (const Node* arg : node.args) node.uses_state = node.uses_state || arg->uses_state;
  node.integers =
      std::all_of(node.args.begin(), node.args.end(), [](const Node* arg) { return arg->type != ValueType::real; });
  switch (e.op) {
    case Op::number:
      node.value = e.type == ValueType::real ? scalars_.constant(e.number) : integer_value(e.integer);
      break;
    case Op::index:
      node.kind = Node::Kind::index, node.slot = slot_of(e.name);
      break;
    case Op::size: {
      Result<int64_t> size = e.size_expr.evaluate(bindings_.sizes);
      if (!size) wrong("ir.size", size.error().message);
      node.value = integer_value(size ? *size : 0);
      break;
    }
    case Op::scalar: {
      auto bound = bindings_.scalars.find(e.name);
      std::optional<double> value;
      for (const ScalarParam& param : program_.scalar_params)
        if (param.name == e.name) value = param.fallback;
      if (bound != bindings_.scalars.end()) value = bound->second;
      if (!value) wrong("ir.input", fmt::format("the parameter {} has no value", e.name));
      node.value =
          e.type == ValueType::boolean ? integer_value(value.value_or(0) != 0) : scalars_.constant(value.value_or(0));
      break;
    }
    case Op::load:
      compile_load(node, e);
      break;
    case Op::state: {
      node.kind = Node::Kind::state;
      node.uses_state = true;
      auto found = by_state_.find(e.name);
      CHECK(found != by_state_.end()) << "the state " << e.name << " outside its scan";
      node.stage = found->second.first, node.output = found->second.second;
      break;
    }
    case Op::cast:
      node.kind = Node::Kind::cast;
      break;
    case Op::reduce:
      compile_reduce(node, e);
      break;
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or:
      node.kind = Node::Kind::logical;
      break;
    case Op::select:
      node.kind = Node::Kind::choose;
      break;
    case Op::random:
    case Op::uniform:
      node.kind = Node::Kind::generator;
      break;
    default:
      node.kind = is_compare(e.op)        ? Node::Kind::compare
                  : node.args.size() == 1 ? Node::Kind::unary
                                          : Node::Kind::binary;
  }
  if (e.type == ValueType::real && !is_compare(e.op) && e.op != Op::isnan && e.op != Op::isinf) node.integers = false;
  nodes_.push_back(std::move(owned));
  return nodes_.back().get();
}

void Interpreter::Impl::compile_load(Node& node, const Expr& e) {
  if (e.has_else) node.otherwise = node.args.back(), node.args.pop_back();
  const Tensor* tensor = program_.tensor(e.name);
  for (const Node* arg : node.args) node.index_slots.push_back(arg->kind == Node::Kind::index ? arg->slot : -1);
  if (tensor != nullptr && tensor->role != Role::output) {
    node.kind = Node::Kind::load_tensor;
    node.view = view_of(e.name);
    if (node.view == nullptr) return;
    node.strides = node.view->tensor->strides;
    node.extents = node.view->tensor->shape;
    if (node.extents.size() != node.args.size())
      wrong("ir.input",
            fmt::format("{} has {} axes, but the data has {}", e.name, node.args.size(), node.extents.size())),
          node.view = nullptr;
    return;
  }
  node.kind = Node::Kind::load_stage;
  auto found = by_output_.find(e.name);
  if (found == by_output_.end()) return wrong("ir.verify", fmt::format("{} is read before it is defined", e.name));
  node.stage = found->second.first, node.output = found->second.second;
  node.extents = node.stage->outputs[static_cast<size_t>(node.output)].extents;
}

void Interpreter::Impl::compile_reduce(Node& node, const Expr& e) {
  node.kind = Node::Kind::reduce;
  node.reduction = e.reduction;
  for (const std::string& dim : e.dims) {
    node.over.push_back(slot_of(dim));
    node.over_extents.push_back(extent_of(dim));
    node.count *= node.over_extents.back();
  }
  std::vector<int> free;
  for (const std::string& dim : e.free) free.push_back(slot_of(dim));
  node.memo = memo_over(free);
  if (e.reduction == Reduction::sum || e.reduction == Reduction::mean) find_walk(node);
}

// A sum of products of two tensors' elements whose positions move evenly: the inside of every matmul. The general walk
// takes some 60 ns a term, this one 2.
void Interpreter::Impl::find_walk(Node& node) {
  const Node& body = *node.args[0];
  if (body.op != Op::mul || body.type != ValueType::real || body.kind != Node::Kind::binary) return;
  for (int side = 0; side < 2; ++side)
    if (!walk_of(*body.args[static_cast<size_t>(side)], node.over, node.walk[side])) return node.walk[0].clear();
}

bool Interpreter::Impl::walk_of(const Node& load, const std::vector<int>& over, std::vector<int64_t>& steps) const {
  if (load.kind != Node::Kind::load_tensor || load.otherwise != nullptr || load.view == nullptr ||
      !load.view->is_float || load.view->bits < 8)
    return false;
  steps.assign(over.size(), 0);
  for (size_t axis = 0; axis < load.args.size(); ++axis) {
    int slot = load.index_slots[axis];
    if (slot < 0 || sizes_[static_cast<size_t>(slot)] > load.extents[axis]) return false;
    for (size_t i = 0; i < over.size(); ++i)
      if (over[i] == slot) steps[i] += load.strides[axis];
  }
  return true;
}

void Interpreter::Impl::prepare_stage(const Stage& stage) {
  at_ = &stage;
  stages_.push_back(std::make_unique<StageRecord>());
  StageRecord& record = *stages_.back();
  record.stage = &stage;
  if (stage.kind == Stage::Kind::scatter) {
    record.outputs.push_back({&stage.outputs[0], {}, {}});
    for (const IntExpr& extent : program_.tensor(stage.outputs[0].name)->shape)
      record.outputs[0].extents.push_back(extent.evaluate(bindings_.sizes).value_or(0));
    prepare_scatter(record);
  } else {
    for (const Output& output : stage.outputs) {
      OutputRecord out{&output, {}, {}};
      for (const std::string& dim : output.dims)
        out.slots.push_back(slot_of(dim)), out.extents.push_back(extent_of(dim));
      record.outputs.push_back(std::move(out));
    }
  }
  if (stage.kind == Stage::Kind::scan || stage.kind == Stage::Kind::fold) prepare_states(record);
  if (stage.kind == Stage::Kind::map) {
    record.value = compile(stage.value);
    std::vector<int> free;
    for (const std::string& dim : stage.value->free) free.push_back(slot_of(dim));
    if (!is_cheap(stage.value) && record.value->kind != Node::Kind::reduce) record.memo = memo_over(free);
  } else if (stage.value && stage.kind != Stage::Kind::scatter) {
    record.value = compile(stage.value);
    record.slot = slot_of(stage.dim);
    record.extent = extent_of(stage.dim);
    for (const std::string& dim : stage.value->free)
      if (dim != stage.dim) record.key_slots.push_back(slot_of(dim)), record.key_extents.push_back(extent_of(dim));
  }
  for (size_t i = 0; i < stage.outputs.size(); ++i) by_output_[stage.outputs[i].name] = {&record, static_cast<int>(i)};
  at_ = nullptr;
}

void Interpreter::Impl::prepare_scatter(StageRecord& record) {
  const Stage& stage = *record.stage;
  record.target_extents = record.outputs[0].extents;
  std::set<std::string> fixed;
  for (size_t axis = 0; axis < stage.indices.size(); ++axis) {
    const ExprRef& index = stage.indices[axis];
    record.indices.push_back(compile(index));
    // An axis indexed by a plain dimension fixes that dimension for a wanted element: it need not be walked.
    bool plain = index->op == Op::index && fixed.insert(index->name).second;
    record.fixed_axis.push_back(plain ? slot_of(index->name) : -1);
  }
  if (stage.condition) record.condition = compile(stage.condition);
  record.value = compile(stage.value);
  // A condition or index that uses a fixed dimension would make the places depend on it; then nothing is fixed.
  bool depends = false;
  for (const std::string& dim : fixed) {
    if (stage.condition) depends = depends || stage.condition->free.contains(dim);
    for (const ExprRef& index : stage.indices)
      depends = depends || (index->op != Op::index && index->free.contains(dim));
  }
  if (depends) {
    fixed.clear();
    std::fill(record.fixed_axis.begin(), record.fixed_axis.end(), -1);
  }
  for (const std::string& dim : stage.over)
    if (!fixed.contains(dim)) record.over_slots.push_back(slot_of(dim)), record.over_extents.push_back(extent_of(dim));
}

namespace {

// Dimensions along which a state's elements see one another: those reduced over, or indexed by anything but themselves.
void find_coupled(const ExprRef& expr, const std::map<std::string, std::vector<std::string>>& dims,
                  std::set<std::string> bound, std::set<std::string>& coupled) {
  if (expr->op == Op::reduce) bound.insert(expr->dims.begin(), expr->dims.end());
  if (expr->op == Op::state) {
    const std::vector<std::string>& own = dims.at(expr->name);
    for (size_t i = 0; i < own.size(); ++i)
      if (expr->args[i]->op != Op::index || expr->args[i]->name != own[i] || bound.contains(own[i]))
        coupled.insert(own[i]);
  }
  for (const ExprRef& arg : expr->args) find_coupled(arg, dims, bound, coupled);
}

}  // namespace

void Interpreter::Impl::prepare_states(StageRecord& record) {
  const Stage& stage = *record.stage;
  record.slot = slot_of(stage.dim);
  record.extent = extent_of(stage.dim);
  std::map<std::string, std::vector<std::string>> dims;
  for (const ScanState& state : stage.states) dims[state.name] = state.dims;
  std::set<std::string> coupled, batch;
  for (const ScanState& state : stage.states) find_coupled(state.body, dims, {}, coupled);
  for (size_t i = 0; i < stage.states.size(); ++i) {
    const ScanState& state = stage.states[i];
    StateRecord one;
    one.state = &state;
    one.init = compile(state.init);
    for (const std::string& dim : state.dims) {
      one.slots.push_back(slot_of(dim));
      one.extents.push_back(extent_of(dim));
      one.coupled.push_back(coupled.contains(dim));
      if (coupled.contains(dim)) {
        one.coupled_slots.push_back(slot_of(dim));
        one.coupled_extents.push_back(extent_of(dim));
        one.local *= extent_of(dim);
      } else {
        batch.insert(dim);
      }
    }
    one.offset = record.local;
    record.local += one.local;
    record.states.push_back(std::move(one));
  }
  for (const std::string& dim : batch)
    record.key_slots.push_back(slot_of(dim)), record.key_extents.push_back(extent_of(dim));
  for (size_t i = 0; i < stage.states.size(); ++i) by_state_[stage.states[i].name] = {&record, static_cast<int>(i)};
  for (StateRecord& one : record.states) one.body = compile(one.state->body);
  by_state_.clear();
  // A trajectory that does not fit is kept as marks, and one block between two of them is computed again.
  int64_t room =
      std::max<int64_t>(1, static_cast<int64_t>(budget_ / 8 / sizeof(V)) / std::max<int64_t>(record.local, 1));
  record.block = std::max<int64_t>(1, std::min(record.extent, room));
}

}  // namespace hipvault::ir
