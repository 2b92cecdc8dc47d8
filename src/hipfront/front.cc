#include "hipfront/front.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/json.h"

namespace hipvault::hipfront {
namespace {

thread_local hipError_t last_error = hipSuccess;

std::string setting(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value && *value ? value : usual;
}

target::Gpu chosen_gpu() {
  Result<target::Gpu> gpu = target::find_gpu(setting("HIPVAULT_GPU", "mi300x"));
  if (gpu) return *gpu;
  std::fprintf(stderr, "hipvault: %s\n", render(gpu.error()).c_str());
  std::_Exit(72);
}

}  // namespace

Front& Front::get() {
  static Front* front = new Front;  // never destroyed: programs call HIP from their own destructors
  return *front;
}

Front::Front() : gpu_(chosen_gpu()), arch_(target::arch_of(gpu_)) {
  threads_ = std::atoi(setting("HIPVAULT_THREADS", "0").c_str());
  if (threads_ < 1) threads_ = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  check_ = setting("HIPVAULT_CHECK", "1") != "0";
  leaks_ = setting("HIPVAULT_LEAKS", "0") != "0";
  kernarg_ = &memory_.add("the kernel arguments", "", false);
  packet_ = &memory_.add("the dispatch packet", std::string(64, '\0'), false);
  std::atexit(&Front::at_exit);
}

hipError_t Front::remember(hipError_t error) {
  if (error != hipSuccess && error != hipErrorNotReady) last_error = error;
  return error;
}

hipError_t Front::take_last_error(bool reset) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (sticky_ != hipSuccess) return sticky_;
  hipError_t error = last_error;
  if (reset) last_error = hipSuccess;
  return error;
}

void Front::say(const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "hipvault: %s\n", text.c_str());
}

hipError_t Front::not_supported(const std::string& what) {
  if (said_.insert(what).second) say(what + " is not supported on the simulated GPU (hipErrorNotSupported)");
  return hipErrorNotSupported;
}

// For api_missing.cc, whose functions have no prototypes.
int refuse_call(const char* name) {
  return Front::get().call([&] { return Front::get().not_supported(name); });
}

void Front::note_findings(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    auto [at, fresh] = findings_.try_emplace({finding.kind, finding.kernel, finding.pc}, finding);
    if (!fresh) at->second.count += finding.count;
  }
}

void Front::at_exit() {
  Front& front = get();
  std::lock_guard<std::recursive_mutex> lock(front.mutex_);
  front.report();
}

// What the program still holds. Images of modules and memory of the host's own are not its to free.
void Front::find_leaks() {
  for (const auto& [address, allocation] : allocations_) {
    bool own = allocation.kind == AllocationKind::device || allocation.kind == AllocationKind::managed ||
               allocation.kind == AllocationKind::host;
    if (!own || allocation.variable) continue;
    Finding leak;
    leak.kind = "leak";
    leak.message =
        fmt::format("{} bytes at {:#x} ({}) were not freed", allocation.size, address, allocation.region->name);
    findings_.try_emplace({leak.kind, "", address}, leak);
  }
}

void Front::print_findings() {
  constexpr size_t kMostPrinted = 20;
  size_t printed = 0;
  for (const auto& [key, f] : findings_) {
    if (++printed > kMostPrinted) break;
    say(fmt::format("{} in {}{}: {}{}", f.kind, f.kernel, f.source.empty() ? "" : " (" + f.source + ")", f.message,
                    f.count > 1 ? fmt::format(" [{} times]", f.count) : ""));
  }
  if (findings_.size() > kMostPrinted) say(fmt::format("{} more findings", findings_.size() - kMostPrinted));
}

void Front::report() {
  if (leaks_)
    find_leaks();
  else
    print_findings();
  if (std::string path = setting("HIPVAULT_RUN_JSON", ""); !path.empty()) write_json(path);
}

void Front::write_json(const std::string& path) {
  Json kernels = Json::array(), findings = Json::array(), missing = Json::array(), classes = Json::object();
  int64_t instructions = 0, launches = 0;
  for (const auto& [name, total] : totals_) {
    kernels.push_back(Json{{"kernel", name},
                           {"launches", total.launches},
                           {"groups", total.groups},
                           {"wave_instructions", total.wave_instructions},
                           {"device_us", total.device_us}});
    instructions += total.wave_instructions, launches += total.launches;
  }
  for (const auto& [name, count] : instructions_) classes[name] = count;
  for (const auto& [key, finding] : findings_) findings.push_back(to_json(finding));
  for (const std::string& what : said_) missing.push_back(what);
  Json json{{"gpu", gpu_.name},
            {"arch", arch_.name},
            {"time_source", "draft"},
            {"device_us", kernel_us_ + copy_us_},
            {"kernel_us", kernel_us_},
            {"copy_us", copy_us_},
            {"timeline_us", host_us_},
            {"launches", launches},
            {"wave_instructions", instructions},
            {"instructions", classes},
            {"kernels", kernels},
            {"findings", findings},
            {"not_supported", missing},
            {"error", sticky_ == hipSuccess ? Json(nullptr) : Json(hipGetErrorName(sticky_))}};
  std::ofstream(path) << json.dump(1) << "\n";
}

}  // namespace hipvault::hipfront
