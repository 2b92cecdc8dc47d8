// Integers of 32 bits and wider, with carries.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

inline i32 sign24(u32 a) { return static_cast<i32>(a << 8) >> 8; }
inline u32 saturate_u32(i64 x) { return x < 0 ? 0u : x > 0xffffffffll ? 0xffffffffu : static_cast<u32>(x); }
inline i32 saturate_i32(i64 x) { return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : static_cast<i32>(x); }
inline u32 max_of(u32 a, u32 b) { return a > b ? a : b; }
inline u32 min_of(u32 a, u32 b) { return a < b ? a : b; }
inline i32 max_of(i32 a, i32 b) { return a > b ? a : b; }
inline i32 min_of(i32 a, i32 b) { return a < b ? a : b; }
template <class T>
inline T median_of(T a, T b, T c) {
  return max_of(min_of(a, b), min_of(max_of(a, b), c));
}
inline u32 byte_of(u32 a, int i) { return a >> (8 * i) & 0xff; }
inline u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }

constexpr Operation kRows[] = {
    row<[](u32 a, u32 b) { return a + b; }>("v_add_u32")
        .clamping(row<[](u32 a, u32 b) { return saturate_u32(static_cast<i64>(a) + b); }>("")),
    row<[](u32 a, u32 b) { return a - b; }>("v_sub_u32")
        .clamping(row<[](u32 a, u32 b) { return saturate_u32(static_cast<i64>(a) - b); }>("")),
    row<[](u32 a, u32 b) { return b - a; }>("v_subrev_u32")
        .clamping(row<[](u32 a, u32 b) { return saturate_u32(static_cast<i64>(b) - a); }>("")),
    row<[](u32 a, u32 b) { return a + b; }>("v_add_i32")
        .clamping(row<[](i32 a, i32 b) { return saturate_i32(static_cast<i64>(a) + b); }>("")),
    row<[](u32 a, u32 b) { return a - b; }>("v_sub_i32")
        .clamping(row<[](i32 a, i32 b) { return saturate_i32(static_cast<i64>(a) - b); }>("")),
    row<[](u32 a, u32 b, u32 c) { return a + b + c; }>("v_add3_u32"),
    row<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>("v_lshl_add_u32"),
    row<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>("v_add_lshl_u32"),
    row<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }>("v_lshl_or_b32"),
    row<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>("v_xad_u32"),
    row<[](u32 a, u32 b) { return b << (a & 31); }>("v_lshlrev_b32"),
    row<[](u32 a, u32 b) { return b >> (a & 31); }>("v_lshrrev_b32"),
    row<[](u32 a, i32 b) { return b >> (a & 31); }>("v_ashrrev_i32"),
    row<[](u32 a, u32 b) { return a * b; }>("v_mul_lo_u32"),
    row<[](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); }>("v_mul_hi_u32"),
    row<[](i32 a, i32 b) { return static_cast<i32>(static_cast<i64>(a) * b >> 32); }>("v_mul_hi_i32"),
    row<[](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }>("v_mul_u32_u24"),
    row<[](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a & 0xffffff) * (b & 0xffffff) >> 32); }>(
        "v_mul_hi_u32_u24"),
    row<[](u32 a, u32 b) { return static_cast<u32>(sign24(a)) * static_cast<u32>(sign24(b)); }>("v_mul_i32_i24"),
    row<[](u32 a, u32 b) { return static_cast<i32>(static_cast<i64>(sign24(a)) * sign24(b) >> 32); }>(
        "v_mul_hi_i32_i24"),
    row<[](u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; }>("v_mad_u32_u24"),
    row<[](u32 a, u32 b, u32 c) { return static_cast<u32>(sign24(a)) * static_cast<u32>(sign24(b)) + c; }>(
        "v_mad_i32_i24"),
    row<[](u16 a, u16 b, u32 c) { return static_cast<u32>(a) * b + c; }>("v_mad_u32_u16"),
    row<[](i16 a, i16 b, u32 c) { return static_cast<u32>(static_cast<i32>(a) * b) + c; }>("v_mad_i32_i16"),
    row<[](u32 a, u32 b) { return max_of(a, b); }>("v_max_u32"),
    row<[](u32 a, u32 b) { return min_of(a, b); }>("v_min_u32"),
    row<[](i32 a, i32 b) { return max_of(a, b); }>("v_max_i32"),
    row<[](i32 a, i32 b) { return min_of(a, b); }>("v_min_i32"),
    row<[](u32 a, u32 b, u32 c) { return max_of(max_of(a, b), c); }>("v_max3_u32"),
    row<[](u32 a, u32 b, u32 c) { return min_of(min_of(a, b), c); }>("v_min3_u32"),
    row<[](i32 a, i32 b, i32 c) { return max_of(max_of(a, b), c); }>("v_max3_i32"),
    row<[](i32 a, i32 b, i32 c) { return min_of(min_of(a, b), c); }>("v_min3_i32"),
    row<[](u32 a, u32 b, u32 c) { return median_of(a, b, c); }>("v_med3_u32"),
    row<[](i32 a, i32 b, i32 c) { return median_of(a, b, c); }>("v_med3_i32"),
    row<[](u32 a, u32 b, u32 c) { return distance(a, b) + c; }>("v_sad_u32"),
    row<[](u32 a, u32 b, u32 c) {
      return distance(byte_of(a, 0), byte_of(b, 0)) + distance(byte_of(a, 1), byte_of(b, 1)) +
             distance(byte_of(a, 2), byte_of(b, 2)) + distance(byte_of(a, 3), byte_of(b, 3)) + c;
    }>("v_sad_u8"),
    row<[](u32 a, u32 b, u32 c) { return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c; }>(
        "v_sad_u16"),
};

