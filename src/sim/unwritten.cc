#include "sim/unwritten.h"

#include <bitset>
#include <map>

#include "sim/control_flow.h"
#include "sim/hazards.h"
#include "sim/per_program.h"
#include "sim/waits.h"

namespace hipvault::sim {

using isa::AccessKind;
using isa::Instruction;
using isa::Space;

namespace {

constexpr int kVectors = 768;  // v and a registers, and the hidden ones
using Registers = std::bitset<kVectors + 128>;

size_t place_of(const RegisterSpan& span, int i) {
  int number = (span.scalar ? kVectors : 0) + span.first + i;
  return static_cast<size_t>(number);
}

Registers at_entry(const isa::KernelInfo& kernel) {
  constexpr int kSystemScalars = 8, kItemIds = 3, kFirstSpecial = 102;
  Registers written;
  for (int i = 0; i < kItemIds; ++i) written.set(static_cast<size_t>(i));
  for (int i = 0; i < 128; ++i)
    if (i < kernel.descriptor.user_sgprs() + kSystemScalars || i >= kFirstSpecial)
      written.set(static_cast<size_t>(kVectors) + static_cast<size_t>(i));
  return written;
}

// Copies and selections hand on what need not be defined, as compilers do where ways meet.
bool hands_on(const std::string& mnemonic) {
  for (const char* name : {"v_mov", "s_mov", "v_dual_mov", "v_accvgpr", "v_cndmask", "v_dual_cndmask", "s_cselect"})
    if (mnemonic.starts_with(name)) return true;
  return false;
}

// The operands that have to hold something: of memory accesses the address.
bool is_needed(const Instruction& in, size_t operand) {
  const isa::MemoryAccess& m = in.operation->memory;
  if (hands_on(in.decoded->mnemonic)) return false;
  if (m.kind == AccessKind::none) return operand >= results_of(in);
  if (in.decoded->operands[operand].kind == isa::OperandKind::scalar) return operand >= results_of(in);
  bool second = m.space == Space::buffer ? !in.decoded->modifiers.lds : results_of(in) > 0;
  return !m.by_lane && operand == (second ? 1u : 0u);
}

struct Walk {
  const isa::Program& program;
  std::map<uint32_t, Registers> at_begin;  // by first instruction of a block
  std::vector<uint32_t> todo;
  std::map<uint32_t, std::string> found;

  void enter(uint32_t block, const Registers& written) {
    auto [at, fresh] = at_begin.try_emplace(block);
    Registers all = at->second | written;
    if (fresh || all != at->second) at->second = all, todo.push_back(block);
  }
  void read(const Instruction& in, const Registers& written) {
    for (size_t i = 0; i < in.decoded->operands.size(); ++i) {
      RegisterSpan span = span_of(in.decoded->operands[i], program.accumulators_at);
      int missing = 0;
      for (int r = 0; r < span.count; ++r) missing += !written[place_of(span, r)];
      if (missing && missing == span.count && is_needed(in, i)) found[in.index] = in.decoded->operands[i].text;
    }
  }
  void write(const Instruction& in, Registers& written) {
    size_t results = results_of(in);
    if (in.decoded->mnemonic.find("movreld") != std::string::npos || in.decoded->mnemonic.starts_with("s_set_gpr_idx"))
      written.set();  // whichever M0 says
    for (size_t i = 0; i < results && i < in.decoded->operands.size(); ++i) {
      RegisterSpan span = span_of(in.decoded->operands[i], program.accumulators_at);
      for (int r = 0; r < span.count; ++r) written.set(place_of(span, r));
    }
  }
  void visit(const Instruction& in, Registers& written) {
    if (!in.operation) return;
    size_t halves = in.pair ? 2 : 1;
    for (size_t i = 0; i < halves; ++i) read(in.pair ? in.pair[i] : in, written);
    for (size_t i = 0; i < halves; ++i) write(in.pair ? in.pair[i] : in, written);
  }
  void run(const ControlFlow& flow) {
    for (const isa::KernelInfo& kernel : program.object.kernels)
      if (const Instruction* in = program.at(kernel.entry_address)) enter(in->index, at_entry(kernel));
    for (uint32_t function : flow.functions()) enter(function, Registers().set());
    while (!todo.empty()) {
      uint32_t i = todo.back();
      todo.pop_back();
      Registers written = at_begin[i];
      for (;; ++i) {
        if (i < program.decoded.size()) visit(program.instructions[i], written);
        if (flow.ends_block(i)) break;
      }
      flow.for_next(i, [&](uint32_t next) { enter(next, written); });
    }
  }
};

// The first pass over a block may not have seen all ways that lead to it; a second one over the settled states decides.
UnwrittenReads scan(const isa::Program& program) {
  ControlFlow flow(program);
  bool fits = program.vector_registers <= kVectors;
  if (!fits || flow.unknown()) return {};
  Walk walk{program, {}, {}, {}};
  walk.run(flow);
  walk.found.clear();
  for (const auto& [block, state] : walk.at_begin) {
    Registers written = state;
    for (uint32_t i = block; i < program.decoded.size(); ++i) {
      walk.visit(program.instructions[i], written);
      if (flow.ends_block(i)) break;
    }
  }
  UnwrittenReads reads;
  for (const auto& [instruction, registers] : walk.found) reads.push_back({instruction, registers});
  return reads;
}

}  // namespace

std::shared_ptr<const UnwrittenReads> unwritten_reads_of(const std::shared_ptr<const isa::Program>& program) {
  static PerProgram<UnwrittenReads> known;
  return known.get(program, [](const isa::Program& p) { return std::make_shared<const UnwrittenReads>(scan(p)); });
}

}  // namespace hipvault::sim
