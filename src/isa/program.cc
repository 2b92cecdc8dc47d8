#include "isa/program.h"

#include "isa/dpp.h"
#include "isa/lanes.h"
#include "isa/matrix.h"
#include "isa/relative.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// ---- constants
// --------------------------------------------------------------------------------------------------------------

u64 float_bits(f64 value, ValueType type) {
  constexpr f64 kInverseTwoPi = 0.15915494309189532;
  bool inverse = std::fabs(value - kInverseTwoPi) < 1e-6;  // printed with as many digits as its type has
  switch (type) {
    case ValueType::f64:
    case ValueType::u64:
    case ValueType::i64:
      return inverse ? 0x3fc45f306dc9c882ull : std::bit_cast<u64>(value);
    case ValueType::f16:
    case ValueType::u16:
    case ValueType::i16:
    case ValueType::packed16:
      return inverse ? 0x3118 : std::bit_cast<u16>(static_cast<f16>(value));
    case ValueType::packed32: {
      u64 one = inverse ? 0x3e22f983 : std::bit_cast<u32>(static_cast<f32>(value));
      return one | one << 32;
    }
    default:
      return inverse ? 0x3e22f983 : std::bit_cast<u32>(static_cast<f32>(value));
  }
}
// A 32-bit literal of an f64 operand is its upper half; small integers are inline constants and stand as they are.
u64 integer_bits(const DecodedOperand& operand, ValueType type) {
  u64 bits = static_cast<u64>(operand.integer);
  bool literal = operand.integer > 64 || operand.integer < -16;
  if (type == ValueType::f64 && literal && bits >> 32 == 0) return bits << 32;
  if (type == ValueType::packed32) return (bits & 0xffffffff) | bits << 32;
  return bits;
}

int special_code(const std::string& text) {
  static const std::pair<const char*, int> kNames[] = {{"scc", 0},
                                                       {"src_scc", 0},
                                                       {"vccz", 1},
                                                       {"src_vccz", 1},
                                                       {"execz", 2},
                                                       {"src_execz", 2},
                                                       {"src_shared_base", 3},
                                                       {"src_private_base", 4},
                                                       {"src_shared_limit", 5},
                                                       {"src_private_limit", 6}};
  for (const auto& [name, code] : kNames)
    if (text == name) return code;
  return -1;
}

// ---- binding
// ------------------------------------------------------------------------------------------------------------------

class Binder {
 public:
  Binder(Program& program, int accumulators_at, int hidden_at)
      : program_(program), accumulators_at_(accumulators_at), hidden_at_(hidden_at) {}

  std::string bind(uint32_t index, Instruction& in) {
    const Decoded& d = program_.decoded[index];
    return d.parts.empty() ? bind_one(d, index, in) : bind_pair(d, index, in);
  }

 private:
  std::string bind_one(const Decoded& d, uint32_t index, Instruction& in) {
    in.decoded = &d;
    in.index = index;
    if (!d.problem.empty()) return d.problem;
    if (d.modifiers.tfe) return "texture fail results are not modelled";
    const Operation* operation = find_operation(d.mnemonic, *program_.arch);
    if (!operation) return "no meaning is known for " + d.mnemonic;
    in.operation = operation;
    in.execute = operation->execute;
    in.clamp = d.modifiers.clamp;
    in.omod = static_cast<uint8_t>(d.modifiers.omod);
    in.float_output = in.clamp || in.omod;
    problem_.clear();
    if (operation->flags & kBranch)
      bind_branch(d, in);
    else if (operation->memory.kind != AccessKind::none)
      bind_memory(d, in);
    else if (operation->flags & kNoOperands)
      return "";
    else if (operation->matrix)
      bind_matrix_operands(d, in);
    else if (operation->flags & kFreeOperands)
      bind_free(d, in);
    else
      bind_typed(d, in);
    return problem_;
  }

