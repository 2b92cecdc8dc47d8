#include "device/gpu_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "base/hash.h"

namespace hipvault::device {
namespace {

constexpr int64_t kGuard = 4096;
constexpr uint8_t kGuardByte = 0xc7;
constexpr size_t kModulesKept = 8;
constexpr int kWarmUp = 5;

// Memory that is given back, whatever happens.
class Block {
 public:
  Block(GpuDriver& driver, GpuAddress address) : driver_(&driver), address_(address) {}
  Block(Block&& other) noexcept : driver_(other.driver_), address_(std::exchange(other.address_, 0)) {}
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (address_) driver_->release(address_);
  }
  GpuAddress address() const { return address_; }

 private:
  GpuDriver* driver_;
  GpuAddress address_;
};

RunStatus status_of(const Diagnostic& error) {
  bool refused = error.code == "gpu.memory" || error.code == "gpu.no-kernel" || error.code == "gpu.load" ||
                 error.code == "gpu.launch" || error.code == "gpu.arguments";
  return refused ? RunStatus::launch_refused : RunStatus::fault;
}

class OneRun {
 public:
  OneRun(GpuDriver& driver, const RunRequest& request) : driver_(driver), request_(request) {}

  // Kernels in the order of the plan's launches.
  Result<RunResult> run(const std::vector<GpuHandle>& kernels) {
    Status placed = place();
    if (!placed) return fail(placed.error());
    Status launches = make_launches(kernels);
    if (!launches) return fail(launches.error());
    Status first = launch_all();
    if (!first) return fail(first.error());
    Status ended = driver_.synchronise();
    if (!ended) return fail(ended.error());
    Status timed = time_repetitions();
    if (!timed) return fail(timed.error());
    Status guards = look_at_guards();
    if (!guards) return fail(guards.error());
    Status read = read_back();
    if (!read) return fail(read.error());
    describe_launches();
    return std::move(result_);
  }

 private:
  struct Placed {
    std::string name;
    GpuAddress begin = 0;  // behind the guard
    int64_t bytes = 0;
  };

  static int64_t size_of(const BufferRequest& buffer) {
    return std::max<int64_t>(buffer.size, static_cast<int64_t>(buffer.data.size()));
  }

  Result<Placed> allocate(const std::string& name, int64_t bytes) {
    Result<GpuAddress> address = driver_.allocate(bytes + 2 * kGuard);
    if (!address) return fail(address.error());
    blocks_.emplace_back(driver_, *address);
    for (GpuAddress guard : {*address, *address + static_cast<uint64_t>(kGuard + bytes)}) {
      Status filled = driver_.fill(guard, kGuardByte, kGuard);
      if (!filled) return fail(filled.error());
    }
    return Placed{name, *address + kGuard, bytes};
  }

  // `data`, again and again until the buffer is full; zeros if there is none.
  Status fill_buffer(const Placed& placed, const std::string& data) {
    if (data.empty()) return driver_.fill(placed.begin, 0, placed.bytes);
    int64_t done = std::min<int64_t>(placed.bytes, static_cast<int64_t>(data.size()));
    Status written = driver_.write(placed.begin, data.data(), done);
    while (written && done < placed.bytes) {
      int64_t more = std::min(done, placed.bytes - done);
      written = driver_.copy(placed.begin + static_cast<uint64_t>(done), placed.begin, more);
      done += more;
    }
    return written;
  }

  Status place() {
    for (const BufferRequest& buffer : request_.buffers) {
      Result<Placed> placed = allocate(buffer.name, size_of(buffer));
      if (!placed) return fail(placed.error());
      Status filled = fill_buffer(*placed, buffer.data);
      if (!filled) return filled;
      buffers_.push_back(*placed);
    }
    Result<Placed> workspace = allocate("the workspace", std::max<int64_t>(request_.plan.workspace_bytes, 0));
    if (!workspace) return fail(workspace.error());
    workspace_ = *workspace;
    return driver_.fill(workspace_.begin, request_.workspace_poison, workspace_.bytes);
  }

