#include "schedule/variant.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/plan_parts.h"

namespace hipvault::schedule {

void VariantBuilder::add(BuiltKernel built) {
  for (const auto& [text, condition] : built.conditions) conditions_.emplace(text, condition);
  lowered_.multiple_of[built.kernel.name] = built.multiple_of;
  lowered_.alignment[built.kernel.name] = built.alignment;
  lowered_.kernels.push_back(std::move(built.kernel));
  variant_.launches.push_back(std::move(built.launch));
}

// Positions that do not fit into 32 bits for fixed sizes, say: the condition is false whatever the strides are.
bool VariantBuilder::is_impossible() const {
  return std::any_of(conditions_.begin(), conditions_.end(),
                     [](const auto& condition) { return condition.second.is_constant(0); });
}

void VariantBuilder::drop_kernels() {
  for (const Launch& launch : variant_.launches) {
    std::erase_if(lowered_.kernels, [&](const tile::Kernel& kernel) { return kernel.name == launch.kernel; });
    lowered_.multiple_of.erase(launch.kernel);
    lowered_.alignment.erase(launch.kernel);
  }
}

void VariantBuilder::finish() {
  if (is_impossible()) return drop_kernels();
  for (const auto& [text, condition] : conditions_) variant_.when = logical_and(variant_.when, condition);
  for (const auto& [name, bytes] : bytes_) {
    WorkspaceBuffer buffer{name, bytes, -1, -1, false};
    for (size_t at = 0; at < variant_.launches.size(); ++at)
      for (const KernelArg& arg : variant_.launches[at].args) {
        if (arg.kind != KernelArg::Kind::workspace || arg.name != name) continue;
        if (buffer.first_launch < 0) buffer.first_launch = static_cast<int>(at);
        buffer.last_launch = static_cast<int>(at);
      }
    if (buffer.first_launch >= 0) variant_.workspace.push_back(std::move(buffer));
  }
  lowered_.plan.variants.push_back(std::move(variant_));
}

Lowered start_lowered(const Task& task) {
  Lowered lowered;
  lowered.plan = plan_of(task);
  bool wide = real_type(task.program) == DType::f64;
  lowered.compute_unit_roundoff = wide ? 0x1p-53 : 0x1p-24;
  lowered.promises.push_back(std::string("computes and accumulates in ") + (wide ? "f64" : "f32"));
  lowered.promises.push_back("outputs do not overlap inputs");
  return lowered;
}

}  // namespace hipvault::schedule
