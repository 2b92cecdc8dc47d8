// v_div_scale, v_div_fmas, v_div_fixup: the helpers of IEEE division. The ISA document's pseudo-code is wrong in places
// (it gives quotients that are not IEEE's); what stands here is the meaning under which LLVM's division sequence gives
// the correctly rounded quotient for all inputs, and it is therefore "assumed":
//   - v_div_fmas scales by 2^+64 if the exponent of its third operand is above the bias, else by 2^-64 (f64: 2^+-128);
//   - v_div_scale with 1/d and n/d both denormal scales the denominator by 2^-64;
//   - v_div_fixup gives infinity for a NaN quotient of finite operands, and zero when exponents underflow.
// The scaled fma rounds once: the unrounded sum is kept odd in its last bit ("round to odd") before it is scaled into
// the denormals.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

struct F32 {
  using Float = f32;
  using Bits = u32;
  static constexpr int kBias = 127, kMax = 255, kFraction = 23, kScale = 64, kNear = 96, kTiny = 23, kUnderflow = -150;
};
struct F64 {
  using Float = f64;
  using Bits = u64;
  static constexpr int kBias = 1023, kMax = 2047, kFraction = 52, kScale = 128, kNear = 768, kTiny = 53,
                       kUnderflow = -1075;
};

template <class X>
typename X::Float power(int e) {
  return std::bit_cast<typename X::Float>(static_cast<typename X::Bits>(e + X::kBias) << X::kFraction);
}

// The value is a denormal (not zero); for quotients that are only looked at, not used.
template <class X>
bool is_denormal(typename X::Float x) {
  return x != 0 && exponent_field(x) == 0;
}

// S0 is numerator or denominator, S1 the denominator, S2 the numerator. The flag tells v_div_fmas to scale back.
template <class X>
typename X::Float scale(typename X::Float s0, typename X::Float d, typename X::Float n, bool& flag) {
  using Float = typename X::Float;
  Float up = power<X>(X::kScale), down = power<X>(-X::kScale);
  bool is_denominator = std::bit_cast<typename X::Bits>(s0) == std::bit_cast<typename X::Bits>(d);
  bool is_numerator = std::bit_cast<typename X::Bits>(s0) == std::bit_cast<typename X::Bits>(n);
  flag = false;
  if (n == 0 || d == 0) return std::numeric_limits<Float>::quiet_NaN();
  if (exponent_field(n) - exponent_field(d) >= X::kNear) {
    flag = true;
    return is_denominator ? s0 * up : s0;
  }
  if (exponent_field(d) == 0) return s0 * up;
  bool tiny_reciprocal = is_denormal<X>(Float(1) / d) || Float(1) / d == 0,
       tiny_quotient = is_denormal<X>(n / d) || n / d == 0;
  if (tiny_reciprocal && tiny_quotient) {
    flag = true;
    return is_denominator ? s0 * down : s0;
  }
  if (tiny_reciprocal) return s0 * down;
  if (tiny_quotient) {
    flag = true;
    return is_numerator ? s0 * up : s0;
  }
  return exponent_field(n) <= X::kTiny ? s0 * up : s0;
}

// Neither operand needs care: both are normal and their exponents are close and near the middle.
template <class X>
bool plain(typename X::Float d, typename X::Float n) {
  int ed = exponent_field(d), en = exponent_field(n);
  int quarter = X::kMax / 4 - 20;
  return (ed > X::kBias - quarter) & (ed < X::kBias + quarter) & (en > X::kBias - quarter) & (en < X::kBias + quarter);
}

template <class X>
void div_scale(const Instruction& in, Wave& wave) {
  using Float = typename X::Float;
  Fetch<Float> fs, fd, fn;
  const Aliased<Float>* s0 = fs.get(in.src[0], wave);
  const Aliased<Float>* d = fd.get(in.src[1], wave);
  const Aliased<Float>* n = fn.get(in.src[2], wave);
  int ordinary = 0;
  for (int l = 0; l < kLanes; ++l) ordinary += plain<X>(d[l], n[l]);
  alignas(64) Aliased<Float> r[kLanes];
  u64 mask = 0;
  if (ordinary == kLanes) {
    for (int l = 0; l < kLanes; ++l) r[l] = s0[l];
  } else {
    for (int l = 0; l < kLanes; ++l) {
      bool flag = false;
      r[l] = scale<X>(s0[l], d[l], n[l], flag);
      mask |= static_cast<u64>(flag) << l;
    }
  }
  commit<Float>(in, wave, r);
  wave.set_mask(in.dst2, mask & wave.exec());
}

