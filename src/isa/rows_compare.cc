// Comparisons: all predicates of all types, and the class tests. v_cmpx writes EXEC as well.
#include "isa/numbers.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// v_cmpx_…: the same comparison, whose result becomes EXEC too.
template <auto F>
constexpr Operation exec_row(const char* mnemonic) {
  Operation op = row<F>(mnemonic);
  op.execute = [](const Instruction& in, Wave& wave) {
    VectorHandler<F, decltype(+F)>::execute(in, wave);
    if (in.dst != kExec) wave.set_mask(kExec, wave.mask(in.dst));
  };
  return op;
}

#define HV_COMPARE(predicate, suffix, type, expression)                                  \
  row<[](type a, type b) -> bool { return expression; }>("v_cmp_" predicate "_" suffix), \
      exec_row<[](type a, type b) -> bool { return expression; }>("v_cmpx_" predicate "_" suffix)

#define HV_COMPARE_INT(suffix, type)                                                 \
  HV_COMPARE("eq", suffix, type, a == b), HV_COMPARE("ne", suffix, type, a != b),    \
      HV_COMPARE("lt", suffix, type, a < b), HV_COMPARE("le", suffix, type, a <= b), \
      HV_COMPARE("gt", suffix, type, a > b), HV_COMPARE("ge", suffix, type, a >= b), \
      HV_COMPARE("f", suffix, type, (a != a) & (b != b)), HV_COMPARE("t", suffix, type, (a == a) | (b == b))

#define HV_COMPARE_FLOAT(suffix, type)                                                                        \
  HV_COMPARE("eq", suffix, type, a == b), HV_COMPARE("lt", suffix, type, a < b),                              \
      HV_COMPARE("le", suffix, type, a <= b), HV_COMPARE("gt", suffix, type, a > b),                          \
      HV_COMPARE("ge", suffix, type, a >= b), HV_COMPARE("lg", suffix, type, (a < b) | (a > b)),              \
      HV_COMPARE("neq", suffix, type, !(a == b)), HV_COMPARE("nlt", suffix, type, !(a < b)),                  \
      HV_COMPARE("nle", suffix, type, !(a <= b)), HV_COMPARE("ngt", suffix, type, !(a > b)),                  \
      HV_COMPARE("nge", suffix, type, !(a >= b)), HV_COMPARE("nlg", suffix, type, !((a < b) | (a > b))),      \
      HV_COMPARE("o", suffix, type, (a == a) & (b == b)), HV_COMPARE("u", suffix, type, (a != a) | (b != b)), \
      HV_COMPARE("f", suffix, type, (a < b) & (a > b)), HV_COMPARE("tru", suffix, type, (a < b) | !(a < b))

// Class bits, low to high: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
template <class Bits>
inline bool in_class(Bits x, u32 classes, int fraction_bits) {
  constexpr int kWidth = sizeof(Bits) * 8;
  bool negative = x >> (kWidth - 1) & 1;
  Bits magnitude = static_cast<Bits>(x & static_cast<Bits>(~(Bits{1} << (kWidth - 1))));
  Bits infinity = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> (fraction_bits + 1) << fraction_bits);
  u32 nan = magnitude >> (fraction_bits - 1) & 1 ? 2 : 1;
  u32 positive = magnitude == infinity ? 9 : magnitude >> fraction_bits ? 8 : magnitude ? 7 : 6;
  u32 bit = negative ? 11 - positive : positive;
  u32 mask = magnitude > infinity ? nan : 1u << bit;
  return classes & mask;
}

constexpr Operation kFloatRows[] = {
    HV_COMPARE_FLOAT("f32", f32),
    HV_COMPARE_FLOAT("f16", f16),
    HV_COMPARE_FLOAT("f64", f64),
    row<[](f32 a, u32 c) -> bool { return in_class(std::bit_cast<u32>(a), c, 23); }>("v_cmp_class_f32"),
    row<[](f16 a, u32 c) -> bool { return in_class(std::bit_cast<u16>(a), c, 10); }>("v_cmp_class_f16"),
    row<[](f64 a, u32 c) -> bool { return in_class(std::bit_cast<u64>(a), c, 52); }>("v_cmp_class_f64"),
    exec_row<[](f32 a, u32 c) -> bool { return in_class(std::bit_cast<u32>(a), c, 23); }>("v_cmpx_class_f32"),
    exec_row<[](f16 a, u32 c) -> bool { return in_class(std::bit_cast<u16>(a), c, 10); }>("v_cmpx_class_f16"),
    exec_row<[](f64 a, u32 c) -> bool { return in_class(std::bit_cast<u64>(a), c, 52); }>("v_cmpx_class_f64"),
};

constexpr Operation kIntRows[] = {
    HV_COMPARE_INT("i32", i32), HV_COMPARE_INT("u32", u32), HV_COMPARE_INT("i64", i64),
    HV_COMPARE_INT("u64", u64), HV_COMPARE_INT("i16", i16), HV_COMPARE_INT("u16", u16),
};

}  // namespace

std::span<const Operation> compare_float_rows() { return kFloatRows; }
std::span<const Operation> compare_int_rows() { return kIntRows; }

}  // namespace hipvault::isa
