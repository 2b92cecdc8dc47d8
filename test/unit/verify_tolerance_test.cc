// Does the tolerance bite? Outputs are made from the reference itself, one element is planted just inside or just
// outside its tolerance, and the comparison must say so; likewise two elements swapped, one missing, one off by what a
// dtype of half the precision would lose. The plain reference, rounded to the output's dtype, must pass.

#include <gtest/gtest.h>

#include <cmath>

#include "support/judge_programs.h"
#include "verify/compare.h"
#include "verify/sampling.h"

namespace hipvault::verify {
namespace {

struct Subject {
  const char* name;
  ir::Program program;
  Sizes sizes;
};

ir::Program squares(DType dtype) {  // y[M,N] = x * x: no cancellation, any magnitude
  ir::ExprRef x = test::at("x", {"M", "N"});
  return test::program(
      "squares", {"M", "N"},
      {test::tensor("x", dtype, Role::input, {"M", "N"}), test::tensor("y", dtype, Role::output, {"M", "N"})},
      {test::result_stage("y", dtype, {"M", "N"}, ir::apply(ir::Op::mul, {x, x}))},
      {test::sized("small", {{"M", 3}, {"N", 37}})});
}

std::vector<Subject> subjects() {
  std::vector<Subject> made;
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    made.push_back({"softmax", test::softmax_program(dtype), {{"M", 5}, {"N", 67}}});
    made.push_back({"row_sum", test::row_sum_program(dtype), {{"M", 9}, {"N", 331}}});
    made.push_back({"squares", squares(dtype), {{"M", 5}, {"N", 67}}});
  }
  return made;
}

class Planted {
 public:
  explicit Planted(const ir::Program& program, const Sizes& sizes) : program_(program) {
    Result<SizedCase> sized = make_case(program, "case", sizes);
    EXPECT_TRUE(sized);
    Result<CaseInputs> inputs = make_inputs(program, *sized, all_draws(program)[0], Layout::contiguous, 77);
    EXPECT_TRUE(inputs);
    double roundoff = program.tensors.back().dtype == DType::f64 ? 0x1p-53 : 0x1p-24;
    reference_ = std::make_unique<Reference>(program, std::move(*inputs), roundoff);
    layout_ = &reference_->inputs().tensors.back();
    bytes_ = layout_->bytes;
    for (int64_t at = 0; at < layout_->elements(); ++at) put(at, value(at).real);
  }
  int64_t elements() const { return layout_->elements(); }
  DType dtype() const { return layout_->dtype; }
  ir::Value value(int64_t at) { return *reference_->value(layout_->name, layout_->shape, at); }
  void put(int64_t at, double value) { encode(layout_->dtype, bytes_.data(), at, value); }
  double get(int64_t at) const { return decode(layout_->dtype, bytes_.data(), at); }
  void leave_out(int64_t at) {
    auto width = static_cast<size_t>(info(layout_->dtype).bits / 8);
    bytes_.replace(static_cast<size_t>(at) * width, width, layout_->bytes, static_cast<size_t>(at) * width, width);
  }
  // The nearest value of the dtype whose distance from the reference is at least (or, inside, at most) `distance`.
  double at_distance(int64_t at, double distance, bool inside) {
    double exact = value(at).real, planted = exact + distance;
    double rounded = round_to(dtype(), planted);
    double step = std::ldexp(std::fabs(exact) + distance, -info(dtype()).mantissa_bits - 1);
    for (int tries = 0; tries < 64; ++tries, planted += inside ? -step : step) {
      rounded = round_to(dtype(), planted);
      if (inside ? std::fabs(rounded - exact) <= distance : std::fabs(rounded - exact) >= distance) return rounded;
    }
    return rounded;
  }
  Comparison compare() {
    Comparison total;
    Random random(1);
    OutputBytes output{layout_, &bytes_, true};
    Status done = compare_output(*reference_, output, sample_elements(layout_->shape, elements(), random),
                                 {true, info(dtype()).min_normal}, total);
    EXPECT_TRUE(done);
    return total;
  }

