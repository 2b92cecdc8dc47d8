#include "isa/llvm_mc.h"

#include <map>
#include <mutex>

#include "llvm/Support/raw_ostream.h"
#include "target/target.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
void LLVMInitializeAMDGPUAsmParser();
}

namespace hipvault::isa {
namespace {

const llvm::Target* amdgpu_target(const llvm::Triple& triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMInitializeAMDGPUAsmParser();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

// Halves of registers are named (v1.l) where the arch has them; the wave size decides about the width of lane masks.
std::string features_of(const std::string& cpu, int wave_size) {
  const target::Arch* arch = target::find_arch(cpu);
  if (!arch || arch->wave_sizes.size() < 2) return "";
  return wave_size == 64 ? "+real-true16,-wavefrontsize32,+wavefrontsize64"
                         : "+real-true16,+wavefrontsize32,-wavefrontsize64";
}

bool open(LlvmMc& mc, const std::string& cpu, int wave_size) {
  mc.triple = llvm::Triple("amdgcn-amd-amdhsa");
  mc.target = amdgpu_target(mc.triple);
  if (!mc.target) return false;
  mc.registers.reset(mc.target->createMCRegInfo(mc.triple));
  mc.assembly.reset(mc.target->createMCAsmInfo(*mc.registers, mc.triple, mc.options));
  mc.subtarget.reset(mc.target->createMCSubtargetInfo(mc.triple, cpu, features_of(cpu, wave_size)));
  mc.instructions.reset(mc.target->createMCInstrInfo());
  mc.context = std::make_unique<llvm::MCContext>(mc.triple, mc.assembly.get(), mc.registers.get(), mc.subtarget.get());
  mc.disassembler.reset(mc.target->createMCDisassembler(*mc.subtarget, *mc.context));
  mc.printer.reset(mc.target->createMCInstPrinter(mc.triple, mc.assembly->getAssemblerDialect(), *mc.assembly,
                                                  *mc.instructions, *mc.registers));
  mc.emitter.reset(mc.target->createMCCodeEmitter(*mc.instructions, *mc.context));
  return mc.disassembler && mc.printer && mc.emitter;
}

}  // namespace

std::string LlvmMc::print(const llvm::MCInst& inst, uint64_t address) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer->printInst(&inst, address, "", *subtarget, stream);
  return text;
}

LlvmMc* open_llvm(const std::string& cpu, int wave_size) {
  thread_local std::map<std::pair<std::string, int>, std::unique_ptr<LlvmMc>> opened;
  const target::Arch* arch = target::find_arch(cpu);
  if (arch && (wave_size == 0 || arch->wave_sizes.size() < 2)) wave_size = arch->wave_sizes.front();
  std::unique_ptr<LlvmMc>& kept = opened[{cpu, wave_size}];
  if (!kept) {
    auto fresh = std::make_unique<LlvmMc>();
    if (!open(*fresh, cpu, wave_size)) return nullptr;
    kept = std::move(fresh);
  }
  return kept.get();
}

}  // namespace hipvault::isa
