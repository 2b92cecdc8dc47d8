#include "sim/snippet.h"

#include <algorithm>

#include "isa/assemble.h"
#include "isa/program.h"
#include "sim/group.h"

namespace hipvault::sim {
namespace {

void set_registers(const std::map<int, std::vector<uint32_t>>& values, int first, isa::Wave& wave) {
  for (const auto& [reg, lanes] : values) {
    if (reg < 0 || first + reg >= wave.registers) continue;  // no instruction names it
    for (size_t l = 0; l < isa::kLanes && !lanes.empty(); ++l) wave.lanes(first + reg)[l] = lanes[l % lanes.size()];
  }
}

std::vector<std::vector<uint32_t>> get_registers(const isa::Wave& wave, int first, int count, int lanes) {
  std::vector<std::vector<uint32_t>> all;
  for (int reg = 0; reg < count; ++reg) all.emplace_back(wave.lanes(first + reg), wave.lanes(first + reg) + lanes);
  return all;
}

void set_up(const Snippet& snippet, const isa::Program& program, uint64_t address, isa::Wave& wave) {
  std::fill(wave.vgpr, wave.vgpr + static_cast<size_t>(wave.registers) * isa::kLanes, 0);
  std::fill(std::begin(wave.sgpr), std::end(wave.sgpr), 0);
  for (const auto& [reg, value] : snippet.scalars)
    if (reg >= 0 && reg < isa::kVcc) wave.sgpr[reg] = value;
  set_registers(snippet.vectors, 0, wave);
  set_registers(snippet.accumulators, program.accumulators_at, wave);
  wave.set_pair(isa::kExec, snippet.exec & wave.lane_mask);
  wave.set_pair(isa::kVcc, snippet.vcc & wave.lane_mask);
  wave.sgpr[isa::kM0] = snippet.m0;
  wave.set_mode(snippet.mode);
  wave.scc = snippet.scc;
  if (snippet.memory_pointer >= 0) wave.set_pair(snippet.memory_pointer, address);
  for (int half = 0; half < 2 && snippet.memory_vector >= 0; ++half)
    if (snippet.memory_vector + half < wave.registers)
      std::fill_n(wave.lanes(snippet.memory_vector + half), isa::kLanes, static_cast<uint32_t>(address >> (32 * half)));
}

}  // namespace

Result<SnippetResult> run_snippet(const Snippet& snippet, const target::Arch& arch) {
  Result<std::string> end = isa::assemble("s_endpgm\n", arch.name, snippet.wave_size);
  if (!end) return fail(end.error());
  Result<std::shared_ptr<const isa::Program>> program =
      isa::program_of_code(snippet.code + *end, arch.name, snippet.wave_size);
  if (!program) return fail(program.error());
  isa::KernelInfo kernel;
  kernel.name = "snippet";
  kernel.wave_size = (*program)->wave_size;
  kernel.scratch_bytes = 512;
  ResolvedLaunch request;
  request.grid = {1, 1, 1};
  request.block = kernel.wave_size;
  Memory memory;
  Region& region = memory.add("memory", snippet.memory, true);
  region.valid_begin = 0, region.valid_end = snippet.memory.size();
  FenceClock fences(1);
  std::atomic<int64_t> steps{1 << 20};
  std::atomic<bool> stop{false};
  Launch launch;
  launch.program = program->get();
  launch.kernel = &kernel;
  launch.request = &request;
  launch.arch = &arch;
  launch.memory = &memory;
  launch.lds_bytes = static_cast<int64_t>(snippet.lds.size());
  launch.waves = 1, launch.wave_size = kernel.wave_size;
  launch.check = false;
  launch.fences = &fences, launch.steps_left = &steps, launch.stop = &stop;
  launch.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  Group group(launch);
  group.start(0);
  isa::Wave& wave = group.wave(0);
  set_up(snippet, **program, region.base, wave);
  std::copy(snippet.lds.begin(), snippet.lds.end(), group.lds().begin());
  while (group.run(1 << 20) == GroupState::running) {
  }
  if (group.stop_status() != RunStatus::completed) return fail("sim.snippet", group.stop_message());
  SnippetResult result;
  result.scalars.assign(wave.sgpr, wave.sgpr + isa::kVcc);
  int vectors = (*program)->accumulators_at, both = (*program)->vector_registers - isa::kHiddenRegisters;
  result.vectors = get_registers(wave, 0, vectors, kernel.wave_size);
  result.accumulators = get_registers(wave, vectors, both - vectors, kernel.wave_size);
  result.exec = wave.exec(), result.vcc = wave.vcc(), result.m0 = wave.sgpr[isa::kM0], result.scc = wave.scc;
  result.lds.assign(group.lds().begin(), group.lds().begin() + launch.lds_bytes);
  result.memory.assign(reinterpret_cast<const char*>(region.at(0)), snippet.memory.size());
  return result;
}

}  // namespace hipvault::sim