 private:
  const ir::Program& program_;
  std::unique_ptr<Reference> reference_;
  const HostTensor* layout_ = nullptr;
  std::string bytes_;
};

std::string label(const Subject& subject) {
  return std::string(subject.name) + " " + name(subject.program.tensors.back().dtype);
}

TEST(Tolerance, TheReferenceItselfPasses) {
  for (const Subject& subject : subjects()) {
    Planted planted(subject.program, subject.sizes);
    Comparison total = planted.compare();
    EXPECT_EQ(total.outcome, Outcome::pass) << label(subject) << total.where;
    EXPECT_EQ(total.elements, planted.elements());
  }
}

TEST(Tolerance, JustInsidePassesAndJustOutsideFailsAtEveryElement) {
  for (const Subject& subject : subjects()) {
    Planted planted(subject.program, subject.sizes);
    for (int64_t at = 0; at < planted.elements(); at += 7) {
      double before = planted.get(at), tolerance = planted.value(at).error + info(planted.dtype()).min_normal;
      planted.put(at, planted.at_distance(at, tolerance * 0.999, true));
      EXPECT_EQ(planted.compare().outcome, Outcome::pass) << label(subject) << " inside at " << at;
      planted.put(at, planted.at_distance(at, tolerance * 1.001, false));
      EXPECT_EQ(planted.compare().outcome, Outcome::wrong_value) << label(subject) << " outside at " << at;
      planted.put(at, before);
    }
  }
}

// The tolerance is a few units in the last place of the dtype for what is rounded once, not a habit such as 1e-2.
TEST(Tolerance, IsTheScaleOfTheDtypeWhereOneRoundingHappens) {
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    ir::Program program = squares(dtype);
    Planted planted(program, {{"M", 5}, {"N", 67}});
    double ulp = std::ldexp(1.0, -info(dtype).mantissa_bits);
    for (int64_t at = 0; at < planted.elements(); ++at) {
      double size = std::fabs(planted.value(at).real);
      if (size < 2 * info(dtype).min_normal) continue;
      EXPECT_LT(planted.value(at).error, 4 * ulp * size) << name(dtype) << " at " << at;
      // The product of two f16 or bf16 is exact in f32: it may even be 0.
      if (dtype == DType::f32) EXPECT_GT(planted.value(at).error, 0.2 * ulp * size) << at;
    }
  }
}

TEST(Tolerance, AValueOfHalfThePrecisionFails) {
  for (const Subject& subject : subjects()) {
    DType dtype = subject.program.tensors.back().dtype;
    if (dtype != DType::f32 && dtype != DType::f64) continue;
    Planted planted(subject.program, subject.sizes);
    for (int64_t at = 0; at < planted.elements(); ++at)
      planted.put(at, round_to(dtype == DType::f64 ? DType::f32 : DType::bf16, planted.value(at).real));
    EXPECT_EQ(planted.compare().outcome, Outcome::wrong_value) << label(subject);
  }
}

TEST(Tolerance, TwoElementsSwappedFail) {
  for (const Subject& subject : subjects()) {
    Planted planted(subject.program, subject.sizes);
    double first = planted.get(1), second = planted.get(2);
    ASSERT_NE(first, second);
    planted.put(1, second), planted.put(2, first);
    Comparison total = planted.compare();
    EXPECT_EQ(total.outcome, Outcome::wrong_value) << label(subject);
    EXPECT_EQ(total.wrong, 2) << label(subject);
  }
}

TEST(Tolerance, OneElementLeftOutIsNotWritten) {
  for (const Subject& subject : subjects()) {
    Planted planted(subject.program, subject.sizes);
    planted.leave_out(planted.elements() - 1);
    EXPECT_EQ(planted.compare().outcome, Outcome::not_written) << label(subject);
  }
}

}  // namespace
}  // namespace hipvault::verify