  static bool reads(const Instruction& in, uint16_t reg) {
    for (int i = 0; i < in.sources; ++i)
      if (in.src[i].kind == OperandKind::vector && in.src[i].reg == reg) return true;
    return false;
  }

  // Both halves read before either writes. Halves that do not read each other's result run in any order; a half whose
  // result the other reads runs second; two that exchange registers go through a hidden one.
  std::string bind_pair(const Decoded& d, uint32_t index, Instruction& in) {
    in.decoded = &d;
    in.index = index;
    if (!d.problem.empty()) return d.problem;
    program_.pairs.push_back(std::make_unique<std::array<Instruction, 2>>());
    std::array<Instruction, 2>& pair = *program_.pairs.back();
    for (size_t i = 0; i < 2; ++i)
      if (std::string why = bind_one(d.parts[i], index, pair[i]); !why.empty()) return why;
    in.pair = pair.data();
    in.operation = pair[0].operation;
    in.execute = [](const Instruction& both, Wave& wave) {
      both.pair[0].execute(both.pair[0], wave);
      both.pair[1].execute(both.pair[1], wave);
    };
    if (!reads(pair[1], pair[0].dst)) return "";
    std::swap(pair[0], pair[1]);
    if (!reads(pair[1], pair[0].dst)) return "";
    if (pair[0].sources && pair[0].operation->flags & kTiedDestination) return "a pair that exchanges an accumulator";
    in.dst = pair[0].dst;
    in.dpp_hidden = pair[0].dst = static_cast<uint16_t>(hidden_at_);
    in.execute = [](const Instruction& both, Wave& wave) {
      both.pair[0].execute(both.pair[0], wave);
      both.pair[1].execute(both.pair[1], wave);
      store_masked(wave.lanes(both.dst), wave.lanes(both.dpp_hidden), wave.exec());
    };
    return "";
  }

  void complain(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }
  int vector_register(const DecodedOperand& operand) const {
    return operand.first + (operand.accumulator ? accumulators_at_ : 0);
  }

  void bind_branch(const Decoded& d, Instruction& in) {
    if (d.operands.empty() || d.operands.back().kind != OperandKind::integer)
      return complain("a branch without a distance");
    if (d.operands[0].kind == OperandKind::scalar) in.dst = static_cast<uint16_t>(d.operands[0].first);
    int64_t distance = static_cast<i16>(d.operands.back().integer);
    const Instruction* to = program_.at(d.address + 4 + static_cast<u64>(distance * 4));
    if (!to) return complain("it branches to where no instruction begins");
    in.target = static_cast<u64>(to - program_.instructions.data());
  }

  void bind_source(const DecodedOperand& operand, ValueType type, Source& source) {
    source.kind = operand.kind;
    source.type = type;
    source.count = static_cast<uint8_t>(operand.count);
    source.modifiers = static_cast<uint8_t>((operand.negate ? kNegate : 0) | (operand.absolute ? kAbsolute : 0) |
                                            (operand.sign_extend ? kSignExtend : 0) | (operand.half == 2 ? kHigh : 0));
    switch (operand.kind) {
      case OperandKind::vector:
        source.reg = static_cast<uint16_t>(vector_register(operand));
        return;
      case OperandKind::scalar:
        source.reg = static_cast<uint16_t>(operand.first);
        return;
      case OperandKind::integer:
        source.value = integer_bits(operand, type);
        return;
      case OperandKind::floating:
        source.kind = OperandKind::integer;
        source.value = float_bits(operand.floating, type);
        return;
      case OperandKind::special: {
        int code = special_code(operand.text);
        source.value = static_cast<u64>(code);
        if (code < 0) complain("the operand " + operand.text + " is not modelled");
        return;
      }
      case OperandKind::off:
        return;
      case OperandKind::other:
        return complain("the operand " + operand.text + " is not modelled");
    }
  }
  void check_width(const DecodedOperand& operand, ValueType type) {
    bool is_register = operand.kind == OperandKind::vector || operand.kind == OperandKind::scalar;
    int expected = type == ValueType::mask ? program_.wave_size / 32 : dwords_of(type);
    if (is_register && operand.count != expected)
      complain("the operand " + operand.text + " has another width than its meaning");
  }

