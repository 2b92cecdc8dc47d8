// Moves, selects and bit patterns of one dword.
#include "isa/lanes.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// The commonest row by far: a copy, without the detour over a result array.
void move32(const Instruction& in, Wave& wave) {
  if (in.src[0].kind == OperandKind::vector && !in.src[0].modifiers && in.dst_select == SubDword::dword) {
    store_masked(wave.lanes(in.dst), wave.lanes(in.src[0].reg), wave.exec());
    return;
  }
  alignas(64) u32 value[kLanes];
  fetch_dwords(in.src[0], wave, 0, value);
  commit<u32>(in, wave, value);
}

constexpr Operation move_row(const char* mnemonic) {
  Operation op = row<[](u32 a) { return a; }>(mnemonic);
  op.execute = &move32;
  return op;
}

// A permutation of the 8 bytes {a, b}: selector 0-3 from b, 4-7 from a, 8-11 signs, 12 zero, above 0xff.
u32 permute_byte(u64 bytes, u32 selector) {
  u32 value = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
  if (selector >= 13) return 0xff;
  if (selector == 12) return 0;
  if (selector >= 8) return (bytes >> (16 * (selector - 8) + 15) & 1) ? 0xff : 0;
  return value;
}

void permute(const Instruction& in, Wave& wave) {
  Fetch<u32> fa, fb, fs;
  const Aliased<u32>* a = fa.get(in.src[0], wave);
  const Aliased<u32>* b = fb.get(in.src[1], wave);
  const Aliased<u32>* s = fs.get(in.src[2], wave);
  alignas(64) u32 r[kLanes];
  bool uniform = in.src[2].kind != OperandKind::vector;
  u32 selector = s[0];
  if (uniform && !(selector & 0xf8f8f8f8)) {
    // Plain bytes, same for all lanes: four shifts, vectorised.
    u32 s0 = 8 * (selector & 7), s1 = 8 * (selector >> 8 & 7), s2 = 8 * (selector >> 16 & 7),
        s3 = 8 * (selector >> 24 & 7);
    for (int l = 0; l < kLanes; ++l) {
      u64 bytes = b[l] | static_cast<u64>(a[l]) << 32;
      r[l] = static_cast<u32>((bytes >> s0 & 0xff) | (bytes >> s1 & 0xff) << 8 | (bytes >> s2 & 0xff) << 16 |
                              (bytes >> s3 & 0xff) << 24);
    }
  } else {
    for (int l = 0; l < kLanes; ++l) {
      u64 bytes = b[l] | static_cast<u64>(a[l]) << 32;
      r[l] = 0;
      for (int i = 0; i < 4; ++i) r[l] |= permute_byte(bytes, s[l] >> (8 * i) & 0xff) << (8 * i);
    }
  }
  commit<u32>(in, wave, r);
}

constexpr Operation permute_row() {
  Operation op = row<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>("v_perm_b32");
  op.execute = &permute;
  return op;
}

void swap32(const Instruction& in, Wave& wave) {
  alignas(64) u32 old[kLanes];
  std::memcpy(old, wave.lanes(in.dst), sizeof old);
  store_masked(wave.lanes(in.dst), wave.lanes(in.src[0].reg), wave.exec());
  store_masked(wave.lanes(in.src[0].reg), old, wave.exec());
}

constexpr Operation swap_row() {
  Operation op = row<[](u32 a) { return a; }>("v_swap_b32");
  op.execute = &swap32;
  return op;
}

constexpr Operation kRows[] = {
    move_row("v_mov_b32"),
    move_row("v_accvgpr_read_b32"),
    move_row("v_accvgpr_write_b32"),
    move_row("v_accvgpr_mov_b32"),
    move_row("v_accvgpr_read"),
    move_row("v_accvgpr_write"),
    permute_row(),
    swap_row(),
    row<[](u64 a) { return a; }>("v_mov_b64"),
    row<[](u32 a, u32 b, bool c) { return c ? b : a; }>("v_cndmask_b32"),
    row<[](u32 a) { return ~a; }>("v_not_b32"),
    row<[](u32 a, u32 b) { return a & b; }>("v_and_b32"),
    row<[](u32 a, u32 b) { return a | b; }>("v_or_b32"),
    row<[](u32 a, u32 b) { return a ^ b; }>("v_xor_b32"),
    row<[](u32 a, u32 b) { return ~(a ^ b); }>("v_xnor_b32"),
    row<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>("v_and_or_b32"),
    row<[](u32 a, u32 b, u32 c) { return a | b | c; }>("v_or3_b32"),
    row<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>("v_bfi_b32"),
    row<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>("v_bfm_b32"),
    row<[](u32 a, u32 b, u32 c) { return a >> (b & 31) & ((1u << (c & 31)) - 1); }>("v_bfe_u32"),
    row<[](i32 a, u32 b, u32 c) {
      u32 width = c & 31;
      u32 field = static_cast<u32>(a) >> (b & 31);
      i32 moved = static_cast<i32>(field << ((32 - width) & 31)) >> ((32 - width) & 31);
      return width == 0 ? 0 : (b & 31) + width < 32 ? moved : a >> (b & 31);
    }>("v_bfe_i32"),
    row<[](u32 a, u32 b, u32 c) { return static_cast<u32>((b | static_cast<u64>(a) << 32) >> (c & 31)); }>(
        "v_alignbit_b32"),
    row<[](u32 a, u32 b, u32 c) { return static_cast<u32>((b | static_cast<u64>(a) << 32) >> (8 * (c & 3))); }>(
        "v_alignbyte_b32"),
    row<[](u32 a) { return __builtin_bitreverse32(a); }>("v_bfrev_b32"),
    row<[](u32 a, u32 b) { return static_cast<u32>(__builtin_popcount(a)) + b; }>("v_bcnt_u32_b32"),
    row<[](u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : ~0u; }>("v_ffbh_u32"),
    row<[](i32 a) {
      u32 x = static_cast<u32>(a < 0 ? ~a : a);
      return x ? static_cast<u32>(__builtin_clz(x)) : ~0u;
    }>("v_ffbh_i32"),
    row<[](u32 a) { return a ? static_cast<u32>(__builtin_ctz(a)) : ~0u; }>("v_ffbl_b32"),
    row<[](u16 a, u16 b) { return static_cast<u32>(a) | static_cast<u32>(b) << 16; }>("v_pack_b32_f16"),
    row<[](u32 mask, u32 add, LaneId lane) {
      u32 below = lane.value >= 32 ? ~0u : (1u << lane.value) - 1;
      return static_cast<u32>(__builtin_popcount(mask & below)) + add;
    }>("v_mbcnt_lo_u32_b32"),
    row<[](u32 mask, u32 add, LaneId lane) {
      u32 below = lane.value < 32 ? 0 : (1u << (lane.value - 32)) - 1;
      return static_cast<u32>(__builtin_popcount(mask & below)) + add;
    }>("v_mbcnt_hi_u32_b32"),
};

}  // namespace

std::span<const Operation> vector_move_rows() { return kRows; }

}  // namespace hipvault::isa
