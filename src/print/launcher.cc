#include "print/launcher.h"

#include <fmt/format.h>

#include <set>

#include "base/check.h"

namespace hipvault::print {
namespace {

using Kind = IntExpr::Kind;

struct Spelling {
  Kind kind;
  const char* text;  // an infix operator, or a function when `precedence` is 16
  int precedence;
};
constexpr Spelling kSpellings[] = {
    {Kind::add, "+", 12},
    {Kind::sub, "-", 12},
    {Kind::mul, "*", 13},
    {Kind::div, "/", 13},
    {Kind::lt, "<", 9},
    {Kind::le, "<=", 9},
    {Kind::gt, ">", 9},
    {Kind::ge, ">=", 9},
    {Kind::eq, "==", 8},
    {Kind::ne, "!=", 8},
    {Kind::logical_and, "&&", 4},
    {Kind::logical_or, "||", 3},
    {Kind::floordiv, "floor_div", 16},
    {Kind::mod, "floor_mod", 16},
    {Kind::cdiv, "ceil_div", 16},
    {Kind::min, "smaller", 16},
    {Kind::max, "larger", 16},
};

// What the expressions may call; only what is used is printed.
struct Helper {
  const char *name, *text;
};
constexpr Helper kHelpers[] = {
    {"floor_mod", "static int64_t floor_mod(int64_t a, int64_t b) { return (a % b + b) % b; }\n"},
    {"floor_div", "static int64_t floor_div(int64_t a, int64_t b) { return (a - (a % b + b) % b) / b; }\n"},
    {"ceil_div", "static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }\n"},
    {"smaller", "static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }\n"},
    {"larger", "static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }\n"},
};

const char* host_type(DType dtype) {
  switch (dtype) {
    case DType::i64:
      return "int64_t";
    case DType::f32:
      return "float";
    case DType::f64:
      return "double";
    default:
      return "int32_t";
  }
}

class Launcher {
 public:
  explicit Launcher(const Plan& plan) : plan_(plan) {}

  std::string run() {
    std::string workspace = workspace_function(), entry = entry_function(), helpers;
    for (const Helper& helper : kHelpers)
      if ((workspace + entry).find(std::string(helper.name) + "(") != std::string::npos) helpers += helper.text;
    return "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n" + helpers +
           "static int64_t rounded_up(int64_t bytes) { return (bytes + 255) / 256 * 256; }\n" +
           alignment_helper(entry) + "\n" + workspace + "\n" + entry;
  }

 private:
  static std::string alignment_helper(const std::string& entry) {
    if (entry.find("alignment_of(") == std::string::npos) return "";
    return "// The largest power of two, at most 256, that divides the address.\n"
           "static int64_t alignment_of(const void* address) {\n"
           "  const uintptr_t bits = (uintptr_t)address | 256;\n"
           "  return (int64_t)(bits & (~bits + 1));\n}\n";
  }

  // Reads the names that the expressions use out of the arrays.
  std::string names(const std::set<std::string>& used, bool with_buffers) const {
    std::string out;
    for (size_t k = 0; k < plan_.sizes.size(); ++k)
      if (used.contains(plan_.sizes[k]))
        out += fmt::format("  const int64_t {} = sizes[{}];\n", size_identifier(plan_.sizes[k]), k);
    if (!with_buffers) return out;
    size_t stride = 0;
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      const BufferSpec& buffer = plan_.buffers[b];
      for (size_t d = 0; d < buffer.shape.size(); ++d, ++stride) {
        std::string name = fmt::format("{}.stride.{}", buffer.name, d);
        if (used.contains(name))
          out += fmt::format("  const int64_t {} = strides[{}];\n", size_identifier(name), stride);
      }
      if (used.contains(buffer.name + ".align"))
        out += fmt::format("  const int64_t {}_align = alignment_of(buffers[{}]);\n", buffer.name, b);
    }
    return out;
  }

  static void add_names(const IntExpr& expr, std::set<std::string>& used) {
    std::set<std::string> more = expr.names();
    used.insert(more.begin(), more.end());
  }

