// f16 arithmetic. Sums, products and quotients of two f16 computed in f32 round to the same f16 as exact ones (24 >=
// 2*11+2 bits).
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

inline f32 wide(f16 a) { return static_cast<f32>(a); }
inline f16 narrow(f32 a) { return static_cast<f16>(a); }

constexpr Operation kRows[] = {
    row<[](f16 a, f16 b) { return narrow(wide(a) + wide(b)); }>("v_add_f16"),
    row<[](f16 a, f16 b) { return narrow(wide(a) - wide(b)); }>("v_sub_f16"),
    row<[](f16 a, f16 b) { return narrow(wide(b) - wide(a)); }>("v_subrev_f16"),
    row<[](f16 a, f16 b) { return narrow(wide(a) * wide(b)); }>("v_mul_f16"),
    row<[](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_fma_f16").with(kKeepHighHalf),
    row<[](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_fmac_f16").with(kTiedDestination),
    row<[](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_fma_legacy_f16"),
    row<[](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_fmamk_f16"),
    row<[](f16 a, f16 b, f16 c) { return fma16(a, b, c); }>("v_fmaak_f16"),
    row<[](f16 a, f16 b, f16 c) { return narrow(wide(narrow(wide(a) * wide(b))) + wide(c)); }>("v_mad_legacy_f16"),
    row<[](f16 a, f16 b, f16 c) { return narrow(wide(narrow(wide(a) * wide(b))) + wide(c)); }>("v_mad_f16")
        .with(kKeepHighHalf),
    row<[](f16 a, f16 b, f16 c) { return narrow(wide(narrow(wide(a) * wide(b))) + wide(c)); }>("v_mac_f16")
        .with(kTiedDestination),
    row<[](f16 a, f16 b, f16 c) { return narrow(wide(narrow(wide(a) * wide(b))) + wide(c)); }>("v_madmk_f16"),
    row<[](f16 a, f16 b, f16 c) { return narrow(wide(narrow(wide(a) * wide(b))) + wide(c)); }>("v_madak_f16"),
    row<[](f16 a) { return narrow(__builtin_elementwise_floor(wide(a))); }>("v_floor_f16"),
    row<[](f16 a) { return narrow(__builtin_elementwise_ceil(wide(a))); }>("v_ceil_f16"),
    row<[](f16 a) { return narrow(__builtin_elementwise_trunc(wide(a))); }>("v_trunc_f16"),
    row<[](f16 a) { return narrow(__builtin_elementwise_roundeven(wide(a))); }>("v_rndne_f16"),
    row<[](f16 a) {
      f16 r = narrow(wide(a) - __builtin_elementwise_floor(wide(a)));
      return wide(r) >= 1.0f ? narrow(0x1.ffcp-1f) : r;
    }>("v_fract_f16"),
    row<[](f16 a, i16 e) {
      i32 n = e > 60 ? 60 : e < -60 ? -60 : e;
      return narrow(wide(a) * std::bit_cast<f32>(static_cast<u32>(n + 127) << 23));
    }>("v_ldexp_f16"),
    row<[](f16 a) {
      int e = 0;
      f32 x = wide(a);
      bool finite = exponent_field(x) != 255;
      f32 m = std::frexp(finite ? x : 0.0f, &e);
      return finite ? narrow(m) : a;
    }>("v_frexp_mant_f16"),
    row<[](f16 a) {
      int e = 0;
      f32 x = wide(a);
      std::frexp(exponent_field(x) != 255 ? x : 0.0f, &e);
      return static_cast<i16>(e);
    }>("v_frexp_exp_i16_f16"),
};

}  // namespace

std::span<const Operation> vector_half_rows() { return kRows; }

}  // namespace hipvault::isa
