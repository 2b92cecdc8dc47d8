#include "measure/draft.h"

#include <algorithm>
#include <cmath>

#include "measure/roofline.h"

namespace hipvault::measure {
namespace {

constexpr double kL1BytesPerClock = 64, kLdsBytesPerClock = 128, kLineBytes = 128;
constexpr double kVmemIssue = 4, kLineIssue = 2;
constexpr double kLdsWait = 64, kBarrier = 40;
constexpr double kOverlapPower = 4;
constexpr double kNextLaunchShare = 0.7;  // back to back: 2.1 of 3.0 µs (gpu-small-kernels)

// Issue cycles of one SIMD per wave instruction.
struct IssueRow {
  const char* kind;
  double cycles;
};
constexpr IssueRow kIssue[] = {{"valu", 4}, {"trans", 16}, {"valu64", 8}};

class LaunchModel {
 public:
  LaunchModel(const LaunchProfile& profile, const LaunchLimits& limits, const target::Gpu& gpu)
      : profile_(profile), limits_(limits), gpu_(gpu), arch_(target::arch_of(gpu)) {
    groups_ = static_cast<double>(profile.groups);
    scale_ = groups_ / static_cast<double>(std::max<int64_t>(profile.groups_run, 1));
    clock_ = gpu.clock_mhz;  // cycles per microsecond
    active_cus_ = std::min<double>(groups_, gpu.cus);
    // The CU with the most groups ends last.
    quantisation_ = std::ceil(groups_ / gpu.cus) / (groups_ / std::max(active_cus_, 1.0));
    waves_per_group_ = std::ceil(static_cast<double>(std::max<int64_t>(profile.block, 1)) / arch_.wave_sizes[0]);
  }

  LaunchDraft draft() const {
    LaunchDraft made;
    made.launch_us = gpu_.launch_us * (limits_.first ? 1 : kNextLaunchShare);
    made.time_us = made.launch_us;
    made.bound = "launch";
    if (profile_.groups <= 0 || profile_.groups_run <= 0) return made;
    made.terms_us = {{"memory", memory()}, {"l2", l2()},   {"l1", l1()},          {"valu", valu()},
                     {"mfma", mfma()},     {"lds", lds()}, {"latency", latency()}};
    double sum = 0, largest = 0;
    for (const auto& [name, time] : made.terms_us) {
      sum += std::pow(time, kOverlapPower);
      if (time <= largest) continue;
      largest = time;
      made.bound = name;
    }
    made.time_us += std::pow(sum, 1 / kOverlapPower);
    if (largest < made.launch_us) made.bound = "launch";
    return made;
  }

 private:
  double count(const char* kind) const {
    auto at = profile_.instructions.find(kind);
    return at == profile_.instructions.end() ? 0 : static_cast<double>(at->second);
  }
  double of_launch(double counted) const { return counted * scale_; }
  double per_cu_us(double cycles_of_sample) const {
    return of_launch(cycles_of_sample) / std::max(active_cus_, 1.0) * quantisation_ / clock_;
  }
  double per_simd_us(double cycles_of_sample) const {
    double simds = std::min<double>(arch_.simds_per_cu, waves_per_group_ * std::ceil(groups_ / gpu_.cus));
    return per_cu_us(cycles_of_sample) / simds;
  }

  double line_bytes(int64_t unique, int64_t lines) const {
    return unique > 0 ? static_cast<double>(unique) : static_cast<double>(lines) * kLineBytes;
  }

  double memory() const {
    double read =
        std::min(of_launch(line_bytes(profile_.unique_bytes_loaded, profile_.lines_loaded)), limits_.readable_bytes);
    double written =
        std::min(of_launch(line_bytes(profile_.unique_bytes_stored, profile_.lines_stored)), limits_.writable_bytes);
    double warm = std::min(read, limits_.warm_bytes);
    double bandwidth = achievable_bandwidth(gpu_, read, written);
    double last_level = gpu_.last_level_bandwidth > 0 ? std::max(gpu_.last_level_bandwidth, bandwidth) : bandwidth;
    return 1e6 * ((read - warm + written) / bandwidth + warm / last_level);
  }

  double l2() const {
    double bytes = of_launch(static_cast<double>(profile_.lines_loaded + profile_.lines_stored)) * kLineBytes;
    return gpu_.l2_bandwidth > 0 ? 1e6 * bytes / gpu_.l2_bandwidth : 0;
  }

  double l1() const {
    double bytes = static_cast<double>(profile_.bytes_loaded + profile_.bytes_stored) / kL1BytesPerClock;
    double issue = kVmemIssue * (count("vmem_load") + count("vmem_store") + count("atomic"));
    double lines = kLineIssue * static_cast<double>(profile_.lines_loaded + profile_.lines_stored);
    return per_cu_us(std::max({bytes, issue, lines}));
  }

  double issue_cycles() const {
    double cycles = 0;
    for (const IssueRow& row : kIssue) cycles += row.cycles * count(row.kind);
    return cycles;
  }

  double valu() const { return per_simd_us(issue_cycles()); }
  double mfma() const { return per_simd_us(static_cast<double>(profile_.mfma_cycles)); }
  double lds() const {
    return per_cu_us(static_cast<double>(profile_.lds_bytes_moved) / kLdsBytesPerClock +
                     static_cast<double>(profile_.lds_conflict_cycles));
  }

  double latency() const {
    double waves_run = std::max<double>(static_cast<double>(profile_.waves_run), 1);
    double loads = count("vmem_load") + count("atomic"), scalar = count("smem"), shared = count("lds"),
           waits = count("wait");
    double all = std::max(loads + scalar + shared, 1.0);
    // A counter shows how often a wave waits, not for what: shared out by what was issued. Loads without a wait
    // overlap.
    double memory_waits = std::min(loads, std::max(waits * loads / all, loads > 0 ? waves_run : 0));
    double scalar_waits = std::min({scalar, waits, 2 * waves_run});
    double lds_waits = std::min(shared, waits * shared / all);
    double memory_cycles = gpu_.memory_latency_ns * 1e-3 * clock_;
    double cycles = memory_waits * memory_cycles + scalar_waits * memory_cycles / 4 + lds_waits * kLdsWait +
                    count("barrier") * kBarrier + issue_cycles() + static_cast<double>(profile_.mfma_cycles);
    return cycles / waves_run / clock_ * rounds();
  }

  double rounds() const {
    int waves = target::occupancy(arch_, profile_.vgprs, profile_.agprs, profile_.lds_bytes, profile_.block);
    double resident = static_cast<double>(gpu_.cus) * arch_.simds_per_cu * std::max(waves, 1);
    return std::max(1.0, groups_ * waves_per_group_ / resident);
  }

  const LaunchProfile& profile_;
  const LaunchLimits& limits_;
  const target::Gpu& gpu_;
  const target::Arch& arch_;
  double groups_ = 0, scale_ = 1, clock_ = 1, active_cus_ = 1, quantisation_ = 1, waves_per_group_ = 1;
};

}  // namespace

LaunchDraft draft_launch(const LaunchProfile& profile, const LaunchLimits& limits, const target::Gpu& gpu) {
  return LaunchModel(profile, limits, gpu).draft();
}

}  // namespace hipvault::measure