f32 scaled_fma(f32 a, f32 b, f32 c) {
  f64 product = static_cast<f64>(a) * b, sum = product + c;
  // Error of the sum (Knuth's two-sum), to make its last bit odd if it is not exact.
  f64 t = sum - product, error = (product - (sum - t)) + (static_cast<f64>(c) - t);
  u64 bits = std::bit_cast<u64>(sum);
  if (error != 0 && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : ~u64{0};
  return static_cast<f32>(std::bit_cast<f64>(bits) * power<F64>(exponent_field(c) > F32::kBias ? 64 : -64));
}

f64 scaled_fma(f64 a, f64 b, f64 c) {
  using Quad = __float128;
  Quad product = static_cast<Quad>(a) * b, sum = product + c;
  Quad t = sum - product, error = (product - (sum - t)) + (static_cast<Quad>(c) - t);
  unsigned __int128 bits = std::bit_cast<unsigned __int128>(sum);
  if (error != 0 && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : ~static_cast<unsigned __int128>(0);
  Quad odd = std::bit_cast<Quad>(bits);
  f64 factor = power<F64>(exponent_field(c) > F64::kBias ? 128 : -128);
  return static_cast<f64>(odd * static_cast<Quad>(factor));
}

template <class X>
void div_fmas(const Instruction& in, Wave& wave) {
  using Float = typename X::Float;
  Fetch<Float> fa, fb, fc;
  const Aliased<Float>* a = fa.get(in.src[0], wave);
  const Aliased<Float>* b = fb.get(in.src[1], wave);
  const Aliased<Float>* c = fc.get(in.src[2], wave);
  alignas(64) Aliased<Float> r[kLanes];
  for (int l = 0; l < kLanes; ++l)
    r[l] = __builtin_elementwise_fma(static_cast<Float>(a[l]), static_cast<Float>(b[l]), static_cast<Float>(c[l]));
  for (u64 left = wave.vcc() & wave.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    if (std::isfinite(static_cast<Float>(r[l])))
      r[l] = scaled_fma(static_cast<Float>(a[l]), static_cast<Float>(b[l]), static_cast<Float>(c[l]));
  }
  commit<Float>(in, wave, r);
}

template <class X>
inline typename X::Float fixup(typename X::Float q, typename X::Float d, typename X::Float n) {
  using Float = typename X::Float;
  using Bits = typename X::Bits;
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1), kInfinity = static_cast<Bits>(X::kMax) << X::kFraction,
                 kQuiet = Bits{1} << (X::kFraction - 1);
  Bits bq = std::bit_cast<Bits>(q), bd = std::bit_cast<Bits>(d), bn = std::bit_cast<Bits>(n);
  Bits sign = (bd ^ bn) & kSign, ad = bd & ~kSign, an = bn & ~kSign;
  Bits magnitude = q != q ? kInfinity : bq & ~kSign;
  magnitude = exponent_field(n) - exponent_field(d) < X::kUnderflow ? Bits{0} : magnitude;
  Bits r = magnitude | sign;
  r = ad == kInfinity || an == 0 ? sign : r;
  r = ad == 0 || an == kInfinity ? sign | kInfinity : r;
  r = (ad == 0 && an == 0) || (ad == kInfinity && an == kInfinity) ? kSign | kInfinity | kQuiet : r;
  r = d != d ? bd | kQuiet : r;
  r = n != n ? bn | kQuiet : r;
  return std::bit_cast<Float>(r);
}

f16 fixup16(f16 q, f16 d, f16 n) {
  f32 wide_d = static_cast<f32>(d), wide_n = static_cast<f32>(n), wide_q = static_cast<f32>(q);
  if (n != n) return n;
  if (d != d) return d;
  bool sign = std::signbit(wide_d) != std::signbit(wide_n);
  f32 r = std::fabs(wide_q);
  if ((wide_d == 0 && wide_n == 0) || (std::isinf(wide_d) && std::isinf(wide_n)))
    return static_cast<f16>(-__builtin_nanf(""));
  if (wide_d == 0 || std::isinf(wide_n))
    r = __builtin_inff();
  else if (std::isinf(wide_d) || wide_n == 0)
    r = 0;
  return static_cast<f16>(sign ? -r : r);
}

constexpr Operation scale_row(const char* mnemonic, bool wide) {
  Operation op = wide ? row<[](f64 a, f64 b, f64 c, bool& f) {
    f = a < b;
    return c;
  }>(mnemonic)
                      : row<[](f32 a, f32 b, f32 c, bool& f) {
                          f = a < b;
                          return c;
                        }>(mnemonic);
  op.execute = wide ? &div_scale<F64> : &div_scale<F32>;
  op.fidelity = Fidelity::assumed;
  return op;
}
constexpr Operation fmas_row(const char* mnemonic, bool wide) {
  Operation op = wide ? row<[](f64 a, f64 b, f64 c) { return a + b + c; }>(mnemonic)
                      : row<[](f32 a, f32 b, f32 c) { return a + b + c; }>(mnemonic);
  op.execute = wide ? &div_fmas<F64> : &div_fmas<F32>;
  op.fidelity = Fidelity::assumed;
  return op;
}

constexpr Operation kRows[] = {
    scale_row("v_div_scale_f32", false),
    scale_row("v_div_scale_f64", true),
    fmas_row("v_div_fmas_f32", false),
    fmas_row("v_div_fmas_f64", true),
    row<[](f32 q, f32 d, f32 n) { return fixup<F32>(q, d, n); }>("v_div_fixup_f32")
        .as(InstructionClass::valu, Fidelity::assumed),
    row<[](f64 q, f64 d, f64 n) { return fixup<F64>(q, d, n); }>("v_div_fixup_f64")
        .as(InstructionClass::valu64, Fidelity::assumed),
    row<[](f16 q, f16 d, f16 n) { return fixup16(q, d, n); }>("v_div_fixup_f16").with(kKeepHighHalf),
};

}  // namespace

std::span<const Operation> division_rows() { return kRows; }

}  // namespace hipvault::isa
