// Groups: neighbouring operations with one layout become one loop over registers. A group has three phases, loads,
// element operations (folds of reductions included) and stores; an operation that would break that order starts a new
// group.

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "print/kernel_printer.h"

namespace hipvault::print {

using tile::Kind;
using tile::OpCode;
using tile::Operation;
using tile::ValueId;

namespace {

bool is_store(const Operation& op) { return op.code == OpCode::store || op.code == OpCode::atomic; }

}  // namespace

const tile::Layout* KernelPrinter::group_layout(const Operation& op) const {
  ValueId value = op.code == OpCode::load || is_store(op) || op.code == OpCode::reduce ? op.operands[0] : op.results[0];
  return value_info(value).layout ? &*value_info(value).layout : nullptr;
}

bool KernelPrinter::depends_on(ValueId value, const std::set<ValueId>& values) const {
  if (values.contains(value)) return true;
  const Operation* op = definition(value);
  bool inlined = op && storage_[static_cast<size_t>(value)].form == Storage::none &&
                 (is_lazy_shape(value) || (is_tile(value) && free_[static_cast<size_t>(value)] >= 0));
  if (!inlined) return false;
  for (ValueId operand : op->operands)
    if (depends_on(operand, values)) return true;
  return false;
}

// Operations that read the value, seen through changes of shape that are printed in place.
std::set<const Operation*> KernelPrinter::consumers(ValueId value) const {
  std::set<const Operation*> found;
  for (const Operation* user : users_[static_cast<size_t>(value)]) {
    bool inlined = user->results.size() == 1 && is_lazy_shape(user->results[0]);
    if (!inlined) {
      found.insert(user);
      continue;
    }
    for (const Operation* op : consumers(user->results[0])) found.insert(op);
    found.insert(nullptr);  // read at another register: the value needs all of them
  }
  return found;
}

bool KernelPrinter::used_outside(ValueId value, const Group& group) const {
  for (const Operation* consumer : consumers(value))
    if (std::find(group.ops.begin(), group.ops.end(), consumer) == group.ops.end()) return true;
  return false;
}

bool KernelPrinter::joins(const Group& group, const Operation& op) const {
  if (group.ops.empty()) return true;
  const tile::Layout* layout = group_layout(op);
  if (!layout || !(*layout == *group.layout)) return false;
  std::set<ValueId> made, reduced;
  bool stored = false;
  std::set<int> loaded_from, stored_to;
  for (const Operation* member : group.ops) {
    made.insert(member->results.begin(), member->results.end());
    if (member->code == OpCode::reduce || member->code == OpCode::atomic)
      reduced.insert(member->results.begin(), member->results.end());
    stored = stored || is_store(*member);
    (is_store(*member) ? stored_to : loaded_from).insert(member->attrs.buffer);
  }
  for (ValueId operand : op.operands)
    if (depends_on(operand, reduced)) return false;
  if (op.code == OpCode::load) {
    if (stored) return false;
    for (ValueId operand : op.operands)
      if (depends_on(operand, made)) return false;
  }
  if (is_store(op) && loaded_from.contains(op.attrs.buffer)) return false;
  // A value read through a change of shape comes from another register, which the loop may not have reached.
  for (ValueId operand : op.operands)
    if (is_lazy_shape(operand) && depends_on(operand, made)) return false;
  return true;
}

void KernelPrinter::flush(Group& group) {
  if (group.ops.empty()) return;
  Group whole = std::move(group);
  group = {};
  int vector = 1;
  for (const Operation* op : whole.ops) vector = std::max(vector, op->attrs.vector);
  // With several vectors in flight all loads are issued before the first use.
  if (whole.layout->registers() > vector) {
    Group loads, rest;
    loads.layout = rest.layout = whole.layout;
    for (const Operation* op : whole.ops) (op->code == OpCode::load ? loads : rest).ops.push_back(op);
    if (!loads.ops.empty() && !rest.ops.empty()) {
      print_group(loads);
      return print_group(rest);
    }
  }
  print_group(whole);
}

void KernelPrinter::print_group(const Group& group) {
  int vector = 1, log_vector = 0, log_registers = static_cast<int>(group.layout->reg.size());
  for (const Operation* op : group.ops) {
    vector = std::max(vector, op->attrs.vector);
    comment(op->comment);
  }
  while ((1 << log_vector) < vector) ++log_vector;
  loop_ = Loop{log_registers - log_vector, log_vector, false};
  Scope scope;
  scope_ = &scope;
  for (const Operation* op : group.ops)
    if (op->code == OpCode::reduce) reduce_declare(*op);
  std::string loads, elements, stores;
  print_loads(group, scope, loads);
  std::string outer_before_elements = std::move(scope.outer);
  scope.outer.clear();
  print_element_ops(group, elements);
  if (loop_.inner_bits && !elements.empty())
    elements = fmt::format("#pragma unroll\nfor (int e = 0; e < {}; ++e) {{\n{}}}\n", 1 << loop_.inner_bits,
                           indented(elements));
  std::string outer_of_elements = std::move(scope.outer);
  scope.outer.clear();
  print_stores(group, scope, stores);
  std::string body = outer_before_elements + loads + outer_of_elements + elements + scope.outer + stores;
  if (!scope.before.empty()) out_ += indented(scope.before, indent_);
  if (loop_.outer_bits) {
    std::string index = loop_.inner_bits ? "i" : "r";
    out_ += fmt::format("{}#pragma unroll\n{}for (int {} = 0; {} < {}; ++{}) {{\n{}{}}}\n", indent_, indent_, index,
                        index, 1 << loop_.outer_bits, index, indented(body, indent_ + "  "), indent_);
  } else {
    out_ += indented(body, indent_);
  }
  // What lived only inside the loop is gone; what is used later is in arrays.
  for (const Operation* op : group.ops)
    for (ValueId result : op->results) {
      Storage& storage = storage_[static_cast<size_t>(result)];
      if (storage.form == Storage::vector_local || storage.form == Storage::element_local) storage.form = Storage::none;
    }
  scope_ = nullptr;
  loop_ = {};
  for (const Operation* op : group.ops)
    if (op->code == OpCode::reduce) reduce_finish(*op);
}

std::string KernelPrinter::declare_array(ValueId value, const std::string& name) const {
  return fmt::format("{} {}[{}];", type_text(type(value).dtype), name, registers(value));
}

// ---- loads
// -------------------------------------------------------------------------------------------------------------

void KernelPrinter::print_loads(const Group& group, Scope& scope, std::string& body) {
  for (const Operation* op : group.ops) {
    if (op->code != OpCode::load) continue;
    ValueId value = op->results[0];
    std::string name = name_of(value, kernel_.buffers[static_cast<size_t>(op->attrs.buffer)].name + "_value");
    Storage& storage = storage_[static_cast<size_t>(value)];
    int total = registers(value), inner = 1 << loop_.inner_bits, vector = op->attrs.vector;
    bool whole = used_outside(value, group) && total > 1;
    std::string target;
    if (whole) {
      line(declare_array(value, name));
      storage = {Storage::array, {name}};
    } else if (total == 1) {
      line(fmt::format("{} {};", type_text(type(value).dtype), name));
      storage = {Storage::single, {name}};
    } else {
      body +=
          fmt::format("{} {}{};\n", type_text(type(value).dtype), name, inner > 1 ? fmt::format("[{}]", inner) : "");
      storage = {inner > 1 ? Storage::vector_local : Storage::element_local, {name}};
    }
    if (vector == inner && !is_nibble(*op)) {
      body += at_vector_start([&] { return access(*op, name); });
    } else {
      body += in_inner_loop(is_nibble(*op) ? 1 : vector,
                            [&] { return vector > 1 ? access(*op, name) : element_access(*op); });
    }
  }
}

bool KernelPrinter::is_nibble(const Operation& op) const {
  return info(kernel_.buffers[static_cast<size_t>(op.attrs.buffer)].dtype).bits == 4;
}

// A loop of its own over the elements of the group's vector, `step` at a time, for accesses narrower than it.
std::string KernelPrinter::in_inner_loop(int step, const std::function<std::string()>& body) {
  std::map<std::string, std::string> known = std::move(scope_->known_inner);
  std::string declarations = std::move(scope_->inner);
  scope_->known_inner.clear();
  scope_->inner.clear();
  std::string text = body();
  text = scope_->inner + text;
  scope_->inner = std::move(declarations);
  scope_->known_inner = std::move(known);
  if (!loop_.inner_bits) return text;
  std::string increment = step == 1 ? "++e" : fmt::format("e += {}", step);
  return fmt::format("#pragma unroll\nfor (int e = 0; e < {}; {}) {{\n{}}}\n", 1 << loop_.inner_bits, increment,
                     indented(text));
}

// Memory text of one element or one vector. `local` is the register array or variable on the other side.
std::string KernelPrinter::access(const Operation& op, const std::string& local) {
  const tile::BufferArg& buffer = kernel_.buffers[static_cast<size_t>(op.attrs.buffer)];
  bool is_load = op.code == OpCode::load;
  size_t mask_at = is_load ? 1 : 2;
  std::string pointer_type = fmt::format("{}{}*", buffer.writable ? "" : "const ", storage_text(buffer.dtype));
  int vector = op.attrs.vector;
  if (is_nibble(op)) return element_access(op);
  Address where = address(op.attrs.buffer, op.operands[0], pointer_type);
  std::string predicate;
  if (op.operands.size() > mask_at) predicate = wrap(at(op.operands[mask_at]), kAnd);
  if (predicate == "true") predicate.clear();
  if (!is_load) {
    const tile::Layout* layout = value_info(op.operands[0]).layout ? &*value_info(op.operands[0]).layout : nullptr;
    std::string once = layout ? replica_predicate(*layout) : "thread == 0";
    if (!once.empty()) predicate += (predicate.empty() ? "" : " && ") + once;
  }
  std::string place = where.base + (where.index.text == "0" ? "" : " + " + wrap(where.index, kSum + 1));
  std::string element = fmt::format("{}[{}]", where.base, where.index.text);
  if (!is_load) {
    std::string statement = vector > 1 ? fmt::format("hv::store<{}>({}, {});", vector, place, local)
                                       : fmt::format("{} = {};", element, local);
    return predicate.empty() ? statement + "\n" : fmt::format("if ({}) {}\n", predicate, statement);
  }
  ValueId value = op.results[0];
  std::string other = op.operands.size() > 2 ? at(op.operands[2]).text : literal(type(value).dtype, {}).text;
  const Storage& storage = storage_[static_cast<size_t>(value)];
  std::string target = local;
  if (storage.form == Storage::array) {
    std::string index = register_index(identity_columns()).text;
    target = vector == 1 ? local + "[" + index + "]" : index == "0" ? local : local + " + " + index;
  } else if (storage.form == Storage::vector_local && vector > 1 && !loop_.at_vector_start) {
    target = local + " + e";
  }
  if (vector == 1) {
    std::string read = type(value).dtype == DType::boolean ? element + " != 0" : element;
    return predicate.empty() ? fmt::format("{} = {};\n", target, read)
                             : fmt::format("{} = {} ? {} : {};\n", target, predicate, read, other);
  }
  std::string statement = fmt::format("hv::load<{}>({}, {});\n", vector, target, place);
  if (predicate.empty()) return statement;
  return fmt::format("hv::fill<{}>({}, {});\nif ({}) {}", vector, target, other, predicate, statement);
}

std::string KernelPrinter::element_access(const Operation& op) {
  const tile::BufferArg& buffer = kernel_.buffers[static_cast<size_t>(op.attrs.buffer)];
  bool is_load = op.code == OpCode::load;
  if (info(buffer.dtype).bits != 4) {
    Operation single = op;
    single.attrs.vector = 1;
    std::string local = is_load ? storage_[static_cast<size_t>(op.results[0])].text.text : at(op.operands[1]).text;
    if (is_load && storage_[static_cast<size_t>(op.results[0])].form == Storage::vector_local) local += "[e]";
    return access(single, local);
  }
  if (!is_load) {
    problem("print.nibble-store",
            "storing the 4-bit type " + std::string(name(buffer.dtype)) + " is not supported: store bytes");
    return "";
  }
  ValueId value = op.results[0];
  Text offset = at(op.operands[0]);
  std::string target = stored(value, identity_columns()).text;
  std::string read = fmt::format("hv::nibble_{}({}, {})", name(buffer.dtype), arguments_.at(buffer.name), offset.text);
  if (op.operands.size() < 2) return fmt::format("{} = {};\n", target, read);
  std::string other = op.operands.size() > 2 ? at(op.operands[2]).text : literal(type(value).dtype, {}).text;
  return fmt::format("{} = {} ? {} : {};\n", target, wrap(at(op.operands[1]), 3), read, other);
}

// ---- element operations
// ------------------------------------------------------------------------------------------------

void KernelPrinter::print_element_ops(const Group& group, std::string& body) {
  for (const Operation* op : group.ops) {
    if (op->code == OpCode::load || is_store(*op)) continue;
    if (op->code == OpCode::reduce) {
      std::string fold = reduce_fold(*op);
      body += scope_->inner + fold;
      scope_->inner.clear();
      continue;
    }
    ValueId value = op->results[0];
    Text text = build_free(*op, identity_columns());
    body += scope_->inner;
    scope_->inner.clear();
    Storage& storage = storage_[static_cast<size_t>(value)];
    int total = registers(value), inner = 1 << loop_.inner_bits;
    bool whole = used_outside(value, group), vector_store = false;
    for (const Operation* user : users_[static_cast<size_t>(value)])
      vector_store =
          vector_store || (user->code == OpCode::store && user->operands[1] == value && user->attrs.vector > 1);
    std::string cpp = type_text(type(value).dtype);
    if (!whole && !vector_store && uses(value) == 1 && value_info(value).hint.empty() && text.text.size() < 60) {
      const Operation* user = users_[static_cast<size_t>(value)][0];
      if (!is_store(*user) && user->code != OpCode::reduce) {
        storage = {Storage::expression, text};
        continue;
      }
    }
    std::string name = name_of(value, default_name(value));
    if (whole && total > 1) {
      line(declare_array(value, name));
      storage = {Storage::array, {name}};
      body += fmt::format("{} = {};\n", stored(value, identity_columns()).text, text.text);
    } else if (total == 1) {
      body += fmt::format("const {} {} = {};\n", cpp, name, text.text);
      storage = {Storage::single, {name}};
    } else if (vector_store && inner > 1) {
      scope_->outer += fmt::format("{} {}[{}];\n", cpp, name, inner);
      storage = {Storage::vector_local, {name}};
      body += fmt::format("{}[e] = {};\n", name, text.text);
    } else {
      body += fmt::format("const {} {} = {};\n", cpp, name, text.text);
      storage = {Storage::element_local, {name}};
    }
  }
}

// ---- stores
// ------------------------------------------------------------------------------------------------------------

// The vector that a store takes its elements from, at the loop's register.
std::string KernelPrinter::vector_source(ValueId value) {
  const Storage& storage = storage_[static_cast<size_t>(value)];
  if (storage.form == Storage::vector_local) return storage.text.text + (loop_.at_vector_start ? "" : " + e");
  std::string index = register_index(identity_columns()).text;
  return storage.text.text + (index == "0" ? "" : " + " + index);
}

void KernelPrinter::print_stores(const Group& group, Scope& scope, std::string& body) {
  int inner = 1 << loop_.inner_bits;
  for (const Operation* op : group.ops) {
    if (!is_store(*op)) continue;
    ValueId value = op->operands[1];
    const Storage::Form form = storage_[static_cast<size_t>(value)].form;
    bool held = form == Storage::array || form == Storage::vector_local;
    if (op->code == OpCode::store && op->attrs.vector > 1 && !is_nibble(*op)) {
      if (!held) {
        // A value computed in place: gathered into a vector first.
        std::string source = fresh(kernel_.buffers[static_cast<size_t>(op->attrs.buffer)].name + "_vector");
        body += fmt::format("{} {}[{}];\n", type_text(type(value).dtype), source, inner);
        body += in_inner_loop(1, [&] { return fmt::format("{}[e] = {};\n", source, at(value).text); });
        body += op->attrs.vector == inner
                    ? at_vector_start([&] { return access(*op, source); })
                    : in_inner_loop(op->attrs.vector, [&] { return access(*op, source + " + e"); });
      } else if (op->attrs.vector == inner) {
        body += at_vector_start([&] { return access(*op, vector_source(value)); });
      } else {
        body += in_inner_loop(op->attrs.vector, [&] { return access(*op, vector_source(value)); });
      }
      continue;
    }
    body += in_inner_loop(1, [&] { return op->code == OpCode::atomic ? atomic_access(*op) : element_access(*op); });
  }
}

std::string KernelPrinter::at_vector_start(const std::function<std::string()>& body) {
  loop_.at_vector_start = true;
  std::string text = body();
  loop_.at_vector_start = false;
  return text;
}

std::string KernelPrinter::atomic_access(const Operation& op) {
  const tile::BufferArg& buffer = kernel_.buffers[static_cast<size_t>(op.attrs.buffer)];
  Text offset = at(op.operands[0]);
  std::string value = at(op.operands[1]).text;
  std::string predicate = op.operands.size() > 2 ? wrap(at(op.operands[2]), kAnd) : "";
  if (predicate == "true") predicate.clear();
  const tile::Layout* layout = value_info(op.operands[0]).layout ? &*value_info(op.operands[0]).layout : nullptr;
  std::string once = layout ? replica_predicate(*layout) : "thread == 0";
  if (!once.empty()) predicate += (predicate.empty() ? "" : " && ") + once;
  std::string suffix = is_float(type(op.operands[1]).dtype) && info(type(op.operands[1]).dtype).bits == 16
                           ? std::string("_") + name(buffer.dtype)
                           : "";
  std::string call = fmt::format("hv::atomic_{}{}({} + {}, {})", tile::kind_name(op.attrs.kind), suffix,
                                 arguments_.at(buffer.name), wrap(offset, kSum + 1), value);
  ValueId result = op.results[0];
  std::string assign;
  if (uses(result) > 0) {
    std::string name = name_of(result, buffer.name + "_old");
    line(registers(result) > 1 ? declare_array(result, name)
                               : fmt::format("{} {};", type_text(type(result).dtype), name));
    storage_[static_cast<size_t>(result)] = {registers(result) > 1 ? Storage::array : Storage::single, {name}};
    assign = stored(result, identity_columns()).text + " = ";
    if (!once.empty())
      problem("print.atomic-replica", "the old value of an atomic on a tile that several lanes hold is not supported");
  }
  return predicate.empty() ? assign + call + ";\n" : fmt::format("if ({}) {}{};\n", predicate, assign, call);
}

}  // namespace hipvault::print
