// Moves, selects and logic of 16 bits, and three-operand logic by truth table.
#include "isa/lanes.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// Bit i of the table: the result where (a, b, c) read as a number is i.
inline u32 by_table(u32 table, u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 i = 0; i < 8; ++i)
    if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}
void table_logic(const Instruction& in, Wave& wave) {
  Fetch<u32> fa, fb, fc;
  const Aliased<u32>* a = fa.get(in.src[0], wave);
  const Aliased<u32>* b = fb.get(in.src[1], wave);
  const Aliased<u32>* c = fc.get(in.src[2], wave);
  u32 table = static_cast<u32>(in.decoded->modifiers.bitop3);
  alignas(64) u32 r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = by_table(table, a[l], b[l], c[l]);
  commit<u32>(in, wave, r);
}
void table_logic16(const Instruction& in, Wave& wave) {
  alignas(64) u16 a[kLanes], b[kLanes], c[kLanes], r[kLanes];
  fetch16(in.src[0], wave, a);
  fetch16(in.src[1], wave, b);
  fetch16(in.src[2], wave, c);
  u32 table = static_cast<u32>(in.decoded->modifiers.bitop3);
  for (int l = 0; l < kLanes; ++l) r[l] = static_cast<u16>(by_table(table, a[l], b[l], c[l]));
  commit16(in, wave, r);
}

void swap16(const Instruction& in, Wave& wave) {
  u32* x = wave.lanes(in.dst);
  u32* y = wave.lanes(in.src[0].reg);
  int shift_x = in.dst_high ? 16 : 0, shift_y = in.src[0].modifiers & kHigh ? 16 : 0;
  for (u64 left = wave.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    u32 a = x[l] >> shift_x & 0xffff, b = y[l] >> shift_y & 0xffff;
    x[l] = (x[l] & ~(0xffffu << shift_x)) | b << shift_x;
    y[l] = (y[l] & ~(0xffffu << shift_y)) | a << shift_y;
  }
}

constexpr Operation kRows[] = {
    row<[](u16 a) { return a; }>("v_mov_b16"),
    row<[](u16 a) { return static_cast<u16>(~a); }>("v_not_b16"),
    row<[](u16 a, u16 b) { return static_cast<u16>(a & b); }>("v_and_b16"),
    row<[](u16 a, u16 b) { return static_cast<u16>(a | b); }>("v_or_b16"),
    row<[](u16 a, u16 b) { return static_cast<u16>(a ^ b); }>("v_xor_b16"),
    row<[](u16 a, u16 b, bool c) { return c ? b : a; }>("v_cndmask_b16"),
    row<[](u16 a) { return static_cast<u32>(a); }>("v_cvt_u32_u16"),
    row<[](i16 a) { return static_cast<i32>(a); }>("v_cvt_i32_i16"),
    row<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>("v_xor3_b32"),
    typed<[](u16 a) { return a; }>("v_swap_b16", &swap16),
    typed<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>("v_bitop3_b32", &table_logic),
    typed<[](u16 a, u16 b, u16 c) { return static_cast<u16>(a ^ b ^ c); }>("v_bitop3_b16", &table_logic16),
    row<[](u32 a) { return a << 1 ^ (a >> 31 ? 197u : 0u); }>("v_prng_b32"),
};

}  // namespace

std::span<const Operation> true_half_rows() { return kRows; }

}  // namespace hipvault::isa