  Result<uint64_t> argument(const ResolvedArg& arg) const {
    auto index = static_cast<size_t>(arg.index);
    switch (arg.kind) {
      case KernelArg::Kind::buffer:
        if (index >= buffers_.size()) return fail("gpu.arguments", "the plan names a buffer that the request lacks");
        return buffers_[index].begin + static_cast<uint64_t>(request_.buffers[index].first_byte);
      case KernelArg::Kind::workspace:
        return workspace_.begin + static_cast<uint64_t>(arg.offset);
      case KernelArg::Kind::integer:
        return static_cast<uint64_t>(arg.value);
      case KernelArg::Kind::scalar:
        if (index >= request_.scalars.size())
          return fail("gpu.arguments", "the plan names a scalar that the request lacks");
        return arg.dtype == DType::f32 ? uint64_t{std::bit_cast<uint32_t>(static_cast<float>(request_.scalars[index]))}
                                       : std::bit_cast<uint64_t>(request_.scalars[index]);
    }
    return fail("gpu.arguments", "an argument of unknown kind");
  }

  Status make_launches(const std::vector<GpuHandle>& kernels) {
    for (size_t at = 0; at < kernels.size(); ++at) {
      const ResolvedLaunch& from = request_.plan.launches[at];
      GpuLaunch made;
      made.kernel = kernels[at];
      for (size_t axis = 0; axis < 3; ++axis) made.grid[axis] = static_cast<uint32_t>(from.grid[axis]);
      made.block[0] = static_cast<uint32_t>(from.block);
      made.block[1] = static_cast<uint32_t>(from.block_y);
      made.block[2] = static_cast<uint32_t>(from.block_z);
      made.dynamic_lds = static_cast<uint32_t>(from.dynamic_lds);
      for (const ResolvedArg& arg : from.args) {
        Result<uint64_t> value = argument(arg);
        if (!value) return fail(value.error());
        made.arguments.push_back(*value);
      }
      launches_.push_back(std::move(made));
    }
    return {};
  }

  Status launch_all() {
    for (size_t at = 0; at < launches_.size(); ++at) {
      for (auto [offset, size] : request_.plan.launches[at].clear) {
        Status cleared = driver_.fill(workspace_.begin + static_cast<uint64_t>(offset), 0, size);
        if (!cleared) return cleared;
      }
      const std::array<int64_t, 3>& grid = request_.plan.launches[at].grid;
      if (grid[0] * grid[1] * grid[2] == 0) continue;
      Status launched = driver_.launch(launches_[at]);
      if (!launched) return launched;
    }
    return {};
  }

  Status time_repetitions() {
    if (request_.samples <= 0) return {};
    Result<GpuHandle> begin = driver_.make_event(), end = driver_.make_event();
    if (!begin) return fail(begin.error());
    if (!end) return fail(end.error());
    Result<Placed> sweep = allocate("the sweep", request_.flush_bytes);
    if (!sweep) return fail(sweep.error());
    Status fine;
    for (int turn = 0; turn < kWarmUp + request_.samples && fine; ++turn) {
      if (request_.flush_bytes > 0) fine = driver_.fill(sweep->begin, static_cast<uint8_t>(turn), sweep->bytes);
      if (fine) fine = driver_.record(*begin);
      if (fine) fine = launch_all();
      if (fine) fine = driver_.record(*end);
      if (fine) fine = driver_.synchronise();
      if (!fine) break;
      Result<double> time = driver_.microseconds(*begin, *end);
      if (!time) fine = fail(time.error());
      if (time && turn >= kWarmUp) result_.run.samples_us.push_back(*time);
    }
    driver_.drop_event(*begin);
    driver_.drop_event(*end);
    return fine;
  }