  // Packed f32 reads a scalar pair or a 32-bit constant; a single scalar register stands for both halves.
  void bind_typed(const Decoded& d, Instruction& in) {
    const Operation& op = *in.operation;
    size_t at = 0;
    bool exec_only = op.results[0] == ValueType::mask && d.mnemonic.starts_with("v_cmpx") &&
                     program_.arch->keeps_high_half;  // the same generation dropped the printed result
    if (exec_only) in.dst_scalar = true, in.dst = kExec, in.dst_count = static_cast<int8_t>(program_.wave_size / 32);
    for (int i = 0; !exec_only && i < 2 && op.results[i] != ValueType::none; ++i, ++at) {
      if (at >= d.operands.size()) return complain("operands are missing");
      bind_result(d.operands[at], op.results[i], i, in);
    }
    for (ValueType type : op.sources) {
      if (type == ValueType::none) break;
      Source& source = in.src[in.sources++];
      bool last = in.sources == 5 || op.sources[in.sources] == ValueType::none;
      if (last && (op.flags & kTiedDestination)) {
        bind_source(d.operands[0], type, source);
        source.modifiers = 0;
        continue;
      }
      if (at >= d.operands.size()) return complain("operands are missing");
      const DecodedOperand& operand = d.operands[at++];
      bind_source(operand, type, source);
      check_width(operand, type);
      if (operand.kind == OperandKind::off) complain("\"off\" where a value is expected");
    }
    if (at < d.operands.size() && d.operands[at].kind == OperandKind::scalar && d.operands[at].first == kVcc &&
        d.mnemonic.starts_with("v_div_fmas"))
      ++at;
    if (at != d.operands.size()) return complain("more operands than its meaning has");
    bind_modifiers(d, in);
  }

  void bind_result(const DecodedOperand& operand, ValueType type, int i, Instruction& in) {
    if (operand.kind != OperandKind::vector && operand.kind != OperandKind::scalar)
      return complain("its result goes to " + operand.text);
    bool scalar = operand.kind == OperandKind::scalar;
    bool scalar_expected = in.operation->instruction_class == InstructionClass::salu || type == ValueType::mask ||
                           in.decoded->mnemonic.starts_with("v_s_");
    if (scalar != scalar_expected) return complain("its result goes to " + operand.text);
    if (!(scalar && operand.first == kNull)) check_width(operand, type);
    if (i == 1) {
      in.dst2 = static_cast<uint16_t>(operand.first);
      return;
    }
    in.dst_scalar = scalar;
    in.dst_count = static_cast<int8_t>(operand.count);
    in.dst = static_cast<uint16_t>(scalar ? operand.first : vector_register(operand));
    in.dst_high = operand.half == 2;
    in.keep_high = operand.half != 0;
  }

  void bind_modifiers(const Decoded& d, Instruction& in) {
    const Modifiers& m = d.modifiers;
    const Operation& op = *in.operation;
    in.keep_high = in.keep_high || (op.flags & kKeepHighHalf) || program_.arch->keeps_high_half;
    if (op.flags & kMix)
      bind_mix(m, in);
    else if (op.flags & kPacked)
      bind_packed(m, in);
    else
      bind_halves(m, in);
    if (m.clamp && (op.flags & kIntegerClamp)) in.execute = op.clamped, in.clamp = in.float_output = false;
    bool float_result = op.results[0] == ValueType::f32 || op.results[0] == ValueType::f64 ||
                        op.results[0] == ValueType::f16 || (op.flags & kMix);
    if (op.results[0] == ValueType::mask) in.clamp = in.float_output = false;  // clamp: signal on quiet NaNs
    if (in.float_output && !float_result) complain("clamp or omod is not modelled here");
    if (m.sdwa) bind_sdwa(m, in);
    if (m.dpp != DppKind::none) bind_dpp(d, in);
  }

