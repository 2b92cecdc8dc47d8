// A tensor program as op language. Types are concrete, so a type variable prints with the dtype that was chosen first
// and then those that cases name; functions are expanded; derived dimensions print as `dim` lines.

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "ir/program.h"
#include "ir/text.h"

namespace hipvault::ir {
namespace {

std::string comma_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string bracketed(const std::string& name, const std::vector<std::string>& items) {
  return items.empty() ? name : name + "[" + comma_list(items) + "]";
}

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program& program) : program_(program) {
    for (const Tensor& tensor : program.tensors)
      if (tensor.role != Role::output && reads_plainly(tensor)) plain_[tensor.name] = tensor.axis_dims;
  }

  std::string print() {
    text_ = "op " + program_.name + type_variables() + "(" + params() + ")" + results() + "\n";
    for (const Dim& dim : program_.dims)
      if (!dim.free) line("dim " + dim.name + " = " + dim.size.text());
    for (const IntExpr& require : program_.require) line("require " + require.text());
    for (const Stage& stage : program_.stages) print_stage(stage);
    for (const Case& one : program_.cases) print_case(one);
    print_notes();
    return text_;
  }

 private:
  void line(const std::string& content) { text_ += "  " + content + "\n"; }

  static bool reads_plainly(const Tensor& tensor) {
    std::set<std::string> seen;
    for (const std::string& dim : tensor.axis_dims)
      if (dim.empty() || !seen.insert(dim).second) return false;
    return true;
  }

  std::string type_variables() const {
    std::vector<std::string> items;
    for (const auto& [variable, chosen] : program_.types) {
      std::vector<DType> dtypes = {chosen};
      for (const Case& one : program_.cases) {
        auto found = one.types.find(variable);
        if (found != one.types.end() && std::find(dtypes.begin(), dtypes.end(), found->second) == dtypes.end())
          dtypes.push_back(found->second);
      }
      std::string item = variable + ":";
      for (DType dtype : dtypes) item += std::string(" ") + name(dtype);
      items.push_back(item);
    }
    return items.empty() ? "" : "<" + comma_list(items) + ">";
  }

  std::string tensor_type(const Tensor& tensor) const {
    std::vector<std::string> axes;
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      axes.push_back(tensor.axis_dims[i].empty() ? tensor.shape[i].text() : tensor.axis_dims[i]);
    std::string text = tensor.name + ": " + name(tensor.dtype);
    return tensor.role == Role::output && axes.empty() ? text + "[]" : bracketed(text, axes);
  }

  std::string params() const {
    std::vector<std::string> items;
    for (const Tensor& tensor : program_.tensors)
      if (tensor.role != Role::output)
        items.push_back((tensor.role == Role::inout ? "inout " : "") + tensor_type(tensor));
    for (const IntParam& param : program_.int_params)
      items.push_back(param.name + ": int" + (param.fallback ? " = " + std::to_string(*param.fallback) : ""));
    for (const ScalarParam& param : program_.scalar_params)
      items.push_back(param.name + (param.is_bool ? ": bool" : ": float") +
                      (param.fallback ? " = " + scalar_text(param, *param.fallback) : ""));
    return comma_list(items);
  }

  static std::string scalar_text(const ScalarParam& param, double value) {
    if (param.is_bool) return value != 0 ? "true" : "false";
    return number_text(value);
  }

  std::string results() const {
    std::vector<std::string> items;
    for (const Tensor& tensor : program_.tensors)
      if (tensor.role == Role::output) items.push_back(tensor_type(tensor));
    return items.empty() ? "" : " -> " + comma_list(items);
  }

  std::string expr(const ExprRef& e) const { return ir::text(e, plain_); }

  void print_stage(const Stage& stage) {
    if (stage.kind == Stage::Kind::scatter) {
      print_scatter(stage);
    } else {
      std::vector<std::string> left;
      for (const Output& output : stage.outputs) left.push_back(bracketed(output.name, output.dims));
      line(comma_list(left) + " = " + right_side(stage));
    }
    for (const Output& output : stage.outputs) {
      const Tensor* tensor = program_.tensor(output.name);
      if (tensor == nullptr || tensor->role == Role::output) plain_[output.name] = output.dims;
      if (stage.kind == Stage::Kind::scatter) plain_.erase(output.name);
    }
  }

