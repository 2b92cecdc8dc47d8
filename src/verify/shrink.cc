#include "verify/shrink.h"

#include <algorithm>

#include "verify/layouts.h"

namespace hipvault::verify {
namespace {

// Free dimensions, those that lead the results first.
std::vector<std::string> shrinkable(const ir::Program& program) {
  std::vector<std::string> leading, rest;
  for (const ir::Dim& dim : program.dims) {
    if (!dim.free) continue;
    bool leads = std::any_of(program.tensors.begin(), program.tensors.end(), [&](const ir::Tensor& tensor) {
      return tensor.role != Role::input && tensor.axis_dims.size() > 1 && tensor.axis_dims.back() != dim.name &&
             std::find(tensor.axis_dims.begin(), tensor.axis_dims.end(), dim.name) != tensor.axis_dims.end();
    });
    (leads ? leading : rest).push_back(dim.name);
  }
  leading.insert(leading.end(), rest.begin(), rest.end());
  return leading;
}

Sizes given_sizes(const ir::Program& program, const Sizes& sizes) {
  Sizes given;
  for (const ir::Dim& dim : program.dims) {
    if (dim.free) given[dim.name] = sizes.at(dim.name);
  }
  for (const ir::IntParam& param : program.int_params) given[param.name] = sizes.at(param.name);
  return given;
}

// One axis smaller, if the op and the variant allow it: half, or half rounded up to keep it odd.
bool halve(const ir::Program& program, const Plan& plan, const std::string& dim, const std::string& variant,
           SizedCase& at) {
  Sizes given = given_sizes(program, at.sizes);
  int64_t size = given[dim];
  for (int64_t smaller : {size / 2, size / 2 + 1, size - size / 4}) {
    if (smaller >= size || smaller < 2) continue;
    given[dim] = smaller;
    Result<SizedCase> made = make_case(program, at.name, given, at.scalars);
    if (!made || variant_at(program, plan, made->sizes) != variant) continue;
    at.sizes = made->sizes;
    at.steps = made->steps;
    return true;
  }
  return false;
}

}  // namespace

std::string variant_at(const ir::Program& program, const Plan& plan, const Sizes& sizes) {
  Sizes all = sizes;
  for (const ir::Tensor& tensor : program.tensors) {
    HostTensor layout{tensor.name, tensor.dtype, {}, {}, 0, {}};
    for (const IntExpr& extent : tensor.shape) layout.shape.push_back(extent.evaluate(sizes).value_or(0));
    layout.strides = contiguous_strides(layout.shape);
    add_layout_names(layout, all);
  }
  Result<ResolvedPlan> resolved = resolve(plan, all);
  return resolved ? resolved->variant : "";
}

std::vector<SizedCase> shrink(const ir::Program& program, const Plan& plan, const SizedCase& from, double max_steps) {
  std::string variant = variant_at(program, plan, from.sizes);
  if (variant.empty()) return {};
  SizedCase at = from;
  at.required = false;
  at.strides.clear();
  at.offsets.clear();
  for (const std::string& dim : shrinkable(program)) {
    while (at.steps > max_steps && halve(program, plan, dim, variant, at)) {
    }
  }
  if (at.steps > 64 * max_steps) return {};
  at.name = from.name + " shrunk";
  for (const auto& [dim, size] : given_sizes(program, at.sizes)) {
    if (size != from.sizes.at(dim)) at.name += " " + dim + "=" + std::to_string(size);
  }
  return {at};
}

}  // namespace hipvault::verify
