#pragma once
// LLVM's machine-code layer for one arch and wave size, opened once a thread: what decode, assemble and opcodes share.
// LLVM's headers stay behind this one.

#include <memory>
#include <string>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

namespace hipvault::isa {

struct LlvmMc {
  llvm::Triple triple;
  const llvm::Target* target = nullptr;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unique_ptr<llvm::MCCodeEmitter> emitter;

  std::string print(const llvm::MCInst& inst, uint64_t address) const;
};

// `wave_size` 0 or one the arch does not choose: the arch's only one. Null: this LLVM has no AMDGPU target. The object
// belongs to the calling thread and lives as long as it.
LlvmMc* open_llvm(const std::string& cpu, int wave_size);

}  // namespace hipvault::isa