// Carry operations: two results, and a carry-in that is a lane mask.
void add_carry_in(const Instruction& in, Wave& wave, bool subtract, bool reverse) {
  Fetch<u32> fa, fb;
  const Aliased<u32>* a = fa.get(in.src[reverse ? 1 : 0], wave);
  const Aliased<u32>* b = fb.get(in.src[reverse ? 0 : 1], wave);
  alignas(64) u32 carry[kLanes];
  expand_mask(read_mask(in.src[2], wave), carry);
  alignas(64) u32 r[kLanes];
  alignas(64) u32 flags[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    u64 wide =
        subtract ? static_cast<u64>(a[l]) - b[l] - (carry[l] & 1) : static_cast<u64>(a[l]) + b[l] + (carry[l] & 1);
    r[l] = static_cast<u32>(wide);
    flags[l] = static_cast<u32>(wide >> 32) & 1;
  }
  u64 mask = collect_mask(flags) & wave.exec();
  commit<u32>(in, wave, r);
  wave.set_mask(in.dst2, mask);
}

template <bool kSubtract, bool kReverse>
constexpr Operation carry_in(const char* mnemonic) {
  Operation op = row<[](u32 a, u32 b, bool& flag) {
    flag = a;
    return b;
  }>(mnemonic);
  op.sources[2] = ValueType::mask;
  op.execute = [](const Instruction& in, Wave& wave) { add_carry_in(in, wave, kSubtract, kReverse); };
  return op;
}

constexpr Operation kWideRows[] = {
    row<[](u32 a, u32 b, bool& carry) {
      u32 r = a + b;
      carry = r < a;
      return r;
    }>("v_add_co_u32"),
    row<[](u32 a, u32 b, bool& carry) {
      carry = a < b;
      return a - b;
    }>("v_sub_co_u32"),
    row<[](u32 a, u32 b, bool& carry) {
      carry = b < a;
      return b - a;
    }>("v_subrev_co_u32"),
    carry_in<false, false>("v_addc_co_u32"),
    carry_in<true, false>("v_subb_co_u32"),
    carry_in<true, true>("v_subbrev_co_u32"),
    row<[](u32 a, u32 b, u64 c, bool& carry) {
      u64 p = static_cast<u64>(a) * b;
      u64 r = p + c;
      carry = r < p;
      return r;
    }>("v_mad_u64_u32"),
    row<[](i32 a, i32 b, i64 c, bool& carry) {
      i64 p = static_cast<i64>(a) * b;
      i64 r = static_cast<i64>(static_cast<u64>(p) + static_cast<u64>(c));
      carry = ((p ^ r) & (c ^ r)) < 0;
      return r;
    }>("v_mad_i64_i32"),
    row<[](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }>("v_lshl_add_u64"),
    row<[](u32 a, u64 b) { return b << (a & 63); }>("v_lshlrev_b64"),
    row<[](u32 a, u64 b) { return b >> (a & 63); }>("v_lshrrev_b64"),
    row<[](u32 a, i64 b) { return b >> (a & 63); }>("v_ashrrev_i64"),
};

