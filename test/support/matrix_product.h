#pragma once
// One matrix instruction against a plain triple loop on the host. The values are few and small, so that every sum is
// exact in every order and format and the results must be equal, not near.

#include <cmath>
#include <random>

#include "support/matrix_run.h"

namespace hipvault::test {

// What a code of a small float stands for, from its fields; NaN where it is none.
inline double value_of_code(target::MatrixType type, uint64_t code) {
  struct Fields {
    int exponent_bits, fraction_bits, bias;
  };
  auto fields = [&]() -> Fields {
    switch (type) {
      case target::MatrixType::f64:
        return {11, 52, 1023};
      case target::MatrixType::f32:
      case target::MatrixType::xf32:
        return {8, 23, 127};
      case target::MatrixType::f16:
        return {5, 10, 15};
      case target::MatrixType::bf16:
        return {8, 7, 127};
      case target::MatrixType::fp8:
        return {4, 3, 7};
      case target::MatrixType::bf8:
        return {5, 2, 15};
      case target::MatrixType::fp8_fnuz:
        return {4, 3, 8};
      case target::MatrixType::bf8_fnuz:
        return {5, 2, 16};
      case target::MatrixType::fp6:
        return {2, 3, 1};
      case target::MatrixType::bf6:
        return {3, 2, 3};
      default:
        return {2, 1, 1};
    }
  }();
  uint64_t fraction = code & ((uint64_t{1} << fields.fraction_bits) - 1);
  int field = static_cast<int>(code >> fields.fraction_bits & ((1u << fields.exponent_bits) - 1));
  bool negative = code >> (fields.exponent_bits + fields.fraction_bits) & 1;
  double significand = std::ldexp(static_cast<double>(fraction), -fields.fraction_bits) + (field ? 1 : 0);
  double value = std::ldexp(significand, (field ? field : 1) - fields.bias);
  return negative ? -value : value;
}

// The code of a small number, found by trying: exact or not at all.
inline uint64_t code_of(target::MatrixType type, double value) {
  using target::MatrixType;
  if (type == MatrixType::f64) return std::bit_cast<uint64_t>(value);
  if (type == MatrixType::f32 || type == MatrixType::xf32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  bool integer =
      type == MatrixType::i8 || type == MatrixType::iu8 || type == MatrixType::iu4 || type == MatrixType::i32;
  uint64_t mask = (uint64_t{1} << bits_of(type)) - 1;
  if (integer) return static_cast<uint64_t>(static_cast<int64_t>(value)) & mask;
  static std::map<std::pair<MatrixType, double>, uint64_t> found;
  auto [at, fresh] = found.emplace(std::pair(type, value), mask + 1);
  for (uint64_t code = 0; at->second > mask && code <= mask; ++code)
    if (value_of_code(type, code) == value) at->second = code;
  EXPECT_LE(at->second, mask) << value << " has no code";
  return at->second;
}

inline bool is_integer(target::MatrixType type) {
  return type == target::MatrixType::i32 || type == target::MatrixType::i8 || type == target::MatrixType::iu8 ||
         type == target::MatrixType::iu4;
}
inline double result_value(const MatrixRun& run, int block, int i, int j) {
  uint64_t bits = run.d(block, i, j);
  if (is_integer(run.row().c)) return static_cast<int32_t>(bits);
  return value_of_code(run.row().c, bits);
}

// Plain matrices of one product, [block][row][column].
class MatrixProduct {
 public:
  explicit MatrixProduct(MatrixRun& run, unsigned seed) : run_(run), op_(run.row()), random_(seed) {
    const isa::Modifiers& mod = run.modifiers();
    bool small = bits_of(run.type_a()) < 8 || bits_of(run.type_b()) < 8;
    bool sparse = is_sparse(op_.family);
    auto sign = [&](int operand) {
      return !is_integer(op_.c) || op_.a == target::MatrixType::i8 || (mod.neg_lo >> operand & 1);
    };
    a_ = draw(op_.m, sparse ? op_.k / 2 : op_.k, small, sign(0));
    b_ = draw(op_.k, op_.n, small, sign(1));
    c_ = draw(op_.m, op_.n, false, true);
    for (int at = 0; at < 64; ++at) scales_.push_back({124 + pick(6), 124 + pick(6)});
    kept_.resize(static_cast<size_t>(op_.m * op_.k));
  }

  void put() {
    run_.clear();
    for_all(op_.m, columns_of_a(), [&](int block, int i, int k) {
      run_.put_a(block, i, k, code_of(run_.type_a(), at(a_, columns_of_a(), block, i, k)));
    });
    for_all(op_.k, op_.n, [&](int block, int k, int j) {
      run_.put_b(block, k, j, code_of(run_.type_b(), at(b_, op_.n, block, k, j)));
    });
    for_all(op_.m, op_.n,
            [&](int block, int i, int j) { run_.put_c(block, i, j, code_of(op_.c, at(c_, op_.n, block, i, j))); });
    if (is_sparse(op_.family)) put_indices();
    if (op_.scaled) put_scales();
  }

  void check() {
    for_all(op_.m, op_.n, [&](int block, int i, int j) {
      ASSERT_EQ(result_value(run_, block, i, j), expected(block, i, j))
          << op_.mnemonic << " block " << block << " (" << i << "," << j << ")";
    });
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::vector<double> draw(int rows, int columns, bool small, bool is_signed) {
    std::vector<double> values;
    for (int n = op_.blocks * rows * columns; n > 0; --n)
      values.push_back(pick(small ? 3 : 4) - (is_signed ? 2 - small : 0));
    return values;
  }
  double at(const std::vector<double>& m, int columns, int block, int row, int column) const {
    size_t rows = m.size() / static_cast<size_t>(columns * op_.blocks);
    return m[(static_cast<size_t>(block) * rows + static_cast<size_t>(row)) * static_cast<size_t>(columns) +
             static_cast<size_t>(column)];
  }
  template <class F>
  void for_all(int rows, int columns, F f) {
    for (int block = 0; block < op_.blocks; ++block)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) f(block, row, column);
  }
  int columns_of_a() const { return is_sparse(op_.family) ? op_.k / 2 : op_.k; }

  // Two of each four k are kept; where they stand goes into the register by the manual's rule, two bits a stored value.
  void put_indices() {
    const isa::Modifiers& mod = run_.modifiers();
    int values = elements_a(op_), sets = std::max(1, 16 / values);
    int set = (op_.family == target::MatrixFamily::swmmac ? mod.index_key : mod.abid) % sets;
    static constexpr int kPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int i = 0; i < op_.m; ++i)
      for (int k = 0; k < op_.k / 2; k += 2) {
        const int (&pair)[2] = kPairs[pick(6)];
        kept_[static_cast<size_t>(i * op_.k + k)] = 2 * k + pair[0];
        kept_[static_cast<size_t>(i * op_.k + k + 1)] = 2 * k + pair[1];
      }
    for (int lane = 0; lane < op_.lanes; ++lane)
      for (int e = 0; target::is_read(op_.layout_a, lane / op_.m) && e < values; ++e) {
        target::MatrixPlace at = place_a(op_, lane, e);
        uint32_t index = static_cast<uint32_t>(kept_[static_cast<size_t>(at.row * op_.k + at.column)] % 4);
        run_.index()[lane] |= index << 2 * (set * values + e);
      }
  }
  // Lane l scales row l % M in the l / M-th 32 values of k; byte by op_sel and op_sel_hi.
  void put_scales() {
    const isa::Modifiers& mod = run_.modifiers();
    auto shift = [&](int operand) { return 8 * ((mod.op_sel >> operand & 1) + 2 * (mod.op_sel_hi >> operand & 1)); };
    for (int lane = 0; lane < 64; ++lane) {
      run_.scale_a()[lane] = 0x7b7c7d7e;
      run_.scale_b()[lane] = 0x82818079;
      auto put = [&](uint32_t& word, int at, int value) {
        word = (word & ~(255u << at)) | static_cast<uint32_t>(value) << at;
      };
      put(run_.scale_a()[lane], shift(0), scales_[static_cast<size_t>(lane)].first);
      put(run_.scale_b()[lane], shift(1), scales_[static_cast<size_t>(lane)].second);
    }
  }
  double scale(int i, int j, int k) const {
    if (!op_.scaled) return 1;
    int a = scales_[static_cast<size_t>(k / 32 * op_.m + i)].first,
        b = scales_[static_cast<size_t>(k / 32 * op_.n + j)].second;
    return std::ldexp(1.0, a + b - 254);
  }

  // Which half of a register an element stands in decides what neg_lo and neg_hi mean.
  double sign_of(int operand, int place, bool is_float) const {
    const isa::Modifiers& mod = run_.modifiers();
    if (op_.negates) return mod.neg >> operand & 1 ? -1 : 1;
    bool rdna = op_.family == target::MatrixFamily::wmma || op_.family == target::MatrixFamily::swmmac;
    if (!rdna || !is_float || bits_of(op_.a) != 16) return 1;
    return (place % 2 ? mod.neg_hi : mod.neg_lo) >> operand & 1 ? -1 : 1;
  }
  double c_of(int block, int i, int j) const {
    const isa::Modifiers& mod = run_.modifiers();
    double c = at(c_, op_.n, block, i, j);
    if (op_.negates) return mod.neg >> 2 & 1 ? -c : c;
    if (op_.family != target::MatrixFamily::wmma || is_integer(op_.c)) return c;
    if (mod.neg_hi >> 2 & 1) c = std::fabs(c);
    return mod.neg_lo >> 2 & 1 ? -c : c;
  }
  double expected(int block, int i, int j) const {
    const isa::Modifiers& mod = run_.modifiers();
    double sum = c_of(block, i, j);
    int from_a = op_.broadcasts_a && mod.cbsz ? (block >> mod.cbsz << mod.cbsz) + mod.abid : block;
    for (int k = 0; k < columns_of_a(); ++k) {
      int row = is_sparse(op_.family) ? kept_[static_cast<size_t>(i * op_.k + k)] : k;
      double left = sign_of(0, k, !is_integer(op_.c)) * at(a_, columns_of_a(), from_a, i, k);
      double right = sign_of(1, row, !is_integer(op_.c)) * at(b_, op_.n, block, row, j);
      sum += left * right * scale(i, j, row);
    }
    return sum;
  }

  MatrixRun& run_;
  const target::MatrixInstruction& op_;
  std::mt19937 random_;
  std::vector<double> a_, b_, c_;
  std::vector<std::pair<int, int>> scales_;
  std::vector<int> kept_;  // k of each stored value of A
};

inline void expect_product(MatrixRun& run, unsigned seed) {
  MatrixProduct product(run, seed);
  product.put();
  ASSERT_EQ(run.execute(), "") << run.row().mnemonic;
  product.check();
}

}  // namespace hipvault::test
