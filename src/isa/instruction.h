#pragma once
// A row of meaning (Operation) and an instruction bound to it (Instruction): what the interpreter loop executes.

#include <cstdint>

#include "isa/decode.h"
#include "isa/wave.h"

namespace hipvault::isa {

using Execute = void (*)(const Instruction&, Wave&);

// How an operand's bits are read: decides its width in registers and the bits of floating constants.
enum class ValueType : uint8_t { none, u32, i32, f32, u16, i16, f16, u64, i64, f64, mask, packed16, packed32, any };
constexpr int dwords_of(ValueType type) {
  return type == ValueType::u64 || type == ValueType::i64 || type == ValueType::f64 || type == ValueType::packed32 ? 2
                                                                                                                   : 1;
}

enum class InstructionClass : uint8_t {
  valu,
  trans,
  valu64,
  mfma,
  salu,
  smem,
  vmem_load,
  vmem_store,
  atomic,
  lds,
  barrier,
  branch,
  wait,
  other
};
constexpr int kInstructionClasses = 14;
const char* name(InstructionClass c);

// How well the meaning of a row is known: exact = bit for bit by the ISA documents and IEEE; approximate = hardware may
// differ in the last place (transcendentals); assumed = inferred.
enum class Fidelity : uint8_t { exact, approximate, assumed };

// Memory operations are data; sim/ executes them.
enum class Space : uint8_t { none, global, flat, scratch, buffer, lds, scalar };
enum class AccessKind : uint8_t { none, load, store, atomic, load_to_lds };
// New value of a cell from its old one, the data operand and (compare-and-swap) the compared one; values in low bits.
using AtomicFunction = uint64_t (*)(uint64_t old, uint64_t data, uint64_t compare);

struct MemoryAccess {
  Space space = Space::none;
  AccessKind kind = AccessKind::none;
  uint8_t bytes = 0;         // a lane moves; LDS read2/write2: of one element
  bool sign_extend = false;  // loads of 1 and 2 bytes
  bool high = false;         // d16: the upper half of the register
  bool keep_other_half = false;
  uint8_t elements = 1;  // 2: read2/write2
  uint8_t stride = 1;    // of offset0/1, in elements (64 for …st64)
  AtomicFunction atomic = nullptr;
  bool compares = false;       // the data operand holds compare and new value
  bool by_lane = false;        // the address is M0 + offset + 4 * lane
  uint8_t transpose_bits = 0;  // loads that exchange elements of this size between the lanes of a row
  bool swapped_data = false;   // LDS compare-and-swap: the new value is the first data operand
  bool returns = false;        // LDS "rtn" forms; elsewhere sc0 says it
};

// Archs on which a row holds, where a mnemonic means different things: the binder asks target::Arch.
enum class Only : uint8_t { everywhere, fnuz_float8, ocp_float8 };

enum RowFlag : uint16_t {
  kKeepHighHalf = 1,     // 16-bit result leaves the other half as it was
  kImplicitVcc = 2,      // reads VCC as a last operand that is not printed
  kTiedDestination = 4,  // reads its destination as a last operand that is not printed
  kIntegerClamp = 8,     // `clamped` is its meaning with the clamp bit
  kPacked = 16,          // op_sel/neg masks choose halves
  kMix = 32,
  kFreeOperands = 64,  // destination first, then sources as they are printed; the handler knows them
  kNoOperands = 128,   // reads what it needs from the decoded text
  kBranch = 256,       // one operand: a signed dword offset
};

struct Operation {
  const char* mnemonic = nullptr;
  Execute execute = nullptr;
  InstructionClass instruction_class = InstructionClass::valu;
  Fidelity fidelity = Fidelity::exact;
  Only only = Only::everywhere;
  uint16_t flags = 0;
  ValueType results[2] = {ValueType::none, ValueType::none};
  ValueType sources[5] = {ValueType::none, ValueType::none, ValueType::none, ValueType::none, ValueType::none};
  Execute clamped = nullptr;
  MemoryAccess memory;
  uint8_t matrix = 0;  // row of the matrix shapes

  // For tables: `row<…>("v_rcp_f32").as(InstructionClass::trans, Fidelity::approximate).with(kTiedDestination)`.
  constexpr Operation as(InstructionClass c, Fidelity f = Fidelity::exact) const {
    Operation copy = *this;
    copy.instruction_class = c;
    copy.fidelity = f;
    return copy;
  }
  constexpr Operation with(int more) const {
    Operation copy = *this;
    copy.flags = static_cast<uint16_t>(copy.flags | more);
    return copy;
  }
  constexpr Operation where(Only archs) const {
    Operation copy = *this;
    copy.only = archs;
    return copy;
  }
  constexpr Operation clamping(const Operation& other) const {
    Operation copy = with(kIntegerClamp);
    copy.clamped = other.execute;
    return copy;
  }
};

enum SourceModifier : uint8_t {
  kNegate = 1,
  kAbsolute = 2,
  kHigh = 4,
  kSignExtend = 8,
  kSelect = 16,
  kNegateHigh = 32,
  kHighOfHigh = 64,
  kSubDword = 128,  // `select` is a part: the register cannot be read in place
};

struct Source {
  OperandKind kind = OperandKind::other;  // vector, scalar, integer (the bits are in `value`), special, off
  uint8_t modifiers = 0;
  SubDword select = SubDword::dword;
  uint8_t count = 1;
  uint16_t reg = 0;
  ValueType type = ValueType::none;
  uint64_t value = 0;
};

struct Instruction {
  Execute execute = nullptr;
  Source src[5];
  uint16_t dst = 0;   // vector register, or scalar
  uint16_t dst2 = 0;  // scalar register of the second result
  bool dst_scalar = false;
  bool dst_high = false;  // 16-bit result goes to the upper half
  bool keep_high = false;
  bool float_output = false;  // clamp or omod is set
  bool clamp = false;
  uint8_t omod = 0;
  uint8_t sources = 0;
  SubDword dst_select = SubDword::dword;
  uint8_t dst_unused = 0;
  int8_t dst_count = 1;
  const Instruction* pair = nullptr;  // dual issue: the two instructions, in the order in which they run
  Execute inner = nullptr;            // DPP: the meaning behind the lane permutation
  uint16_t dpp_source = 0, dpp_hidden = 0;
  const Operation* operation = nullptr;
  const Decoded* decoded = nullptr;
  uint32_t index = 0;
  uint64_t target = 0;  // branch: index of the instruction
};

}  // namespace hipvault::isa