  void bind_mix(const Modifiers& m, Instruction& in) {
    int halves = m.op_sel_hi < 0 ? 0 : m.op_sel_hi;
    for (int i = 0; i < 3; ++i) {
      if (halves >> i & 1) in.src[i].modifiers |= kSelect;
      if (m.op_sel >> i & 1) in.src[i].modifiers |= kHigh;
    }
  }
  void bind_packed(const Modifiers& m, Instruction& in) {
    int high = m.op_sel_hi < 0 ? 7 : m.op_sel_hi;
    for (int i = 0; i < in.sources; ++i) {
      Source& s = in.src[i];
      if (s.type == ValueType::f32 && (m.neg_lo >> i & 1)) s.modifiers ^= kNegate;
      if (s.type != ValueType::packed16 && s.type != ValueType::packed32) continue;
      s.modifiers = 0;
      if (m.op_sel >> i & 1) s.modifiers |= kHigh;
      if (high >> i & 1) s.modifiers |= kHighOfHigh;
      if (m.neg_lo >> i & 1) s.modifiers |= kNegate;
      if (m.neg_hi >> i & 1) s.modifiers |= kNegateHigh;
    }
  }
  // VOP3 op_sel: a bit an operand for its half, then one for the half of the result.
  void bind_halves(const Modifiers& m, Instruction& in) {
    if (!m.op_sel) return;
    int printed = in.sources - ((in.operation->flags & kTiedDestination) ? 1 : 0);
    for (int i = 0; i < printed; ++i)
      if (m.op_sel >> i & 1) in.src[i].modifiers |= kHigh;
    if (m.op_sel >> printed & 1) in.dst_high = true;
  }
  void bind_sdwa(const Modifiers& m, Instruction& in) {
    for (int i = 0; i < 2 && i < in.sources; ++i) {
      in.src[i].select = m.src_sel[i];
      if (m.src_sel[i] != SubDword::dword) in.src[i].modifiers |= kSubDword;
      if (dwords_of(in.src[i].type) == 2 && m.src_sel[i] != SubDword::dword) complain("SDWA of a 64-bit operand");
    }
    in.dst_select = m.dst_sel;
    in.dst_unused = static_cast<uint8_t>(m.dst_unused);
    if (in.dst_select != SubDword::dword && dwords_of(in.operation->results[0]) == 2)
      complain("SDWA of a 64-bit result");
  }
  void bind_dpp(const Decoded& d, Instruction& in) {
    if (in.src[0].kind != OperandKind::vector) return complain("DPP of something else than a vector register");
    if (!dpp_is_modelled(d.modifiers)) return complain("this DPP control is not modelled");
    in.inner = in.execute;
    in.execute = &execute_dpp;
    in.dpp_source = in.src[0].reg;
    in.dpp_hidden = static_cast<uint16_t>(hidden_at_);
    in.src[0].reg = in.dpp_hidden;
  }

  // Destination first, then sources as they are printed.
  void bind_free(const Decoded& d, Instruction& in) {
    bool no_result = d.mnemonic.starts_with("s_setpc") || d.mnemonic.starts_with("s_setreg");
    size_t at = 0;
    if (!no_result) {
      if (d.operands.empty()) return complain("operands are missing");
      const DecodedOperand& result = d.operands[at++];
      bool scalar = result.kind == OperandKind::scalar;
      if (!scalar && result.kind != OperandKind::vector) return complain("its result goes to " + result.text);
      bool wants_scalar = d.mnemonic.starts_with("s_") || d.mnemonic.starts_with("v_read");
      if (scalar != wants_scalar) return complain("its result goes to " + result.text);
      in.dst_scalar = scalar;
      in.dst_count = static_cast<int8_t>(result.count);
      in.dst = static_cast<uint16_t>(scalar ? result.first : vector_register(result));
    }
    for (; at < d.operands.size(); ++at) {
      if (d.operands[at].text.find("hwreg(") != std::string::npos || d.operands[at].text.starts_with("sendmsg("))
        continue;
      if (in.sources == 5) return complain("too many operands");
      ValueType type = ValueType::u32;
      if (d.mnemonic.starts_with("s_setpc") || d.mnemonic.starts_with("s_swappc")) type = ValueType::u64;
      bind_source(d.operands[at], type, in.src[in.sources++]);
    }
    check_free(d, in);
  }

