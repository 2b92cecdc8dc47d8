#pragma once
// Executes what a schedule built on the CPU: resolves the plan and interprets its tile programs, launch by launch.
// Workspace bytes start as garbage, so that a kernel that relies on zeros is found out.

#include <map>
#include <string>
#include <vector>

#include "record/plan.h"
#include "record/tensor.h"
#include "schedule/schedule.h"
#include "tile/interpret.h"

namespace hipvault::test {

// Adds the stride and align names of each tensor to the plan's sizes.
inline Sizes plan_sizes(const Plan& plan, const Sizes& sizes, const std::map<std::string, HostTensor*>& tensors) {
  Sizes all = sizes;
  for (const auto& [name, tensor] : tensors) {
    for (size_t axis = 0; axis < tensor->strides.size(); ++axis)
      all[name + ".stride." + std::to_string(axis)] = tensor->strides[axis];
    int64_t byte = tensor->offset * info(tensor->dtype).bits / 8, align = 256;
    while (byte % align != 0) align /= 2;
    all[name + ".align"] = align;
  }
  return all;
}

inline Result<std::string> run_plan(const schedule::Lowered& lowered, const Sizes& sizes,
                                    const std::map<std::string, HostTensor*>& tensors,
                                    const std::map<std::string, double>& scalars) {
  Result<ResolvedPlan> plan = resolve(lowered.plan, plan_sizes(lowered.plan, sizes, tensors));
  if (!plan) return fail(plan.error());
  std::string workspace(static_cast<size_t>(plan->workspace_bytes), '\xa5');
  for (const ResolvedLaunch& launch : plan->launches) {
    const tile::Kernel* kernel = nullptr;
    for (const tile::Kernel& candidate : lowered.kernels)
      if (candidate.name == launch.kernel) kernel = &candidate;
    if (kernel == nullptr) return fail("test.kernel", "no kernel " + launch.kernel);
    if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0) continue;
    for (const auto& [begin, size] : launch.clear)
      workspace.replace(static_cast<size_t>(begin), static_cast<size_t>(size), static_cast<size_t>(size), '\0');
    tile::Memory memory;
    for (const ResolvedArg& arg : launch.args) {
      if (arg.kind == KernelArg::Kind::buffer) {
        HostTensor* tensor = tensors.at(lowered.plan.buffers[static_cast<size_t>(arg.index)].name);
        memory.buffers.push_back(&tensor->bytes);
        memory.base.push_back(tensor->offset * info(tensor->dtype).bits / 8);
      } else if (arg.kind == KernelArg::Kind::workspace) {
        memory.buffers.push_back(&workspace);
        memory.base.push_back(arg.offset);
      } else if (arg.kind == KernelArg::Kind::integer) {
        memory.scalars.push_back(static_cast<double>(arg.value));
      } else {
        memory.scalars.push_back(scalars.at(lowered.plan.scalars[static_cast<size_t>(arg.index)].name));
      }
    }
    if (Status done = tile::interpret(*kernel, launch.grid, memory); !done) {
      Diagnostic error = done.error();
      error.message += "\n" + tile::text(*kernel);
      return fail(error);
    }
  }
  return plan->variant;
}

}  // namespace hipvault::test
