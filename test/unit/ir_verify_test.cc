#include "ir/verify.h"

#include <gtest/gtest.h>

namespace hipvault::ir {
namespace {

Program copy() {
  Program p;
  p.name = "copy";
  p.dims = {{"M", IntExpr::name("M"), true}, {"N", IntExpr::name("N"), true}};
  p.tensors = {{"x", DType::f32, Role::input, {IntExpr::name("M"), IntExpr::name("N")}, {"M", "N"}},
               {"y", DType::f32, Role::output, {IntExpr::name("M"), IntExpr::name("N")}, {"M", "N"}}};
  Stage stage;
  stage.value = load("x", ValueType::real, {index("M"), index("N")});
  stage.outputs = {Output{"y", {"M", "N"}, ValueType::real, DType::f32, true}};
  p.stages = {stage};
  return p;
}

std::string refusal(const Program& program) {
  Status lawful = verify(program);
  return lawful ? "" : lawful.error().message;
}

TEST(Verify, AcceptsACopy) { EXPECT_EQ(refusal(copy()), ""); }

TEST(Verify, NamesWhatBreaksTheLaw) {
  Program p = copy();
  p.stages[0].outputs[0].dims = {"M"};
  EXPECT_NE(refusal(p).find("the value uses N, which y does not have"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].value = load("x", ValueType::real, {index("M")});
  EXPECT_NE(refusal(p).find("x has 2 axes but is read with 1 indices"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].value = load("z", ValueType::real, {});
  EXPECT_NE(refusal(p).find("z is read before it is defined"), std::string::npos) << refusal(p);
  p = copy();
  p.stages.push_back(p.stages[0]);
  EXPECT_NE(refusal(p).find("y is defined twice"), std::string::npos) << refusal(p);
  p = copy();
  p.stages.clear();
  EXPECT_NE(refusal(p).find("the result y has no stage"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].value = reduce(Reduction::sum, number(1), {"N"});
  EXPECT_NE(refusal(p).find("sum over N, which the operand does not use"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].value = load("x", ValueType::real, {number(1), index("N")});
  EXPECT_NE(refusal(p).find("an index of x is not an integer"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].value = apply(Op::select, {integer(1), number(1), number(2)});
  EXPECT_NE(refusal(p).find("where on a number"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].outputs[0].dtype.reset();
  EXPECT_NE(refusal(p).find("y is not rounded to the dtype it is declared with"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].value = state("p", ValueType::real, {});
  EXPECT_NE(refusal(p).find("the state p is read outside its scan"), std::string::npos) << refusal(p);
  p = copy();
  p.stages[0].kind = Stage::Kind::scatter;
  p.stages[0].over = {"M", "N"};
  p.stages[0].indices = {index("M"),
                         reduce(Reduction::argmax, load("x", ValueType::real, {index("M"), index("N")}), {"N"})};
  EXPECT_NE(refusal(p).find("a reduction in the indices of a scatter"), std::string::npos) << refusal(p);
}

}  // namespace
}  // namespace hipvault::ir