  void check_free(const Decoded& d, Instruction& in) {
    const Modifiers& m = d.modifiers;
    size_t expected = d.mnemonic.starts_with("v_readlane") || d.mnemonic.starts_with("v_writelane") ||
                              d.mnemonic.find("permute") != std::string::npos
                          ? 2
                          : 0;
    if (expected && in.sources != expected) complain("operands are missing");
    if (d.mnemonic.find("permute") != std::string::npos && in.src[0].kind != OperandKind::vector)
      complain("its address is no vector register");
    bool pair = d.mnemonic.ends_with("pc_b64") || d.mnemonic.starts_with("s_mem");
    if (pair && !d.mnemonic.starts_with("s_setpc") && in.dst_count != 2) complain("its result is no pair");
    if (m.dpp != DppKind::none || m.sdwa || in.float_output) complain("modifiers are not modelled here");
  }
  void bind_matrix_operands(const Decoded& d, Instruction& in);

  void bind_memory(const Decoded& d, Instruction& in);
  Program& program_;
  int accumulators_at_, hidden_at_;
  std::string problem_;
};

// Destination, A, B, C or the indices, block scales.
void Binder::bind_matrix_operands(const Decoded& d, Instruction& in) {
  if (d.operands.empty() || d.operands[0].kind != OperandKind::vector)
    return complain("its result is no vector register");
  in.dst_count = static_cast<int8_t>(d.operands[0].count);
  in.dst = static_cast<uint16_t>(vector_register(d.operands[0]));
  for (size_t at = 1; at < d.operands.size(); ++at) {
    if (in.sources == 5) return complain("too many operands");
    bool wide = matrix_row(*in.operation).c == target::MatrixType::f64;
    bind_source(d.operands[at], wide ? ValueType::f64 : ValueType::any, in.src[in.sources++]);
  }
  in.float_output = false;
  if (problem_.empty()) problem_ = bind_matrix(in, program_.wave_size);
}

