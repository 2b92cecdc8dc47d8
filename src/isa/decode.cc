#include "isa/decode.h"

#include <algorithm>

#include "isa/llvm_mc.h"
#include "llvm/Support/raw_ostream.h"

namespace hipvault::isa {
namespace {

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
  if (name.consumeInteger(10, range.first) || !(name.empty() || name.front() == '_')) return std::nullopt;
  if (name == "_LO16" || name == "_HI16") return range;
  range.count = 1 + static_cast<int>(name.count('_'));
  return range;
}

std::vector<RegisterRange> ranges_in(const Decoded& decoded) {
  std::vector<RegisterRange> ranges;
  for (const Decoded& part : decoded.parts)
    for (const RegisterRange& range : ranges_in(part)) ranges.push_back(range);
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
  // The accumulator of one half of a pair is not printed.
  for (const RegisterRange& range : encoded)
    if (decoded.parts.empty() && std::find(printed.begin(), printed.end(), range) == printed.end())
      decoded.problem = "its encoding names a register that its text does not";
}

Decoded decode_one(LlvmMc& mc, llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  llvm::MCInst inst;
  uint64_t size = 0;
  auto status = mc.disassembler->getInstruction(inst, size, bytes, address, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || size == 0 || size > bytes.size()) {
    Decoded decoded;
    decoded.text = "(no instruction)";
    decoded.problem = "the bytes are no instruction of this arch";
    decoded.address = address;
    return decoded;
  }
  Decoded decoded = parse_instruction(mc.print(inst, address));
  if (decoded.problem.empty() && !(decoded.operands.empty() && decoded.parts.empty()))
    check_against(inst, *mc.registers, decoded);
  decoded.address = address;
  decoded.size = static_cast<int>(size);
  return decoded;
}

}  // namespace

Result<std::vector<Decoded>> decode(const CodeObject& object, const std::string& cpu, int wave_size) {
  LlvmMc* mc = open_llvm(cpu, wave_size);
  if (!mc)
    return fail("isa.decode", "this LLVM cannot disassemble " + cpu,
                "install the LLVM 22 libraries with the AMDGPU target");
  std::vector<Decoded> all;
  for (const Segment& segment : object.segments) {
    if (!segment.executable) continue;
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(object.image.data()) + segment.address;
    for (uint64_t at = 0; at + 4 <= segment.size; at += static_cast<uint64_t>(all.back().size))
      all.push_back(decode_one(*mc, {bytes + at, segment.size - at}, segment.address + at));
  }
  std::sort(all.begin(), all.end(), [](const Decoded& a, const Decoded& b) { return a.address < b.address; });
  return all;
}

}  // namespace hipvault::isa
