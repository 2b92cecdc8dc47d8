#pragma once
// A Device that runs host functions as kernels, so that the judge is tested without a simulator: a test says exactly
// what a candidate does, right or wrong. It checks what a simulated GPU checks (bounds, reads of unwritten bytes,
// writes to inputs), shuffles work-groups by the request's seed, and poisons the workspace.
//
//   FakeDevice device;
//   device.kernels["twice"] = [](FakeGroup& group) {
//     for (int64_t at = group.first(); at < group.last(2); ++at) group.store(1, DType::f32, at, 2 * group.load(0,
//     DType::f32, at));
//   };

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "device/device.h"

namespace hipvault::test {

class FakeDevice;

// What one work-group sees. Arguments by position; elements relative to the pointer the kernel would get.
class FakeGroup {
 public:
  int64_t id = 0;  // linear
  std::array<int64_t, 3> xyz{};
  int64_t block = 0;

  int64_t integer(size_t arg) const { return launch_->args[arg].value; }
  double scalar(size_t arg) const { return request_->scalars[static_cast<size_t>(launch_->args[arg].index)]; }
  double load(size_t arg, DType dtype, int64_t element);
  int64_t load_int(size_t arg, DType dtype, int64_t element);
  void store(size_t arg, DType dtype, int64_t element, double value);
  void store_int(size_t arg, DType dtype, int64_t element, int64_t value);
  void fault(const std::string& message) { stop(RunStatus::fault, message); }
  void loop_forever() { stop(RunStatus::step_budget, "endless loop"); }
  // Elements [first, last) of a one-dimensional grid over `integer(size_arg)` elements.
  int64_t first() const { return id * block; }
  int64_t last(size_t size_arg) const { return std::min((id + 1) * block, integer(size_arg)); }

 private:
  friend class FakeDevice;
  struct Memory {
    std::string bytes;
    std::vector<char> initialised, written;
    int64_t first_byte = 0, valid_begin = 0, valid_end = 0;
    bool writable = true;
    std::string name;
  };
  Memory* memory_of(size_t arg, int64_t& base);
  bool reach(size_t arg, DType dtype, int64_t element, bool write, Memory*& memory, int64_t& position);
  void stop(RunStatus status, const std::string& message) {
    if (run_->status == RunStatus::completed) run_->status = status, run_->message = message;
  }
  void find(const std::string& kind, const std::string& message);

  const RunRequest* request_ = nullptr;
  const ResolvedLaunch* launch_ = nullptr;
  std::vector<Memory>* memories_ = nullptr;  // buffers, then the workspace
  Run* run_ = nullptr;
};

using FakeKernel = std::function<void(FakeGroup&)>;

class FakeDevice : public device::Device {
 public:
  std::map<std::string, FakeKernel> kernels;
  int runs = 0;
  double seconds_per_group = 0;                 // what the profile claims
  std::function<void(LaunchProfile&)> profile;  // fills in counters

