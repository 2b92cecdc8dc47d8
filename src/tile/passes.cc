#include "tile/passes.h"

#include <array>

#include "base/check.h"
#include "tile/assign_layouts.h"
#include "tile/simplify.h"
#include "tile/stage_to_lds.h"
#include "tile/vectorise.h"

namespace hipvault::tile {
namespace {

struct Pass {
  const char* name;
  Status (*run)(Kernel&, const PassContext&);
};

// The order is the design: each header says why its pass stands where it stands.
constexpr std::array kPasses = {
    Pass{"simplify", simplify},
    Pass{"assign_layouts", assign_layouts},
    Pass{"stage_to_lds", stage_to_lds},
    Pass{"vectorise", vectorise},
};

}  // namespace

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : kPasses) names.push_back(pass.name);
  return names;
}

Status run_passes(Kernel& kernel, const PassContext& context) {
  CHECK(context.arch) << "run_passes needs an arch";
  for (const Pass& pass : kPasses) {
    std::string before = context.show ? text(kernel) : "";
    if (Status status = pass.run(kernel, context); !status) return status;
#ifndef NDEBUG
    Status sound = verify(kernel);
    CHECK(sound) << "after " << pass.name << ": " << render(sound.error()) << "\n" << text(kernel);
#endif
    if (!context.show) continue;
    std::string after = text(kernel);
    context.show(pass.name, after == before ? "unchanged" : after);
  }
  return {};
}

}  // namespace hipvault::tile
