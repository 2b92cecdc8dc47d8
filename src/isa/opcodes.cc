#include "isa/opcodes.h"

#include <map>
#include <optional>

#include "isa/llvm_mc.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/Support/raw_ostream.h"

namespace hipvault::isa {
namespace {

// A register of the class: the `which`-th vector or scalar one if it has such.
unsigned register_of(const LlvmMc& mc, const llvm::MCRegisterClass& registers, size_t which, bool accumulators) {
  llvm::StringRef wanted = accumulators ? "AGPR" : "VGPR";
  llvm::SmallVector<unsigned, 8> vector, scalar;
  for (unsigned reg : registers) {
    llvm::StringRef name = mc.registers->getName(reg);
    if (name.starts_with(wanted) && vector.size() < 16) vector.push_back(reg);
    if (name.starts_with("SGPR") && scalar.size() < 16) scalar.push_back(reg);
  }
  // Odd tuples of registers are none where tuples must be aligned.
  size_t step = registers.getNumRegs() ? which * 2 : 0;
  if (!vector.empty()) return vector[step % vector.size()];
  if (!scalar.empty()) return scalar[step % scalar.size()];
  return registers.getNumRegs() ? *registers.begin() : 0;
}

struct Filling {
  int64_t immediate;
  bool accumulators;
  bool distinct;  // an own register an operand
};
constexpr Filling kFillings[] = {
    {0, false, true}, {0, false, false}, {1, false, true},    {0, true, false},
    {1, true, false}, {8, false, true},  {0x150, false, true}};  // 0x150: a DPP control that f64 has

llvm::MCInst fill(const LlvmMc& mc, unsigned opcode, const Filling& filling) {
  const llvm::MCInstrDesc& desc = mc.instructions->get(opcode);
  llvm::MCInst inst;
  inst.setOpcode(opcode);
  size_t which = 0;
  for (unsigned i = 0; i < desc.getNumOperands(); ++i) {
    const llvm::MCOperandInfo& info = desc.operands()[i];
    int tied = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO);
    int16_t id = mc.instructions->getOpRegClassID(info, mc.subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo));
    if (tied >= 0 && static_cast<unsigned>(tied) < inst.getNumOperands())
      inst.addOperand(inst.getOperand(static_cast<unsigned>(tied)));
    else if (id >= 0)
      inst.addOperand(llvm::MCOperand::createReg(register_of(mc, mc.registers->getRegClass(static_cast<unsigned>(id)),
                                                             filling.distinct ? which++ : 0, filling.accumulators)));
    else
      inst.addOperand(llvm::MCOperand::createImm(filling.immediate));
  }
  return inst;
}

struct Found {
  unsigned opcode;
  OpcodeSample sample;
};

std::optional<Found> try_filling(const LlvmMc& mc, unsigned opcode, const Filling& filling) {
  llvm::SmallVector<char, 32> bytes;
  llvm::SmallVector<llvm::MCFixup, 2> fixups;
  mc.emitter->encodeInstruction(fill(mc, opcode, filling), bytes, fixups, *mc.subtarget);
  while (bytes.size() < 24) bytes.push_back(0);  // room for a literal
  llvm::MCInst decoded;
  uint64_t size = 0;
  llvm::ArrayRef<uint8_t> raw(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  auto status = mc.disassembler->getInstruction(decoded, size, raw, 0, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || size == 0 || size > bytes.size()) return std::nullopt;
  return Found{decoded.getOpcode(),
               {mc.instructions->getName(decoded.getOpcode()).str(), mc.print(decoded, 0),
                std::string(bytes.data(), static_cast<size_t>(size))}};
}

}  // namespace

Result<std::vector<OpcodeSample>> list_opcodes(const std::string& cpu, int wave_size) {
  LlvmMc* mc = open_llvm(cpu, wave_size);
  if (!mc) return fail("isa.decode", "this LLVM cannot encode " + cpu);
  std::map<unsigned, OpcodeSample> found, aside;  // aside: reached from another opcode
  for (unsigned opcode = 0; opcode < mc->instructions->getNumOpcodes(); ++opcode) {
    const llvm::MCInstrDesc& desc = mc->instructions->get(opcode);
    if (desc.isPseudo() || desc.Size == 0) continue;
    for (const Filling& filling : kFillings) {
      std::optional<Found> one = try_filling(*mc, opcode, filling);
      // LLVM comments on operands that the instruction cannot have.
      if (!one || one->sample.text.find("/*") != std::string::npos) continue;
      if (one->opcode != opcode)
        aside.emplace(one->opcode, one->sample);
      else if (found.emplace(opcode, one->sample).second)
        break;
    }
  }
  found.merge(aside);
  std::vector<OpcodeSample> samples;
  for (auto& [opcode, sample] : found) samples.push_back(std::move(sample));
  return samples;
}

}  // namespace hipvault::isa