  // Buffers of a variant lie one after the other, each at a multiple of 256 bytes.
  std::string workspace_function() const {
    std::set<std::string> used;
    std::string body;
    for (const Variant& variant : plan_.variants) {
      if (variant.workspace.empty()) continue;
      std::string sum;
      for (const WorkspaceBuffer& buffer : variant.workspace) {
        add_names(buffer.bytes, used);
        sum += (sum.empty() ? "" : " + ") + fmt::format("rounded_up({})", size_text(buffer.bytes));
      }
      body += fmt::format("  {{  // {}\n    const int64_t need = {};\n    if (need > most) most = need;\n  }}\n",
                          variant.name, sum);
    }
    return fmt::format(
        "// Bytes of workspace that are enough for these sizes, whatever the strides.\n"
        "extern \"C\" size_t {}_workspace(const int64_t* sizes) {{\n{}  (void)sizes;\n  int64_t most = 0;\n{}  return "
        "(size_t)most;\n}}\n",
        plan_.op, names(used, false), body);
  }

  void collect(std::set<std::string>& used) const {
    for (const Variant& variant : plan_.variants) {
      add_names(variant.when, used);
      for (const WorkspaceBuffer& buffer : variant.workspace) add_names(buffer.bytes, used);
      for (const Launch& launch : variant.launches) {
        for (const IntExpr& extent : launch.grid) add_names(extent, used);
        add_names(launch.block, used);
        add_names(launch.dynamic_lds, used);
        for (const KernelArg& arg : launch.args)
          if (arg.kind == KernelArg::Kind::integer) add_names(arg.value, used);
      }
    }
  }

  std::string entry_function() const {
    std::set<std::string> used;
    collect(used);
    std::string body = names(used, true);
    for (size_t k = 0; k < plan_.scalars.size(); ++k)
      body += fmt::format("  double {0}_value;\n  memcpy(&{0}_value, &sizes[{1}], sizeof {0}_value);\n",
                          plan_.scalars[k].name, plan_.sizes.size() + k);
    body += "  (void)buffers, (void)sizes, (void)strides, (void)workspace, (void)workspace_bytes, (void)stream;\n";
    for (const Variant& variant : plan_.variants) body += variant_text(variant);
    std::string arguments;
    for (const BufferSpec& buffer : plan_.buffers) arguments += (arguments.empty() ? "" : ", ") + buffer.name;
    std::string size_names;
    for (const std::string& size : plan_.sizes) size_names += (size_names.empty() ? "" : ", ") + size;
    for (const ScalarSpec& scalar : plan_.scalars)
      size_names += (size_names.empty() ? "" : ", ") + scalar.name + " (the bits of a double)";
    return fmt::format(
        "// buffers: {}. sizes: {}. strides: of each buffer, one an axis, in elements.\n"
        "// 0: launched; -1: no variant takes these sizes, strides and alignments; -2: the workspace is too small; "
        "else a hipError_t.\n"
        "extern \"C\" int {}(void* const* buffers, const int64_t* sizes, const int64_t* strides, void* workspace,\n"
        "    size_t workspace_bytes, hipStream_t stream) {{\n{}  return -1;\n}}\n",
        arguments, size_names.empty() ? "none" : size_names, plan_.op, body);
  }

  std::string variant_text(const Variant& variant) const {
    std::string body, offset;
    for (const WorkspaceBuffer& buffer : variant.workspace) {
      std::string name = size_identifier(buffer.name);
      body += fmt::format("    const int64_t offset_of_{} = {}, bytes_of_{} = {};\n", name,
                          offset.empty() ? "0" : offset, name, size_text(buffer.bytes));
      body += fmt::format("    void* {} = (char*)workspace + offset_of_{};\n", name, name);
      offset = fmt::format("offset_of_{} + rounded_up(bytes_of_{})", name, name);
    }
    if (!offset.empty()) body += fmt::format("    if ((int64_t)workspace_bytes < {}) return -2;\n", offset);
    for (size_t at = 0; at < variant.launches.size(); ++at) {
      for (const WorkspaceBuffer& buffer : variant.workspace)
        if (buffer.zeroed && buffer.first_launch == static_cast<int>(at)) {
          std::string name = size_identifier(buffer.name);
          body += fmt::format(
              "    if (hipError_t bad = hipMemsetAsync({}, 0, (size_t)bytes_of_{}, stream)) return bad;\n", name, name);
        }
      body += launch_text(variant.launches[at]);
    }
    return fmt::format("  if ({}) {{  // {}\n{}    return 0;\n  }}\n", size_text(variant.when), variant.name, body);
  }

