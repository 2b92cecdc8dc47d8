// Every row of target/matrix.h against LLVM: its builtin compiles for the arch and becomes exactly the mnemonic that
// the row names, with as many values a lane as its layouts say (the builtin's types would not match otherwise). The
// instruction that came out of the code object then runs on a simulated wave, with the registers that LLVM chose, and
// must give what a triple loop gives.

#include <gtest/gtest.h>

#include "compile/compiler.h"
#include "isa/program.h"
#include "support/matrix_product.h"

namespace hipvault::compile {
namespace {

using target::MatrixFamily;
using target::MatrixInstruction;
using target::MatrixType;

std::string vector_of(const std::string& element, int count) {
  return count == 1 ? element : "vec<" + element + ", " + std::to_string(count) + ">";
}

// How clang spells an operand of the builtin: values of 8 bits and less travel in integers, bf16 in short except in
// the builtins of gfx950's own instructions.
std::string operand_type(const std::string& arch, const MatrixInstruction& op, MatrixType type, int elements) {
  bool is_new = arch == "gfx950" && !op.builtin.ends_with("_1k") && op.k * op.m >= 512 * (is_sparse(op.family) ? 2 : 1);
  switch (type) {
    case MatrixType::f64:
      return vector_of("double", elements);
    case MatrixType::f32:
    case MatrixType::xf32:
      return vector_of("float", elements);
    case MatrixType::f16:
      return vector_of("_Float16", elements);
    case MatrixType::bf16:
      return vector_of(is_new ? "__bf16" : "short", elements);
    case MatrixType::i32:
      return vector_of("int", elements);
    default:
      int dwords = elements * bits_of(type) / 32;
      return dwords == 2 && op.family == MatrixFamily::mfma ? "long" : vector_of("int", dwords);
  }
}

std::string call_of(const MatrixInstruction& op) {
  bool iu = op.a == MatrixType::iu8 || op.a == MatrixType::iu4;
  switch (op.family) {
    case MatrixFamily::mfma:
      if (op.scaled) return op.builtin + "(*a, *b, *c, 0, 0, 0, index[0], 0, index[1])";
      if (op.a == MatrixType::by_format) return op.builtin + "(*a, *b, *c, 0, 0, 0, 0, 0, 0)";
      return op.builtin + "(*a, *b, *c, 0, 0, 0)";
    case MatrixFamily::smfmac:
      return op.builtin + "(*a, *b, *c, *index, 0, 0)";
    case MatrixFamily::wmma:
      return op.builtin + (iu ? "(true, *a, true, *b, *c, false)" : "(*a, *b, *c)");
    default:
      return op.builtin + (iu ? "(true, *a, true, *b, *c, *index, false)" : "(*a, *b, *c, *index)");
  }
}

std::string kernel_of(const std::string& arch, const MatrixInstruction& op, const std::string& name) {
  std::string a = operand_type(arch, op, op.a, elements_a(op)), b = operand_type(arch, op, op.b, elements_b(op)),
              c = operand_type(arch, op, op.c, elements_c(op));
  std::string wave = arch == "gfx1201" && op.lanes == 64 ? ", target(\"wavefrontsize64\")" : "";
  return "extern \"C\" __attribute__((global" + wave + ")) void " + name + "(" + a + "* a, " + b + "* b, " + c +
         "* c, int* index) { index += __builtin_amdgcn_workitem_id_x(); *c = " + call_of(op) + "; }\n";
}

struct Form {
  std::string arch;
  int lanes;
};
class MatrixRows : public testing::TestWithParam<Form> {
 protected:
  std::vector<const MatrixInstruction*> rows() const {
    std::vector<const MatrixInstruction*> rows;
    for (const MatrixInstruction& op : target::matrix_instructions(GetParam().arch))
      if (op.lanes == GetParam().lanes) rows.push_back(&op);
    return rows;
  }
};

const isa::Instruction* matrix_instruction_from(const isa::Program& program, const std::string& kernel) {
  const isa::Instruction* in = program.at(program.object.find_kernel(kernel)->entry_address);
  for (; in->decoded->text.find("s_endpgm") == std::string::npos; ++in)
    for (const char* prefix : {"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"})
      if (in->decoded->mnemonic.starts_with(prefix)) return in;
  return nullptr;
}

TEST_P(MatrixRows, AreWhatLlvmEmitsAndRun) {
  const std::string& arch = GetParam().arch;
  std::vector<const MatrixInstruction*> ops = rows();
  ASSERT_FALSE(ops.empty());
  CompileRequest request;
  request.source = "template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));\n";
  for (size_t i = 0; i < ops.size(); ++i) request.source += kernel_of(arch, *ops[i], "k" + std::to_string(i));
  request.arch = arch;
  Result<CompileOutput> output = (*make_compiler({}))->compile(request);
  ASSERT_TRUE(output && output->ok) << (output ? output->diagnostics : render(output.error()));
  Result<std::shared_ptr<const isa::Program>> program = isa::load_program(output->code_object, arch);
  ASSERT_TRUE(program);
  for (size_t i = 0; i < ops.size(); ++i) {
    const isa::Instruction* found = matrix_instruction_from(**program, "k" + std::to_string(i));
    ASSERT_TRUE(found) << ops[i]->builtin;
    EXPECT_EQ(found->decoded->mnemonic, ops[i]->mnemonic) << ops[i]->builtin;
    ASSERT_EQ((*program)->problems[found->index], "") << found->decoded->text;
    ASSERT_EQ(&isa::matrix_row(*found->operation), ops[i]);
    test::MatrixRun run(arch, ops[i]->mnemonic, ops[i]->lanes);
    run.adopt(*found);
    test::expect_product(run, static_cast<unsigned>(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Arch, MatrixRows,
                         testing::Values(Form{"gfx90a", 64}, Form{"gfx942", 64}, Form{"gfx950", 64},
                                         Form{"gfx1201", 32}, Form{"gfx1201", 64}),
                         [](const testing::TestParamInfo<Form>& info) {
                           return info.param.arch + "_w" + std::to_string(info.param.lanes);
                         });

}  // namespace
}  // namespace hipvault::compile