  Status look_at_guards() {
    std::vector<Placed> all = buffers_;
    all.push_back(workspace_);
    for (const Placed& placed : all) {
      for (bool behind : {false, true}) {
        std::string guard(kGuard, '\0');
        GpuAddress at = behind ? placed.begin + static_cast<uint64_t>(placed.bytes) : placed.begin - kGuard;
        Status read = driver_.read(guard.data(), at, kGuard);
        if (!read) return read;
        auto changed = std::count_if(guard.begin(), guard.end(),
                                     [](char byte) { return static_cast<uint8_t>(byte) != kGuardByte; });
        if (changed == 0) continue;
        Finding finding;
        finding.kind = "out-of-bounds";
        finding.message =
            fmt::format("{} bytes {} {} were written", changed, behind ? "behind" : "before", placed.name);
        result_.run.findings.push_back(finding);
      }
    }
    return {};
  }

  Status read_back() {
    result_.buffers.resize(buffers_.size());
    result_.written.resize(buffers_.size());
    for (size_t at = 0; at < buffers_.size(); ++at) {
      if (!request_.buffers[at].read_back) continue;
      result_.buffers[at].resize(static_cast<size_t>(buffers_[at].bytes));
      Status read = driver_.read(result_.buffers[at].data(), buffers_[at].begin, buffers_[at].bytes);
      if (!read) return read;
    }
    return {};
  }

  void describe_launches() {
    for (const ResolvedLaunch& launch : request_.plan.launches) {
      LaunchProfile profile;
      profile.kernel = launch.kernel;
      profile.groups = profile.groups_run = launch.grid[0] * launch.grid[1] * launch.grid[2];
      profile.block = launch.items();
      result_.run.launches.push_back(profile);
    }
  }

  GpuDriver& driver_;
  const RunRequest& request_;
  RunResult result_;
  std::vector<Block> blocks_;
  std::vector<Placed> buffers_;
  Placed workspace_;
  std::vector<GpuLaunch> launches_;
};

}  // namespace

GpuRunner::~GpuRunner() {
  for (const Module& module : modules_) driver_.unload_module(module.handle);
}

Result<GpuHandle> GpuRunner::module(const std::string& code) {
  std::string hash = hash_hex(code);
  for (const Module& known : modules_)
    if (known.hash == hash) return known.handle;
  Result<GpuHandle> loaded = driver_.load_module(code);
  if (!loaded) return loaded;
  if (modules_.size() >= kModulesKept) {
    driver_.unload_module(modules_.front().handle);
    modules_.erase(modules_.begin());
  }
  modules_.push_back({hash, *loaded});
  return loaded;
}

Result<GpuHandle> GpuRunner::kernel(const RunRequest& request, const std::string& name) {
  Diagnostic last{"gpu.no-kernel", "no code has a kernel named " + name, "", {}};
  for (const std::string& code : request.code_objects) {
    Result<GpuHandle> loaded = module(code);
    if (!loaded) return loaded;
    Result<GpuHandle> found = driver_.find_kernel(*loaded, name);
    if (found || found.error().code != "gpu.no-kernel") return found;
  }
  return tl::unexpected(last);
}

RunResult GpuRunner::run(const RunRequest& request) {
  auto started = std::chrono::steady_clock::now();
  std::vector<GpuHandle> kernels;
  Result<RunResult> result = RunResult{};
  for (const ResolvedLaunch& launch : request.plan.launches) {
    Result<GpuHandle> found = kernel(request, launch.kernel);
    if (!found) result = fail(found.error());
    if (!found) break;
    kernels.push_back(*found);
  }
  if (result) result = OneRun(driver_, request).run(kernels);
  RunResult given;
  if (result) {
    given = std::move(*result);
  } else {
    given.run.status = status_of(result.error());
    given.run.message = result.error().message;
  }
  given.run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return given;
}

bool GpuRunner::still_works() {
  Result<GpuAddress> address = driver_.allocate(64);
  if (!address) return false;
  Block block(driver_, *address);
  uint8_t bytes[64] = {};
  if (!driver_.fill(*address, 0x5a, 64) || !driver_.read(bytes, *address, 64)) return false;
  return std::all_of(std::begin(bytes), std::end(bytes), [](uint8_t byte) { return byte == 0x5a; });
}

}  // namespace hipvault::device
