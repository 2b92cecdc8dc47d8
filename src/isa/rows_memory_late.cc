// Memory operations beyond plain loads, stores and atomics: masked and conditional updates, exchanges of two elements,
// addresses made of the lane's number, transposed loads, sub-dword scalar loads.
#include "isa/memory_rows.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// DATA is a mask, DATA2 the bits.
u64 mask_or(u64 old, u64 bits, u64 mask) { return (old & ~mask) | bits; }
u64 wrap(u64 old, u64 add, u64 limit) {
  u32 o = static_cast<u32>(old), l = static_cast<u32>(limit);
  return o >= l ? o - l : o + static_cast<u32>(add);
}
u64 sub_clamp(u64 old, u64 data, u64) {
  u32 o = static_cast<u32>(old), d = static_cast<u32>(data);
  return o < d ? 0 : o - d;
}
u64 sub_if_larger(u64 old, u64 data, u64) {
  u32 o = static_cast<u32>(old), d = static_cast<u32>(data);
  return o >= d ? o - d : o;
}
// Each dword is replaced if the top bit of its new value says so; the bit itself is not stored.
u64 exchange_marked(u64 old, u64 data, u64) {
  u64 r = old;
  if (data >> 31 & 1) r = (r & 0xffffffff00000000ull) | (data & 0x7fffffff);
  if (data >> 63) r = (r & 0xffffffff) | (data & 0x7fffffff00000000ull);
  return r;
}
u64 compare_swap_f64(u64 old, u64 data, u64 compare) {
  return std::bit_cast<f64>(old) == std::bit_cast<f64>(compare) ? data : old;
}

constexpr Space L = Space::lds;
constexpr Operation swapped(Operation op) {
  op.memory.swapped_data = true;
  return op;
}
constexpr Operation by_lane(Operation op) {
  op.memory.by_lane = true;
  return op;
}
constexpr Operation transposed(Operation op, int bits) {
  op.memory.transpose_bits = static_cast<uint8_t>(bits);
  return op.as(op.instruction_class, Fidelity::assumed);
}

#define HV_TWO_FORMS(name, type, bytes, function, compares)  \
  atomic("ds_" name "_" type, L, bytes, function, compares), \
      atomic("ds_" name "_rtn_" type, L, bytes, function, compares, true)
#define HV_VECTOR(name, bytes, function)                                                                      \
  atomic("global_" name, Space::global, bytes, function), atomic("flat_" name, Space::flat, bytes, function), \
      atomic("buffer_" name, Space::buffer, bytes, function)

constexpr Operation kRows[] = {
    HV_TWO_FORMS("mskor", "b32", 4, mask_or, true),
    HV_TWO_FORMS("mskor", "b64", 8, mask_or, true),
    HV_TWO_FORMS("sub_clamp", "u32", 4, sub_clamp, false),
    HV_TWO_FORMS("cond_sub", "u32", 4, sub_if_larger, false),
    atomic("ds_wrap_rtn_b32", L, 4, wrap, true, true),
    atomic("ds_condxchg32_rtn_b64", L, 8, exchange_marked, false, true),
    atomic("ds_cmpst_f64", L, 8, compare_swap_f64, true),
    atomic("ds_cmpst_rtn_f64", L, 8, compare_swap_f64, true, true),
    swapped(atomic("ds_cmpstore_b32", L, 4, compare_swap, true)),
    swapped(atomic("ds_cmpstore_rtn_b32", L, 4, compare_swap, true, true)),
    swapped(atomic("ds_cmpstore_b64", L, 8, compare_swap, true)),
    swapped(atomic("ds_cmpstore_rtn_b64", L, 8, compare_swap, true, true)),
    two(atomic("ds_wrxchg2_rtn_b32", L, 4, kSwap<u32>, false, true), 1),
    two(atomic("ds_wrxchg2_rtn_b64", L, 8, kSwap<u64>, false, true), 1),
    two(atomic("ds_wrxchg2st64_rtn_b32", L, 4, kSwap<u32>, false, true), 64),
    two(atomic("ds_wrxchg2st64_rtn_b64", L, 8, kSwap<u64>, false, true), 64),
    by_lane(load("ds_read_addtid_b32", L, 4)),
    by_lane(store("ds_write_addtid_b32", L, 4)),
    transposed(load("ds_read_b64_tr_b16", L, 8), 16),
    transposed(load("ds_read_b64_tr_b8", L, 8), 8),
    transposed(load("ds_read_b64_tr_b4", L, 8), 4),
    transposed(load("ds_read_b96_tr_b6", L, 12), 6),
    HV_VECTOR("atomic_sub_clamp_u32", 4, sub_clamp),
    HV_VECTOR("atomic_cond_sub_u32", 4, sub_if_larger),
    HV_VECTOR("atomic_min_num_f32", 4, kMinF32),
    HV_VECTOR("atomic_max_num_f32", 4, kMaxF32),
    to_lds("global_load_lds_dwordx3", Space::global, 12),
    to_lds("global_load_lds_dwordx4", Space::global, 16),
    to_lds("scratch_load_lds_ubyte", Space::scratch, 1),
    to_lds("scratch_load_lds_sbyte", Space::scratch, 1, true),
    to_lds("scratch_load_lds_ushort", Space::scratch, 2),
    to_lds("scratch_load_lds_sshort", Space::scratch, 2, true),
    to_lds("scratch_load_lds_dword", Space::scratch, 4),
    load("s_load_u8", Space::scalar, 1),
    load("s_load_i8", Space::scalar, 1, true),
    load("s_load_u16", Space::scalar, 2),
    load("s_load_i16", Space::scalar, 2, true),
    load("s_load_b96", Space::scalar, 12),
    load("s_buffer_load_u8", Space::scalar, 1),
    load("s_buffer_load_i8", Space::scalar, 1, true),
    load("s_buffer_load_u16", Space::scalar, 2),
    load("s_buffer_load_i16", Space::scalar, 2, true),
    load("s_buffer_load_b96", Space::scalar, 12),
};

}  // namespace

std::span<const Operation> late_memory_rows() { return kRows; }

}  // namespace hipvault::isa