  std::string argument(const KernelArg& arg, size_t k, std::string& declarations) const {
    std::string name = fmt::format("arg{}", k);
    switch (arg.kind) {
      case KernelArg::Kind::buffer:
        for (size_t b = 0; b < plan_.buffers.size(); ++b)
          if (plan_.buffers[b].name == arg.name)
            declarations += fmt::format("      void* {} = buffers[{}];  // {}\n", name, b, arg.name);
        break;
      case KernelArg::Kind::workspace:
        declarations += fmt::format("      void* {} = {};\n", name, size_identifier(arg.name));
        break;
      case KernelArg::Kind::integer:
        declarations += fmt::format("      {} {} = ({}){};\n", host_type(arg.dtype), name, host_type(arg.dtype),
                                    size_text(arg.value, 15));
        break;
      case KernelArg::Kind::scalar:
        declarations +=
            fmt::format("      {} {} = ({}){}_value;\n", host_type(arg.dtype), name, host_type(arg.dtype), arg.name);
        break;
    }
    return "&" + name;
  }

  std::string launch_text(const Launch& launch) const {
    std::string declarations, list;
    for (size_t k = 0; k < launch.args.size(); ++k) list += (k ? ", " : "") + argument(launch.args[k], k, declarations);
    std::string grid, nonempty;
    for (const IntExpr& extent : launch.grid) {
      grid += (grid.empty() ? "" : ", ") + fmt::format("(uint32_t){}", size_text(extent, 15));
      if (extent.kind() != Kind::constant)
        nonempty += (nonempty.empty() ? "" : " && ") + size_text(extent, 10) + " > 0";
    }
    return fmt::format(
        "    {}{{\n{}      void* args[] = {{{}}};\n"
        "      if (hipError_t bad = hipLaunchKernel((const void*){}, dim3({}), dim3((uint32_t){}), args, (size_t){}, "
        "stream)) return bad;\n    }}\n",
        nonempty.empty() ? "" : "if (" + nonempty + ") ", declarations, list.empty() ? "nullptr" : list, launch.kernel,
        grid, size_text(launch.block, 15), size_text(launch.dynamic_lds, 15));
  }

  const Plan& plan_;
};

}  // namespace

std::string size_identifier(const std::string& name) {
  std::string out = name;
  for (char& c : out)
    if (c == '.') c = '_';
  return out;
}

std::string size_text(const IntExpr& expr, int precedence) {
  auto wrapped = [precedence](const std::string& text, int own) { return own < precedence ? "(" + text + ")" : text; };
  switch (expr.kind()) {
    case Kind::constant:
      return wrapped(fmt::format("{}", expr.value()), expr.value() < 0 ? 15 : 16);
    case Kind::name:
      return size_identifier(expr.name_text());
    case Kind::neg:
      return wrapped("-" + size_text(expr.operands()[0], 16), 15);
    case Kind::logical_not:
      return wrapped("!" + size_text(expr.operands()[0], 16), 15);
    default:
      break;
  }
  for (const Spelling& spelling : kSpellings) {
    if (spelling.kind != expr.kind()) continue;
    const std::vector<IntExpr>& operands = expr.operands();
    if (spelling.precedence == 16)
      return fmt::format("{}({}, {})", spelling.text, size_text(operands[0]), size_text(operands[1]));
    // A comparison inside a comparison is legal and says nothing to a reader without parentheses.
    int left = spelling.precedence + (spelling.precedence == 8 || spelling.precedence == 9 ? 2 : 0);
    return wrapped(fmt::format("{} {} {}", size_text(operands[0], left), spelling.text,
                               size_text(operands[1], spelling.precedence + 1)),
                   spelling.precedence);
  }
  CHECK(false) << "no C++ for " << expr.text();
  return "";
}

std::string launcher_text(const Plan& plan) { return Launcher(plan).run(); }

}  // namespace hipvault::print
