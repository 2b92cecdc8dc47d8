// Code objects from hostile hands, line tables, decoding, and the fp8 formats.
#include <gtest/gtest.h>

#include "base/random.h"
#include "isa/code_object.h"
#include "isa/decode.h"
#include "isa/matrix.h"
#include "isa/program.h"
#include "isa/tables.h"
#include "support/hip_kernels.h"
#include "target/target.h"

namespace hipvault::isa {
namespace {

const std::string& sample() {
  static const std::string code = test::compile_kernels(R"(
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 128))) void sample(const float* a, double s, int n, float* b) {
  __shared__ float t[32];
  if (TID < 32) t[TID] = a[TID] * s;
  SYNC();
  if (TID < n) b[TID] = t[TID ^ 1];
})");
  return code;
}

TEST(CodeObject, MetadataAndDescriptor) {
  Result<CodeObject> object = read_code_object(sample());
  ASSERT_TRUE(object) << render(object.error());
  EXPECT_EQ(object->mach, 0x4c);  // EF_AMDGPU_MACH_AMDGCN_GFX942
  const KernelInfo* kernel = object->find_kernel("sample");
  ASSERT_TRUE(kernel);
  ASSERT_GE(kernel->args.size(), 4u);
  std::vector<std::pair<int64_t, int64_t>> places = {{0, 8}, {8, 8}, {16, 4}, {24, 8}};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(std::pair(kernel->args[i].offset, kernel->args[i].size), places[i]);
  EXPECT_EQ(kernel->args[0].value_kind, "global_buffer");
  EXPECT_EQ(kernel->args[1].value_kind, "by_value");
  EXPECT_EQ(kernel->lds_bytes, 128);
  EXPECT_EQ(kernel->descriptor.group_segment_bytes, 128);
  EXPECT_EQ(kernel->max_group_size, 128);
  EXPECT_EQ(kernel->wave_size, 64);
  EXPECT_EQ(kernel->scratch_bytes, 0);
  EXPECT_EQ(kernel->entry_address % 256, 0u);
  EXPECT_FALSE(object->find_kernel("other"));
}

TEST(CodeObject, LineTable) {
  Result<std::shared_ptr<const Program>> program = load_program(sample(), "gfx942");
  ASSERT_TRUE(program);
  std::string of_load, of_barrier;
  for (const Decoded& d : (*program)->decoded) {
    if (d.mnemonic == "global_load_dword" && of_load.empty()) of_load = (*program)->object.source_line(d.address);
    if (d.mnemonic == "s_barrier") of_barrier = (*program)->object.source_line(d.address);
  }
  EXPECT_EQ(of_load, "kernel.hip:4");
  EXPECT_EQ(of_barrier, "kernel.hip:5");
  EXPECT_EQ((*program)->object.source_line(1u << 30), "");
}

TEST(CodeObject, NotOne) {
  for (std::string bytes : {std::string(), std::string("hello"),
                            std::string("\x7f"
                                        "ELF"),
                            std::string(4096, '\0')}) {
    Result<CodeObject> object = read_code_object(bytes);
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().code, "code-object.elf");
  }
}

TEST(CodeObject, EveryTruncationIsAnErrorOrStillWhole) {
  for (size_t size = 0; size < sample().size(); size += 5) {
    Result<CodeObject> object = read_code_object(std::string_view(sample()).substr(0, size));
    if (!object) EXPECT_EQ(object.error().code.substr(0, 12), "code-object.") << size;
  }
}

// Flipped bytes must never end the process; what still loads must also decode.
TEST(CodeObject, FlippedBytesNeverCrash) {
  Random random(1);
  int loaded = 0;
  for (size_t at = 0; at < sample().size(); at += 3) {
    std::string bytes = sample();
    bytes[at] = static_cast<char>(random.next());
    Result<CodeObject> object = read_code_object(bytes);
    loaded += object.has_value();
    if (at % 16 == 0) (void)load_program(bytes, "gfx942");
  }
  EXPECT_GT(loaded, 0);
}

TEST(Parse, OperandsAndModifiers) {
  Decoded d = parse_instruction("v_add_f32_e64 v2, -|v6|, s7 clamp mul:2");
  EXPECT_EQ(d.mnemonic, "v_add_f32");
  EXPECT_EQ(d.encoding, "e64");
  ASSERT_EQ(d.operands.size(), 3u);
  EXPECT_TRUE(d.operands[1].negate && d.operands[1].absolute);
  EXPECT_EQ(d.operands[1].first, 6);
  EXPECT_EQ(d.operands[2].kind, OperandKind::scalar);
  EXPECT_TRUE(d.modifiers.clamp);
  EXPECT_EQ(d.modifiers.omod, 1);
  EXPECT_EQ(d.problem, "");

  d = parse_instruction("\tv_mov_b32_dpp v1, v2 quad_perm:[3,2,1,0] row_mask:0xa bank_mask:0xf bound_ctrl:1");
  EXPECT_EQ(d.modifiers.dpp, DppKind::quad_perm);
  EXPECT_EQ(d.modifiers.dpp_value, 0x1b);
  EXPECT_EQ(d.modifiers.row_mask, 10);
  EXPECT_TRUE(d.modifiers.bound_ctrl);

  d = parse_instruction(
      "v_add_u16_sdwa v1, sext(v2), v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:DWORD");
  EXPECT_TRUE(d.modifiers.sdwa && d.operands[1].sign_extend);
  EXPECT_EQ(d.modifiers.src_sel[0], SubDword::byte_2);
  EXPECT_EQ(d.modifiers.dst_unused, 2);

  d = parse_instruction("global_load_dwordx4 v[4:7], v1, s[2:3] offset:-16 sc0 nt");
  EXPECT_EQ(d.operands[0].count, 4);
  EXPECT_EQ(d.modifiers.offset, -16);
  EXPECT_TRUE(d.modifiers.sc0 && d.modifiers.nt && !d.modifiers.sc1);

  d = parse_instruction("s_addc_u32 s1, s2, lit(0x0)");
  EXPECT_EQ(d.operands[2].integer, 0);
  d = parse_instruction("v_fma_f64 v[0:1], a[2:3], -0.5, vcc");
  EXPECT_TRUE(d.operands[1].accumulator);
  EXPECT_EQ(d.operands[2].floating, -0.5);
  EXPECT_EQ(d.operands[3].first, kVcc);
}

TEST(Parse, UnknownTextIsAProblemThatShowsIt) {
  EXPECT_NE(parse_instruction("v_add_f32 v1, v2, q3").problem.find("q3"), std::string::npos);
  EXPECT_NE(parse_instruction("v_add_f32 v1, v2, v3 sparkle:1").problem.find("sparkle:1"), std::string::npos);
  EXPECT_NE(parse_instruction("v_add_f32 v1, v2, v300").problem, "");
}

TEST(Tables, KnownAndUnknownOperations) {
  ASSERT_TRUE(find_operation("v_add_f32", *target::find_arch("gfx942")));
  EXPECT_EQ(find_operation("v_exp_f32", *target::find_arch("gfx942"))->fidelity, Fidelity::approximate);
  EXPECT_EQ(find_operation("global_load_dwordx4", *target::find_arch("gfx942"))->memory.bytes, 16);
  EXPECT_FALSE(find_operation("v_foo_f32", *target::find_arch("gfx942")));
}

}  // namespace
}  // namespace hipvault::isa
