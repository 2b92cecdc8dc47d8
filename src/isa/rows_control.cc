// Branches, program counter, barriers, waits, MODE and clocks.
#include "isa/lanes.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

void nothing(const Instruction&, Wave&) {}
void end_program(const Instruction&, Wave& wave) { wave.state = WaveState::ended; }
void barrier(const Instruction&, Wave& wave) { wave.state = WaveState::at_barrier; }
void trap(const Instruction&, Wave& wave) { wave.stop("trap"); }
void release(const Instruction&, Wave& wave) { wave.machine->fence(wave, true); }
void acquire(const Instruction&, Wave& wave) { wave.machine->fence(wave, false); }

// Instructions of a program lie side by side, so a branch is a step in that array.
template <auto Condition>
void branch(const Instruction& in, Wave& wave) {
  if (!Condition(wave)) return;
  wave.next = &in + (static_cast<int64_t>(in.target) - in.index);
}
template <auto Condition>
constexpr Operation branch_row(const char* mnemonic) {
  return custom(mnemonic, &branch<Condition>, InstructionClass::branch).with(kBranch | kNoOperands);
}

void get_pc(const Instruction& in, Wave& wave) { wave.set_pair(in.dst, wave.machine->pc_after(wave)); }
void set_pc(const Instruction& in, Wave& wave) { wave.machine->jump(wave, read_scalar64(in.src[0], wave)); }
void swap_pc(const Instruction& in, Wave& wave) {
  u64 to = read_scalar64(in.src[0], wave);
  wave.set_pair(in.dst, wave.machine->pc_after(wave));
  wave.machine->jump(wave, to);
}
void read_clock(const Instruction& in, Wave& wave) { wave.set_pair(in.dst, wave.machine->clock()); }

// "hwreg(HW_REG_MODE, 4, 2)": offset and width of the field; other registers read as zero and ignore writes, except
// that a rounding mode other than nearest-even is not modelled.
struct HardwareField {
  bool mode = false;
  u32 offset = 0, width = 32;
};
HardwareField hardware_field(const Decoded& decoded) {
  HardwareField field;
  for (const DecodedOperand& operand : decoded.operands) {
    size_t at = operand.text.find("hwreg(");
    if (at == std::string::npos) continue;
    field.mode = operand.text.find("HW_REG_MODE") != std::string::npos;
    size_t comma = operand.text.find(',', at);
    if (comma == std::string::npos) continue;
    field.offset = static_cast<u32>(std::strtoul(operand.text.c_str() + comma + 1, nullptr, 10)) & 31;
    size_t second = operand.text.find(',', comma + 1);
    if (second != std::string::npos)
      field.width = static_cast<u32>(std::strtoul(operand.text.c_str() + second + 1, nullptr, 10));
  }
  return field;
}
u32 field_mask(const HardwareField& field) {
  return (field.width >= 32 ? ~0u : (1u << field.width) - 1) << field.offset;
}

void get_register(const Instruction& in, Wave& wave) {
  HardwareField field = hardware_field(*in.decoded);
  wave.sgpr[in.dst] = field.mode ? (wave.mode & field_mask(field)) >> field.offset : 0;
}
void write_mode(const HardwareField& field, Wave& wave, u32 value) {
  if (!field.mode) return;
  u32 mask = field_mask(field);
  u32 mode = (wave.mode & ~mask) | (value << field.offset & mask);
  if (mode & 15) return wave.stop("not modelled: a rounding mode other than to nearest even");
  wave.set_mode(mode);
}
void set_register(const Instruction& in, Wave& wave) {
  write_mode(hardware_field(*in.decoded), wave, read_scalar32(in.src[0], wave));
}

// s_setreg has its source after the hwreg operand.
constexpr InstructionClass kOther = InstructionClass::other, kWait = InstructionClass::wait,
                           kSalu = InstructionClass::salu;

constexpr Operation kRows[] = {
    custom("s_endpgm", &end_program, kOther).with(kNoOperands),
    custom("s_endpgm_saved", &end_program, kOther).with(kNoOperands),
    custom("s_barrier", &barrier, InstructionClass::barrier).with(kNoOperands),
    custom("s_trap", &trap, kOther).with(kNoOperands),
    custom("s_nop", &nothing, kWait).with(kNoOperands),
    custom("s_waitcnt", &nothing, kWait).with(kNoOperands),
    custom("s_waitcnt_vscnt", &nothing, kWait).with(kNoOperands),
    custom("s_waitcnt_depctr", &nothing, kWait).with(kNoOperands),
    custom("s_sleep", &nothing, kWait).with(kNoOperands),
    custom("s_setprio", &nothing, kOther).with(kNoOperands),
    custom("s_sethalt", &nothing, kOther).with(kNoOperands),
    custom("s_setkill", &nothing, kOther).with(kNoOperands),
    custom("s_sendmsg", &nothing, kOther).with(kNoOperands),
    custom("s_icache_inv", &nothing, kOther).with(kNoOperands),
    custom("s_dcache_inv", &nothing, kOther).with(kNoOperands),
    custom("s_dcache_inv_vol", &nothing, kOther).with(kNoOperands),
    custom("s_dcache_wb", &nothing, kOther).with(kNoOperands),
    custom("s_incperflevel", &nothing, kOther).with(kNoOperands),
    custom("s_decperflevel", &nothing, kOther).with(kNoOperands),
    custom("v_nop", &nothing, kOther).with(kNoOperands),
    custom("buffer_wbl2", &release, kOther).with(kNoOperands),
    custom("buffer_inv", &acquire, kOther).with(kNoOperands),
    custom("buffer_wbinvl1", &acquire, kOther).with(kNoOperands),
    custom("buffer_wbinvl1_vol", &acquire, kOther).with(kNoOperands),
    branch_row<[](const Wave&) { return true; }>("s_branch"),
    branch_row<[](const Wave& w) { return !w.scc; }>("s_cbranch_scc0"),
    branch_row<[](const Wave& w) { return w.scc; }>("s_cbranch_scc1"),
    branch_row<[](const Wave& w) { return w.pair(kVcc) == 0; }>("s_cbranch_vccz"),
    branch_row<[](const Wave& w) { return w.pair(kVcc) != 0; }>("s_cbranch_vccnz"),
    branch_row<[](const Wave& w) { return w.exec() == 0; }>("s_cbranch_execz"),
    branch_row<[](const Wave& w) { return w.exec() != 0; }>("s_cbranch_execnz"),
    custom("s_getpc_b64", &get_pc, kSalu),
    custom("s_setpc_b64", &set_pc, InstructionClass::branch),
    custom("s_swappc_b64", &swap_pc, InstructionClass::branch),
    custom("s_memtime", &read_clock, InstructionClass::smem),
    custom("s_memrealtime", &read_clock, InstructionClass::smem),
    custom("s_getreg_b32", &get_register, kSalu),
    custom("s_setreg_b32", &set_register, kSalu),
    custom("s_setreg_imm32_b32", &set_register, kSalu),
};

}  // namespace

std::span<const Operation> control_rows() { return kRows; }

}  // namespace hipvault::isa
