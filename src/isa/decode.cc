#include "isa/decode.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace hipvault::isa {
namespace {

const llvm::Triple kTriple("amdgcn-amd-amdhsa");

const llvm::Target* amdgpu_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(kTriple, error);
}

// LLVM's machinery for one arch: kept by each thread, so free of locks; making it costs about as much as decoding a
// small kernel, and a forked worker inherits what its zygote made.
struct Disassembler {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;

  bool open(const llvm::Target& target, const std::string& cpu) {
    registers.reset(target.createMCRegInfo(kTriple));
    assembly.reset(target.createMCAsmInfo(*registers, kTriple, options));
    subtarget.reset(target.createMCSubtargetInfo(kTriple, cpu, cpu.starts_with("gfx9") ? "" : "+real-true16"));
    instructions.reset(target.createMCInstrInfo());
    context = std::make_unique<llvm::MCContext>(kTriple, assembly.get(), registers.get(), subtarget.get());
    disassembler.reset(target.createMCDisassembler(*subtarget, *context));
    printer.reset(
        target.createMCInstPrinter(kTriple, assembly->getAssemblerDialect(), *assembly, *instructions, *registers));
    return disassembler && printer;
  }
};

struct RegisterRange {
  char file = 0;  // 's', 'v', 'a'
  int first = 0, count = 1;
  bool operator==(const RegisterRange&) const = default;
};

// "VGPR4_VGPR5" -> {v, 4, 2}. Named registers and 16-bit halves are left to the printer.
std::optional<RegisterRange> range_of(llvm::StringRef name) {
  RegisterRange range;
  if (!name.consume_front("VGPR")) {
    if (name.consume_front("SGPR"))
      range.file = 's';
    else if (name.consume_front("AGPR"))
      range.file = 'a';
    else
      return std::nullopt;
  } else {
    range.file = 'v';
  }
  if (name.consumeInteger(10, range.first) || !(name.empty() || name.front() == '_') || name.ends_with("16"))
    return std::nullopt;
  range.count = 1 + static_cast<int>(name.count('_'));
  return range;
}

std::vector<RegisterRange> ranges_in(const Decoded& decoded) {
  std::vector<RegisterRange> ranges;
  for (const DecodedOperand& operand : decoded.operands) {
    if (operand.kind == OperandKind::vector)
      ranges.push_back({operand.accumulator ? 'a' : 'v', operand.first, operand.count});
    if (operand.kind == OperandKind::scalar && operand.first < kFlatScratch)
      ranges.push_back({'s', operand.first, operand.count});
  }
  return ranges;
}

// The text and LLVM's operand list must name the same registers; tied operands occur once in the text.
void check_against(const llvm::MCInst& inst, const llvm::MCRegisterInfo& registers, Decoded& decoded) {
  std::vector<RegisterRange> printed = ranges_in(decoded), encoded;
  for (const llvm::MCOperand& operand : inst)
    if (operand.isReg() && operand.getReg())
      if (std::optional<RegisterRange> range = range_of(registers.getName(operand.getReg()))) encoded.push_back(*range);
  for (const RegisterRange& range : printed)
    if (std::find(encoded.begin(), encoded.end(), range) == encoded.end())
      decoded.problem = "its text names a register that its encoding does not";
  for (const RegisterRange& range : encoded)
    if (std::find(printed.begin(), printed.end(), range) == printed.end())
      decoded.problem = "its encoding names a register that its text does not";
}

Decoded decode_one(Disassembler& llvm_, llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  llvm::MCInst inst;
  uint64_t size = 0;
  auto status = llvm_.disassembler->getInstruction(inst, size, bytes, address, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || size == 0 || size > bytes.size()) {
    Decoded decoded;
    decoded.text = "(no instruction)";
    decoded.problem = "the bytes are no instruction of this arch";
    decoded.address = address;
    return decoded;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm_.printer->printInst(&inst, address, "", *llvm_.subtarget, stream);
  Decoded decoded = parse_instruction(text);
  if (decoded.problem.empty() && !decoded.operands.empty()) check_against(inst, *llvm_.registers, decoded);
  decoded.address = address;
  decoded.size = static_cast<int>(size);
  return decoded;
}

}  // namespace

Result<std::vector<Decoded>> decode(const CodeObject& object, const std::string& cpu) {
  const llvm::Target* target = amdgpu_target();
  thread_local std::map<std::string, std::unique_ptr<Disassembler>> opened;
  std::unique_ptr<Disassembler>& kept = opened[cpu];
  if (!kept) {
    auto fresh = std::make_unique<Disassembler>();
    if (!target || !fresh->open(*target, cpu))
      return fail("isa.decode", "this LLVM cannot disassemble " + cpu,
                  "install the LLVM 22 libraries with the AMDGPU target");
    kept = std::move(fresh);
  }
  Disassembler& disassembler = *kept;
  std::vector<Decoded> all;
  for (const Segment& segment : object.segments) {
    if (!segment.executable) continue;
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(object.image.data()) + segment.address;
    for (uint64_t at = 0; at + 4 <= segment.size; at += static_cast<uint64_t>(all.back().size))
      all.push_back(decode_one(disassembler, {bytes + at, segment.size - at}, segment.address + at));
  }
  std::sort(all.begin(), all.end(), [](const Decoded& a, const Decoded& b) { return a.address < b.address; });
  return all;
}

}  // namespace hipvault::isa
