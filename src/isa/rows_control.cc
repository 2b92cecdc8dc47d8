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

// s_call_b64: the return address is saved, then a branch.
void call(const Instruction& in, Wave& wave) {
  wave.set_pair(in.dst, wave.machine->pc_after(wave));
  wave.next = &in + (static_cast<int64_t>(in.target) - in.index);
}
constexpr Operation call_row() {
  return custom("s_call_b64", &call, InstructionClass::branch).with(kBranch | kNoOperands);
}

void release_and_acquire(const Instruction&, Wave& wave) {
  wave.machine->fence(wave, true);
  wave.machine->fence(wave, false);
}

// gfx12: stores that were waited for lie where the whole device sees them, and what was cached closer is dropped for
// the scopes that the instruction names. Narrower scopes order the work-group only.
void wait_for_stores(const Instruction& in, Wave& wave) {
  size_t space = in.decoded->text.rfind(' ');
  u64 left = space == std::string::npos ? 1 : std::strtoull(in.decoded->text.c_str() + space, nullptr, 0);
  if (in.decoded->mnemonic == "s_wait_storecnt_dscnt") left >>= 8;
  if (left == 0) wave.machine->fence(wave, true);
}
void acquire_scope(const Instruction& in, Wave& wave) {
  const std::string& text = in.decoded->text;
  if (text.find("SCOPE_DEV") != std::string::npos || text.find("SCOPE_SYS") != std::string::npos)
    wave.machine->fence(wave, false);
}

// Split barriers. Only the work-group's own (-1) exists for compute kernels; named ones are refused by name.
bool is_group_barrier(const Instruction& in, Wave& wave) {
  const std::vector<DecodedOperand>& operands = in.decoded->operands;
  bool own =
      operands.size() == 1 && operands[0].kind == OperandKind::integer && static_cast<i16>(operands[0].integer) == -1;
  if (!own) wave.stop("not modelled: " + in.decoded->text + " (named barriers)");
  return own;
}
void barrier_signal(const Instruction& in, Wave& wave) {
  if (is_group_barrier(in, wave)) wave.machine->signal_barrier(wave);
}
void barrier_signal_first(const Instruction& in, Wave& wave) {
  if (is_group_barrier(in, wave)) wave.scc = wave.machine->signal_barrier(wave);
}
void barrier_wait(const Instruction& in, Wave& wave) {
  if (is_group_barrier(in, wave)) wave.machine->wait_barrier(wave);
}

// Questions to the system; the ones that compilers ask are the clock and the scratch's place.
template <int kDwords>
void message_answer(const Instruction& in, Wave& wave) {
  if (in.decoded->text.find("GET_REALTIME") == std::string::npos) return wave.stop("not modelled: " + in.decoded->text);
  u64 now = wave.machine->clock();
  if (kDwords == 2)
    wave.set_pair(in.dst, now);
  else
    wave.sgpr[in.dst] = static_cast<u32>(now);
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
    field.mode = operand.text.find("HW_REG_MODE") != std::string::npos ||
                 operand.text.find("HW_REG_WAVE_MODE") != std::string::npos;
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
  if ((mode ^ wave.mode) & 15 && wave.state == WaveState::running) wave.state = WaveState::mode_changed;
  wave.set_mode(mode);
}
void set_register(const Instruction& in, Wave& wave) {
  write_mode(hardware_field(*in.decoded), wave, read_scalar32(in.src[0], wave));
}

u32 first_integer(const Instruction& in) {
  return in.decoded->operands.empty() ? 0 : static_cast<u32>(in.decoded->operands[0].integer);
}
void set_round_mode(const Instruction& in, Wave& wave) { write_mode({true, 0, 4}, wave, first_integer(in) & 15); }
void set_denorm_mode(const Instruction& in, Wave& wave) { write_mode({true, 4, 4}, wave, first_integer(in) & 15); }

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
    custom("s_wait_loadcnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_storecnt", &wait_for_stores, kWait).with(kNoOperands),
    custom("s_wait_dscnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_kmcnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_expcnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_samplecnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_bvhcnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_loadcnt_dscnt", &nothing, kWait).with(kNoOperands),
    custom("s_wait_storecnt_dscnt", &wait_for_stores, kWait).with(kNoOperands),
    custom("s_wait_alu", &nothing, kWait).with(kNoOperands),
    custom("s_wait_idle", &nothing, kWait).with(kNoOperands),
    custom("s_wait_event", &nothing, kWait).with(kNoOperands),
    custom("s_delay_alu", &nothing, kWait).with(kNoOperands),
    custom("s_clause", &nothing, kWait).with(kNoOperands),
    custom("s_sleep_var", &nothing, kWait).with(kNoOperands),
    custom("s_wakeup", &nothing, kOther).with(kNoOperands),
    custom("s_prefetch_inst", &nothing, kOther).with(kNoOperands),
    custom("s_prefetch_inst_pc_rel", &nothing, kOther).with(kNoOperands),
    custom("s_prefetch_data", &nothing, kOther).with(kNoOperands),
    custom("s_prefetch_data_pc_rel", &nothing, kOther).with(kNoOperands),
    custom("s_buffer_prefetch_data", &nothing, kOther).with(kNoOperands),
    custom("s_version", &nothing, kOther).with(kNoOperands),
    custom("s_dcache_wb_vol", &nothing, kOther).with(kNoOperands),
    custom("s_ttracedata", &nothing, kOther).with(kNoOperands),
    custom("s_ttracedata_imm", &nothing, kOther).with(kNoOperands),
    custom("s_sendmsghalt", &end_program, kOther).with(kNoOperands),
    custom("v_pipeflush", &nothing, kOther).with(kNoOperands),
    custom("v_clrexcp", &nothing, kOther).with(kNoOperands),
    custom("ds_nop", &nothing, InstructionClass::lds).with(kNoOperands),
    custom("global_inv", &acquire_scope, kOther).with(kNoOperands),
    custom("global_wb", &release, kOther).with(kNoOperands),
    custom("global_wbinv", &release_and_acquire, kOther).with(kNoOperands),
    custom("buffer_invl2", &acquire, kOther).with(kNoOperands),
    custom("s_round_mode", &set_round_mode, kOther).with(kNoOperands),
    custom("s_denorm_mode", &set_denorm_mode, kOther).with(kNoOperands),
    custom("s_barrier_signal", &barrier_signal, InstructionClass::barrier).with(kNoOperands),
    custom("s_barrier_signal_isfirst", &barrier_signal_first, InstructionClass::barrier).with(kNoOperands),
    custom("s_barrier_wait", &barrier_wait, InstructionClass::barrier).with(kNoOperands),
    custom("s_barrier_leave", &nothing, InstructionClass::barrier).with(kNoOperands),
    custom("s_sendmsg_rtn_b32", &message_answer<1>, kSalu),
    custom("s_sendmsg_rtn_b64", &message_answer<2>, kSalu),
    call_row(),
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
    branch_row<[](const Wave& w) { return w.vcc() == 0; }>("s_cbranch_vccz"),
    branch_row<[](const Wave& w) { return w.vcc() != 0; }>("s_cbranch_vccnz"),
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