inline u16 saturate_u16(i32 x) { return static_cast<u16>(x < 0 ? 0 : x > 65535 ? 65535 : x); }
inline i16 saturate_i16(i32 x) { return static_cast<i16>(x < -32768 ? -32768 : x > 32767 ? 32767 : x); }
template <class T>
inline T most(T a, T b) {
  return a > b ? a : b;
}
template <class T>
inline T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
inline T middle(T a, T b, T c) {
  return most(least(a, b), least(most(a, b), c));
}

constexpr Operation k16Rows[] = {
    row<[](u16 a, u16 b) { return static_cast<u16>(a + b); }>("v_add_u16")
        .clamping(row<[](u16 a, u16 b) { return saturate_u16(a + b); }>("")),
    row<[](u16 a, u16 b) { return static_cast<u16>(a - b); }>("v_sub_u16")
        .clamping(row<[](u16 a, u16 b) { return saturate_u16(a - b); }>("")),
    row<[](u16 a, u16 b) { return static_cast<u16>(b - a); }>("v_subrev_u16")
        .clamping(row<[](u16 a, u16 b) { return saturate_u16(b - a); }>("")),
    row<[](u16 a, u16 b) { return static_cast<u16>(a + b); }>("v_add_i16")
        .with(kKeepHighHalf)
        .clamping(row<[](i16 a, i16 b) { return saturate_i16(a + b); }>("")),
    row<[](u16 a, u16 b) { return static_cast<u16>(a - b); }>("v_sub_i16")
        .with(kKeepHighHalf)
        .clamping(row<[](i16 a, i16 b) { return saturate_i16(a - b); }>("")),
    row<[](u16 a, u16 b) { return static_cast<u16>(static_cast<u32>(a) * b); }>("v_mul_lo_u16"),
    row<[](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }>("v_lshlrev_b16"),
    row<[](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }>("v_lshrrev_b16"),
    row<[](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }>("v_ashrrev_i16"),
    row<[](u16 a, u16 b) { return most(a, b); }>("v_max_u16"),
    row<[](u16 a, u16 b) { return least(a, b); }>("v_min_u16"),
    row<[](i16 a, i16 b) { return most(a, b); }>("v_max_i16"),
    row<[](i16 a, i16 b) { return least(a, b); }>("v_min_i16"),
    row<[](u16 a, u16 b, u16 c) { return most(most(a, b), c); }>("v_max3_u16").with(kKeepHighHalf),
    row<[](u16 a, u16 b, u16 c) { return least(least(a, b), c); }>("v_min3_u16").with(kKeepHighHalf),
    row<[](i16 a, i16 b, i16 c) { return most(most(a, b), c); }>("v_max3_i16").with(kKeepHighHalf),
    row<[](i16 a, i16 b, i16 c) { return least(least(a, b), c); }>("v_min3_i16").with(kKeepHighHalf),
    row<[](u16 a, u16 b, u16 c) { return middle(a, b, c); }>("v_med3_u16").with(kKeepHighHalf),
    row<[](i16 a, i16 b, i16 c) { return middle(a, b, c); }>("v_med3_i16").with(kKeepHighHalf),
    row<[](u16 a, u16 b, u16 c) { return static_cast<u16>(static_cast<u32>(a) * b + c); }>("v_mad_u16")
        .with(kKeepHighHalf)
        .clamping(row<[](u16 a, u16 b, u16 c) {
          u64 r = u64{a} * b + c;
          return static_cast<u16>(r > 65535 ? 65535 : r);
        }>("")),
    row<[](u16 a, u16 b, u16 c) { return static_cast<u16>(static_cast<u32>(a) * b + c); }>("v_mad_i16")
        .with(kKeepHighHalf)
        .clamping(row<[](i16 a, i16 b, i16 c) { return saturate_i16(a * b + c); }>("")),
    row<[](u16 a, u16 b, u16 c) { return static_cast<u16>(static_cast<u32>(a) * b + c); }>("v_mad_legacy_u16"),
    row<[](u16 a, u16 b, u16 c) { return static_cast<u16>(static_cast<u32>(a) * b + c); }>("v_mad_legacy_i16"),
};

}  // namespace

std::span<const Operation> vector_int_rows() { return kRows; }
std::span<const Operation> vector_wide_rows() { return kWideRows; }
std::span<const Operation> vector_int16_rows() { return k16Rows; }

}  // namespace hipvault::isa
