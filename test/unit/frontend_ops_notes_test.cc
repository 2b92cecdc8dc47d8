// What the notes of op files mean once they are read: cases, strides, distributions and policies, against the files'
// text.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

bool has_case(const ir::Program& program, const std::string& name) {
  return std::any_of(program.cases.begin(), program.cases.end(),
                     [&](const ir::Case& each) { return each.name == name; });
}

// ---- rules of the library
// --------------------------------------------------------------------------------------------

TEST(OpLibraryRules, EveryOpHasAHostLoop) {
  std::vector<std::pair<std::string, std::string>> in_files;
  for (const std::string& file : op_files()) {
    Result<frontend::OpFileRef> opened = open_op_file(file);
    ASSERT_TRUE(opened.has_value()) << render(opened.error());
    for (const std::string& op : op_names(*opened)) in_files.emplace_back(file, op);
  }
  EXPECT_GE(in_files.size(), 24u);
  std::sort(in_files.begin(), in_files.end());
  EXPECT_EQ(in_files, registered_loops());
}

// The fifth kind is a case of a real model, named after it.
TEST(OpLibraryRules, EveryOpHasTheFiveKindsOfCases) {
  static const std::set<std::string> general = {"small", "odd", "batch1", "huge", "strided", "column", "channels_last"};
  for (const auto& [file, op] : registered_loops()) {
    SCOPED_TRACE(file + ":" + op);
    Result<ir::Program> program = open_op(file, op);
    ASSERT_TRUE(program.has_value()) << render(program.error());
    for (const char* kind : {"small", "odd", "batch1", "huge"}) EXPECT_TRUE(has_case(*program, kind)) << kind;
    const bool real = std::any_of(program->cases.begin(), program->cases.end(),
                                  [](const ir::Case& each) { return !general.count(each.name); });
    EXPECT_TRUE(real) << "no case of a real model";
  }
}

TEST(OpLibraryRules, EveryCaseBindsAllSizes) {
  for (const auto& [file, op] : registered_loops()) {
    Result<ir::Program> program = open_op(file, op);
    ASSERT_TRUE(program.has_value()) << render(program.error());
    for (const ir::Case& each : program->cases) {
      SCOPED_TRACE(file + ":" + op + " case " + each.name);
      Result<Sizes> sizes = bind_sizes(*program, each.sizes);
      EXPECT_TRUE(sizes.has_value()) << (sizes ? "" : render(sizes.error()));
      for (const auto& [tensor, strides] : each.strides) {
        ASSERT_NE(program->tensor(tensor), nullptr) << tensor;
        EXPECT_EQ(strides.size(), program->tensor(tensor)->shape.size()) << tensor;
      }
    }
  }
}

// Non-contiguous inputs are ordinary cases.
TEST(OpLibraryRules, ManyOpsHaveStridedCases) {
  int strided = 0;
  for (const auto& [file, op] : registered_loops()) {
    Result<ir::Program> program = open_op(file, op);
    ASSERT_TRUE(program.has_value()) << render(program.error());
    strided += std::any_of(program->cases.begin(), program->cases.end(),
                           [](const ir::Case& each) { return !each.strides.empty(); });
  }
  EXPECT_GE(strided, 20);
}

// The known-answer vectors of Random123 for philox4x32-10: zero key and counter, and one more of our loops' helper.
TEST(OpLibraryRules, PhiloxKnownAnswer) { EXPECT_EQ(philox(0, 0), 0x6627e8d5u); }

}  // namespace
}  // namespace hipvault::host_ops
