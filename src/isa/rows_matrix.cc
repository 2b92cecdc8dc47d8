#include <array>
#include <utility>

#include "isa/float8.h"
#include "isa/lanes.h"
#include "isa/matrix.h"
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

using enum MatrixType;
constexpr MatrixShape kShapes[] = {
    {"v_mfma_f32_32x32x8_f16", 32, 8, 1, half, half},         {"v_mfma_f32_16x16x16_f16", 16, 16, 1, half, half},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, half, half},      {"v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, half, half},
    {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, half, half},       {"v_mfma_f32_32x32x8_bf16", 32, 8, 1, bfloat, bfloat},
    {"v_mfma_f32_16x16x16_bf16", 16, 16, 1, bfloat, bfloat},  {"v_mfma_f32_32x32x4_2b_bf16", 32, 4, 2, bfloat, bfloat},
    {"v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, bfloat, bfloat}, {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 16, bfloat, bfloat},
    {"v_mfma_f32_32x32x2_f32", 32, 2, 1, single, single},     {"v_mfma_f32_16x16x4_f32", 16, 4, 1, single, single},
    {"v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, single, single},  {"v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, single, single},
    {"v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, single, single},   {"v_mfma_f64_16x16x4_f64", 16, 4, 1, wide, wide},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, wide, wide},         {"v_mfma_i32_32x32x16_i8", 32, 16, 1, byte, byte},
    {"v_mfma_i32_16x16x32_i8", 16, 32, 1, byte, byte},        {"v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, fp8, fp8},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, fp8, bf8},     {"v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, bf8, fp8},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 1, bf8, bf8},     {"v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 1, fp8, fp8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 1, fp8, bf8},     {"v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 1, bf8, fp8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 1, bf8, bf8},
};
constexpr int kShapeCount = static_cast<int>(std::size(kShapes));

constexpr int bits_of(MatrixType type) {
  return type == wide ? 64 : type == single ? 32 : type == half || type == bfloat ? 16 : 8;
}
constexpr int k_per_lane(const MatrixShape& s) { return s.k * s.blocks * s.m / kLanes; }
constexpr int d_per_lane(const MatrixShape& s) { return s.m * s.m * s.blocks / kLanes; }

template <MatrixType T>
using Element = std::conditional_t<T == wide, f64, std::conditional_t<T == byte, i32, f32>>;

template <MatrixType T>
Element<T> element_value(u32 dword, int part) {
  if constexpr (T == half)
    return static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(dword >> (16 * part))));
  else if constexpr (T == bfloat)
    return std::bit_cast<f32>((dword >> (16 * part)) << 16);
  else if constexpr (T == single)
    return std::bit_cast<f32>(dword);
  else if constexpr (T == fp8)
    return decode_float8(kFp8, static_cast<u8>(dword >> (8 * part)));
  else if constexpr (T == bf8)
    return decode_float8(kBf8, static_cast<u8>(dword >> (8 * part)));
  else
    return static_cast<i32>(static_cast<i8>(dword >> (8 * part)));
}

// A as [block][row][k]; B as [block][k][column] with the roles of row and column swapped.
template <int S, MatrixType T, bool kIsB>
void gather(const Source& source, const Wave& wave, Element<T>* out) {
  constexpr MatrixShape s = kShapes[S];
  constexpr int kPerDword = T == wide ? 1 : 32 / bits_of(T);
  constexpr int kCount = k_per_lane(s);
  for (int e = 0; e < kCount; ++e) {
    alignas(64) Element<T> value[kLanes];
    if constexpr (T == wide) {
      Source part = source;
      part.reg = static_cast<uint16_t>(part.reg + 2 * e);
      fetch64(part, wave, reinterpret_cast<u64*>(value));
    } else {
      alignas(64) u32 raw[kLanes];
      fetch_dwords(source, wave, e / kPerDword, raw);
      for (int l = 0; l < kLanes; ++l) value[l] = element_value<T>(raw[l], e % kPerDword);
    }
    for (int l = 0; l < kLanes; ++l) {
      int i = l % s.m, g = l / s.m, block = g % s.blocks, k = g / s.blocks * kCount + e;
      out[kIsB ? (block * s.k + k) * s.m + i : (block * s.m + i) * s.k + k] = value[l];
    }
  }
}

// Where value r of lane l lies in the flat D, as a table a shape: computing it per value cost more than the product.
template <int S>
struct PlacesOfD {
  static constexpr int kCount = d_per_lane(kShapes[S]);
  uint16_t at[kCount][kLanes];
  PlacesOfD() {
    const MatrixShape& s = kShapes[S];
    for (int r = 0; r < kCount; ++r)
      for (int l = 0; l < kLanes; ++l) {
        MatrixPlace p = matrix_place_d(s, l, r);
        at[r][l] = static_cast<uint16_t>((p.block * s.m + p.row) * s.m + p.column);
      }
  }
};
template <int S>
const PlacesOfD<S> kPlacesOfD;

