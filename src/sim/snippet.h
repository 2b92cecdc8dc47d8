#pragma once
// A few instructions on one wave with given registers, and what they leave: what tests of single instructions run.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/target.h"

namespace hipvault::sim {

struct Snippet {
  std::string code;                              // machine code, without s_endpgm
  int wave_size = 0;                             // 0: the arch's usual one
  std::map<int, uint32_t> scalars;               // s0… by number
  std::map<int, std::vector<uint32_t>> vectors;  // v0… by number; one value a lane
  std::map<int, std::vector<uint32_t>> accumulators;
  uint64_t exec = ~uint64_t{0}, vcc = 0;
  uint32_t m0 = 0, mode = 0x3f0;  // denormals on, dx10_clamp, ieee
  bool scc = false;
  std::string lds, memory;    // bytes
  int memory_pointer = -1;    // the scalar pair that holds the address of `memory`
  int memory_vector = -1;     // the same as a vector pair, in all lanes
  int vector_registers = 64;  // at least; every one starts as zero
};

struct SnippetResult {
  std::vector<uint32_t> scalars;               // s0…s105
  std::vector<std::vector<uint32_t>> vectors;  // by number, one value a lane
  std::vector<std::vector<uint32_t>> accumulators;
  uint64_t exec = 0, vcc = 0;
  uint32_t m0 = 0;
  bool scc = false;
  std::string lds, memory;
};

// Error "sim.snippet": it stopped, and why (an instruction that is not modelled, an access outside).
Result<SnippetResult> run_snippet(const Snippet& snippet, const target::Arch& arch);

}  // namespace hipvault::sim
