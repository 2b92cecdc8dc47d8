// Bytes in a dword: sums of absolute differences, interpolation, saturating packs.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

inline u32 byte_of(u64 a, int i) { return static_cast<u32>(a >> (8 * i)) & 0xff; }
inline u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }

// Masked: a zero byte of b counts nothing.
inline u32 sad(u32 a, u32 b, u32 c, bool masked) {
  for (int i = 0; i < 4; ++i) c += masked && byte_of(b, i) == 0 ? 0 : distance(byte_of(a, i), byte_of(b, i));
  return c;
}
// Four sums, of a's bytes 0-3, 1-4, 2-5, 3-6 with the same four bytes of b; 16 bits each, added modulo 2^16.
inline u64 quad_sad(u64 a, u32 b, u64 c, bool masked) {
  u64 r = 0;
  for (int i = 0; i < 4; ++i) {
    u32 before = static_cast<u32>(c >> (16 * i)) & 0xffff;
    r |= static_cast<u64>(sad(static_cast<u32>(a >> (8 * i)), b, before, masked) & 0xffff) << (16 * i);
  }
  return r;
}
inline u32 lerp(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int i = 0; i < 4; ++i) r |= ((byte_of(a, i) + byte_of(b, i) + (c >> (8 * i) & 1)) >> 1 & 0xff) << (8 * i);
  return r;
}
inline u32 saturate_u8(i32 x) { return static_cast<u32>(x < 0 ? 0 : x > 255 ? 255 : x); }
inline u32 saturate_i8(i32 x) { return static_cast<u32>(x < -128 ? -128 : x > 127 ? 127 : x) & 0xff; }

// Four dwords of sums: too wide for the common mechanism.
void quad_sad_dwords(const Instruction& in, Wave& wave) {
  alignas(64) u64 a[kLanes];
  alignas(64) u32 b[kLanes], c[4][kLanes], r[kLanes];
  fetch64(in.src[0], wave, a);
  fetch_dwords(in.src[1], wave, 0, b);
  for (int i = 0; i < 4; ++i) fetch_dwords(in.src[2], wave, i, c[i]);
  for (int i = 0; i < 4; ++i) {
    for (int l = 0; l < kLanes; ++l) r[l] = sad(static_cast<u32>(a[l] >> (8 * i)), b[l], c[i][l], true);
    store_masked(wave.lanes(in.dst + i), r, wave.exec());
  }
}

constexpr Operation kRows[] = {
    row<[](u32 a, u32 b, u32 c) { return (sad(a, b, 0, false) << 16) + c; }>("v_sad_hi_u8"),
    row<[](u32 a, u32 b, u32 c) { return sad(a, b, c, true); }>("v_msad_u8"),
    row<[](u64 a, u32 b, u64 c) { return quad_sad(a, b, c, false); }>("v_qsad_pk_u16_u8"),
    row<[](u64 a, u32 b, u64 c) { return quad_sad(a, b, c, true); }>("v_mqsad_pk_u16_u8"),
    custom("v_mqsad_u32_u8", &quad_sad_dwords),
    row<[](u32 a, u32 b, u32 c) { return lerp(a, b, c); }>("v_lerp_u8"),
    row<[](u32 a) {
      return static_cast<u16>(saturate_u8(static_cast<i16>(a)) | saturate_u8(static_cast<i32>(a) >> 16) << 8);
    }>("v_sat_pk_u8_i16"),
    row<[](i32 a, i32 b, u32 c) {
      return static_cast<u16>(saturate_i8(a >> (c & 31)) | saturate_i8(b >> (c & 31)) << 8);
    }>("v_ashr_pk_i8_i32")
        .with(kKeepHighHalf),
    row<[](i32 a, i32 b, u32 c) {
      return static_cast<u16>(saturate_u8(a >> (c & 31)) | saturate_u8(b >> (c & 31)) << 8);
    }>("v_ashr_pk_u8_i32")
        .with(kKeepHighHalf),
};

}  // namespace

std::span<const Operation> byte_rows() { return kRows; }

}  // namespace hipvault::isa
