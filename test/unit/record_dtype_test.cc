// Conversions against published tables and the compiler's own types, over every bit pattern where the type is small.

#include "record/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace hipvault {
namespace {

double decode_bits(DType dtype, uint64_t bits) { return decode(dtype, &bits, 0); }
uint64_t encode_bits(DType dtype, double value) {
  uint64_t bits = 0;
  encode(dtype, &bits, 0, value);
  return bits;
}

TEST(Dtype, HalfAgreesWithTheCompilerOnEveryBitPattern) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half_bits = static_cast<uint16_t>(bits);
    _Float16 half;
    std::memcpy(&half, &half_bits, 2);
    double expected = static_cast<double>(half), got = decode_bits(DType::f16, bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
      continue;
    }
    EXPECT_EQ(expected, got) << bits;
    EXPECT_EQ(bits, encode_bits(DType::f16, got)) << bits;
  }
}

TEST(Dtype, HalfRoundsAsTheCompilerBetweenAllNeighbours) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    double low = decode_bits(DType::f16, bits), high = decode_bits(DType::f16, bits + 1);
    for (double fraction : {0.25, 0.5, 0.75}) {
      double value = low + (high - low) * fraction;
      _Float16 expected = static_cast<_Float16>(value);
      EXPECT_EQ(static_cast<double>(expected), round_to(DType::f16, value)) << value;
    }
  }
}

TEST(Dtype, Bfloat16IsTheTopOfAFloatRoundedToNearestEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint32_t wide = bits << 16;
    float expected;
    std::memcpy(&expected, &wide, 4);
    double got = decode_bits(DType::bf16, bits);
    if (std::isnan(expected)) continue;
    EXPECT_EQ(static_cast<double>(expected), got);
    EXPECT_EQ(bits, encode_bits(DType::bf16, got));
  }
  EXPECT_EQ(1.0, round_to(DType::bf16, 1.0 + 0x1p-8));               // tie to even
  EXPECT_EQ(1.0 + 0x1p-6, round_to(DType::bf16, 1.0 + 3 * 0x1p-8));  // tie to even, upwards
}

// OCP 8-bit Floating Point Specification 1.0, table 1 and 2; FNUZ: Noune et al. 2022 (arXiv 2206.02915), table 1.
TEST(Dtype, EightBitFloatsHaveThePublishedExtremes) {
  EXPECT_EQ(448.0, decode_bits(DType::f8e4m3fn, 0x7e));
  EXPECT_TRUE(std::isnan(decode_bits(DType::f8e4m3fn, 0x7f)));
  EXPECT_EQ(0x1p-9, decode_bits(DType::f8e4m3fn, 0x01));
  EXPECT_EQ(240.0, decode_bits(DType::f8e4m3fnuz, 0x7f));
  EXPECT_TRUE(std::isnan(decode_bits(DType::f8e4m3fnuz, 0x80)));
  EXPECT_EQ(0x1p-10, decode_bits(DType::f8e4m3fnuz, 0x01));
  EXPECT_EQ(57344.0, decode_bits(DType::f8e5m2, 0x7b));
  EXPECT_TRUE(std::isinf(decode_bits(DType::f8e5m2, 0x7c)));
  EXPECT_TRUE(std::isnan(decode_bits(DType::f8e5m2, 0x7d)));
  EXPECT_EQ(57344.0, decode_bits(DType::f8e5m2fnuz, 0x7f));
  EXPECT_TRUE(std::isnan(decode_bits(DType::f8e5m2fnuz, 0x80)));
}

TEST(Dtype, SmallFormatsSurviveARoundTripAndSaturate) {
  for (DType dtype : {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz}) {
    for (uint32_t bits = 0; bits < 256; ++bits) {
      double value = decode_bits(dtype, bits);
      if (std::isnan(value) || std::isinf(value)) continue;
      EXPECT_EQ(bits, encode_bits(dtype, value)) << name(dtype) << " " << bits;
    }
    EXPECT_EQ(info(dtype).max_finite, round_to(dtype, 1e9)) << name(dtype);
    EXPECT_EQ(-info(dtype).max_finite, round_to(dtype, -std::numeric_limits<double>::infinity())) << name(dtype);
    EXPECT_TRUE(std::isnan(round_to(dtype, std::nan("")))) << name(dtype);
  }
}

// OCP Microscaling Formats (MX) Specification 1.0, section 5.3.3 (FP4 E2M1) and 5.4.1 (E8M0).
TEST(Dtype, MicroscalingFormatsAreThePublishedTables) {
  const double kFp4[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t bits = 0; bits < 16; ++bits)
    EXPECT_EQ((bits & 8 ? -1 : 1) * kFp4[bits & 7], decode_bits(DType::f4, bits));
  EXPECT_EQ(4.0, round_to(DType::f4, 5.0));  // tie to even
  EXPECT_EQ(1.0, decode_bits(DType::e8m0, 127));
  EXPECT_EQ(0x1p-127, decode_bits(DType::e8m0, 0));
  EXPECT_TRUE(std::isnan(decode_bits(DType::e8m0, 255)));
}

TEST(Dtype, NibblesAreLowFirst) {
  unsigned char bytes[2] = {0x21, 0xf3};
  EXPECT_EQ(1, decode_int(DType::u4, bytes, 0));
  EXPECT_EQ(2, decode_int(DType::u4, bytes, 1));
  EXPECT_EQ(3, decode_int(DType::i4, bytes, 2));
  EXPECT_EQ(-1, decode_int(DType::i4, bytes, 3));
  encode_int(DType::u4, bytes, 1, 9);
  EXPECT_EQ(0x91, bytes[0]);
  EXPECT_EQ(3, bytes_of(DType::u4, 5));
}

}  // namespace
}  // namespace hipvault
