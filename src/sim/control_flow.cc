#include "sim/control_flow.h"

namespace hipvault::sim {

namespace {
constexpr int kReturnAddress = 30;  // s[30:31], by the calling convention of AMDGPU
}

ControlFlow::Kind ControlFlow::kind_of(const isa::Instruction& in) {
  const isa::Decoded& d = *in.decoded;
  if (!in.operation) return Kind::end;  // a run stops there by name
  if (d.mnemonic == "s_branch") return Kind::branch;
  if (d.mnemonic.starts_with("s_cbranch_")) return Kind::conditional;
  if (d.mnemonic.starts_with("s_endpgm")) return Kind::end;
  if (d.mnemonic == "s_swappc_b64" || d.mnemonic == "s_call_b64") return Kind::call;
  if (d.mnemonic != "s_setpc_b64") return Kind::plain;
  bool back =
      d.operands.size() == 1 && d.operands[0].kind == isa::OperandKind::scalar && d.operands[0].first == kReturnAddress;
  return back ? Kind::back : Kind::end;
}

ControlFlow::ControlFlow(const isa::Program& program) : program_(program) {
  size_t count = program.instructions.size() - 1;
  leader_.resize(count + 1);
  for (uint32_t i = 0; i < count; ++i) {
    const isa::Instruction& in = program.instructions[i];
    Kind kind = kind_of(in);
    kinds_.push_back(kind);
    unknown_ = unknown_ || (kind == Kind::end && in.operation && in.decoded->mnemonic == "s_setpc_b64");
    if (kind == Kind::branch || kind == Kind::conditional) leader_[in.target] = 1;
    if (kind == Kind::call) after_calls_.push_back(i + 1);
  }
  std::set<uint64_t> kernels;
  for (const isa::KernelInfo& kernel : program.object.kernels) {
    kernels.insert(kernel.entry_address);
    if (const isa::Instruction* in = program.at(kernel.entry_address)) entries_.push_back(in->index);
  }
  if (program.object.kernels.empty()) entries_.push_back(0);
  for (const isa::Symbol& symbol : program.object.symbols) {
    const isa::Instruction* in = symbol.function ? program.at(symbol.address) : nullptr;
    if (in && !kernels.count(symbol.address)) functions_.push_back(in->index);
  }
  for (const std::vector<uint32_t>* list : {&entries_, &functions_, &after_calls_})
    for (uint32_t i : *list) leader_[i] = 1;
}

}  // namespace hipvault::sim
