#include "ir/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace hipvault::ir {

const Tensor* Program::tensor(const std::string& name) const {
  for (const Tensor& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

const Dim* Program::dim(const std::string& name) const {
  for (const Dim& dim : dims)
    if (dim.name == name) return &dim;
  std::string base = base_dim(name);
  return base == name ? nullptr : dim(base);
}

const Output* Program::output(const std::string& name) const {
  for (const Stage& stage : stages)
    for (const Output& output : stage.outputs)
      if (output.name == name) return &output;
  return nullptr;
}

std::vector<const Tensor*> Program::results() const {
  std::vector<const Tensor*> found;
  for (const Tensor& tensor : tensors)
    if (tensor.role != Role::input) found.push_back(&tensor);
  return found;
}

namespace {

// Derived sizes may refer to one another in any order, so each is computed when first asked for.
class Binder {
 public:
  Binder(const Program& program, const Sizes& given) : program_(program), sizes_(given) {}

  Result<Sizes> bind(const Sizes& given) {
    for (const auto& [name, value] : given)
      if (Status known = check_known(name, value); !known) return fail(known.error());
    for (const IntParam& param : program_.int_params)
      if (Status bound = bind_param(param); !bound) return fail(bound.error());
    for (const Dim& dim : program_.dims)
      if (Status bound = bind_dim(dim, 0); !bound) return fail(bound.error());
    if (Status fine = check_shapes(); !fine) return fail(fine.error());
    if (Status fine = check_requires(); !fine) return fail(fine.error());
    if (Status fine = check_topk(); !fine) return fail(fine.error());
    return sizes_;
  }

 private:
  bool is_int_param(const std::string& name) const {
    return std::any_of(program_.int_params.begin(), program_.int_params.end(),
                       [&](const IntParam& param) { return param.name == name; });
  }

  std::string known_names() const {
    std::string text;
    for (const Dim& dim : program_.dims)
      if (dim.free) text += (text.empty() ? "" : ", ") + dim.name;
    for (const IntParam& param : program_.int_params) text += (text.empty() ? "" : ", ") + param.name;
    return text.empty() ? "none" : text;
  }

  Status check_known(const std::string& name, int64_t value) const {
    bool is_dim =
        std::any_of(program_.dims.begin(), program_.dims.end(), [&](const Dim& dim) { return dim.name == name; });
    if (!is_dim && !is_int_param(name))
      return tl::unexpected(Diagnostic{"size.unknown",
                                       fmt::format("op {} has no size named {}", program_.name, name),
                                       "its sizes are: " + known_names(),
                                       {}});
    if (is_dim && value < 0)
      return tl::unexpected(Diagnostic{
          "size.negative", fmt::format("the size {} is {}, but a size cannot be negative", name, value), "", {}});
    return {};
  }

  Status bind_param(const IntParam& param) {
    if (sizes_.contains(param.name)) return {};
    if (!param.fallback) return missing(param.name);
    sizes_[param.name] = *param.fallback;
    return {};
  }

  tl::unexpected<Diagnostic> missing(const std::string& name) const {
    return fail("size.missing", fmt::format("the size {} of op {} has no value", name, program_.name),
                "give a value to each of: " + known_names());
  }

  Status bind_dim(const Dim& dim, size_t depth) {
    if (depth > program_.dims.size())
      return fail("size.cycle", fmt::format("the size {} is defined in terms of itself", dim.name));
    if (dim.free) {
      if (!sizes_.contains(dim.name)) return missing(dim.name);
      return {};
    }
    if (done_.contains(dim.name)) return {};
    for (const std::string& name : dim.size.names()) {
      const Dim* other = program_.dim(name);
      if (other == nullptr) continue;
      if (Status bound = bind_dim(*other, depth + 1); !bound) return bound;
    }
    Result<int64_t> value = dim.size.evaluate(sizes_);
    if (!value) return fail(in(value.error(), "the size " + dim.name));
    if (*value < 0)
      return fail("size.negative", fmt::format("the size {} = {} is {} for these sizes, but a size cannot be negative",
                                               dim.name, dim.size.text(), *value));
    auto [given, added] = sizes_.emplace(dim.name, *value);
    if (!added && given->second != *value)
      return fail(
          "size.derived",
          fmt::format("the size {} is {} = {}, but {} was given", dim.name, dim.size.text(), *value, given->second),
          "leave it out: it follows from the others");
    done_.insert(dim.name);
    return {};
  }

  static Diagnostic in(Diagnostic error, const std::string& what) {
    error.message = what + ": " + error.message;
    return error;
  }

  Status check_shapes() const {
    for (const Tensor& tensor : program_.tensors)
      for (const IntExpr& extent : tensor.shape) {
        Result<int64_t> value = extent.evaluate(sizes_);
        if (!value) return fail(in(value.error(), "the shape of " + tensor.name));
        if (*value < 0)
          return fail("size.negative", fmt::format("the axis {} of {} is {}, but a size cannot be negative",
                                                   extent.text(), tensor.name, *value));
      }
    return {};
  }

  Status check_requires() const {
    for (const IntExpr& require : program_.require) {
      Result<int64_t> holds = require.evaluate(sizes_);
      if (!holds) return fail(in(holds.error(), "require"));
      if (*holds == 0)
        return fail("size.require", fmt::format("op {} requires {}, which does not hold for {}", program_.name,
                                                require.text(), values_of(require)));
    }
    return {};
  }

  Status check_topk() const {
    for (const Stage& stage : program_.stages) {
      if (stage.kind != Stage::Kind::topk) continue;
      Result<int64_t> all = program_.dim(stage.dim)->size.evaluate(sizes_),
                      kept = program_.dim(stage.new_dim)->size.evaluate(sizes_);
      if (all && kept && *kept > *all)
        return fail("size.topk",
                    fmt::format("topk keeps {} = {} of only {} = {} values", stage.new_dim, *kept, stage.dim, *all));
    }
    return {};
  }

  std::string values_of(const IntExpr& expr) const {
    std::string text;
    for (const std::string& name : expr.names()) {
      auto found = sizes_.find(name);
      if (found != sizes_.end()) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, found->second);
    }
    return text;
  }

  const Program& program_;
  Sizes sizes_;
  std::set<std::string> done_;
};

}  // namespace

Result<Sizes> bind_sizes(const Program& program, const Sizes& given) { return Binder(program, given).bind(given); }

Result<std::vector<double>> distribution_numbers(const Distribution& distribution, const Sizes& sizes) {
  std::vector<double> numbers = distribution.numbers;
  for (size_t i = 0; i < numbers.size() && i < distribution.sizes.size(); ++i) {
    if (!distribution.sizes[i]) continue;
    Result<int64_t> value = distribution.sizes[i]->evaluate(sizes);
    if (!value) return fail(value.error());
    numbers[i] = static_cast<double>(*value);
  }
  return numbers;
}

}  // namespace hipvault::ir