  std::string name() const override { return "sim"; }
  std::string gpu() const override { return "mi300x"; }
  Result<RunResult> run(const RunRequest& request) override;
};

inline void FakeGroup::find(const std::string& kind, const std::string& message) {
  for (Finding& finding : run_->findings) {
    if (finding.kind == kind && finding.kernel == launch_->kernel) {
      ++finding.count;
      return;
    }
  }
  Finding finding;
  finding.kind = kind;
  finding.message = message;
  finding.kernel = launch_->kernel;
  finding.group = xyz;
  run_->findings.push_back(finding);
}

inline FakeGroup::Memory* FakeGroup::memory_of(size_t arg, int64_t& base) {
  const ResolvedArg& resolved = launch_->args[arg];
  bool workspace = resolved.kind == KernelArg::Kind::workspace;
  Memory& memory = workspace ? memories_->back() : (*memories_)[static_cast<size_t>(resolved.index)];
  base = workspace ? resolved.offset : memory.first_byte;
  return &memory;
}

inline bool FakeGroup::reach(size_t arg, DType dtype, int64_t element, bool write, Memory*& memory, int64_t& position) {
  int64_t base = 0;
  memory = memory_of(arg, base);
  int64_t width = info(dtype).bits / 8, at = base + element * width;
  position = at / width;
  if (at < memory->valid_begin || at + width > memory->valid_end) {
    find("out-of-bounds", memory->name + ": byte " + std::to_string(at) + " is outside");
    return at >= 0 && at + width <= static_cast<int64_t>(memory->bytes.size()) && at % width == 0;
  }
  if (write && !memory->writable) find("read-only-write", memory->name + " is an input");
  for (int64_t byte = at; byte < at + width; ++byte) {
    if (!write && !memory->initialised[static_cast<size_t>(byte)])
      find("uninitialised-read", memory->name + " was not written there");
    if (write) memory->initialised[static_cast<size_t>(byte)] = memory->written[static_cast<size_t>(byte)] = 1;
  }
  return true;
}

inline double FakeGroup::load(size_t arg, DType dtype, int64_t element) {
  Memory* memory = nullptr;
  int64_t position = 0;
  return reach(arg, dtype, element, false, memory, position) ? decode(dtype, memory->bytes.data(), position) : 0;
}
inline int64_t FakeGroup::load_int(size_t arg, DType dtype, int64_t element) {
  Memory* memory = nullptr;
  int64_t position = 0;
  return reach(arg, dtype, element, false, memory, position) ? decode_int(dtype, memory->bytes.data(), position) : 0;
}
inline void FakeGroup::store(size_t arg, DType dtype, int64_t element, double value) {
  Memory* memory = nullptr;
  int64_t position = 0;
  if (reach(arg, dtype, element, true, memory, position)) encode(dtype, memory->bytes.data(), position, value);
}
inline void FakeGroup::store_int(size_t arg, DType dtype, int64_t element, int64_t value) {
  Memory* memory = nullptr;
  int64_t position = 0;
  if (reach(arg, dtype, element, true, memory, position)) encode_int(dtype, memory->bytes.data(), position, value);
}

inline Result<RunResult> FakeDevice::run(const RunRequest& request) {
  ++runs;
  RunResult result;
  std::vector<FakeGroup::Memory> memories;
  for (const BufferRequest& buffer : request.buffers) {
    memories.push_back({buffer.data, std::vector<char>(buffer.data.size(), buffer.initialised ? 1 : 0),
                        std::vector<char>(buffer.data.size(), 0), buffer.first_byte, buffer.valid_begin,
                        buffer.valid_end, buffer.writable, buffer.name});
  }
  auto workspace = static_cast<size_t>(request.plan.workspace_bytes);
  memories.push_back({std::string(workspace, static_cast<char>(request.workspace_poison)),
                      std::vector<char>(workspace, 0), std::vector<char>(workspace, 0), 0, 0,
                      request.plan.workspace_bytes, true, "workspace"});
  Random random(request.wave_order_seed);
  for (const ResolvedLaunch& launch : request.plan.launches) {
    for (auto [offset, bytes] : launch.clear) {
      std::fill_n(memories.back().bytes.begin() + offset, bytes, '\0');
      std::fill_n(memories.back().initialised.begin() + offset, bytes, 1);
    }
    int64_t total = launch.grid[0] * launch.grid[1] * launch.grid[2];
    std::vector<int64_t> order;
    for (int64_t id = 0; id < total; ++id) {
      bool wanted = request.only_groups.empty() ||
                    std::find(request.only_groups.begin(), request.only_groups.end(), id) != request.only_groups.end();
      if (wanted) order.push_back(id);
    }
    for (size_t at = order.size(); at > 1; --at) std::swap(order[at - 1], order[random.below(at)]);
    LaunchProfile counted;
    counted.kernel = launch.kernel;
    counted.groups = total;
    counted.groups_run = static_cast<int64_t>(order.size());
    counted.block = launch.block;
    counted.seconds = seconds_per_group * static_cast<double>(order.size());
    if (profile) profile(counted);
    result.run.launches.push_back(counted);
    result.run.seconds += counted.seconds;
    auto kernel = kernels.find(launch.kernel);
    if (kernel == kernels.end()) return fail("fake.kernel", "no kernel " + launch.kernel);
    for (int64_t id : order) {
      FakeGroup group;
      group.id = id;
      group.xyz = {id % launch.grid[0], id / launch.grid[0] % launch.grid[1], id / launch.grid[0] / launch.grid[1]};
      group.block = launch.block;
      group.request_ = &request;
      group.launch_ = &launch;
      group.memories_ = &memories;
      group.run_ = &result.run;
      if (result.run.status == RunStatus::completed) kernel->second(group);
    }
  }
  for (size_t at = 0; at < request.buffers.size(); ++at) {
    result.buffers.push_back(request.buffers[at].read_back ? memories[at].bytes : "");
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (size_t byte = 0; byte < memories[at].written.size(); ++byte) {
      if (!memories[at].written[byte]) continue;
      if (!ranges.empty() && ranges.back().second == static_cast<int64_t>(byte)) {
        ++ranges.back().second;
      } else {
        ranges.push_back({static_cast<int64_t>(byte), static_cast<int64_t>(byte) + 1});
      }
    }
    result.written.push_back(request.only_groups.empty() ? std::vector<std::pair<int64_t, int64_t>>{} : ranges);
  }
  return result;
}

}  // namespace hipvault::test
