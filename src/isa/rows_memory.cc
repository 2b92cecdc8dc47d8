// Memory operations as data: space, kind, bytes a lane moves. sim/ executes them. Each row of the list makes the
// global, flat, scratch and buffer operation of that name.
#include "isa/memory_rows.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// ---- vector memory
// ------------------------------------------------------------------------------------------------------------

#define HV_LOADS_AND_STORES(p, s)                                                                                      \
  load(p "load_ubyte", s, 1), load(p "load_sbyte", s, 1, true), load(p "load_ushort", s, 2),                           \
      load(p "load_sshort", s, 2, true), load(p "load_dword", s, 4), load(p "load_dwordx2", s, 8),                     \
      load(p "load_dwordx3", s, 12), load(p "load_dwordx4", s, 16), load(p "load_ubyte_d16", s, 1, false, true),       \
      load(p "load_ubyte_d16_hi", s, 1, false, true, true), load(p "load_sbyte_d16", s, 1, true, true),                \
      load(p "load_sbyte_d16_hi", s, 1, true, true, true), load(p "load_short_d16", s, 2, false, true),                \
      load(p "load_short_d16_hi", s, 2, false, true, true), store(p "store_byte", s, 1), store(p "store_short", s, 2), \
      store(p "store_dword", s, 4), store(p "store_dwordx2", s, 8), store(p "store_dwordx3", s, 12),                   \
      store(p "store_dwordx4", s, 16), store(p "store_byte_d16_hi", s, 1, true),                                       \
      store(p "store_short_d16_hi", s, 2, true)

#define HV_ATOMICS(p, s)                                                                                   \
  atomic(p "atomic_swap", s, 4, kSwap<u32>), atomic(p "atomic_cmpswap", s, 4, compare_swap, true),         \
      atomic(p "atomic_add", s, 4, kAdd<u32>), atomic(p "atomic_sub", s, 4, kSub<u32>),                    \
      atomic(p "atomic_smin", s, 4, kMin<i32>), atomic(p "atomic_umin", s, 4, kMin<u32>),                  \
      atomic(p "atomic_smax", s, 4, kMax<i32>), atomic(p "atomic_umax", s, 4, kMax<u32>),                  \
      atomic(p "atomic_and", s, 4, kAnd<u32>), atomic(p "atomic_or", s, 4, kOr<u32>),                      \
      atomic(p "atomic_xor", s, 4, kXor<u32>), atomic(p "atomic_inc", s, 4, kInc<u32>),                    \
      atomic(p "atomic_dec", s, 4, kDec<u32>), atomic(p "atomic_swap_x2", s, 8, kSwap<u64>),               \
      atomic(p "atomic_cmpswap_x2", s, 8, compare_swap, true), atomic(p "atomic_add_x2", s, 8, kAdd<u64>), \
      atomic(p "atomic_sub_x2", s, 8, kSub<u64>), atomic(p "atomic_smin_x2", s, 8, kMin<i64>),             \
      atomic(p "atomic_umin_x2", s, 8, kMin<u64>), atomic(p "atomic_smax_x2", s, 8, kMax<i64>),            \
      atomic(p "atomic_umax_x2", s, 8, kMax<u64>), atomic(p "atomic_and_x2", s, 8, kAnd<u64>),             \
      atomic(p "atomic_or_x2", s, 8, kOr<u64>), atomic(p "atomic_xor_x2", s, 8, kXor<u64>),                \
      atomic(p "atomic_inc_x2", s, 8, kInc<u64>), atomic(p "atomic_dec_x2", s, 8, kDec<u64>),              \
      atomic(p "atomic_add_f32", s, 4, kAddF32), atomic(p "atomic_pk_add_f16", s, 4, add_pk_f16),          \
      atomic(p "atomic_pk_add_bf16", s, 4, add_pk_bf16), atomic(p "atomic_add_f64", s, 8, kAddF64),        \
      atomic(p "atomic_min_f64", s, 8, kMinF64), atomic(p "atomic_max_f64", s, 8, kMaxF64)

constexpr Operation kRows[] = {
    HV_LOADS_AND_STORES("global_", Space::global),
    HV_LOADS_AND_STORES("flat_", Space::flat),
    HV_LOADS_AND_STORES("scratch_", Space::scratch),
    HV_LOADS_AND_STORES("buffer_", Space::buffer),
    HV_ATOMICS("global_", Space::global),
    HV_ATOMICS("flat_", Space::flat),
    HV_ATOMICS("buffer_", Space::buffer),
    to_lds("global_load_lds_ubyte", Space::global, 1),
    to_lds("global_load_lds_sbyte", Space::global, 1, true),
    to_lds("global_load_lds_ushort", Space::global, 2),
    to_lds("global_load_lds_sshort", Space::global, 2, true),
    to_lds("global_load_lds_dword", Space::global, 4),
    load("s_load_dword", Space::scalar, 4),
    load("s_load_dwordx2", Space::scalar, 8),
    load("s_load_dwordx4", Space::scalar, 16),
    load("s_load_dwordx8", Space::scalar, 32),
    load("s_load_dwordx16", Space::scalar, 64),
    load("s_buffer_load_dword", Space::scalar, 4),
    load("s_buffer_load_dwordx2", Space::scalar, 8),
    load("s_buffer_load_dwordx4", Space::scalar, 16),
    load("s_buffer_load_dwordx8", Space::scalar, 32),
    load("s_buffer_load_dwordx16", Space::scalar, 64),
};

