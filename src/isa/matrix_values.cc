#include "isa/matrix_values.h"

namespace hipvault::isa {
namespace {

using target::MatrixType;

// A small float: its bits stand at the top of an f32's fraction and exponent field, and a multiplication corrects the
// bias, which also makes its denormals come out right.
struct SmallFloat {
  int bits, fraction_bits, bias;
  u32 infinity, first_nan;  // magnitudes; what is never reached has none
  bool fnuz;                // the pattern of -0 is NaN
};
constexpr u32 kNever = 1 << 8;
constexpr SmallFloat small_float(MatrixType type) {
  switch (type) {
    case MatrixType::fp8:
      return {8, 3, 7, kNever, 0x7f, false};
    case MatrixType::bf8:
      return {8, 2, 15, 0x7c, 0x7d, false};
    case MatrixType::fp8_fnuz:
      return {8, 3, 8, kNever, kNever, true};
    case MatrixType::bf8_fnuz:
      return {8, 2, 16, kNever, kNever, true};
    case MatrixType::fp6:
      return {6, 3, 1, kNever, kNever, false};
    case MatrixType::bf6:
      return {6, 2, 3, kNever, kNever, false};
    default:
      return {4, 1, 1, kNever, kNever, false};
  }
}

template <MatrixType T>
void read_small(const u32* low, const u32* high, int first_bit, f32* out) {
  constexpr SmallFloat f = small_float(T);
  constexpr u32 kSign = 1u << (f.bits - 1);
  const f32 unbias = std::bit_cast<f32>(static_cast<u32>(254 - f.bias) << 23);
  for (int l = 0; l < kLanes; ++l) {
    u32 raw = low[l] >> first_bit;
    if constexpr (f.bits == 6) raw = static_cast<u32>((low[l] | static_cast<u64>(high[l]) << 32) >> first_bit);
    u32 magnitude = raw & (kSign - 1), sign = (raw & kSign) << (32 - f.bits);
    f32 value = std::bit_cast<f32>(magnitude << (23 - f.fraction_bits)) * unbias;
    u32 bits = std::bit_cast<u32>(value);
    if constexpr (f.infinity != kNever) bits = magnitude == f.infinity ? 0x7f800000 : bits;
    if constexpr (f.first_nan != kNever) bits = magnitude >= f.first_nan ? 0x7fc00000 : bits;
    if constexpr (f.fnuz) bits = magnitude == 0 && sign ? 0x7fc00000 : bits;
    out[l] = std::bit_cast<f32>(bits | sign);
  }
}

template <int kBits>
void read_small_integers(const u32* low, int first_bit, bool is_signed, i32* out) {
  const int shift = 32 - kBits;
  for (int l = 0; l < kLanes; ++l) {
    u32 top = low[l] << (shift - first_bit);
    out[l] = is_signed ? static_cast<i32>(top) >> shift : static_cast<i32>(top >> shift);
  }
}

}  // namespace

void read_floats(MatrixType type, const u32* low, const u32* high, int first_bit, f32* out) {
  switch (type) {
    case MatrixType::f16:
      for (int l = 0; l < kLanes; ++l)
        out[l] = static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(low[l] >> first_bit)));
      return;
    case MatrixType::bf16:
      for (int l = 0; l < kLanes; ++l) out[l] = std::bit_cast<f32>(low[l] >> first_bit << 16);
      return;
    case MatrixType::xf32:  // cut to 10 bits of fraction
      for (int l = 0; l < kLanes; ++l) out[l] = std::bit_cast<f32>(low[l] & 0xffffe000);
      return;
    case MatrixType::fp8:
      return read_small<MatrixType::fp8>(low, high, first_bit, out);
    case MatrixType::bf8:
      return read_small<MatrixType::bf8>(low, high, first_bit, out);
    case MatrixType::fp8_fnuz:
      return read_small<MatrixType::fp8_fnuz>(low, high, first_bit, out);
    case MatrixType::bf8_fnuz:
      return read_small<MatrixType::bf8_fnuz>(low, high, first_bit, out);
    case MatrixType::fp6:
      return read_small<MatrixType::fp6>(low, high, first_bit, out);
    case MatrixType::bf6:
      return read_small<MatrixType::bf6>(low, high, first_bit, out);
    case MatrixType::fp4:
      return read_small<MatrixType::fp4>(low, high, first_bit, out);
    default:
      std::memcpy(out, low, kLanes * 4);
  }
}

void read_integers(MatrixType type, const u32* low, int first_bit, bool is_signed, i32* out) {
  if (target::bits_of(type) == 4)
    read_small_integers<4>(low, first_bit, is_signed, out);
  else if (target::bits_of(type) == 8)
    read_small_integers<8>(low, first_bit, is_signed, out);
  else
    std::memcpy(out, low, kLanes * 4);
}

int lowest_exponent(MatrixType type) {
  switch (type) {
    case MatrixType::f16:
      return -14;
    case MatrixType::bf16:
    case MatrixType::f32:
    case MatrixType::xf32:
      return -126;
    default:
      return 1 - small_float(type).bias;
  }
}

void drop_denormals(MatrixType type, f32* values, int count) {
  f32 smallest = std::bit_cast<f32>(static_cast<u32>(lowest_exponent(type) + 127) << 23);
  for (int at = 0; at < count; ++at) values[at] = std::fabs(values[at]) < smallest ? 0.0f : values[at];
}

u16 to_bfloat(f32 value) {
  u32 bits = std::bit_cast<u32>(value);
  if (value != value) return static_cast<u16>(bits >> 16 | 0x40);
  return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace hipvault::isa
