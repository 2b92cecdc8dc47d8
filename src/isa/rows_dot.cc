// Dot products within a lane. Integer ones are exact. Of float ones the manual adds one product after the other to the
// accumulator; whether hardware rounds after each is not said, so these round once at the end and are "approximate".
#include "isa/float8.h"
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

inline f64 half(u32 a, int i) { return static_cast<f64>(std::bit_cast<f16>(static_cast<u16>(a >> (16 * i)))); }
inline f64 brain(u32 a, int i) { return static_cast<f64>(wide_bf16(a >> (16 * i) & 0xffff)); }
inline i32 bits(u32 a, int width, int i, bool sign) {
  u32 up = a << (32 - width - width * i);
  return sign ? static_cast<i32>(up) >> (32 - width) : static_cast<i32>(up >> (32 - width));
}
template <int kWidth>
inline u32 dot(u32 a, u32 b, u32 c, bool sign_a, bool sign_b) {
  for (int i = 0; i < 32 / kWidth; ++i)
    c += static_cast<u32>(bits(a, kWidth, i, sign_a)) * static_cast<u32>(bits(b, kWidth, i, sign_b));
  return c;
}
template <int kWidth>
inline i64 exact_dot(u32 a, u32 b, i64 c, bool sign_a, bool sign_b) {
  for (int i = 0; i < 32 / kWidth; ++i) c += static_cast<i64>(bits(a, kWidth, i, sign_a)) * bits(b, kWidth, i, sign_b);
  return c;
}
inline u32 saturate_i32(i64 x) {
  return static_cast<u32>(static_cast<i32>(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x));
}
inline u32 saturate_u32(i64 x) { return x > 0xffffffffll ? ~0u : static_cast<u32>(x); }

// v_dot4_i32_iu8: neg_lo says per operand whether its bytes are signed.
template <int kWidth>
void mixed_sign_dot(const Instruction& in, Wave& wave) {
  Fetch<u32> fa, fb, fc;
  const Aliased<u32>* a = fa.get(in.src[0], wave);
  const Aliased<u32>* b = fb.get(in.src[1], wave);
  const Aliased<u32>* c = fc.get(in.src[2], wave);
  bool sign_a = in.decoded->modifiers.neg_lo & 1, sign_b = in.decoded->modifiers.neg_lo & 2,
       clamp = in.decoded->modifiers.clamp;
  alignas(64) u32 r[kLanes];
  for (int l = 0; l < kLanes; ++l)
    r[l] = clamp ? saturate_i32(exact_dot<kWidth>(a[l], b[l], static_cast<i32>(c[l]), sign_a, sign_b))
                 : dot<kWidth>(a[l], b[l], c[l], sign_a, sign_b);
  commit<u32>(in, wave, r);
}
template <int kWidth>
constexpr Operation mixed_sign(const char* mnemonic) {
  Operation op = typed<[](u32 a, u32 b, u32 c) { return a + b + c; }>(mnemonic, &mixed_sign_dot<kWidth>);
  return op.with(kIntegerClamp).clamping(op);
}

#define HV_INT_DOT(name, width, sign, saturate, base)                                      \
  row<[](u32 a, u32 b, u32 c) { return dot<width>(a, b, c, sign, sign); }>(name).clamping( \
      row<[](u32 a, u32 b, u32 c) { return saturate(exact_dot<width>(a, b, static_cast<base>(c), sign, sign)); }>(""))

// Halves of 16 bits, with op_sel.
inline u32 dot16(Half2 a, Half2 b, u32 c, bool sign) { return dot<16>(a.bits, b.bits, c, sign, sign); }

inline f32 float8_dot(Float8 format_a, Float8 format_b, u32 a, u32 b, f32 c) {
  f64 sum = c;
  for (int i = 0; i < 4; ++i)
    sum += static_cast<f64>(decode_float8(format_a, static_cast<u8>(a >> (8 * i)))) *
           static_cast<f64>(decode_float8(format_b, static_cast<u8>(b >> (8 * i))));
  return static_cast<f32>(sum);
}