// Order of the printed operands, by space and kind:
//   global/flat/scratch  load: dst, address[, saddr]   store: address, data[, saddr]   atomic: [dst,] address, data[,
//   saddr] buffer               load: dst, address, resource, offset        store and atomic: data, address, resource,
//   offset lds                  load: dst, address            store: address, data[, data]    atomic: [dst,] address,
//   data[, data] scalar               dst, base, offset
// They are put at src[0] = address, src[1] = data, src[2] = scalar address or resource, src[3] = offset or second data.
void Binder::bind_memory(const Decoded& d, Instruction& in) {
  const MemoryAccess& m = in.operation->memory;
  in.sources = 4;
  for (Source& source : in.src) source.kind = OperandKind::off;
  size_t at = 0;
  auto next = [&]() -> const DecodedOperand* {
    return at < d.operands.size() ? &d.operands[at++] : (complain("operands are missing"), nullptr);
  };
  auto take = [&](int slot, ValueType type) {
    if (const DecodedOperand* operand = next()) bind_source(*operand, type, in.src[slot]);
  };
  int data_dwords = (m.bytes + 3) / 4;
  int result_dwords = data_dwords * (m.kind == AccessKind::store ? 1 : m.elements);
  bool returns = m.kind == AccessKind::load ||
                 (m.kind == AccessKind::atomic && (m.space == Space::lds ? m.returns : d.modifiers.sc0));
  auto take_result = [&] {
    const DecodedOperand* operand = next();
    if (!operand) return;
    bool scalar = m.space == Space::scalar;
    if (operand->kind != (scalar ? OperandKind::scalar : OperandKind::vector) || operand->count != result_dwords)
      return complain("its result does not fit");
    in.dst_scalar = scalar;
    in.dst_count = static_cast<int8_t>(operand->count);
    in.dst = static_cast<uint16_t>(scalar ? operand->first : vector_register(*operand));
  };
  auto check_data = [&](int slot, int dwords) {
    if (in.src[slot].kind != OperandKind::vector || in.src[slot].count != dwords)
      complain("its data operand does not fit");
  };
  bool buffer = m.space == Space::buffer, lds_target = m.kind == AccessKind::load_to_lds || d.modifiers.lds;
  if (m.space == Space::scalar) {
    take_result();
    take(2, ValueType::u64);
    take(3, ValueType::u32);
    bool resource = d.mnemonic.starts_with("s_buffer");
    if (in.src[2].kind != OperandKind::scalar || in.src[2].count != (resource ? 4 : 2))
      complain("its base does not fit");
  } else if (buffer) {
    if (lds_target) {
    } else if (m.kind == AccessKind::load) {
      take_result();
    } else {
      take(1, ValueType::any);
      check_data(1, (m.compares ? 2 : 1) * data_dwords);
      if (returns) in.dst = in.src[1].reg;
    }
    take(0, ValueType::u32);
    take(2, ValueType::any);
    take(3, ValueType::u32);
    if (in.src[2].kind != OperandKind::scalar || in.src[2].count != 4) complain("its resource is no scalar quadruple");
  } else {
    if (returns && !lds_target) take_result();
    if (!m.by_lane) take(0, m.space == Space::lds ? ValueType::u32 : ValueType::u64);
    bool has_data = m.kind == AccessKind::store || m.kind == AccessKind::atomic;
    if (has_data) {
      take(1, ValueType::any);
      check_data(1, (m.compares && m.space != Space::lds ? 2 : 1) * data_dwords);
    }
    if (m.space == Space::lds && ((has_data && m.elements == 2) || m.compares)) {
      take(3, ValueType::any);
      check_data(3, data_dwords);
    }
    if (m.space == Space::global || m.space == Space::scratch)
      take(2, m.space == Space::global ? ValueType::u64 : ValueType::u32);
    bool scalar_base = in.src[2].kind != OperandKind::off;
    int address_dwords = m.space == Space::flat || (m.space == Space::global && !scalar_base) ? 2 : 1;
    if (m.by_lane) {
    } else if (in.src[0].kind == OperandKind::vector ? in.src[0].count != address_dwords : m.space != Space::scratch)
      complain("its address does not fit");
    if (m.space == Space::global && scalar_base && (in.src[2].kind != OperandKind::scalar || in.src[2].count != 2))
      complain("its base does not fit");
  }
  if (at != d.operands.size()) complain("more operands than its meaning has");
  if (d.modifiers.gds) complain("global data share is not modelled");
}

void run_off_the_code(const Instruction&, Wave& wave) { wave.stop("it ran off the end of the code"); }
void stop_by_name(const Instruction& in, Wave& wave) { wave.stop("not modelled: " + in.decoded->text); }

int highest_register(const std::vector<Decoded>& decoded, bool accumulator) {
  int highest = -1;
  for (const Decoded& d : decoded) highest = std::max(highest, highest_register(d.parts, accumulator));
  for (const Decoded& d : decoded)
    for (const DecodedOperand& operand : d.operands)
      if (operand.kind == OperandKind::vector && operand.accumulator == accumulator)
        highest = std::max(highest, operand.first + operand.count - 1);
  return highest;
}

// A code object compiled for one wave size; the decoder has to know it, because lane masks are one register or two.
int wave_size_of(const CodeObject& object, const target::Arch& arch) {
  if (object.kernels.empty()) return arch.wave_sizes.front();
  return object.kernels.front().wave_size;
}

