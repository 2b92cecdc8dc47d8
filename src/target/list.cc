// Every arch and gpu. The first gpu of an arch is its default product.

#include <algorithm>

#include "base/check.h"
#include "target/arch_data.h"

namespace hipvault::target {

std::span<const Arch> all_archs() {
  static const std::vector<Arch> archs = {make_gfx942(), make_gfx950(), make_gfx90a(), make_gfx1201(), make_sm_90()};
  return archs;
}

std::span<const Arch> simulated_archs() {
  std::span<const Arch> all = all_archs();
  return all.first(
      static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const Arch& a) { return a.simulated; })));
}

std::span<const Gpu> all_gpus() {
  static const std::vector<Gpu> gpus = {
      make_mi300x(), make_mi300a(), make_mi308x(), make_mi355x(), make_mi250x(), make_r9700(), make_h200(),
  };
  return gpus;
}

const Arch* find_arch(const std::string& name) {
  for (const Arch& arch : all_archs()) {
    if (arch.name == name) return &arch;
  }
  return nullptr;
}

const Arch& arch_of(const Gpu& gpu) {
  const Arch* arch = find_arch(gpu.arch);
  CHECK(arch != nullptr) << gpu.name << " names the unknown arch " << gpu.arch;
  return *arch;
}

Result<Gpu> find_gpu(const std::string& name) {
  std::string known;
  for (const Gpu& gpu : all_gpus()) {
    if (gpu.name == name || gpu.arch == name) return gpu;
    known += (known.empty() ? "" : ", ") + gpu.name + " (" + gpu.arch + ")";
  }
  return fail("target.unknown-gpu", "there is no gpu or arch named \"" + name + "\"", "known: " + known);
}

}  // namespace hipvault::target
