#pragma once
// Machine code to typed instructions, through LLVM's own disassembler and printer.
//
// LLVM prints `v_add_f32_e64 v2, -|v6|, s7 clamp`; this text is parsed into mnemonic "v_add_f32", encoding "e64", three
// operands and the modifier. So the simulator speaks the documented assembly language of every arch LLVM knows, without
// private tables of encodings. Rejected: reading MCInst operands, whose meaning per position is only in generated
// headers that LLVM does not install. What the text says is checked against the MCInst: the same registers must occur
// in both.
//
// Anything the parser does not know becomes `problem` of that instruction, and the run stops there by name when it is
// reached (padding and unreachable code may hold anything).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isa/code_object.h"

namespace hipvault::isa {

// Scalar registers, by our own numbers: s0…s101 are 0…101.
enum ScalarRegister : uint16_t {
  kFlatScratch = 102,
  kXnackMask = 104,
  kVcc = 106,
  kTtmp = 108,
  kM0 = 124,
  kNull = 125,
  kExec = 126
};

enum class OperandKind : uint8_t {
  vector,    // v0…v255; a0…a255 with `accumulator`
  scalar,    // a ScalarRegister
  integer,   // inline constant or literal
  floating,  // inline constant; its bits depend on the type of the operand
  special,   // src_scc, src_shared_base, …: `text`
  off,       // no address register
  other,     // hwreg(…), sendmsg(…): `text`
};

struct DecodedOperand {
  OperandKind kind = OperandKind::other;
  bool accumulator = false;
  bool negate = false, absolute = false, sign_extend = false;
  int half = 0;              // 1: v1.l, 2: v1.h
  int first = 0, count = 1;  // registers
  int64_t integer = 0;
  double floating = 0;
  std::string text;
};

enum class DppKind : uint8_t {
  none,
  quad_perm,
  row_shl,
  row_shr,
  row_ror,
  wave_shl,
  wave_rol,
  wave_shr,
  wave_ror,
  row_mirror,
  row_half_mirror,
  row_bcast,
  row_newbcast,
  row_share,
  row_xmask,
  dpp8
};
enum class SubDword : uint8_t { byte_0, byte_1, byte_2, byte_3, word_0, word_1, dword };

struct Modifiers {
  int op_sel = 0, op_sel_hi = -1;  // masks, bit = operand; -1: not printed, so the format's default
  int neg_lo = 0, neg_hi = 0;
  bool clamp = false;
  int omod = 0;  // 1: *2, 2: *4, 3: /2
  DppKind dpp = DppKind::none;
  int dpp_value = 0;  // the shift; quad_perm: 2 bits a lane
  int row_mask = 15, bank_mask = 15;
  bool bound_ctrl = false, fetch_inactive = false;
  bool sdwa = false;
  SubDword dst_sel = SubDword::dword, src_sel[2] = {SubDword::dword, SubDword::dword};
  int dst_unused = 0;  // 0 pad, 1 sign-extend, 2 preserve
  int64_t offset = 0;
  int offset0 = 0, offset1 = 0;
  bool offset_text = false;  // ds_swizzle printed it symbolically: `swizzle`
  std::string swizzle;
  bool offen = false, idxen = false, sc0 = false, sc1 = false, nt = false, gds = false, lds = false;
  int cbsz = 0, abid = 0, blgp = 0, neg = 0;
  int bitop3 = 0;      // truth table
  int byte_sel = 0;    // fp8 conversions: the byte
  int index_key = 0;   // sparse matrix instructions: which part of the index register
  bool tfe = false;    // not modelled
  std::string format;  // typed buffer accesses
};

struct Decoded {
  uint64_t address = 0;  // in the code object
  int size = 4;          // bytes
  std::string text;      // as LLVM prints it
  std::string mnemonic;  // without encoding suffix
  std::string encoding;  // "e32", "e64", "sdwa", "dpp" or ""
  std::vector<DecodedOperand> operands;
  Modifiers modifiers;
  std::vector<Decoded> parts;  // dual-issue pairs: the two instructions; the operands are theirs
  std::string problem;         // why it cannot be executed; empty if it was understood
};

// Parses one printed instruction; `problem` says what is not understood.
Decoded parse_instruction(std::string_view text);

// All executable segments of `object`, in address order. `cpu` is LLVM's name of the arch; wave_size 0 stands for its
// usual one. Error "isa.decode": LLVM has no AMDGPU.
Result<std::vector<Decoded>> decode(const CodeObject& object, const std::string& cpu, int wave_size = 0);

}  // namespace hipvault::isa
