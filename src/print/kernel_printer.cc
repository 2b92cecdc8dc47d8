#include "print/kernel_printer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "print/hiplib.h"
#include "tile/free_values.h"

namespace hipvault::print {

using tile::Block;
using tile::OpCode;
using tile::Operation;
using tile::OpGroup;
using tile::ValueId;

namespace {

// Names that a value must not take: what the printer and C++ use themselves.
constexpr const char* kReserved[] = {
    "thread", "lane",     "wave",      "i",        "e",        "r",        "int",       "float",    "double",  "bool",
    "long",   "char",     "short",     "signed",   "unsigned", "if",       "else",      "for",      "const",   "true",
    "false",  "hv",       "f16",       "bf16",     "i64",      "u64",      "u32",       "u16",      "i16",     "u8",
    "i8",     "void",     "static",    "new",      "delete",   "this",     "template",  "class",    "auto",    "return",
    "do",     "while",    "switch",    "case",     "default",  "break",    "continue",  "goto",     "and",     "or",
    "not",    "xor",      "union",     "struct",   "enum",     "typename", "namespace", "operator", "private", "public",
    "inline", "extern",   "register",  "volatile", "sizeof",   "try",      "catch",     "throw",    "using",   "export",
    "friend", "explicit", "mutable",   "virtual",  "bitand",   "bitor",    "compl",     "and_eq",   "or_eq",   "not_eq",
    "xor_eq", "warpSize", "threadIdx", "blockIdx"};

}  // namespace

KernelPrinter::KernelPrinter(const tile::Kernel& kernel, const target::Arch& arch)
    : kernel_(kernel),
      arch_(arch),
      definition_(kernel.values.size(), nullptr),
      users_(kernel.values.size()),
      uses_(kernel.values.size(), 0),
      free_(tile::free_costs(kernel)),
      storage_(kernel.values.size()) {
  for (lane_bits_ = 0; (1 << lane_bits_) < kernel.wave_size;) ++lane_bits_;
  for (wave_bits_ = 0; (1 << wave_bits_) < kernel.waves;) ++wave_bits_;
  for (const char* word : kReserved) names_.insert(word);
  names_.insert(kernel.name);
  for (const tile::BufferArg& buffer : kernel.buffers) arguments_[buffer.name] = fresh(buffer.name);
  for (const tile::ScalarArg& scalar : kernel.scalars) arguments_[scalar.name] = fresh(scalar.name);
}

Result<std::string> KernelPrinter::run() {
  analyse(kernel_.body);
  signature();
  indent_ = "  ";
  std::string head = std::move(out_);
  out_.clear();
  block(kernel_.body);
  if (!status_) return tl::unexpected(status_.error());
  std::string body = std::move(out_);
  prologue(body);
  out_ = head + out_ + body + "}\n";
  return out_;
}

void KernelPrinter::signature() {
  comment(kernel_.comment);
  int size = kernel_.waves * kernel_.wave_size;
  out_ += "extern \"C\" __global__ __attribute__((" + fmt::format(fmt::runtime(arch_.spelling.bounds), size);
  if (kernel_.waves_per_eu && arch_.simulated) out_ += fmt::format(", amdgpu_waves_per_eu({})", kernel_.waves_per_eu);
  out_ += "))\nvoid " + kernel_.name + "(";
  std::string separator;
  for (const tile::BufferArg& buffer : kernel_.buffers) {
    out_ += separator + (buffer.writable ? "" : "const ") + storage_text(buffer.dtype) + "* __restrict__ " +
            arguments_.at(buffer.name);
    separator = ", ";
  }
  for (const tile::ScalarArg& scalar : kernel_.scalars) {
    out_ += separator + type_text(scalar.dtype) + " " + arguments_.at(scalar.name);
    separator = ", ";
  }
  out_ += ") {\n";
}

// Only the work-item numbers that the body uses.
void KernelPrinter::prologue(const std::string& body) {
  out_.clear();
  bool lane = uses_identifier(body, "lane"), wave = uses_identifier(body, "wave") && kernel_.waves > 1;
  if (lane || wave || uses_identifier(body, "thread")) line("const int thread = " + arch_.spelling.thread + ";");
  if (lane)
    line(kernel_.waves == 1 ? "const int lane = thread;"
                            : fmt::format("const int lane = thread % {};", kernel_.wave_size));
  std::string number = fmt::format("thread / {}", kernel_.wave_size);
  if (wave) line("const int wave = " + fmt::format(fmt::runtime(arch_.spelling.uniform), number) + ";");
}

void KernelPrinter::analyse(const Block& block) {
  for (const Operation& op : block.ops) {
    for (ValueId result : op.results) definition_[static_cast<size_t>(result)] = &op;
    for (ValueId operand : op.operands) {
      users_[static_cast<size_t>(operand)].push_back(&op);
      ++uses_[static_cast<size_t>(operand)];
    }
    for (const Block& region : op.regions) analyse(region);
  }
}

// ---- small things
// --------------------------------------------------------------------------------------------------------

std::string KernelPrinter::fresh(const std::string& wanted) {
  std::string stem = wanted.empty() || std::isdigit(static_cast<unsigned char>(wanted[0])) ? "v" + wanted : wanted;
  if (std::isdigit(static_cast<unsigned char>(stem.back()))) stem += "_";
  std::string name = wanted == stem.substr(0, wanted.size()) && names_.insert(wanted).second ? wanted : "";
  for (int k = 2; name.empty(); ++k)
    if (std::string next = fmt::format("{}{}", stem, k); names_.insert(next).second) name = next;
  return name;
}

std::string KernelPrinter::name_of(ValueId value, const std::string& fallback) {
  const std::string& hint = value_info(value).hint;
  return fresh(hint.empty() ? fallback : hint);
}

std::string KernelPrinter::default_name(ValueId value) const {
  const tile::ValueInfo& info = value_info(value);
  if (!info.hint.empty()) return info.hint;
  const Operation* op = definition(value);
  if (info.type.dtype == DType::boolean) return "inside";
  if (!op) return "value";
  switch (op->code) {
    case OpCode::program_id:
      return "program";
    case OpCode::range:
      return "at";
    case OpCode::add:
    case OpCode::sub:
    case OpCode::mul:
      return is_float(info.type.dtype) ? "value" : "offset";
    default:
      return is_float(info.type.dtype) ? "value" : "number";
  }
}

void KernelPrinter::line(const std::string& text) { out_ += indent_ + text + "\n"; }

void KernelPrinter::comment(const std::string& text) {
  size_t start = 0;
  while (start < text.size()) {
    size_t end = std::min(text.find('\n', start), text.size());
    line("// " + text.substr(start, end - start));
    start = end + 1;
  }
}

void KernelPrinter::problem(const std::string& code, const std::string& message) {
  if (status_) status_ = fail(code, "kernel " + kernel_.name + ": " + message);
}

std::string KernelPrinter::indented(const std::string& text, const std::string& by) {
  std::string out;
  size_t start = 0;
  while (start < text.size()) {
    size_t end = std::min(text.find('\n', start), text.size());
    out += by + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return out;
}

// ---- blocks
// --------------------------------------------------------------------------------------------------------------

void KernelPrinter::block(const Block& block) {
  std::map<std::string, std::string> outer_known = known_;
  Group group;
  for (const Operation& op : block.ops) {
    if (!status_) return;
    bool tile_result = op.results.size() == 1 && is_tile(op.results[0]);
    bool in_place = tile_result && (is_lazy_shape(op.results[0]) || free_[static_cast<size_t>(op.results[0])] >= 0);
    if (in_place || op.code == OpCode::yield) continue;
    bool element = group_layout_of(op) != nullptr;
    if (element) {
      if (!joins(group, op)) flush(group);
      group.ops.push_back(&op);
      group.layout = group_layout(op);
      continue;
    }
    std::set<ValueId> made;
    for (const Operation* member : group.ops) made.insert(member->results.begin(), member->results.end());
    bool pure = op.regions.empty() && !has_effect(op) && op.code != OpCode::load &&
                (op_group(op.code) == OpGroup::value || op_group(op.code) == OpGroup::index);
    bool waits = !pure;
    for (ValueId operand : op.operands) waits = waits || made.contains(operand);
    if (waits) flush(group);
    pure ? scalar_operation(op) : special(op);
  }
  flush(group);
  known_ = std::move(outer_known);
}

// The layout of the loop that the operation may share; null: it stands alone.
const tile::Layout* KernelPrinter::group_layout_of(const Operation& op) const {
  bool loops = op_group(op.code) == OpGroup::value || op.code == OpCode::load || op.code == OpCode::store ||
               op.code == OpCode::atomic || op.code == OpCode::reduce;
  return loops ? group_layout(op) : nullptr;
}

// A pure operation on scalars: in place if it is short and used once, else a constant with a name.
void KernelPrinter::scalar_operation(const Operation& op) {
  ValueId result = op.results[0];
  Storage& storage = storage_[static_cast<size_t>(result)];
  DType dtype = type(result).dtype;
  Text text;
  switch (op.code) {
    case OpCode::constant:
      storage = {Storage::expression, literal(dtype, op.attrs)};
      return;
    case OpCode::argument:
      storage = {Storage::expression, {arguments_.at(op.attrs.name)}};
      return;
    case OpCode::program_id:
      text = {"(int)" + fmt::format(fmt::runtime(arch_.spelling.group), "xyz"[op.attrs.axis]), kUnary};
      break;
    case OpCode::num_programs:
      text = {fmt::format("hv::groups_{}()", "xyz"[op.attrs.axis])};
      break;
    default:
      text = build_free(op, {});
      break;
  }
  bool short_and_once =
      uses(result) <= 1 && value_info(result).hint.empty() && op.comment.empty() && text.text.size() < 50;
  if (short_and_once && op_group(op.code) == OpGroup::value) {
    storage = {Storage::expression, text};
    return;
  }
  comment(op.comment);
  std::string name = name_of(result, default_name(result));
  line(fmt::format("const {} {} = {};", type_text(dtype), name, text.text));
  storage = {Storage::single, {name}};
}

void KernelPrinter::special(const Operation& op) {
  comment(op.comment);
  Scope scope;
  switch (op.code) {
    case OpCode::load: {
      ValueId value = op.results[0];
      std::string name = name_of(value, kernel_.buffers[static_cast<size_t>(op.attrs.buffer)].name + "_value");
      line(fmt::format("{} {};", type_text(type(value).dtype), name));
      storage_[static_cast<size_t>(value)] = {Storage::single, {name}};
      scope_ = &scope;
      std::string text = element_access(op);
      out_ += indented(scope.before + text, indent_);
      return;
    }
    case OpCode::store:
    case OpCode::atomic: {
      scope_ = &scope;
      std::string text = op.code == OpCode::store ? element_access(op) : atomic_access(op);
      out_ += indented(scope.before + text, indent_);
      return;
    }
    case OpCode::barrier:
      return line("hv::barrier();");
    case OpCode::for_loop:
      return for_loop(op);
    case OpCode::if_else:
      return if_else(op);
    case OpCode::scan:
      return scan(op);
    case OpCode::dot:
      return dot(op);
    case OpCode::lds_alloc:
      return lds_alloc(op);
    case OpCode::lds_store:
      return lds_store(op);
    case OpCode::lds_load:
      return lds_load(op);
    case OpCode::convert_layout:
      return convert_registers(op);
    case OpCode::gather:
      return gather(op);
    default:
      problem("print.no-spelling", std::string("the printer has no spelling of ") + op_name(op.code) + " for " +
                                       (op.results.empty() ? "no result" : text(type(op.results[0]))));
  }
}

// ---- control
// ---------------------------------------------------------------------------------------------------------------

void KernelPrinter::declare_carried(ValueId value, ValueId initial) {
  std::string name =
      name_of(value, initial < 0 || value_info(initial).hint.empty() ? "carried" : value_info(initial).hint);
  if (is_tile(value) && registers(value) > 1) {
    line(declare_array(value, name));
    storage_[static_cast<size_t>(value)] = {Storage::array, {name}};
  } else {
    line(fmt::format("{} {};", type_text(type(value).dtype), name));
    storage_[static_cast<size_t>(value)] = {Storage::single, {name}};
  }
  if (initial >= 0) assign(value, initial);
}

void KernelPrinter::assign(ValueId to, ValueId from) {
  Scope scope;
  scope_ = &scope;
  loop_ = Loop{is_tile(to) ? static_cast<int>(value_info(to).layout->reg.size()) : 0, 0, false};
  std::string target = stored(to, identity_columns()).text, source = at(from).text;
  std::string body = scope.outer + fmt::format("{} = {};\n", target, source);
  out_ += indented(scope.before, indent_);
  if (target == source) return;
  if (!loop_.outer_bits) {
    out_ += indented(body, indent_);
  } else if (body.find('\n') + 1 == body.size()) {
    line("#pragma unroll");
    line(fmt::format("for (int r = 0; r < {}; ++r) {}", 1 << loop_.outer_bits, body.substr(0, body.size() - 1)));
  } else {
    line("#pragma unroll");
    line(fmt::format("for (int r = 0; r < {}; ++r) {{", 1 << loop_.outer_bits));
    out_ += indented(body, indent_ + "  ");
    line("}");
  }
  loop_ = {};
  scope_ = nullptr;
}

// All at once: a value that an earlier assignment would overwrite is saved first.
void KernelPrinter::assign_all(const std::vector<ValueId>& to, const std::vector<ValueId>& from) {
  for (size_t k = 0; k < to.size(); ++k) {
    Storage old = storage_[static_cast<size_t>(from[k])];
    bool overwritten = false;
    for (size_t j = 0; j < k; ++j)
      overwritten =
          overwritten || (old.form != Storage::expression &&
                          storage_[static_cast<size_t>(to[j])].text.text == old.text.text && !old.text.text.empty());
    if (!overwritten) continue;
    problem("print.swap", "a loop that exchanges its carried values is not supported: yield a copy");
  }
  for (size_t k = 0; k < to.size(); ++k) assign(to[k], from[k]);
}

void KernelPrinter::for_loop(const Operation& op) {
  const Block& body = op.regions[0];
  for (size_t k = 1; k < body.args.size(); ++k) {
    declare_carried(body.args[k], op.operands[k + 2]);
    storage_[static_cast<size_t>(op.results[k - 1])] = storage_[static_cast<size_t>(body.args[k])];
  }
  std::string index = name_of(body.args[0], loop_depth_ ? fmt::format("step{}", loop_depth_ + 1) : "step");
  storage_[static_cast<size_t>(body.args[0])] = {Storage::single, {index}};
  Scope scope;
  scope_ = &scope;
  std::string low = at(op.operands[0], {}).text, high = wrap(at(op.operands[1], {}), 10),
              step = at(op.operands[2], {}).text;
  out_ += indented(scope.before, indent_);
  scope_ = nullptr;
  line(fmt::format("for ({} {} = {}; {} < {}; {} += {}) {{", type_text(type(body.args[0]).dtype), index, low, index,
                   high, index, step));
  indent_ += "  ";
  ++loop_depth_;
  block(body);
  assign_all(std::vector<ValueId>(body.args.begin() + 1, body.args.end()), body.ops.back().operands);
  --loop_depth_;
  indent_.resize(indent_.size() - 2);
  line("}");
}

void KernelPrinter::if_else(const Operation& op) {
  for (ValueId result : op.results) declare_carried(result, -1);
  Scope scope;
  scope_ = &scope;
  std::string condition = at(op.operands[0], {}).text;
  out_ += indented(scope.before, indent_);
  scope_ = nullptr;
  line(fmt::format("if ({}) {{", condition));
  for (size_t r = 0; r < 2; ++r) {
    const Block& region = op.regions[r];
    if (r == 1 && region.ops.size() == 1 && op.results.empty()) break;
    if (r == 1) line("} else {");
    indent_ += "  ";
    block(region);
    assign_all(op.results, region.ops.back().operands);
    indent_.resize(indent_.size() - 2);
  }
  line("}");
}

Result<std::string> print_kernel(const tile::Kernel& kernel, const target::Arch& arch) {
  return KernelPrinter(kernel, arch).run();
}

}  // namespace hipvault::print
