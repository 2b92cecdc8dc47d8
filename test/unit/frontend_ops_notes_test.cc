// What the notes of op files mean once they are read: cases, strides, distributions and policies, against the files'
// text.

#include <gtest/gtest.h>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

ir::Program program_of(const std::string& file, const std::string& op) {
  Result<ir::Program> program = open_op(file, op);
  EXPECT_TRUE(program.has_value()) << render(program.error());
  return program ? *program : ir::Program{};
}

ir::Case case_of(const ir::Program& program, const std::string& name) {
  for (const ir::Case& each : program.cases)
    if (each.name == name) return each;
  ADD_FAILURE() << "no case " << name;
  return {};
}

TEST(OpLibraryNotes, TheLlamaCaseOfSoftmax) {
  const ir::Case llama = case_of(program_of("softmax", "softmax"), "llama");
  EXPECT_EQ(llama.sizes, (std::map<std::string, int64_t>{{"B", 4096}, {"N", 4096}}));
  EXPECT_EQ(llama.types, (std::map<std::string, DType>{{"T", DType::bf16}}));
  EXPECT_TRUE(llama.strides.empty());
}

TEST(OpLibraryNotes, StridesAndOffsets) {
  const ir::Case strided = case_of(program_of("softmax", "softmax"), "strided");
  EXPECT_EQ(strided.strides, (std::map<std::string, std::vector<int64_t>>{{"x", {1, 8}}, {"y", {200, 2}}}));
  EXPECT_EQ(strided.offsets, (std::map<std::string, int64_t>{{"x", 3}}));
}

TEST(OpLibraryNotes, ParametersOfCases) {
  const ir::Program program = program_of("concat_pad", "concat_pad");
  const ir::Case odd = case_of(program, "odd");
  EXPECT_EQ(odd.sizes.at("left"), 3);
  EXPECT_EQ(odd.scalars.at("value"), -1.5);
  Result<Sizes> sizes = bind_sizes(program, odd.sizes);
  ASSERT_TRUE(sizes.has_value()) << render(sizes.error());
  EXPECT_EQ(sizes->at("U"), 3 + 13 + 29 + 5);
}

TEST(OpLibraryNotes, SizesOfAConvolution) {
  const ir::Program program = program_of("conv2d", "conv2d");
  Result<Sizes> sizes = bind_sizes(program, case_of(program, "batch1").sizes);
  ASSERT_TRUE(sizes.has_value()) << render(sizes.error());
  EXPECT_EQ(sizes->at("P"), 112);  // the first layer of ResNet-50
  EXPECT_EQ(sizes->at("Q"), 112);
}

TEST(OpLibraryNotes, Distributions) {
  const ir::Program program = program_of("cross_entropy", "cross_entropy");
  const std::vector<ir::Distribution>& ways = program.inputs.at("label");
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].kind, "integers");
  EXPECT_EQ(*ir::distribution_numbers(ways[0], {{"V", 131}, {"ignore", 3}}), (std::vector<double>{0, 131}));
  EXPECT_EQ(*ir::distribution_numbers(ways[1], {{"V", 131}, {"ignore", 3}}), (std::vector<double>{3, 0, 7}));
}

TEST(OpLibraryNotes, Policies) {
  EXPECT_EQ(program_of("matmul", "matmul").policy.accumulate, DType::f32);
  EXPECT_EQ(program_of("softmax", "softmax").policy.accumulate, std::nullopt);
  EXPECT_FALSE(program_of("scatter_add", "scatter_add").policy.order_fixed);
  EXPECT_TRUE(program_of("scatter_add", "histogram").policy.order_fixed);
  EXPECT_TRUE(program_of("softmax", "softmax").policy.nan_propagates);
  EXPECT_FALSE(program_of("quantize", "quantize_i8").policy.nan_propagates);
}

TEST(OpLibraryNotes, TypeVariablesAndTheFp8OfTheArch) {
  Result<frontend::OpFileRef> file = open_op_file("fp8_matmul");
  ASSERT_TRUE(file.has_value());
  for (DType fp8 : {DType::f8e4m3fnuz, DType::f8e4m3fn}) {
    Result<ir::Program> program = frontend::instantiate(*file, "", {}, fp8);
    ASSERT_TRUE(program.has_value()) << render(program.error());
    EXPECT_EQ(program->name, "fp8_matmul");  // the op that has the file's name
    EXPECT_EQ(program->tensor("a")->dtype, fp8);
  }
}

}  // namespace
}  // namespace hipvault::host_ops
