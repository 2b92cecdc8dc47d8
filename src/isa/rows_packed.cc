// Packed pairs (v_pk_…) and mixed precision.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

template <class T>
inline T low(Half2 x) {
  return std::bit_cast<T>(static_cast<u16>(x.bits));
}
template <class T>
inline T high(Half2 x) {
  return std::bit_cast<T>(static_cast<u16>(x.bits >> 16));
}
template <class T>
inline Half2 join(T a, T b) {
  return {std::bit_cast<u16>(a) | static_cast<u32>(std::bit_cast<u16>(b)) << 16};
}

template <class T, auto F>
constexpr Operation pk2(const char* mnemonic) {
  return row<[](Half2 a, Half2 b) { return join<T>(F(low<T>(a), low<T>(b)), F(high<T>(a), high<T>(b))); }>(mnemonic);
}
template <class T, auto F>
constexpr Operation pk3(const char* mnemonic) {
  return row<[](Half2 a, Half2 b, Half2 c) {
    return join<T>(F(low<T>(a), low<T>(b), low<T>(c)), F(high<T>(a), high<T>(b), high<T>(c)));
  }>(mnemonic);
}

inline f16 narrow(f32 a) { return static_cast<f16>(a); }
inline f32 wide(f16 a) { return static_cast<f32>(a); }
inline u16 bound_u16(i32 x) { return static_cast<u16>(x < 0 ? 0 : x > 65535 ? 65535 : x); }
inline i16 bound_i16(i32 x) { return static_cast<i16>(x < -32768 ? -32768 : x > 32767 ? 32767 : x); }

inline f32 low32(Pair32 x) { return std::bit_cast<f32>(static_cast<u32>(x.bits)); }
inline f32 high32(Pair32 x) { return std::bit_cast<f32>(static_cast<u32>(x.bits >> 32)); }
inline Pair32 join32(f32 a, f32 b) { return {std::bit_cast<u32>(a) | static_cast<u64>(std::bit_cast<u32>(b)) << 32}; }

// The low result is a dword of the first operand, the high one of the second; op_sel alone says which of the two.
void move_pair(const Instruction& in, Wave& wave) {
  alignas(64) u32 low[kLanes], high[kLanes];
  fetch_dwords(in.src[0], wave, in.src[0].modifiers & kHigh ? 1 : 0, low);
  fetch_dwords(in.src[1], wave, in.src[1].modifiers & kHigh ? 1 : 0, high);
  store_masked(wave.lanes(in.dst), low, wave.exec());
  store_masked(wave.lanes(in.dst + 1), high, wave.exec());
}

// Operands of the mix forms are f16 halves where op_sel_hi says so, else f32.
void fetch_mixed(const Source& source, const Wave& wave, f32* out) {
  alignas(64) u32 raw[kLanes];
  Source plain = source;
  plain.modifiers = 0;
  plain.select = SubDword::dword;
  fetch_dwords(plain, wave, 0, raw);
  int shift = source.modifiers & kHigh ? 16 : 0;
  if (source.modifiers & kSelect) {
    for (int l = 0; l < kLanes; ++l) out[l] = static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(raw[l] >> shift)));
  } else {
    for (int l = 0; l < kLanes; ++l) out[l] = std::bit_cast<f32>(raw[l]);
  }
  if (source.modifiers & kAbsolute)
    for (int l = 0; l < kLanes; ++l) out[l] = __builtin_elementwise_abs(out[l]);
  if (source.modifiers & kNegate)
    for (int l = 0; l < kLanes; ++l) out[l] = -out[l];
}

template <int kResult>
void mix(const Instruction& in, Wave& wave) {
  alignas(64) f32 a[kLanes], b[kLanes], c[kLanes];
  fetch_mixed(in.src[0], wave, a);
  fetch_mixed(in.src[1], wave, b);
  fetch_mixed(in.src[2], wave, c);
  alignas(64) Aliased<f32> r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = fma32(a[l], b[l], c[l]);
  if constexpr (kResult == 0) {
    commit<f32>(in, wave, r);
    return;
  }
  if (in.float_output) finish_f32(in, wave, reinterpret_cast<f32*>(r));
  alignas(64) u32 bits[kLanes];
  const u32* old = wave.lanes(in.dst);
  for (int l = 0; l < kLanes; ++l) {
    u32 half = std::bit_cast<u16>(static_cast<f16>(static_cast<f32>(r[l])));
    bits[l] = kResult == 2 ? (old[l] & 0xffff) | half << 16 : (old[l] & 0xffff0000) | half;
  }
  store_masked(wave.lanes(in.dst), bits, wave.exec());
}