void index_addresses(Program& program) {
  program.first_address = program.decoded.front().address;
  u64 end = program.decoded.back().address + static_cast<u64>(program.decoded.back().size);
  program.index_at.assign((end - program.first_address) / 4 + 1, -1);
  for (size_t i = 0; i < program.decoded.size(); ++i)
    program.index_at[(program.decoded[i].address - program.first_address) / 4] = static_cast<int32_t>(i);
}

// Between s_set_gpr_idx_on and _off, vector operands are relative: moves get a handler that looks, others are refused.
bool bind_indexed(const std::string& mnemonic, bool indexing, Instruction& in, std::string& problem) {
  if (mnemonic == "s_set_gpr_idx_on") return true;
  if (!indexing || mnemonic == "s_set_gpr_idx_off") return false;
  if (mnemonic == "v_mov_b32" && problem.empty())
    in.execute = &move_indexed;
  else if (mnemonic.starts_with("v_") && problem.empty())
    problem = "it stands between s_set_gpr_idx_on and _off";
  return true;
}

void bind_all(Program& program) {
  int vectors = highest_register(program.decoded, false) + 1,
      accumulators = highest_register(program.decoded, true) + 1;
  vectors = std::max(vectors, 1);
  int hidden = vectors + accumulators;
  program.accumulators_at = vectors;
  program.vector_registers = hidden + kHiddenRegisters;
  size_t count = program.decoded.size();
  program.instructions.resize(count + 1);
  program.problems.resize(count + 1);
  Binder binder(program, vectors, hidden);
  bool indexing = false;
  for (size_t i = 0; i < count; ++i) {
    Instruction& in = program.instructions[i];
    program.problems[i] = binder.bind(static_cast<uint32_t>(i), in);
    indexing = bind_indexed(program.decoded[i].mnemonic, indexing, in, program.problems[i]);
    if (!program.problems[i].empty()) in.execute = &stop_by_name, in.operation = nullptr;
  }
  Instruction& end = program.instructions[count];
  end.execute = &run_off_the_code;
  end.index = static_cast<uint32_t>(count);
  end.decoded = &program.decoded.back();
}

}  // namespace

const Instruction* Program::at(uint64_t address) const {
  if (address < first_address || address % 4 != 0) return nullptr;
  u64 slot = (address - first_address) / 4;
  if (slot >= index_at.size() || index_at[slot] < 0) return nullptr;
  return &instructions[static_cast<size_t>(index_at[slot])];
}

namespace {

Result<std::shared_ptr<const Program>> make_program(CodeObject object, const std::string& cpu, int wave_size) {
  const target::Arch* arch = target::find_arch(cpu);
  if (!arch) return fail("target.unknown-gpu", "there is no arch named \"" + cpu + "\"");
  auto program = std::make_shared<Program>();
  program->object = std::move(object);
  program->arch = arch;
  program->wave_size = wave_size ? wave_size : wave_size_of(program->object, *arch);
  Result<std::vector<Decoded>> decoded = decode(program->object, cpu, program->wave_size);
  if (!decoded) return fail(decoded.error());
  if (decoded->empty()) return fail("code-object.elf", "the code object has no code");
  program->decoded = std::move(*decoded);
  index_addresses(*program);
  bind_all(*program);
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace

Result<std::shared_ptr<const Program>> load_program(std::string_view bytes, const std::string& cpu) {
  Result<CodeObject> object = read_code_object(bytes);
  if (!object) return fail(object.error());
  return make_program(std::move(*object), cpu, 0);
}

Result<std::shared_ptr<const Program>> program_of_code(std::string_view code, const std::string& cpu, int wave_size) {
  CodeObject object;
  object.image = std::string(code);
  Segment segment;
  segment.size = code.size();
  segment.executable = true;
  object.segments.push_back(segment);
  return make_program(std::move(object), cpu, wave_size);
}

}  // namespace hipvault::isa