// ---- LDS
// ------------------------------------------------------------------------------------------------------------------------

constexpr Space L = Space::lds;
#define HV_LDS_ATOMIC(name, type, bytes, function) \
  atomic("ds_" name "_" type, L, bytes, function), atomic("ds_" name "_rtn_" type, L, bytes, function, false, true)
#define HV_LDS_INT(u, i, b, U, I, bytes)                                                        \
  HV_LDS_ATOMIC("add", u, bytes, kAdd<U>), HV_LDS_ATOMIC("sub", u, bytes, kSub<U>),             \
      HV_LDS_ATOMIC("rsub", u, bytes, kReverseSub<U>), HV_LDS_ATOMIC("inc", u, bytes, kInc<U>), \
      HV_LDS_ATOMIC("dec", u, bytes, kDec<U>), HV_LDS_ATOMIC("min", i, bytes, kMin<I>),         \
      HV_LDS_ATOMIC("max", i, bytes, kMax<I>), HV_LDS_ATOMIC("min", u, bytes, kMin<U>),         \
      HV_LDS_ATOMIC("max", u, bytes, kMax<U>), HV_LDS_ATOMIC("and", b, bytes, kAnd<U>),         \
      HV_LDS_ATOMIC("or", b, bytes, kOr<U>), HV_LDS_ATOMIC("xor", b, bytes, kXor<U>),           \
      atomic("ds_wrxchg_rtn_" b, L, bytes, kSwap<U>, false, true),                              \
      atomic("ds_cmpst_" b, L, bytes, compare_swap, true),                                      \
      atomic("ds_cmpst_rtn_" b, L, bytes, compare_swap, true, true)

constexpr Operation kLdsRows[] = {
    load("ds_read_u8", L, 1),
    load("ds_read_i8", L, 1, true),
    load("ds_read_u16", L, 2),
    load("ds_read_i16", L, 2, true),
    load("ds_read_u8_d16", L, 1, false, true),
    load("ds_read_u8_d16_hi", L, 1, false, true, true),
    load("ds_read_i8_d16", L, 1, true, true),
    load("ds_read_i8_d16_hi", L, 1, true, true, true),
    load("ds_read_u16_d16", L, 2, false, true),
    load("ds_read_u16_d16_hi", L, 2, false, true, true),
    load("ds_read_b32", L, 4),
    load("ds_read_b64", L, 8),
    load("ds_read_b96", L, 12),
    load("ds_read_b128", L, 16),
    two(load("ds_read2_b32", L, 4), 1),
    two(load("ds_read2_b64", L, 8), 1),
    two(load("ds_read2st64_b32", L, 4), 64),
    two(load("ds_read2st64_b64", L, 8), 64),
    store("ds_write_b8", L, 1),
    store("ds_write_b16", L, 2),
    store("ds_write_b32", L, 4),
    store("ds_write_b64", L, 8),
    store("ds_write_b96", L, 12),
    store("ds_write_b128", L, 16),
    store("ds_write_b8_d16_hi", L, 1, true),
    store("ds_write_b16_d16_hi", L, 2, true),
    two(store("ds_write2_b32", L, 4), 1),
    two(store("ds_write2_b64", L, 8), 1),
    two(store("ds_write2st64_b32", L, 4), 64),
    two(store("ds_write2st64_b64", L, 8), 64),
    HV_LDS_INT("u32", "i32", "b32", u32, i32, 4),
    HV_LDS_INT("u64", "i64", "b64", u64, i64, 8),
    HV_LDS_ATOMIC("add", "f32", 4, kAddF32),
    HV_LDS_ATOMIC("min", "f32", 4, kMinF32),
    HV_LDS_ATOMIC("max", "f32", 4, kMaxF32),
    HV_LDS_ATOMIC("add", "f64", 8, kAddF64),
    HV_LDS_ATOMIC("min", "f64", 8, kMinF64),
    HV_LDS_ATOMIC("max", "f64", 8, kMaxF64),
    HV_LDS_ATOMIC("pk_add", "f16", 4, add_pk_f16),
    HV_LDS_ATOMIC("pk_add", "bf16", 4, add_pk_bf16),
    atomic("ds_cmpst_f32", L, 4, compare_swap_f32, true),
    atomic("ds_cmpst_rtn_f32", L, 4, compare_swap_f32, true, true),
};

}  // namespace

std::span<const Operation> memory_rows() { return kRows; }
std::span<const Operation> lds_rows() { return kLdsRows; }

}  // namespace hipvault::isa