constexpr InstructionClass kValu = InstructionClass::valu;
constexpr Fidelity kNear = Fidelity::approximate;
#define HV_FLOAT_DOT(name, part)                                                                    \
  row<[](Half2 a, Half2 b, f32 c) {                                                                 \
    return static_cast<f32>(part(a.bits, 0) * part(b.bits, 0) + part(a.bits, 1) * part(b.bits, 1) + \
                            static_cast<f64>(c));                                                   \
  }>(name)                                                                                          \
      .as(kValu, kNear)

constexpr Operation kRows[] = {
    HV_INT_DOT("v_dot4_i32_i8", 8, true, saturate_i32, i32),
    HV_INT_DOT("v_dot4_u32_u8", 8, false, saturate_u32, u32),
    HV_INT_DOT("v_dot8_i32_i4", 4, true, saturate_i32, i32),
    HV_INT_DOT("v_dot8_u32_u4", 4, false, saturate_u32, u32),
    HV_INT_DOT("v_dot4c_i32_i8", 8, true, saturate_i32, i32).with(kTiedDestination),
    HV_INT_DOT("v_dot8c_i32_i4", 4, true, saturate_i32, i32).with(kTiedDestination),
    mixed_sign<8>("v_dot4_i32_iu8"),
    mixed_sign<4>("v_dot8_i32_iu4"),
    row<[](Half2 a, Half2 b, u32 c) { return dot16(a, b, c, true); }>("v_dot2_i32_i16")
        .clamping(row<[](Half2 a, Half2 b, u32 c) {
          return saturate_i32(exact_dot<16>(a.bits, b.bits, static_cast<i32>(c), true, true));
        }>("")),
    row<[](Half2 a, Half2 b, u32 c) { return dot16(a, b, c, false); }>("v_dot2_u32_u16")
        .clamping(row<[](Half2 a, Half2 b, u32 c) {
          u64 product = u64{a.bits & 0xffff} * (b.bits & 0xffff) + u64{a.bits >> 16} * (b.bits >> 16) + c;
          return product > 0xffffffff ? ~0u : static_cast<u32>(product);
        }>("")),
    row<[](Half2 a, Half2 b, u32 c) { return dot16(a, b, c, true); }>("v_dot2c_i32_i16").with(kTiedDestination),
    HV_FLOAT_DOT("v_dot2_f32_f16", half),
    HV_FLOAT_DOT("v_dot2c_f32_f16", half).with(kTiedDestination),
    HV_FLOAT_DOT("v_dot2_f32_bf16", brain),
    HV_FLOAT_DOT("v_dot2c_f32_bf16", brain).with(kTiedDestination),
    row<[](Half2 a, Half2 b, f16 c) {
      return narrow_once(half(a.bits, 0) * half(b.bits, 0) + half(a.bits, 1) * half(b.bits, 1) + static_cast<f64>(c));
    }>("v_dot2_f16_f16")
        .as(kValu, kNear),
    row<[](Half2 a, Half2 b, u16 c) {
      f64 sum =
          brain(a.bits, 0) * brain(b.bits, 0) + brain(a.bits, 1) * brain(b.bits, 1) + static_cast<f64>(wide_bf16(c));
      return narrow_bf16(static_cast<f32>(sum));
    }>("v_dot2_bf16_bf16")
        .as(kValu, kNear),
    row<[](u32 a, u32 b, f32 c) { return float8_dot(kFp8Ocp, kFp8Ocp, a, b, c); }>("v_dot4_f32_fp8_fp8")
        .as(kValu, kNear),
    row<[](u32 a, u32 b, f32 c) { return float8_dot(kFp8Ocp, kBf8Ocp, a, b, c); }>("v_dot4_f32_fp8_bf8")
        .as(kValu, kNear),
    row<[](u32 a, u32 b, f32 c) { return float8_dot(kBf8Ocp, kFp8Ocp, a, b, c); }>("v_dot4_f32_bf8_fp8")
        .as(kValu, kNear),
    row<[](u32 a, u32 b, f32 c) { return float8_dot(kBf8Ocp, kBf8Ocp, a, b, c); }>("v_dot4_f32_bf8_bf8")
        .as(kValu, kNear),
};

}  // namespace

std::span<const Operation> dot_rows() { return kRows; }

}  // namespace hipvault::isa
