// The text form of a tile program. One operation a line:
//
//   %6.acc, %7 = op attr=value … %4, %5 : f32[4,16], i32[4] {reg=[(0,1)] lane=[…] wave=[]}
//
// A name after a dot is the value's hint. Regions follow their operation, indented, opened by `{` with their arguments
// and closed by `}`. tile/parse.cc reads it back.

#include <fmt/format.h>

#include "base/check.h"
#include "tile/program.h"

namespace hipvault::tile {
namespace {

std::string layout_text(const Layout& layout) {
  std::string whole = layout.text();  // shape=[…] reg=[…] …: the shape is the type's
  return "{" + whole.substr(whole.find("reg=")) + "}";
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string run() {
    comment(kernel_.comment, "");
    out_ += "kernel " + kernel_.name + "(";
    std::string separator;
    for (const BufferArg& buffer : kernel_.buffers) {
      out_ += separator + buffer.name + ": " + name(buffer.dtype) + "*" + (buffer.writable ? " writable" : "") +
              (buffer.readable ? "" : " unreadable");
      separator = ", ";
    }
    for (const ScalarArg& scalar : kernel_.scalars) {
      out_ += separator + scalar.name + ": " + name(scalar.dtype);
      separator = ", ";
    }
    out_ += fmt::format(") waves {}", kernel_.waves);
    if (kernel_.wave_size != 64) out_ += fmt::format(" wave_size {}", kernel_.wave_size);
    if (kernel_.waves_per_eu) out_ += fmt::format(" waves_per_eu {}", kernel_.waves_per_eu);
    out_ += "\n";
    block(kernel_.body, "  ");
    return out_;
  }

 private:
  void comment(const std::string& words, const std::string& indent) {
    size_t at = 0;
    while (at < words.size()) {
      size_t end = std::min(words.find('\n', at), words.size());
      out_ += indent + "# " + words.substr(at, end - at) + "\n";
      at = end + 1;
    }
  }

  std::string defined(ValueId id) const {
    const std::string& hint = kernel_.values[static_cast<size_t>(id)].hint;
    return "%" + std::to_string(id) + (hint.empty() ? "" : "." + hint);
  }
  std::string typed(ValueId id) const {
    const ValueInfo& value = kernel_.values[static_cast<size_t>(id)];
    return text(value.type) + (value.layout ? " " + layout_text(*value.layout) : "");
  }

  std::string attributes(const Operation& op) const {
    const Attrs& a = op.attrs;
    std::string out;
    if (op.code == OpCode::constant) {
      bool real = is_float(kernel_.type(op.results[0]).dtype);
      out += real ? fmt::format(" number={}", a.number) : fmt::format(" integer={}", a.integer);
    }
    if (op.code == OpCode::argument) out += " name=" + a.name;
    if (a.buffer >= 0) out += " buffer=" + kernel_.buffers[static_cast<size_t>(a.buffer)].name;
    if (a.axis != 0 || op.code == OpCode::program_id || op.code == OpCode::num_programs ||
        op_group(op.code) == OpGroup::cross)
      if (op.code != OpCode::dot) out += fmt::format(" axis={}", a.axis);
    if (!a.axes.empty()) {
      out += " axes=";
      for (size_t d = 0; d < a.axes.size(); ++d) out += (d ? "," : "") + std::to_string(a.axes[d]);
    }
    if (a.kind != Kind::none) out += std::string(" kind=") + kind_name(a.kind);
    if (a.reverse) out += " reverse=1";
    if (a.descending) out += " descending=1";
    if (a.vector != 1) out += fmt::format(" vector={}", a.vector);
    if (a.nontemporal) out += " nontemporal=1";
    if (a.matrix) out += " matrix=" + a.matrix->mnemonic;
    if (a.layout) out += " layout=" + layout_text(*a.layout);
    return out;
  }

  void operation(const Operation& op, const std::string& indent) {
    comment(op.comment, indent);
    out_ += indent;
    for (size_t k = 0; k < op.results.size(); ++k) out_ += (k ? ", " : "") + defined(op.results[k]);
    if (!op.results.empty()) out_ += " = ";
    out_ += op_name(op.code) + attributes(op);
    for (size_t k = 0; k < op.operands.size(); ++k) out_ += fmt::format("{}%{}", k ? ", " : " ", op.operands[k]);
    for (size_t k = 0; k < op.results.size(); ++k) out_ += (k ? ", " : " : ") + typed(op.results[k]);
    out_ += "\n";
    for (const Block& region : op.regions) {
      out_ += indent + "{";
      for (size_t k = 0; k < region.args.size(); ++k)
        out_ += (k ? ", " : " ") + defined(region.args[k]) + " : " + typed(region.args[k]);
      out_ += "\n";
      block(region, indent + "  ");
      out_ += indent + "}\n";
    }
  }

  void block(const Block& block, const std::string& indent) {
    for (const Operation& op : block.ops) operation(op, indent);
  }

  const Kernel& kernel_;
  std::string out_;
};

}  // namespace

std::string text(const Kernel& kernel) { return Printer(kernel).run(); }

}  // namespace hipvault::tile