template <int kResult>
constexpr Operation mix_row(const char* mnemonic) {
  Operation op = row<[](f32 a, f32 b, f32 c) { return a + b + c; }>(mnemonic);
  op.execute = &mix<kResult>;
  op.flags = kMix;
  return op;
}

constexpr Operation kRows[] = {
    pk2<f16, [](f16 a, f16 b) { return narrow(wide(a) + wide(b)); }>("v_pk_add_f16"),
    pk2<f16, [](f16 a, f16 b) { return narrow(wide(a) * wide(b)); }>("v_pk_mul_f16"),
    pk3<f16, [](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_pk_fma_f16"),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(a + b); }>("v_pk_add_u16")
        .clamping(pk2<u16, [](u16 a, u16 b) { return bound_u16(a + b); }>("")),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(a - b); }>("v_pk_sub_u16")
        .clamping(pk2<u16, [](u16 a, u16 b) { return bound_u16(a - b); }>("")),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(a + b); }>("v_pk_add_i16")
        .clamping(pk2<i16, [](i16 a, i16 b) { return bound_i16(a + b); }>("")),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(a - b); }>("v_pk_sub_i16")
        .clamping(pk2<i16, [](i16 a, i16 b) { return bound_i16(a - b); }>("")),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(static_cast<u32>(a) * b); }>("v_pk_mul_lo_u16"),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }>("v_pk_lshlrev_b16"),
    pk2<u16, [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }>("v_pk_lshrrev_b16"),
    pk2<i16, [](i16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }>("v_pk_ashrrev_i16"),
    pk2<u16, [](u16 a, u16 b) { return a > b ? a : b; }>("v_pk_max_u16"),
    pk2<u16, [](u16 a, u16 b) { return a < b ? a : b; }>("v_pk_min_u16"),
    pk2<i16, [](i16 a, i16 b) { return a > b ? a : b; }>("v_pk_max_i16"),
    pk2<i16, [](i16 a, i16 b) { return a < b ? a : b; }>("v_pk_min_i16"),
    pk3<f16, [](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_pk_fmac_f16").with(kTiedDestination),
    pk3<u16, [](u16 a, u16 b, u16 c) { return static_cast<u16>(static_cast<u32>(a) * b + c); }>("v_pk_mad_u16")
        .clamping(pk3<u16,
                      [](u16 a, u16 b, u16 c) {
                        u64 sum = static_cast<u64>(a) * b + c;
                        return static_cast<u16>(sum > 65535 ? 65535 : sum);
                      }>("")),
    pk3<u16, [](u16 a, u16 b, u16 c) { return static_cast<u16>(static_cast<u32>(a) * b + c); }>("v_pk_mad_i16")
        .clamping(pk3<i16, [](i16 a, i16 b, i16 c) { return bound_i16(a * b + c); }>("")),
    row<[](Pair32 a, Pair32 b) { return join32(low32(a) + low32(b), high32(a) + high32(b)); }>("v_pk_add_f32")
        .with(kPacked),
    row<[](Pair32 a, Pair32 b) { return join32(low32(a) * low32(b), high32(a) * high32(b)); }>("v_pk_mul_f32")
        .with(kPacked),
    row<[](Pair32 a, Pair32 b, Pair32 c) {
      return join32(fma32(low32(a), low32(b), low32(c)), fma32(high32(a), high32(b), high32(c)));
    }>("v_pk_fma_f32")
        .with(kPacked),
    typed<[](Pair32 a, Pair32 b) { return Pair32{a.bits ^ b.bits}; }>("v_pk_mov_b32", &move_pair).with(kPacked),
    mix_row<0>("v_fma_mix_f32"),
    mix_row<1>("v_fma_mixlo_f16"),
    mix_row<2>("v_fma_mixhi_f16"),
    mix_row<0>("v_mad_mix_f32"),
    mix_row<1>("v_mad_mixlo_f16"),
    mix_row<2>("v_mad_mixhi_f16"),
};

}  // namespace

std::span<const Operation> packed_rows() { return kRows; }

}  // namespace hipvault::isa