template <int S, class Acc>
void gather_c(const Source& source, const Wave& wave, Acc* out) {
  constexpr int count = d_per_lane(kShapes[S]);
  for (int r = 0; r < count; ++r) {
    alignas(64) u32 low[kLanes], high[kLanes] = {};
    constexpr int kDwords = sizeof(Acc) / 4;
    bool constant = source.kind != OperandKind::vector;
    fetch_dwords(source, wave, constant ? 0 : r * kDwords, low);
    if (kDwords == 2) fetch_dwords(source, wave, constant ? 1 : r * kDwords + 1, high);
    for (int l = 0; l < kLanes; ++l) {
      Acc value;
      u64 bits = low[l] | static_cast<u64>(high[l]) << 32;
      std::memcpy(&value, &bits, sizeof value);
      out[kPlacesOfD<S>.at[r][l]] = value;
    }
  }
}

template <int S, class Acc>
void scatter_d(const Instruction& in, Wave& wave, const Acc* d) {
  constexpr int count = d_per_lane(kShapes[S]);
  constexpr int kDwords = sizeof(Acc) / 4;
  for (int r = 0; r < count; ++r) {
    u32* low = wave.lanes(in.dst + r * kDwords);
    for (int l = 0; l < kLanes; ++l) {
      u64 bits = 0;
      std::memcpy(&bits, &d[kPlacesOfD<S>.at[r][l]], sizeof(Acc));
      low[l] = static_cast<u32>(bits);
      if (kDwords == 2) low[kLanes + l] = static_cast<u32>(bits >> 32);
    }
  }
}

// D = A*B + C, k ascending, one rounding a step: the order inside the hardware is not documented, so "assumed". EXEC is
// ignored.
template <int S>
void multiply(const Instruction& in, Wave& wave) {
  constexpr MatrixShape s = kShapes[S];
  using A = Element<s.a>;
  using B = Element<s.b>;
  using Acc = std::conditional_t<s.a == wide, f64, std::conditional_t<s.a == byte, i32, f32>>;
  alignas(64) A a[s.m * s.k * s.blocks];
  alignas(64) B b[s.m * s.k * s.blocks];
  alignas(64) Acc d[s.m * s.m * s.blocks];
  gather<S, s.a, false>(in.src[0], wave, a);
  gather<S, s.b, true>(in.src[1], wave, b);
  gather_c<S, Acc>(in.src[2], wave, d);
  for (int block = 0; block < s.blocks; ++block)
    for (int i = 0; i < s.m; ++i) {
      Acc* row = d + (block * s.m + i) * s.m;
      for (int k = 0; k < s.k; ++k) {
        Acc left = static_cast<Acc>(a[(block * s.m + i) * s.k + k]);
        const B* right = b + (block * s.k + k) * s.m;
        for (int j = 0; j < s.m; ++j) {
          if constexpr (std::is_same_v<Acc, i32>)
            row[j] = static_cast<i32>(static_cast<u32>(row[j]) + static_cast<u32>(left * right[j]));
          else
            row[j] = __builtin_elementwise_fma(left, static_cast<Acc>(right[j]), row[j]);
        }
      }
    }
  scatter_d<S, Acc>(in, wave, d);
}

template <size_t... I>
constexpr auto make_rows(std::index_sequence<I...>) {
  return std::array<Operation, sizeof...(I)>{[] {
    Operation op = custom(kShapes[I].mnemonic, &multiply<static_cast<int>(I)>, InstructionClass::mfma);
    op.fidelity = kShapes[I].a == byte ? Fidelity::exact : Fidelity::assumed;
    op.matrix = static_cast<uint8_t>(I + 1);
    return op;
  }()...};
}
constexpr auto kRows = make_rows(std::make_index_sequence<kShapeCount>());

}  // namespace

std::span<const MatrixShape> matrix_shapes() { return kShapes; }

MatrixWidths matrix_widths(int shape) {
  const MatrixShape& s = kShapes[shape];
  int d = d_per_lane(s) * (s.a == wide ? 2 : 1);
  return {k_per_lane(s) * bits_of(s.a) / 32, k_per_lane(s) * bits_of(s.b) / 32, d};
}

MatrixPlace matrix_place_a(const MatrixShape& s, int lane, int element) {
  int g = lane / s.m;
  return {g % s.blocks, lane % s.m, g / s.blocks * k_per_lane(s) + element};
}

MatrixPlace matrix_place_d(const MatrixShape& s, int lane, int value) {
  int column = lane % s.m;
  if (s.a == wide && s.m == 16) return {0, 4 * value + lane / 16, column};
  if (s.a == wide) return {lane / 4 % 4, lane / 16, column};
  if (s.m == 4) return {lane / 4, value, column};
  int per_block = s.m * s.m / kLanes, block = value / per_block, r = value % per_block;
  int row = s.m == 16 ? 4 * (lane / 16) + r : 8 * (r / 4) + 4 * (lane / 32) + r % 4;
  return {block, row, column};
}

std::span<const Operation> matrix_rows() { return kRows; }

}  // namespace hipvault::isa
