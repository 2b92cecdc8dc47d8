// Vector registers chosen at run time: v_movrel… (by M0), and the indexing mode of gfx9, in which s_set_gpr_idx_on
// makes every vector operand relative to M0[7:0]. Compilers put only v_mov_b32 between "on" and "off"; the binder gives
// those the handler below, and refuses others by name (program.cc).
#include "isa/lanes.h"
#include "isa/relative.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

bool in_file(Wave& wave, u32 reg) {
  if (reg < static_cast<u32>(wave.registers)) return true;
  wave.stop("a vector register chosen at run time does not exist");
  return false;
}

void move_lanes(const Instruction& in, Wave& wave, u32 from_offset, u32 to_offset) {
  u32 to = in.dst + to_offset;
  if (!in_file(wave, to)) return;
  Source source = in.src[0];
  if (source.kind == OperandKind::vector) {
    if (!in_file(wave, source.reg + from_offset)) return;
    source.reg = static_cast<uint16_t>(source.reg + from_offset);
  }
  alignas(64) u32 value[kLanes];
  fetch_dwords(source, wave, 0, value);
  store_masked(wave.lanes(static_cast<int>(to)), value, wave.exec());
}

void relative_source(const Instruction& in, Wave& wave) { move_lanes(in, wave, wave.sgpr[kM0], 0); }
void relative_destination(const Instruction& in, Wave& wave) { move_lanes(in, wave, 0, wave.sgpr[kM0]); }
void relative_both(const Instruction& in, Wave& wave) { move_lanes(in, wave, wave.sgpr[kM0], wave.sgpr[kM0]); }
void relative_apart(const Instruction& in, Wave& wave) {
  move_lanes(in, wave, wave.sgpr[kM0] & 0x3ff, wave.sgpr[kM0] >> 16 & 0x3ff);
}
void swap_relative(const Instruction& in, Wave& wave) {
  u32 a = in.dst + (wave.sgpr[kM0] >> 16 & 0x3ff), b = in.src[0].reg + (wave.sgpr[kM0] & 0x3ff);
  if (!in_file(wave, a) || !in_file(wave, b)) return;
  alignas(64) u32 old[kLanes];
  std::memcpy(old, wave.lanes(static_cast<int>(a)), sizeof old);
  store_masked(wave.lanes(static_cast<int>(a)), wave.lanes(static_cast<int>(b)), wave.exec());
  store_masked(wave.lanes(static_cast<int>(b)), old, wave.exec());
}

// "gpr_idx(SRC0,DST)": bit 0 source 0, bit 3 destination.
u32 index_mode(const Instruction& in) {
  u32 mode = 0;
  for (const DecodedOperand& operand : in.decoded->operands) {
    if (operand.text.find("SRC0") != std::string::npos) mode |= 1;
    if (operand.text.find("SRC1") != std::string::npos) mode |= 2;
    if (operand.text.find("SRC2") != std::string::npos) mode |= 4;
    if (operand.text.find("DST") != std::string::npos) mode |= 8;
  }
  return mode;
}
void set_index(Wave& wave, u32 index) { wave.sgpr[kM0] = (wave.sgpr[kM0] & ~0xffu) | (index & 0xff); }
void set_mode(Wave& wave, u32 mode) { wave.sgpr[kM0] = (wave.sgpr[kM0] & ~0xf000u) | mode << 12; }
u32 operand_value(const Instruction& in, const Wave& wave) {
  const DecodedOperand& operand = in.decoded->operands[0];
  if (operand.kind == OperandKind::scalar) return wave.sgpr[operand.first];
  return static_cast<u32>(operand.integer);
}
void index_on(const Instruction& in, Wave& wave) {
  wave.indexing = true;
  set_index(wave, operand_value(in, wave));
  set_mode(wave, index_mode(in));
}
void index_off(const Instruction&, Wave& wave) { wave.indexing = false; }
void index_change(const Instruction& in, Wave& wave) { set_index(wave, operand_value(in, wave)); }
void mode_change(const Instruction& in, Wave& wave) { set_mode(wave, index_mode(in)); }

constexpr InstructionClass kSalu = InstructionClass::salu;
constexpr Operation kRows[] = {
    typed<[](u32 a) { return a; }>("v_movrels_b32", &relative_source),
    typed<[](u32 a) { return a; }>("v_movreld_b32", &relative_destination),
    typed<[](u32 a) { return a; }>("v_movrelsd_b32", &relative_both),
    typed<[](u32 a) { return a; }>("v_movrelsd_2_b32", &relative_apart),
    typed<[](u32 a) { return a; }>("v_swaprel_b32", &swap_relative),
    custom("s_set_gpr_idx_on", &index_on, kSalu).with(kNoOperands),
    custom("s_set_gpr_idx_off", &index_off, kSalu).with(kNoOperands),
    custom("s_set_gpr_idx_idx", &index_change, kSalu).with(kNoOperands),
    custom("s_set_gpr_idx_mode", &mode_change, kSalu).with(kNoOperands),
};

}  // namespace

void move_indexed(const Instruction& in, Wave& wave) {
  u32 mode = wave.sgpr[kM0] >> 12, index = wave.sgpr[kM0] & 0xff;
  if (!wave.indexing) mode = 0;
  move_lanes(in, wave, mode & 1 ? index : 0, mode & 8 ? index : 0);
}

std::span<const Operation> relative_rows() { return kRows; }

}  // namespace hipvault::isa
