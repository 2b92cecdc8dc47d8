// Small floats exhaustively: every code against record/dtype.h (which shares no code with the simulator) or the
// definition of the format, and rounding of a million f32 patterns against a search for the nearest code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "isa/float8.h"
#include "isa/numbers.h"
#include "record/dtype.h"

namespace hipvault::isa {
namespace {

struct Format {
  const char* name;
  Float8 format;
  int bits;
};
constexpr Format kFormats[] = {{"fp8 fnuz", kFp8, 8},   {"bf8 fnuz", kBf8, 8}, {"fp8 ocp", kFp8Ocp, 8},
                               {"bf8 ocp", kBf8Ocp, 8}, {"fp6", kFp6, 6},      {"bf6", kBf6, 6},
                               {"fp4", kFp4, 4}};

TEST(SmallFloats, EveryCodeIsWhatDtypeSays) {
  constexpr DType kTypes[] = {DType::f8e4m3fnuz, DType::f8e5m2fnuz, DType::f8e4m3fn, DType::f8e5m2};
  for (int f = 0; f < 4; ++f)
    for (int code = 0; code < 256; ++code) {
      uint8_t byte = static_cast<uint8_t>(code);
      double expected = decode(kTypes[f], &byte, 0), got = decode_float8(kFormats[f].format, byte);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got)) << kFormats[f].name << " " << code;
      else
        EXPECT_EQ(got, expected) << kFormats[f].name << " " << code;
    }
}

// OCP MX 1.0, tables of FP6 and FP4.
TEST(SmallFloats, Fp4AndFp6AreTheTables) {
  constexpr double kFp4Values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int code = 0; code < 16; ++code)
    EXPECT_EQ(decode_float8(kFp4, static_cast<u8>(code)), (code & 8 ? -1 : 1) * kFp4Values[code & 7]);
  for (int code = 0; code < 64; ++code) {
    int e = code >> 3 & 3, m = code & 7;
    double size = e ? std::ldexp(1 + m / 8.0, e - 1) : m / 8.0;
    EXPECT_EQ(decode_float8(kFp6, static_cast<u8>(code)), code & 32 ? -size : size);
    e = code >> 2 & 7, m = code & 3;
    size = e ? std::ldexp(1 + m / 4.0, e - 3) : std::ldexp(m / 4.0, -2);
    EXPECT_EQ(decode_float8(kBf6, static_cast<u8>(code)), code & 32 ? -size : size);
  }
}

// Positive finite values with their codes, in order.
std::vector<std::pair<double, int>> finite_codes(const Format& f) {
  std::vector<std::pair<double, int>> list;
  for (int code = 0; code < 1 << (f.bits - 1); ++code) {
    double value = decode_float8(f.format, static_cast<u8>(code));
    if (std::isfinite(value)) list.emplace_back(value, code);
  }
  std::sort(list.begin(), list.end());
  return list;
}

TEST(SmallFloats, EncodingFindsTheNearestCode) {
  for (const Format& f : kFormats) {
    std::vector<std::pair<double, int>> codes = finite_codes(f);
    double top = codes.back().first, step = top - codes[codes.size() - 2].first;
    int wrong = 0;
    for (uint32_t pattern = 0; pattern < 1u << 20 && wrong < 5; ++pattern) {
      f32 x = std::bit_cast<f32>(pattern << 12 | (pattern * 2654435761u >> 20));
      double size = std::fabs(static_cast<double>(x));
      if (!(size < top + step / 2)) continue;  // beyond the largest, infinite or NaN: the instruction tests have those
      auto above = std::lower_bound(codes.begin(), codes.end(), std::pair(size, -1));
      int code = above == codes.end() ? codes.back().second : above->second;
      if (above != codes.end() && above != codes.begin()) {
        auto below = above - 1;
        double up = above->first - size, down = size - below->first;
        code = down < up || (down == up && !(below->second & 1)) ? below->second : above->second;
      }
      int sign = std::signbit(x) && !(code == 0 && f.format.specials == Float8Specials::fnuz) ? 1 << (f.bits - 1) : 0;
      int got = encode_float8(f.format, x, false);
      if (got != (code | sign)) {
        ++wrong;
        ADD_FAILURE() << f.name << ": " << x << " gives " << got << ", nearest is " << (code | sign);
      }
    }
  }
}

TEST(SmallFloats, Bf16RoundsAsDtypeDoes) {
  for (uint32_t pattern = 0; pattern < 1u << 20; ++pattern) {
    f32 x = std::bit_cast<f32>(pattern << 12 | (pattern * 2654435761u >> 20));
    if (x != x) continue;
    uint16_t expected = 0;
    encode(DType::bf16, &expected, 0, static_cast<double>(x));
    ASSERT_EQ(narrow_bf16(x), expected) << x;
    // The exact middle between two neighbours.
    f32 middle = std::bit_cast<f32>((pattern << 12 & 0xffff0000u) | 0x8000);
    if (middle != middle) continue;
    encode(DType::bf16, &expected, 0, static_cast<double>(middle));
    ASSERT_EQ(narrow_bf16(middle), expected) << middle;
  }
}

// f64 to f16 in one rounding: every f16, the middle above it and its neighbours, against exact comparison.
TEST(SmallFloats, F64ToF16RoundsOnce) {
  for (uint32_t code = 0; code < 0x7c00; ++code) {
    double here = static_cast<double>(std::bit_cast<f16>(static_cast<u16>(code)));
    double next = code + 1 == 0x7c00 ? 65536.0 : static_cast<double>(std::bit_cast<f16>(static_cast<u16>(code + 1)));
    double middle = (here + next) / 2;
    auto bits = [](double x) { return std::bit_cast<u16>(narrow_once(x)); };
    EXPECT_EQ(bits(here), code);
    EXPECT_EQ(bits(middle), code & 1 ? code + 1 : code);
    EXPECT_EQ(bits(std::nextafter(middle, 1e9)), code + 1);
    EXPECT_EQ(bits(std::nextafter(middle, 0)), code);
    EXPECT_EQ(bits(-middle), 0x8000 | (code & 1 ? code + 1 : code));
  }
}

}  // namespace
}  // namespace hipvault::isa
