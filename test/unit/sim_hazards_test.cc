// Software hazards: pairs in inline assembly, which clang does not look into, with too few wait states and with just
// enough. The numbers are those of AMD's ISA manuals ("required software NOPs") and of LLVM's hazard recogniser.
#include <gtest/gtest.h>

#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::compile_kernels;
using test::SimRun;
using test::summary;

struct HazardCase {
  const char* name;
  const char* gpu;
  const char* arch;
  int states;  // needed
  const char* first;
  const char* second;
};

// In scratch registers that the statements say they overwrite; s[20:21] and v[20:21] hold the address of the output.
const HazardCase kCases[] = {
    {"ScalarToMemory", "mi300x", "gfx942", 5, "v_readfirstlane_b32 s20, v20", "global_load_dword v9, v8, s[20:21]"},
    {"ScalarToMemoryGfx90a", "mi250x", "gfx90a", 5, "v_readfirstlane_b32 s20, v20",
     "global_load_dword v9, v8, s[20:21]"},
    {"LaneSelect", "mi300x", "gfx942", 4, "v_readfirstlane_b32 s9, v8", "v_readlane_b32 s10, v11, s9"},
    {"VectorToDpp", "mi300x", "gfx942", 2, "v_mov_b32 v9, v8",
     "v_mov_b32_dpp v10, v9 row_shr:1 row_mask:0xf bank_mask:0xf"},
    {"ExecToDpp", "mi250x", "gfx90a", 5, "v_cmpx_eq_u32 vcc, v8, v8",
     "v_mov_b32_dpp v10, v9 row_shr:1 row_mask:0xf bank_mask:0xf"},
    {"VccToDivFmas", "mi300x", "gfx942", 4, "v_cmp_eq_u32 vcc, v8, v8", "v_div_fmas_f32 v9, v10, v11, v12"},
    {"SetThenGet", "mi300x", "gfx942", 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15",
     "s_getreg_b32 s9, hwreg(HW_REG_MODE)"},
    {"M0ToMessage", "mi300x", "gfx942", 1, "s_mov_b32 m0, s8", "s_movrels_b32 s9, s10"},
    {"TransToVector", "mi300x", "gfx942", 1, "v_exp_f32 v9, v8", "v_add_f32 v10, v9, v9"},
    {"ScalarToVector", "mi300x", "gfx942", 2, "v_readfirstlane_b32 s9, v8", "v_add_u32 v10, s9, v8"},
    {"VectorToReadlane", "mi300x", "gfx942", 1, "v_mov_b32 v9, v8", "v_readfirstlane_b32 s9, v9"},
    {"PartToVector", "mi300x", "gfx942", 1,
     "v_add_f16_sdwa v9, v8, v8 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_0",
     "v_add_f32 v10, v9, v9"},
    {"WideStore", "mi300x", "gfx942", 2, "global_store_dwordx4 v[20:21], v[8:11], off", "v_mov_b32 v9, 0"},
    {"WideStoreGfx90a", "mi250x", "gfx90a", 1, "global_store_dwordx4 v[20:21], v[8:11], off", "v_mov_b32 v9, 0"},
    {"VectorToMatrix", "mi300x", "gfx942", 2, "v_mov_b32 v8, 0",
     "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[8:9], v[10:11], v[0:3]"},
    // 2 passes of 4 cycles: 5 states; 16 passes: 19.
    {"SmallMatrixToVector", "mi300x", "gfx942", 5, "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
     "v_add_f32 v12, v0, v0"},
    {"SmallMatrixToStore", "mi300x", "gfx942", 5, "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
     "global_store_dword v[20:21], v3, off"},
    {"MatrixToOperand", "mi300x", "gfx942", 7, "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
     "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[10:11], v[4:7]"},
    {"MatrixOverwritten", "mi300x", "gfx942", 7, "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
     "v_mov_b32 v2, 0"},
    {"MatrixSumOverwritten", "mi300x", "gfx942", 3, "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[4:7]",
     "v_mov_b32 v5, 0"},
    {"LargeMatrixGfx90a", "mi250x", "gfx90a", 19, "v_mfma_f32_32x32x8f16 a[0:15], v[8:9], v[10:11], a[0:15]",
     "v_accvgpr_read_b32 v12, a3"},
    {"SumAtAnOffsetGfx90a", "mi250x", "gfx90a", 8, "v_mfma_f32_16x16x16f16 a[0:3], v[8:9], v[10:11], a[0:3]",
     "v_mfma_f32_16x16x16f16 a[4:7], v[8:9], v[10:11], a[2:5]"},
    {"F64ToFma", "mi300x", "gfx942", 2, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[8:9], v[10:11], v[0:1]",
     "v_fma_f64 v[4:5], v[8:9], v[8:9], v[8:9]"},
    {"DotToVector", "mi300x", "gfx942", 3, "v_dot4_i32_i8 v9, v8, v8, v8", "v_add_u32 v10, v9, v9"},
};

