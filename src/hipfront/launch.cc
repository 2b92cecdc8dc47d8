#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hipfront/device_text.h"
#include "hipfront/front.h"
#include "measure/draft.h"

namespace hipvault::hipfront {
namespace {

constexpr size_t kOutputBytes = 1 << 20, kHeapBytes = 64 << 20;

int64_t product(const dim3& d) { return int64_t{d.x} * d.y * d.z; }

// The explicit arguments as the kernel lays them out; the rest of its block is the simulator's.
Result<std::string> explicit_arguments(const isa::KernelInfo& kernel, void** arguments, void** extra) {
  std::string bytes(static_cast<size_t>(kernel.kernarg_bytes), '\0');
  if (extra) {
    const void* block = nullptr;
    size_t size = 0;
    for (void** at = extra; *at != HIP_LAUNCH_PARAM_END; at += 2) {
      if (*at == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        block = at[1];
      else if (*at == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<size_t*>(at[1]);
      else
        return fail("hip.extra", "the launch's `extra` list has an unknown key");
    }
    if (block) std::memcpy(bytes.data(), block, std::min(size, bytes.size()));
    return bytes;
  }
  size_t next = 0;
  for (const isa::KernelArgument& arg : kernel.args) {
    if (arg.hidden()) continue;
    if (!arguments || !arguments[next]) return fail("hip.arguments", "an argument of " + kernel.name + " is missing");
    if (arg.offset >= 0 && arg.size >= 0 && arg.offset + arg.size <= kernel.kernarg_bytes)
      std::memcpy(bytes.data() + arg.offset, arguments[next], static_cast<size_t>(arg.size));
    ++next;
  }
  return bytes;
}

}  // namespace

hipError_t Front::check_shape(const Function& function, const LaunchShape& shape) {
  const isa::KernelInfo& kernel = *function.kernel;
  int64_t items = product(shape.block);
  if (product(shape.grid) == 0 || items == 0) return hipErrorInvalidConfiguration;
  if (items > arch_.max_group_size) return hipErrorInvalidConfiguration;
  if (items > kernel.max_group_size) {
    say(fmt::format("a block of {} items is larger than the launch bounds of {} ({})", items, kernel.name,
                    kernel.max_group_size));
    return hipErrorLaunchFailure;
  }
  if (static_cast<int64_t>(shape.dynamic_lds) + kernel.lds_bytes > arch_.lds_bytes) return hipErrorInvalidValue;
  for (uint64_t items_along : {uint64_t{shape.grid.x} * shape.block.x, uint64_t{shape.grid.y} * shape.block.y,
                               uint64_t{shape.grid.z} * shape.block.z})
    if (items_along > UINT32_MAX) return hipErrorInvalidConfiguration;
  if (shape.cooperative && product(shape.grid) > int64_t{gpu_.cus} * groups_per_cu(function, items, shape.dynamic_lds))
    return hipErrorCooperativeLaunchTooLarge;
  return hipSuccess;
}

int Front::groups_per_cu(const Function& function, int64_t items, size_t dynamic_lds) const {
  const isa::KernelInfo& kernel = *function.kernel;
  int64_t lds = kernel.lds_bytes + static_cast<int64_t>(dynamic_lds);
  if (items < 1 || items > std::min(arch_.max_group_size, kernel.max_group_size) || lds > arch_.lds_bytes) return 0;
  int waves_per_simd = target::occupancy(arch_, kernel.vgpr_count - kernel.agpr_count, kernel.agpr_count, lds, items);
  int64_t waves = (items + kernel.wave_size - 1) / kernel.wave_size;
  return static_cast<int>(std::max<int64_t>(int64_t{waves_per_simd} * arch_.simds_per_cu / waves, 1));
}

hipError_t Front::launch(const Function& function, const LaunchShape& shape, void** arguments, void** extra,
                         hipStream_t stream) {
  if (hipError_t error = check_shape(function, shape); error != hipSuccess) return error;
  Result<std::string> bytes = explicit_arguments(*function.kernel, arguments, extra);
  if (!bytes) {
    say(render(bytes.error()));
    return hipErrorInvalidValue;
  }
  return submit(stream,
                [this, function, shape, bytes = *bytes](double& us) { return execute(function, shape, bytes, us); });
}

sim::Region* Front::output_buffer() {
  if (output_) return output_;
  output_ = memory_.place("the printf buffer", kOutputBytes, true, false);
  sim::Region* heap = output_ ? memory_.place("the device heap", kHeapBytes, true, false) : nullptr;
  if (!output_) return nullptr;
  OutputHeader header{};
  header.capacity = kOutputBytes - sizeof header;
  if (heap) header.heap_next = heap->base, header.heap_end = heap->base + kHeapBytes;
  std::memcpy(output_->at(0), &header, sizeof header);
  return output_;
}

hipError_t Front::execute(const Function& function, const LaunchShape& shape, const std::string& arguments,
                          double& us) {
  if (sticky_ != hipSuccess) return sticky_;
  RunRequest request;
  request.gpu = gpu_.name;
  request.check = check_;
  request.count_lines = true;
  request.threads = threads_;
  request.step_budget = INT64_MAX / 2;
  request.deadline_s = 0;
  ResolvedLaunch launch;
  launch.kernel = function.kernel->name;
  launch.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  launch.block = shape.block.x, launch.block_y = shape.block.y, launch.block_z = shape.block.z;
  launch.dynamic_lds = static_cast<int64_t>(shape.dynamic_lds);
  launch.raw_args = arguments;
  request.plan.launches.push_back(launch);
  sim::Residence residence{&memory_, function.module->program, function.module->image->base, kernarg_, packet_, {}};
  for (const isa::KernelArgument& arg : function.kernel->args)
    if (arg.value_kind == "hidden_hostcall_buffer" && output_buffer()) {
      residence.hidden[arg.value_kind] = output_->base;
      reinterpret_cast<OutputHeader*>(output_->at(0))->barrier = 0;
    }
  RunResult result = sim::run_resident(request, gpu_, residence);
  note_findings(result.run.findings);
  for (const LaunchProfile& profile : result.run.launches) {
    measure::LaunchLimits limits{static_cast<double>(used_), static_cast<double>(used_), 0, true};
    us += measure::draft_launch(profile, limits, gpu_).time_us;
    KernelTotals& total = totals_[profile.kernel];
    ++total.launches, total.groups += profile.groups, total.device_us += us;
    for (const auto& [name, count] : profile.instructions)
      total.wave_instructions += count, instructions_[name] += count;
  }
  kernel_us_ += us;
  return end_of_run(result, function);
}

hipError_t Front::end_of_run(const RunResult& result, const Function& function) {
  bool asserted = output_ && reinterpret_cast<OutputHeader*>(output_->at(0))->asserted;
  print_output();
  if (result.run.status == RunStatus::completed) return hipSuccess;
  say(fmt::format("{} ended: {}", function.kernel->name, result.run.message));
  if (result.run.status == RunStatus::launch_refused) return hipErrorInvalidConfiguration;
  sticky_ = asserted ? hipErrorAssert : hipErrorLaunchFailure;
  return sticky_;
}

void Front::print_output() {
  if (!output_) return;
  OutputHeader* header = reinterpret_cast<OutputHeader*>(output_->at(0));
  if (!header->next_id && !header->used) return;
  uint64_t used = std::min(header->used, header->capacity);
  std::string text =
      text_of_records({reinterpret_cast<const char*>(output_->at(sizeof *header)), static_cast<size_t>(used)});
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (header->used > header->capacity) say("the printf buffer of 1 MiB is full; what came after is lost");
  std::memset(output_->at(sizeof *header), 0, static_cast<size_t>(used));
  header->used = header->next_id = header->asserted = 0;
}

}  // namespace hipvault::hipfront
