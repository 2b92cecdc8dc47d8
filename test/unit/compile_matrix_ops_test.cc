// Every row of the target tables against LLVM: its builtin compiles for the arch, and becomes exactly the mnemonic that
// the row names, with as many values a lane as the row's maps say (the builtin's types would not match otherwise).

#include <gtest/gtest.h>

#include "compile/compiler.h"
#include "isa/decode.h"
#include "target/target.h"

namespace hipvault::compile {
namespace {

std::string vector_of(const std::string& element, int count) {
  return count == 1 ? element : "vec<" + element + ", " + std::to_string(count) + ">";
}

// How clang spells an operand of the builtin: 8-bit values travel in integers.
std::string operand_type(const target::Arch& arch, const target::MatrixOp& op, DType dtype, int elements) {
  bool wave32 = arch.wave_sizes[0] == 32;
  switch (dtype) {
    case DType::f16:
      return vector_of("_Float16", elements);
    case DType::bf16:
      return vector_of(op.builtin.ends_with("_1k") || wave32 ? "short" : "__bf16", elements);
    case DType::f32:
      return vector_of("float", elements);
    case DType::f64:
      return vector_of("double", elements);
    case DType::i32:
      return vector_of("int", elements);
    default:
      return elements == 8 && !wave32 ? "long" : vector_of("int", elements / 4);
  }
}

std::string kernel_of(const target::Arch& arch, const target::MatrixOp& op, const std::string& name) {
  std::string a = operand_type(arch, op, op.a, 1 << op.map_a.element_bits.size());
  std::string b = operand_type(arch, op, op.b, 1 << op.map_b.element_bits.size());
  std::string c = operand_type(arch, op, op.c, 1 << op.map_c.element_bits.size());
  std::string call = op.builtin + "(*a, *b, *c, 0, 0, 0)";
  if (op.mnemonic.find("wmma") != std::string::npos) call = op.builtin + "(*a, *b, *c)";
  if (op.mnemonic.ends_with("_iu8")) call = op.builtin + "(true, *a, true, *b, *c, false)";
  return "extern \"C\" __attribute__((global)) void " + name + "(" + a + "* a, " + b + "* b, " + c +
         "* c) { *c = " + call + "; }\n";
}

class MatrixRows : public testing::TestWithParam<std::string> {};

TEST_P(MatrixRows, AreWhatLlvmEmits) {
  const target::Arch& arch = *target::find_arch(GetParam());
  CompileRequest request;
  request.source = "template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));\n";
  for (size_t i = 0; i < arch.matrix_ops.size(); ++i)
    request.source += kernel_of(arch, arch.matrix_ops[i], "k" + std::to_string(i));
  request.arch = arch.name;
  Result<CompileOutput> output = (*make_compiler({}))->compile(request);
  ASSERT_TRUE(output && output->ok) << (output ? output->diagnostics : render(output.error()));

  Result<isa::CodeObject> object = isa::read_code_object(output->code_object);
  ASSERT_TRUE(object);
  Result<std::vector<isa::Decoded>> instructions = isa::decode(*object, arch.name);
  ASSERT_TRUE(instructions);
  for (size_t i = 0; i < arch.matrix_ops.size(); ++i) {
    uint64_t at = object->find_kernel("k" + std::to_string(i))->entry_address;
    std::string found;
    for (const isa::Decoded& instruction : *instructions) {
      if (instruction.address < at || !found.empty()) continue;
      if (instruction.mnemonic.starts_with("v_mfma_") || instruction.mnemonic.starts_with("v_wmma_"))
        found = instruction.mnemonic;
      if (instruction.text.find("s_endpgm") != std::string::npos) break;
    }
    EXPECT_EQ(found, arch.matrix_ops[i].mnemonic) << arch.matrix_ops[i].builtin;
  }
}

std::vector<std::string> arch_names() {
  std::vector<std::string> names;
  for (const target::Arch& arch : target::all_archs()) names.push_back(arch.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Arch, MatrixRows, testing::ValuesIn(arch_names()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace hipvault::compile