std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 8) text += "s_nop " + std::to_string(std::min(states, 8) - 1) + "\\n";
  return text;
}

class SimHazards : public testing::TestWithParam<HazardCase> {};

hipvault::Run launch(const HazardCase& c, int states) {
  std::string body =
      std::string("#line 1 \"kernel.hip\"\nextern \"C\" __global__ void k(float* y) {\n asm volatile(\"") +
      "v_mov_b32 v20, %0\\nv_mov_b32 v21, %1\\ns_mov_b64 s[20:21], %2\\nv_mov_b32 v8, 0\\ns_mov_b32 s8, 0\\n"
      "s_nop 7\\n" +
      c.first + "\\n" + nops(states) + c.second +
      "\\ns_nop 7\\ns_nop 7\\ns_nop 7\\ns_waitcnt vmcnt(0)\\ns_mov_b64 exec, -1\" : : \"v\"((unsigned)(unsigned "
      "long)y), \"v\"((unsigned)((unsigned long)y >> 32)), "
      "\"s\"(y) : "
      "\"v0\",\"v1\",\"v2\",\"v3\",\"v4\",\"v5\",\"v6\",\"v7\",\"v8\",\"v9\",\"v10\",\"v11\",\"v12\",\"v20\",\"v21\","
      "\"s8\",\"s9\",\"s10\",\"s20\",\"s21\",\"vcc\",\"m0\",\"a0\",\"a1\",\"a2\",\"a3\",\"a4\",\"a5\",\"a6\",\"a7\","
      "\"a15\");\n y[TID] = 1; }";
  SimRun run(compile_kernels(body, "-O3 -g1", c.arch), "k", c.gpu);
  run.inout(std::vector<float>(64 * 4 + 64));
  return run.launch(1, 64);
}

TEST_P(SimHazards, FoundWithOneStateTooFew) {
  const HazardCase& c = GetParam();
  hipvault::Run run = launch(c, c.states - 1);
  const Finding* found = nullptr;
  for (const Finding& f : run.findings)
    if (f.kind == "hazard") found = &f;
  ASSERT_TRUE(found) << summary(run);
  EXPECT_NE(found->message.find(std::to_string(c.states) + " are needed"), std::string::npos) << found->message;
  EXPECT_EQ(found->source.substr(0, 11), "kernel.hip:");
  EXPECT_EQ(found->instruction.substr(0, 6), std::string(c.second).substr(0, 6));
}

TEST_P(SimHazards, SilentWithEnough) {
  hipvault::Run run = launch(GetParam(), GetParam().states);
  for (const Finding& f : run.findings) EXPECT_NE(f.kind, "hazard") << summary(run);
  EXPECT_EQ(run.status, RunStatus::completed) << summary(run);
}

INSTANTIATE_TEST_SUITE_P(Pairs, SimHazards, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Around a branch, and only on the way that was taken.
TEST(SimHazardsFlow, OnlyWhatRan) {
  std::string body =
      "#line 1 \"kernel.hip\"\nextern \"C\" __global__ void k(float* y, int n) {\n if (n) asm volatile(\""
      "v_readfirstlane_b32 s9, v0\\nv_add_u32 v10, s9, v0\" ::: \"s9\", \"v10\");\n y[TID] = 1; }";
  std::string code = compile_kernels(body);
  for (int n : {0, 1}) {
    SimRun run(code, "k");
    run.output<float>(64).value(n);
    const hipvault::Run& r = run.launch(1, 64);
    EXPECT_EQ(r.findings.size(), static_cast<size_t>(n)) << summary(r);
  }
}

}  // namespace
}  // namespace hipvault
