// Scalar unit: sums and products of 64 bits, EXEC of waves of 32 lanes, bit patterns, and registers chosen by M0.
#include "isa/numbers.h"
#include "isa/scalar.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

template <class T>
inline T whole_quads(T a) {  // a bit of a group of four sets all four
  T any = a | a >> 1;
  any = (any | any >> 2) & static_cast<T>(0x1111111111111111ull);
  return any * 15;
}
inline u64 quad_bits(u64 a) {  // bit i: group i of four has a bit
  u64 r = 0;
  for (int i = 0; i < 16; ++i) r |= u64{(a >> (4 * i) & 15) != 0} << i;
  return r;
}
inline u64 doubled_bits(u32 a) {
  u64 r = 0;
  for (int i = 0; i < 32; ++i) r |= u64{a >> i & 1} * 3 << (2 * i);
  return r;
}

// Scalar register numbers of an instruction, moved by M0.
bool in_file(Wave& wave, u32 reg, int count) {
  if (reg + static_cast<u32>(count) <= kFlatScratch) return true;
  wave.stop("a scalar register chosen by M0 does not exist");
  return false;
}
template <int kDwords>
void move_relative_source(const Instruction& in, Wave& wave) {
  u32 from = in.src[0].reg + wave.sgpr[kM0];
  if (!in_file(wave, from, kDwords)) return;
  for (u32 i = 0; i < kDwords; ++i) wave.sgpr[in.dst + i] = wave.sgpr[from + i];
}
template <int kDwords>
void move_relative_destination(const Instruction& in, Wave& wave) {
  u32 to = in.dst + wave.sgpr[kM0];
  if (!in_file(wave, to, kDwords)) return;
  u64 value = kDwords == 2 ? read_scalar64(in.src[0], wave) : read_scalar32(in.src[0], wave);
  for (u32 i = 0; i < kDwords; ++i) wave.sgpr[to + i] = static_cast<u32>(value >> (32 * i));
}
void move_relative_both(const Instruction& in, Wave& wave) {
  u32 from = in.src[0].reg + (wave.sgpr[kM0] & 0x3ff), to = in.dst + (wave.sgpr[kM0] >> 16 & 0x3ff);
  if (in_file(wave, from, 1) && in_file(wave, to, 1)) wave.sgpr[to] = wave.sgpr[from];
}

constexpr Operation with_handler(Operation op, Execute execute) {
  op.execute = execute;
  return op;
}

#define HV_SAVE32(name, expression) saveexec<[](u32 s, u32 e) { return expression; }, u32>("s_" name "_saveexec_b32")

constexpr Operation kRows[] = {
    scalar<[](u64 a, u64 b) { return a + b; }>("s_add_nc_u64"),
    scalar<[](u64 a, u64 b) { return a - b; }>("s_sub_nc_u64"),
    scalar<[](u64 a, u64 b) { return a * b; }>("s_mul_u64"),
    HV_SAVE32("and", s& e),
    HV_SAVE32("or", s | e),
    HV_SAVE32("xor", s ^ e),
    HV_SAVE32("nand", ~(s& e)),
    HV_SAVE32("nor", ~(s | e)),
    HV_SAVE32("xnor", ~(s ^ e)),
    HV_SAVE32("and_not0", ~s& e),
    HV_SAVE32("and_not1", s & ~e),
    HV_SAVE32("or_not0", ~s | e),
    HV_SAVE32("or_not1", s | ~e),
    wrexec<[](u32 s, u32 e) { return ~s & e; }, u32>("s_and_not0_wrexec_b32"),
    wrexec<[](u32 s, u32 e) { return s & ~e; }, u32>("s_and_not1_wrexec_b32"),
    scalar<[](u32 d, u64 old) { return old & ~(u64{1} << (d & 63)); }>("s_bitset0_b64").with(kTiedDestination),
    scalar<[](u32 d, u64 old) { return old | u64{1} << (d & 63); }>("s_bitset1_b64").with(kTiedDestination),
    scalar<[](u32 a) { return doubled_bits(a); }>("s_bitreplicate_b64_b32"),
    scalar<[](u32 a, bool& scc) {
      u32 r = whole_quads(a);
      scc = r;
      return r;
    }>("s_wqm_b32"),
    scalar<[](u64 a, bool& scc) {
      u64 r = whole_quads(a);
      scc = r;
      return r;
    }>("s_wqm_b64"),
    scalar<[](u32 a, bool& scc) {
      u32 r = static_cast<u32>(quad_bits(a));
      scc = r;
      return r;
    }>("s_quadmask_b32"),
    scalar<[](u64 a, bool& scc) {
      u64 r = quad_bits(a);
      scc = r;
      return r;
    }>("s_quadmask_b64"),
    scalar<[](u32 a, u32 b) { return a >> 16 | b << 16; }>("s_pack_hl_b32_b16"),
    with_handler(scalar<[](u32 a) { return a; }>("s_movrels_b32"), &move_relative_source<1>),
    with_handler(scalar<[](u64 a) { return a; }>("s_movrels_b64"), &move_relative_source<2>),
    with_handler(scalar<[](u32 a) { return a; }>("s_movreld_b32"), &move_relative_destination<1>),
    with_handler(scalar<[](u64 a) { return a; }>("s_movreld_b64"), &move_relative_destination<2>),
    with_handler(scalar<[](u32 a) { return a; }>("s_movrelsd_2_b32"), &move_relative_both),
};

}  // namespace

std::span<const Operation> scalar_wide_rows() { return kRows; }

}  // namespace hipvault::isa