  std::string right_side(const Stage& stage) {
    switch (stage.kind) {
      case Stage::Kind::map:
        return expr(stage.value);
      case Stage::Kind::cumulative:
        return fmt::format("cum{}({}, {}{}{})", reduction_name(stage.reduction), expr(stage.value), stage.dim,
                           stage.reverse ? ", reverse" : "", stage.exclusive ? ", exclusive" : "");
      case Stage::Kind::scan:
        return scan("scan", stage);
      case Stage::Kind::fold:
        return scan("fold", stage);
      case Stage::Kind::sort:
        return fmt::format("sort({}, {}{})", expr(stage.value), stage.dim, stage.descending ? ", descending" : "");
      case Stage::Kind::topk:
        return fmt::format("topk({}, {}, {})", expr(stage.value), stage.dim, stage.new_dim);
      case Stage::Kind::scatter:
        break;
    }
    CHECK(false) << "no such stage";
    return "";
  }

  std::string scan(const char* word, const Stage& stage) {
    std::vector<std::string> inits, names, bodies;
    for (const ScanState& state : stage.states) inits.push_back(expr(state.init)), names.push_back(state.name);
    PlainNames outside = plain_;
    for (const ScanState& state : stage.states) plain_[state.name] = state.dims;
    for (const ScanState& state : stage.states) bodies.push_back(expr(state.body));
    plain_ = outside;
    const char* format = stage.states.size() == 1 ? "{}({}, {}, {} -> {})" : "{}({}, ({}), ({}) -> ({}))";
    return fmt::format(fmt::runtime(format), word, stage.dim, comma_list(inits), comma_list(names), comma_list(bodies));
  }

  void print_scatter(const Stage& stage) {
    constexpr const char* kSpellings[] = {"=", "+=", "*=", "max=", "min="};
    std::vector<std::string> indices;
    for (const ExprRef& index : stage.indices) indices.push_back(expr(index));
    std::string condition = stage.condition ? " if " + expr(stage.condition) : "";
    line(fmt::format("{} {} {}{}", bracketed(stage.outputs[0].name, indices),
                     kSpellings[static_cast<size_t>(stage.scatter_op)], expr(stage.value), condition));
  }

  void print_case(const Case& one) {
    std::vector<std::string> items;
    for (const auto& [name, value] : one.sizes) items.push_back(fmt::format("{}={}", name, value));
    for (const std::string& name : one.open) items.push_back(name + "=?");
    for (const auto& [name, dtype] : one.types) items.push_back(name + "=" + hipvault::name(dtype));
    for (const ScalarParam& param : program_.scalar_params) {
      auto found = one.scalars.find(param.name);
      if (found != one.scalars.end()) items.push_back(param.name + "=" + scalar_text(param, found->second));
    }
    for (const auto& [name, strides] : one.strides) {
      std::vector<std::string> numbers;
      for (int64_t stride : strides) numbers.push_back(std::to_string(stride));
      items.push_back(name + ".stride=(" + comma_list(numbers) + ")");
    }
    for (const auto& [name, offset] : one.offsets) items.push_back(fmt::format("{}.offset={}", name, offset));
    line("case " + one.name + ": " + comma_list(items));
  }

  void print_notes() {
    for (const Tensor& tensor : program_.tensors) {
      auto found = program_.inputs.find(tensor.name);
      if (found == program_.inputs.end()) continue;
      std::string text;
      for (const Distribution& one : found->second) text += (text.empty() ? "" : " | ") + distribution(one);
      line("input " + tensor.name + ": " + text);
    }
    if (!program_.policy.nan_propagates) line("nan: undefined");
    if (program_.policy.order_fixed) line("order: fixed");
    if (program_.policy.accumulate) line(std::string("accumulate: ") + name(*program_.policy.accumulate));
  }

  static std::string distribution(const Distribution& one) {
    if (!one.file.empty()) return one.kind + "(\"" + one.file + "\")";
    std::vector<std::string> numbers;
    for (size_t i = 0; i < one.numbers.size(); ++i) {
      bool is_size = i < one.sizes.size() && one.sizes[i];
      numbers.push_back(is_size ? one.sizes[i]->text() : fmt::format("{}", one.numbers[i]));
    }
    return numbers.empty() ? one.kind : one.kind + "(" + comma_list(numbers) + ")";
  }

  const Program& program_;
  PlainNames plain_;
  std::string text_;
};

}  // namespace

std::string text(const Program& program) { return ProgramPrinter(program).print(); }

}  // namespace hipvault::ir
