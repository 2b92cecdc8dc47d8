// Sums of matrix instructions, bit for bit, against MMA-Sim, which others compared with the hardware: test/matrix/
// vectors.txt has a hash of its results for every MFMA of CDNA2 and CDNA3 that it knows, over seven kinds of inputs
// (test/matrix/mmasim_vectors.py says how inputs are made). HIPVAULT_MATRIX_VECTORS names another file of that form.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "isa/matrix_sums.h"
#include "support/matrix_run.h"

namespace hipvault::isa {
namespace {

using target::MatrixArithmetic;
using target::MatrixInstruction;
using target::MatrixType;

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr const char* kKinds[] = {"finite", "narrow", "cancel", "special", "tiny", "huge", "aligned"};

uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

struct Format {
  int exponent_bits, fraction_bits, bias;
  bool infinite;
};
Format format_of(MatrixType type) {
  switch (type) {
    case MatrixType::f16:
      return {5, 10, 15, true};
    case MatrixType::bf16:
      return {8, 7, 127, true};
    case MatrixType::f64:
      return {11, 52, 1023, true};
    case MatrixType::fp8_fnuz:
      return {4, 3, 8, false};
    case MatrixType::bf8_fnuz:
      return {5, 2, 16, false};
    default:
      return {8, 23, 127, true};
  }
}

uint64_t special_bits(const Format& f, uint64_t which) {
  uint64_t fraction = (uint64_t{1} << f.fraction_bits) - 1, sign = uint64_t{1} << (f.exponent_bits + f.fraction_bits);
  uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
  uint64_t top = (((uint64_t{1} << f.exponent_bits) - (f.infinite ? 2 : 1)) << f.fraction_bits) | fraction;
  uint64_t far = f.infinite ? infinity : top;
  const uint64_t listed[] = {f.infinite ? infinity | uint64_t{1} << (f.fraction_bits - 1) : sign,
                             far,
                             far | sign,
                             f.infinite ? sign : 0,
                             1,
                             fraction,
                             top,
                             0};
  return listed[which];
}

uint64_t bits_of_value(const std::string& kind, uint64_t word, MatrixType type, bool is_c) {
  Format f = format_of(type);
  uint64_t mask = (uint64_t{1} << f.fraction_bits) - 1, sign_bit = uint64_t{1} << (f.exponent_bits + f.fraction_bits);
  uint64_t fraction = word >> 1 & mask, choice = word >> 54, bias = static_cast<uint64_t>(f.bias);
  uint64_t largest = (uint64_t{1} << f.exponent_bits) - (f.infinite ? 2 : 1);
  uint64_t field = bias - 3 + choice % 7;
  if (kind == "finite") field = choice % (largest + 1);
  if (kind == "cancel") {
    field = bias - 1 + choice % 3;
    uint64_t form = choice >> 4 & 3;
    fraction = form == 0 ? 0 : form == 1 ? mask : form == 2 ? 1 : fraction;
  }
  if (kind == "special") {
    if (choice % 16 == 0) return special_bits(f, (choice >> 4) % 8);
    field = bias - 3 + (choice >> 4) % 7;
  }
  if (kind == "tiny") field = choice % 3;
  if (kind == "huge") field = largest - choice % 3;
  if (kind == "aligned" && is_c) field = bias - 40 + choice % 80;
  uint64_t bits = (word & 1) * sign_bit | field << f.fraction_bits | fraction;
  return !f.infinite && kind != "special" && bits == sign_bit ? 0 : bits;
}

struct Inputs {
  uint64_t start;
  uint64_t next = 1;
  Inputs(const std::string& kind, int number) {
    uint64_t at = 0;
    while (kKinds[at] != kind) ++at;
    start = mix(1000003 * (at + 1) + static_cast<uint64_t>(number) * kGolden);
  }
  uint64_t word() { return mix(start + next++ * kGolden); }
};

bool is_finite(MatrixType type, uint64_t bits) {
  Format f = format_of(type);
  uint64_t sign_bit = uint64_t{1} << (f.exponent_bits + f.fraction_bits);
  uint64_t exponent = ((uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
  return f.infinite ? (bits & exponent) != exponent : bits != sign_bit;
}

// The inputs of one case, and which results see nothing but numbers.
struct Case {
  test::MatrixRun& run;
  std::vector<bool> plain_row, plain_column, plain_c;  // [block][index]

  Case(test::MatrixRun& r, const std::string& kind, int number) : run(r) {
    const MatrixInstruction& op = run.row();
    Inputs in(kind, number);
    plain_row.assign(static_cast<size_t>(op.blocks * op.m), true);
    plain_column = plain_row;
    for (int block = 0; block < op.blocks; ++block)
      for (int i = 0; i < op.m; ++i)
        for (int k = 0; k < op.k; ++k) {
          uint64_t bits = bits_of_value(kind, in.word(), op.a, false);
          if (!is_finite(op.a, bits)) plain_row[static_cast<size_t>(block * op.m + i)] = false;
          run.put_a(block, i, k, bits);
        }
    for (int block = 0; block < op.blocks; ++block)
      for (int k = 0; k < op.k; ++k)
        for (int j = 0; j < op.n; ++j) {
          uint64_t bits = bits_of_value(kind, in.word(), op.b, false);
          if (!is_finite(op.b, bits)) plain_column[static_cast<size_t>(block * op.n + j)] = false;
          run.put_b(block, k, j, bits);
        }
    for (int block = 0; block < op.blocks; ++block)
      for (int i = 0; i < op.m; ++i)
        for (int j = 0; j < op.n; ++j) {
          uint64_t bits = bits_of_value(kind, in.word(), op.c, true);
          plain_c.push_back(is_finite(op.c, bits));
          run.put_c(block, i, j, bits);
        }
  }

  // Sums of fp8 that see a NaN or an infinity are not compared by their bits (the script says why), but are no number.
  uint64_t hash(std::vector<uint64_t>& first) const {
    const MatrixInstruction& op = run.row();
    uint64_t hash = 0, at = 1;
    for (int block = 0; block < op.blocks; ++block)
      for (int i = 0; i < op.m; ++i)
        for (int j = 0; j < op.n; ++j, ++at) {
          bool plain = plain_row[static_cast<size_t>(block * op.m + i)] &&
                       plain_column[static_cast<size_t>(block * op.n + j)] && plain_c[at - 1];
          uint64_t bits = run.d(block, i, j);
          if (!plain && op.arithmetic == MatrixArithmetic::truncated_halves) {
            EXPECT_FALSE(is_finite(op.c, bits));
            bits = 0;
          }
          if (first.size() < 4) first.push_back(bits);
          hash += mix(bits + at * kGolden);
        }
    return hash;
  }
};

TEST(MatrixVectors, AgreeWithMmaSimBitForBit) {
  const char* other = std::getenv("HIPVAULT_MATRIX_VECTORS");
  std::string path = other ? other : std::string(HIPVAULT_SOURCE_DIR) + "/test/matrix/vectors.txt";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing";
  int lines = 0;
  int64_t results = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream in(line);
    std::string arch, mnemonic, kind;
    int cases = 0;
    uint64_t expected = 0;
    in >> arch >> mnemonic >> kind >> cases >> std::hex >> expected;
    test::MatrixRun run(arch, mnemonic, 64);
    ASSERT_TRUE(run.instruction().operation) << line;
    uint64_t hash = 0;
    std::vector<uint64_t> first;
    for (int number = 0; number < cases; ++number) {
      Case inputs(run, kind, number);
      ASSERT_EQ(run.execute(), "");
      hash += mix(inputs.hash(first) + static_cast<uint64_t>(number + 1) * kGolden);
      results += run.row().m * run.row().n * run.row().blocks;
    }
    std::string shown;
    for (uint64_t bits : first) shown += testing::PrintToString(reinterpret_cast<void*>(bits)) + " ";
    EXPECT_EQ(hash, expected) << line << "\nours: " << shown;
  }
  RecordProperty("results", std::to_string(results));
  std::cout << lines << " lines, " << results << " results compared\n";
  EXPECT_TRUE(other || lines > 300);
}

// A C that is infinite or NaN stays what it is, however large the products are (57344 * 57344 here).
TEST(MatrixVectors, LargeProductsDoNotHideC) {
  for (uint32_t c : {0x7f800000u, 0xff800000u, 0x7fffffffu}) {
    test::MatrixRun run("gfx942", "v_mfma_f32_16x16x32_bf8_bf8", 64);
    run.put_a(0, 0, 0, 0x7f);
    run.put_b(0, 0, 0, 0x7f);
    run.put_c(0, 0, 0, c);
    ASSERT_EQ(run.execute(), "");
    EXPECT_EQ(run.d(0, 0, 0), c);
  }
}

// The form by value follows the description step by step; the vector form must not differ anywhere, with block scales
// and exponents far apart too.
TEST(MatrixVectors, BothFormsOfTruncatedSumsAgree) {
  constexpr int kSize = 16, kK = 64;
  alignas(64) static float a[kK * 64], b[kK * 64], d[2][kSize * 64];
  alignas(64) static int32_t exponents_a[kK * 64], exponents_b[kK * 64], scale_a[64], scale_b[64];
  std::vector<uint16_t> rows;
  for (int row = 0; row < kK; ++row) rows.push_back(static_cast<uint16_t>(64 * row));
  for (int number = 0; number < 400; ++number) {
    Inputs in(kKinds[number % 7], number);
    MatrixType type = number % 2 ? MatrixType::bf16 : MatrixType::f16;
    auto draw = [&](float* values, int count, bool is_c) {
      for (int at = 0; at < count; ++at) {
        uint64_t bits = bits_of_value(kKinds[number % 7], in.word(), is_c ? MatrixType::f32 : type, is_c);
        values[at] = is_c ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                     : type == MatrixType::bf16
                         ? std::bit_cast<float>(static_cast<uint32_t>(bits << 16))
                         : static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
      }
    };
    draw(a, kK * 64, false), draw(b, kK * 64, false), draw(d[0], kSize * 64, true);
    std::memcpy(d[1], d[0], sizeof d[0]);
    Exponents e{exponents_a, exponents_b, type == MatrixType::bf16 ? -126 : -14, type == MatrixType::bf16 ? -126 : -14,
                nullptr,     nullptr};
    fill_exponents(a, kK * 64, e.lowest_a, exponents_a), fill_exponents(b, kK * 64, e.lowest_b, exponents_b);
    for (int at = 0; at < 64; ++at)
      scale_a[at] = static_cast<int>(in.word() % 255) - 127, scale_b[at] = static_cast<int>(in.word() % 255) - 127;
    if (number % 3 == 0) e.scale_a = scale_a, e.scale_b = scale_b;
    bool halves = number % 5 < 2;
    MatrixSum<float> sum{{kSize, kSize, kK, kK, 1}, a, b, d[0], rows.data(), rows.data(), rows.data(), nullptr};
    sum_truncated(sum, e, halves ? 16 : 8, halves);
    sum.d = d[1];
    sum_truncated_by_value(sum, e, halves ? 16 : 8, halves);
    ASSERT_EQ(std::memcmp(d[0], d[1], sizeof d[0]), 0) << kKinds[number % 7] << " " << number;
  }
}

}  // namespace
}  // namespace hipvault::isa
