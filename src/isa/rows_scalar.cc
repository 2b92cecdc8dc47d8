// Scalar ALU.
#include "isa/numbers.h"
#include "isa/scalar.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

template <class T>
inline T bit_field(T value, u32 control, bool sign) {
  constexpr u32 kWidth = sizeof(T) * 8;
  u32 offset = control & (kWidth - 1), width = control >> 16 & 0x7f;
  if (width == 0) return 0;
  T moved = sign ? static_cast<T>(static_cast<std::make_signed_t<T>>(value) >> offset) : value >> offset;
  if (width >= kWidth) return sign ? static_cast<T>(static_cast<std::make_signed_t<T>>(value) >> offset) : moved;
  T field = moved & ((T{1} << width) - 1);
  return sign && (field >> (width - 1) & 1) ? static_cast<T>(field | ~T{0} << width) : field;
}
// Position, from the top, of the first bit unlike the sign; -1 if there is none.
inline u32 leading_same(u64 value, int width) {
  u64 x = value >> (width - 1) & 1 ? ~value : value;
  if (width == 32) x &= 0xffffffff;
  return x ? static_cast<u32>(std::countl_zero(x) - (64 - width)) : ~0u;
}

constexpr Operation kRows[] = {
    scalar<[](u32 a) { return a; }>("s_mov_b32"),
    scalar<[](u64 a) { return a; }>("s_mov_b64"),
    scalar<[](u32 a) { return static_cast<u32>(static_cast<i32>(static_cast<i16>(a))); }>("s_movk_i32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a + b;
      scc = r < a;
      return r;
    }>("s_add_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      scc = a < b;
      return a - b;
    }>("s_sub_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u64 r = static_cast<u64>(a) + b + scc;
      scc = r >> 32 & 1;
      return static_cast<u32>(r);
    }>("s_addc_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u64 r = static_cast<u64>(a) - b - scc;
      scc = r >> 32 & 1;
      return static_cast<u32>(r);
    }>("s_subb_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a + b;
      scc = (~(a ^ b) & (a ^ r)) >> 31;
      return r;
    }>("s_add_i32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a - b;
      scc = ((a ^ b) & (a ^ r)) >> 31;
      return r;
    }>("s_sub_i32"),
    scalar<[](u32 a, u32 b) { return a * b; }>("s_mul_i32"),
    scalar<[](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); }>("s_mul_hi_u32"),
    scalar<[](i32 a, i32 b) { return static_cast<i32>(static_cast<i64>(a) * b >> 32); }>("s_mul_hi_i32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a & b;
      scc = r;
      return r;
    }>("s_and_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = a & b;
      scc = r;
      return r;
    }>("s_and_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a | b;
      scc = r;
      return r;
    }>("s_or_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = a | b;
      scc = r;
      return r;
    }>("s_or_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a ^ b;
      scc = r;
      return r;
    }>("s_xor_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = a ^ b;
      scc = r;
      return r;
    }>("s_xor_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a & ~b;
      scc = r;
      return r;
    }>("s_andn2_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = a & ~b;
      scc = r;
      return r;
    }>("s_andn2_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a | ~b;
      scc = r;
      return r;
    }>("s_orn2_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = a | ~b;
      scc = r;
      return r;
    }>("s_orn2_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = ~(a & b);
      scc = r;
      return r;
    }>("s_nand_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = ~(a & b);
      scc = r;
      return r;
    }>("s_nand_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = ~(a | b);
      scc = r;
      return r;
    }>("s_nor_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = ~(a | b);
      scc = r;
      return r;
    }>("s_nor_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = ~(a ^ b);
      scc = r;
      return r;
    }>("s_xnor_b32"),
    scalar<[](u64 a, u64 b, bool& scc) {
      u64 r = ~(a ^ b);
      scc = r;
      return r;
    }>("s_xnor_b64"),
    scalar<[](u32 a, bool& scc) {
      u32 r = ~a;
      scc = r;
      return r;
    }>("s_not_b32"),
    scalar<[](u64 a, bool& scc) {
      u64 r = ~a;
      scc = r;
      return r;
    }>("s_not_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a << (b & 31);
      scc = r;
      return r;
    }>("s_lshl_b32"),
    scalar<[](u64 a, u32 b, bool& scc) {
      u64 r = a << (b & 63);
      scc = r;
      return r;
    }>("s_lshl_b64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = a >> (b & 31);
      scc = r;
      return r;
    }>("s_lshr_b32"),
    scalar<[](u64 a, u32 b, bool& scc) {
      u64 r = a >> (b & 63);
      scc = r;
      return r;
    }>("s_lshr_b64"),
    scalar<[](i32 a, u32 b, bool& scc) {
      i32 r = a >> (b & 31);
      scc = r;
      return r;
    }>("s_ashr_i32"),
    scalar<[](i64 a, u32 b, bool& scc) {
      i64 r = a >> (b & 63);
      scc = r;
      return r;
    }>("s_ashr_i64"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u64 r = (static_cast<u64>(a) << 1) + b;
      scc = r >> 32;
      return static_cast<u32>(r);
    }>("s_lshl1_add_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u64 r = (static_cast<u64>(a) << 2) + b;
      scc = r >> 32;
      return static_cast<u32>(r);
    }>("s_lshl2_add_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u64 r = (static_cast<u64>(a) << 3) + b;
      scc = r >> 32;
      return static_cast<u32>(r);
    }>("s_lshl3_add_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u64 r = (static_cast<u64>(a) << 4) + b;
      scc = r >> 32;
      return static_cast<u32>(r);
    }>("s_lshl4_add_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      scc = a < b;
      return a < b ? a : b;
    }>("s_min_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      scc = a > b;
      return a > b ? a : b;
    }>("s_max_u32"),
    scalar<[](i32 a, i32 b, bool& scc) {
      scc = a < b;
      return a < b ? a : b;
    }>("s_min_i32"),
    scalar<[](i32 a, i32 b, bool& scc) {
      scc = a > b;
      return a > b ? a : b;
    }>("s_max_i32"),
    scalar<[](u32 a, u32 b, bool& scc) { return scc ? a : b; }>("s_cselect_b32"),
    scalar<[](u64 a, u64 b, bool& scc) { return scc ? a : b; }>("s_cselect_b64"),
    scalar<[](i32 a, bool& scc) {
      i32 r = a < 0 ? static_cast<i32>(0u - static_cast<u32>(a)) : a;
      scc = r;
      return r;
    }>("s_abs_i32"),
    scalar<[](i32 a, i32 b, bool& scc) {
      u32 d = static_cast<u32>(a) - static_cast<u32>(b);
      u32 r = static_cast<i32>(d) < 0 ? 0u - d : d;
      scc = r;
      return r;
    }>("s_absdiff_i32"),
    scalar<[](u32 a) { return static_cast<u32>(static_cast<i32>(static_cast<i8>(a))); }>("s_sext_i32_i8"),
    scalar<[](u32 a) { return static_cast<u32>(static_cast<i32>(static_cast<i16>(a))); }>("s_sext_i32_i16"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = bit_field<u32>(a, b, false);
      scc = r;
      return r;
    }>("s_bfe_u32"),
    scalar<[](u32 a, u32 b, bool& scc) {
      u32 r = bit_field<u32>(a, b, true);
      scc = r;
      return r;
    }>("s_bfe_i32"),
    scalar<[](u64 a, u32 b, bool& scc) {
      u64 r = bit_field<u64>(a, b, false);
      scc = r;
      return r;
    }>("s_bfe_u64"),
    scalar<[](u64 a, u32 b, bool& scc) {
      u64 r = bit_field<u64>(a, b, true);
      scc = r;
      return r;
    }>("s_bfe_i64"),
    scalar<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>("s_bfm_b32"),
    scalar<[](u32 a, u32 b) { return ((u64{1} << (a & 63)) - 1) << (b & 63); }>("s_bfm_b64"),
    scalar<[](u32 a) { return __builtin_bitreverse32(a); }>("s_brev_b32"),
    scalar<[](u64 a) { return __builtin_bitreverse64(a); }>("s_brev_b64"),
    scalar<[](u32 a, bool& scc) {
      u32 r = static_cast<u32>(std::popcount(a));
      scc = r;
      return r;
    }>("s_bcnt1_i32_b32"),
    scalar<[](u64 a, bool& scc) {
      u32 r = static_cast<u32>(std::popcount(a));
      scc = r;
      return r;
    }>("s_bcnt1_i32_b64"),
    scalar<[](u32 a, bool& scc) {
      u32 r = static_cast<u32>(32 - std::popcount(a));
      scc = r;
      return r;
    }>("s_bcnt0_i32_b32"),
    scalar<[](u64 a, bool& scc) {
      u32 r = static_cast<u32>(64 - std::popcount(a));
      scc = r;
      return r;
    }>("s_bcnt0_i32_b64"),
    scalar<[](u32 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; }>("s_ff1_i32_b32"),
    scalar<[](u64 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; }>("s_ff1_i32_b64"),
    scalar<[](u32 a) { return ~a ? static_cast<u32>(std::countr_one(a)) : ~0u; }>("s_ff0_i32_b32"),
    scalar<[](u64 a) { return ~a ? static_cast<u32>(std::countr_one(a)) : ~0u; }>("s_ff0_i32_b64"),
    scalar<[](u32 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; }>("s_flbit_i32_b32"),
    scalar<[](u64 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; }>("s_flbit_i32_b64"),
    scalar<[](u32 a) { return leading_same(a, 32); }>("s_flbit_i32"),
    scalar<[](u64 a) { return leading_same(a, 64); }>("s_flbit_i32_i64"),
    scalar<[](u32 a, u32 b) { return (a & 0xffff) | b << 16; }>("s_pack_ll_b32_b16"),
    scalar<[](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }>("s_pack_lh_b32_b16"),
    scalar<[](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }>("s_pack_hh_b32_b16"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a == b; }>("s_cmp_eq_u32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a == b; }>("s_cmp_eq_i32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a != b; }>("s_cmp_lg_u32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a != b; }>("s_cmp_lg_i32"),
    scalar<[](u64 a, u64 b, bool& scc) { scc = a == b; }>("s_cmp_eq_u64"),
    scalar<[](u64 a, u64 b, bool& scc) { scc = a != b; }>("s_cmp_lg_u64"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a < b; }>("s_cmp_lt_u32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a <= b; }>("s_cmp_le_u32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a > b; }>("s_cmp_gt_u32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a >= b; }>("s_cmp_ge_u32"),
    scalar<[](i32 a, i32 b, bool& scc) { scc = a < b; }>("s_cmp_lt_i32"),
    scalar<[](i32 a, i32 b, bool& scc) { scc = a <= b; }>("s_cmp_le_i32"),
    scalar<[](i32 a, i32 b, bool& scc) { scc = a > b; }>("s_cmp_gt_i32"),
    scalar<[](i32 a, i32 b, bool& scc) { scc = a >= b; }>("s_cmp_ge_i32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = !(a >> (b & 31) & 1); }>("s_bitcmp0_b32"),
    scalar<[](u32 a, u32 b, bool& scc) { scc = a >> (b & 31) & 1; }>("s_bitcmp1_b32"),
    scalar<[](u64 a, u32 b, bool& scc) { scc = !(a >> (b & 63) & 1); }>("s_bitcmp0_b64"),
    scalar<[](u64 a, u32 b, bool& scc) { scc = a >> (b & 63) & 1; }>("s_bitcmp1_b64"),
    saveexec<[](u64 s, u64 e) { return s & e; }>("s_and_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return s | e; }>("s_or_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return s ^ e; }>("s_xor_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return s & ~e; }>("s_andn2_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return s | ~e; }>("s_orn2_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return ~(s & e); }>("s_nand_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return ~(s | e); }>("s_nor_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return ~(s ^ e); }>("s_xnor_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return ~s & e; }>("s_andn1_saveexec_b64"),
    saveexec<[](u64 s, u64 e) { return ~s | e; }>("s_orn1_saveexec_b64"),
    wrexec<[](u64 s, u64 e) { return ~s & e; }>("s_andn1_wrexec_b64"),
    wrexec<[](u64 s, u64 e) { return s & ~e; }>("s_andn2_wrexec_b64"),
};

// Read-modify-write of the destination: s_cmovk, s_addk, s_mulk, s_bitset, s_cmov, and the compares with a 16-bit
// constant.
template <auto F>
constexpr Operation tied(const char* mnemonic, bool wide = false) {
  Operation op;
  op.mnemonic = mnemonic;
  op.instruction_class = InstructionClass::salu;
  op.results[0] = op.sources[0] = wide ? ValueType::u64 : ValueType::u32;
  op.execute = [](const Instruction& in, Wave& wave) {
    if (in.dst_count == 2)
      wave.set_pair(in.dst, F(wave.pair(in.dst), read_scalar64(in.src[0], wave), wave.scc));
    else
      wave.sgpr[in.dst] = static_cast<u32>(F(wave.sgpr[in.dst], read_scalar32(in.src[0], wave), wave.scc));
  };
  return op;
}
inline i32 low16(u64 x) { return static_cast<i16>(x); }
inline i32 int_of(u64 x) { return static_cast<i32>(x); }

constexpr Operation kTiedRows[] = {
    tied<[](u64 d, u64 s, bool& scc) {
      i64 r = static_cast<i64>(int_of(d)) + low16(s);
      scc = r != static_cast<i32>(r);
      return static_cast<u64>(r);
    }>("s_addk_i32"),
    tied<[](u64 d, u64 s, bool&) {
      u32 product = static_cast<u32>(d) * static_cast<u32>(low16(s));
      return static_cast<u64>(product);
    }>("s_mulk_i32"),
    tied<[](u64 d, u64 s, bool& scc) { return scc ? static_cast<u64>(static_cast<u32>(low16(s))) : d; }>("s_cmovk_i32"),
    tied<[](u64 d, u64 s, bool& scc) { return scc ? s : d; }>("s_cmov_b32"),
    tied<[](u64 d, u64 s, bool& scc) { return scc ? s : d; }>("s_cmov_b64", true),
    tied<[](u64 d, u64 s, bool&) { return d & ~(u64{1} << (s & 31)); }>("s_bitset0_b32"),
    tied<[](u64 d, u64 s, bool&) { return d | u64{1} << (s & 31); }>("s_bitset1_b32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = int_of(d) == low16(s);
      return d;
    }>("s_cmpk_eq_i32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = int_of(d) != low16(s);
      return d;
    }>("s_cmpk_lg_i32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = int_of(d) > low16(s);
      return d;
    }>("s_cmpk_gt_i32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = int_of(d) >= low16(s);
      return d;
    }>("s_cmpk_ge_i32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = int_of(d) < low16(s);
      return d;
    }>("s_cmpk_lt_i32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = int_of(d) <= low16(s);
      return d;
    }>("s_cmpk_le_i32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = static_cast<u32>(d) == static_cast<u16>(s);
      return d;
    }>("s_cmpk_eq_u32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = static_cast<u32>(d) != static_cast<u16>(s);
      return d;
    }>("s_cmpk_lg_u32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = static_cast<u32>(d) > static_cast<u16>(s);
      return d;
    }>("s_cmpk_gt_u32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = static_cast<u32>(d) >= static_cast<u16>(s);
      return d;
    }>("s_cmpk_ge_u32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = static_cast<u32>(d) < static_cast<u16>(s);
      return d;
    }>("s_cmpk_lt_u32"),
    tied<[](u64 d, u64 s, bool& scc) {
      scc = static_cast<u32>(d) <= static_cast<u16>(s);
      return d;
    }>("s_cmpk_le_u32"),
};

}  // namespace

std::span<const Operation> scalar_rows() { return kRows; }
std::span<const Operation> scalar_tied_rows() { return kTiedRows; }

}  // namespace hipvault::isa
