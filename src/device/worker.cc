#include "device/worker.h"

#include "isa/decode.h"
#include "record/run_request.h"
#include "sim/simulator.h"

namespace hipvault::device {
namespace {

// A few instructions through LLVM's disassembler for every arch, so that a child finds its tables set up.
void warm_up() {
  constexpr uint32_t kProgram[] = {0xbf800000 /* s_nop */, 0x7e000300 /* v_mov_b32 v0, v0 */,
                                   0xbf810000 /* s_endpgm */};
  isa::CodeObject object;
  object.image.assign(reinterpret_cast<const char*>(kProgram), sizeof kProgram);
  object.segments.push_back({0, sizeof kProgram, true, false});
  for (const target::Arch& arch : target::simulated_archs()) (void)isa::decode(object, arch.name);
}

RunResult refused(const std::string& message) {
  RunResult result;
  result.run.status = RunStatus::launch_refused;
  result.run.message = message;
  return result;
}

std::string handle(std::string_view bytes) {
  Result<RunRequest> request = run_request_from_bytes(bytes);
  if (!request) return to_bytes(refused(request.error().message));
  Result<target::Gpu> gpu = target::find_gpu(request->gpu);
  if (!gpu) return to_bytes(refused(gpu.error().message));
  return to_bytes(sim::run(*request, *gpu));
}

}  // namespace

jail::Kind worker_kind() { return {"run", warm_up, handle}; }

}  // namespace hipvault::device
