#include <fmt/format.h>

#include "cli/commands.h"
#include "engine/gpus.h"
#include "report/table.h"

namespace hipvault::cli {

int run_gpus(const Arguments& arguments, Io& io) {
  Parser parser("gpus", "Lists the gpus that kernels can be made for.");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  Json list = Json::array();
  report::Table table({"gpu", "arch", "name", "CUs", "XCDs", "clock MHz", "memory", "achievable read", "copy"});
  for (const engine::GpuEntry& gpu : engine::list_gpus()) {
    list.push_back(Json{{"gpu", gpu.name},
                        {"arch", gpu.arch},
                        {"title", gpu.title},
                        {"cus", gpu.cus},
                        {"xcds", gpu.xcds},
                        {"clock_mhz", gpu.clock_mhz},
                        {"memory_bytes", gpu.memory_bytes},
                        {"achievable_read", gpu.achievable_read},
                        {"achievable_copy", gpu.achievable_copy}});
    table.add({gpu.name, gpu.arch, gpu.title, fmt::format("{}", gpu.cus), fmt::format("{}", gpu.xcds),
               fmt::format("{:.0f}", gpu.clock_mhz), report::bytes_text(static_cast<double>(gpu.memory_bytes)),
               report::bytes_text(gpu.achievable_read) + "/s", report::bytes_text(gpu.achievable_copy) + "/s"});
  }
  return finish(Json{{"gpus", list}}, table.text(), parser.json, kPass, io);
}

}  // namespace hipvault::cli
