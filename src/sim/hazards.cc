#include "sim/hazards.h"

#include <algorithm>

#include "isa/matrix.h"
#include "sim/control_flow.h"
#include "sim/per_program.h"
#include "sim/waits.h"

namespace hipvault::sim {

using isa::AccessKind;
using isa::Decoded;
using isa::Instruction;
using isa::OperandKind;
using isa::Space;
using target::HazardRules;

size_t results_of(const Instruction& in) {
  const isa::Operation& op = *in.operation;
  const std::string& name = in.decoded->mnemonic;
  if (op.memory.kind != AccessKind::none) return returns_value(in) ? 1 : 0;
  if (name.starts_with("v_swap") || (name.starts_with("v_permlane") && name.find("swap") != std::string::npos))
    return 2;
  if (op.results[1] != isa::ValueType::none) return 2;
  bool none = name.starts_with("s_cmp") || name.starts_with("s_bitcmp") || name.starts_with("s_setreg") ||
              name.starts_with("s_setpc") || name.starts_with("s_cbranch") || name.starts_with("s_nop");
  return none || in.decoded->operands.empty() ? 0 : 1;
}

namespace {

constexpr int kFarthest = 20;  // wait states; no row needs more

// What the rows ask about an instruction.
struct Traits {
  bool valu = false, plain = false;  // plain: neither matrix nor dot product
  bool matrix = false, f64_matrix = false, f64_small = false, xdl = false;
  bool dot = false, trans = false, not_trans = false, partial = false, dpp = false, f64_fma = false;
  bool reads_lane = false, selects_lane = false, accesses_lane = false, swaps_lanes = false, div_fmas = false;
  bool vector_memory = false, memory = false, wide_store = false, salu = false, reads_m0 = false;
  bool sets_register = false, gets_register = false;
  int passes = 0, states = 1;
  std::vector<RegisterSpan> reads, writes;
  RegisterSpan lane_select, sum, stored;  // sum: the C operand
  std::string hardware_register;
};

bool overlap(const RegisterSpan& a, const RegisterSpan& b) {
  return a.count && b.count && a.scalar == b.scalar && a.first < b.first + b.count && b.first < a.first + a.count;
}
bool any_overlap(const std::vector<RegisterSpan>& list, const RegisterSpan& span, bool scalar) {
  return std::any_of(list.begin(), list.end(),
                     [&](const RegisterSpan& s) { return s.scalar == scalar && overlap(s, span); });
}
bool any_overlap(const std::vector<RegisterSpan>& a, const std::vector<RegisterSpan>& b, bool scalar) {
  return std::any_of(b.begin(), b.end(), [&](const RegisterSpan& s) { return any_overlap(a, s, scalar); });
}

// ---- reading an instruction

void read_registers(const Instruction& in, int accumulators_at, Traits& t) {
  const Decoded& d = *in.decoded;
  size_t results = results_of(in);
  bool tied = in.operation->flags & isa::kTiedDestination;
  for (size_t i = 0; i < d.operands.size(); ++i) {
    RegisterSpan span = span_of(d.operands[i], accumulators_at);
    if (!span.count) continue;
    if (i < results) t.writes.push_back(span);
    if (i >= results || tied || results == 2 && in.operation->results[1] == isa::ValueType::none)
      t.reads.push_back(span);
  }
  if (d.mnemonic.starts_with("v_cmpx")) t.writes.push_back({true, isa::kExec, 2});
}

void read_matrix(const Instruction& in, bool cdna2, int accumulators_at, Traits& t) {
  const target::MatrixInstruction& row = isa::matrix_row(*in.operation);
  t.passes = row.cycles / 4;
  t.f64_matrix = row.a == target::MatrixType::f64;
  t.f64_small = t.f64_matrix && row.m == 4;
  t.xdl = !t.f64_matrix && (cdna2 || row.a != target::MatrixType::f32);
  size_t c = target::is_sparse(row.family) ? 0 : 3;  // sparse ones add to their result
  if (in.decoded->operands.size() > c) t.sum = span_of(in.decoded->operands[c], accumulators_at);
  if (c == 0) t.reads.push_back(t.sum);
}

void read_memory(const Instruction& in, int accumulators_at, Traits& t) {
  const isa::MemoryAccess& m = in.operation->memory;
  t.memory = m.space != Space::scalar && m.space != Space::none;
  t.vector_memory = t.memory && m.space != Space::lds;
  bool to_lds = m.kind == AccessKind::load_to_lds || in.decoded->modifiers.lds;
  t.reads_m0 = (t.vector_memory && to_lds) || m.by_lane;
  bool free_offset = m.space != Space::buffer || in.src[3].kind != OperandKind::scalar;
  if (m.kind == AccessKind::load || !t.vector_memory || m.bytes <= 8 || !free_offset) return;
  for (const isa::DecodedOperand& operand : in.decoded->operands)
    if (operand.kind == OperandKind::vector && operand.count > 2)
      t.stored = span_of(operand, accumulators_at), t.wide_store = true;
}

void read_names(const Decoded& d, Traits& t) {
  const std::string& n = d.mnemonic;
  t.dot = n.starts_with("v_dot");
  t.div_fmas = n.starts_with("v_div_fmas");
  t.f64_fma = n.starts_with("v_fma_f64") || n.starts_with("v_fmac_f64");
  t.reads_lane = n == "v_readlane_b32" || n == "v_readfirstlane_b32";
  t.selects_lane = n == "v_readlane_b32" || n == "v_writelane_b32";
  t.accesses_lane = t.reads_lane || t.selects_lane;
  t.swaps_lanes = n.starts_with("v_permlane") && n.find("_swap") != std::string::npos;
  t.sets_register = n.starts_with("s_setreg");
  t.gets_register = n == "s_getreg_b32";
  t.reads_m0 = t.reads_m0 || n.starts_with("s_movrel") || n.starts_with("s_sendmsg");
  if (n == "s_nop" && !d.operands.empty()) t.states = static_cast<int>(d.operands[0].integer) + 1;
  t.dpp = d.modifiers.dpp != isa::DppKind::none;
  t.partial = d.modifiers.sdwa ? d.modifiers.dst_sel != isa::SubDword::dword : (d.modifiers.op_sel >> 3 & 1) != 0;
  for (const isa::DecodedOperand& operand : d.operands)
    if (size_t at = operand.text.find("hwreg("); at != std::string::npos)
      t.hardware_register = operand.text.substr(at, operand.text.find_first_of(",)", at) - at);
}

Traits traits_of(const Instruction& in, const isa::Program& program) {
  Traits t;
  if (!in.operation || in.pair) return t;
  const Decoded& d = *in.decoded;
  read_registers(in, program.accumulators_at, t);
  read_memory(in, program.accumulators_at, t);
  read_names(d, t);
  t.valu = d.mnemonic.starts_with("v_") && d.mnemonic != "v_nop";
  t.salu = in.operation->instruction_class == isa::InstructionClass::salu;
  t.matrix = in.operation->matrix != 0;
  if (t.matrix) read_matrix(in, program.arch->hazard_rules == HazardRules::cdna2, program.accumulators_at, t);
  t.plain = t.valu && !t.matrix && !t.dot;
  t.trans = in.operation->instruction_class == isa::InstructionClass::trans;
  t.not_trans = t.valu && !t.trans;
  t.partial = t.partial && t.valu;
  if (t.selects_lane && d.operands.size() > 2) t.lane_select = span_of(d.operands[2], program.accumulators_at);
  return t;
}

// ---- the rows

enum class Relation : uint8_t { scalar, vector, lane_select, exec, vcc, m0, hardware_register, overwritten, none };

struct Row {
  const char* what;
  bool Traits::* first;
  bool Traits::* second;
  Relation relation;
  int states[3];  // cdna2, cdna3, cdna4
};

constexpr Row kRows[] = {
    {"a scalar register written by a vector instruction is read by vector memory",
     &Traits::valu,
     &Traits::vector_memory,
     Relation::scalar,
     {5, 5, 5}},
    {"a scalar register written by a vector instruction chooses a lane",
     &Traits::valu,
     &Traits::selects_lane,
     Relation::lane_select,
     {4, 4, 4}},
    {"EXEC written by a vector instruction is used by DPP", &Traits::valu, &Traits::dpp, Relation::exec, {5, 5, 5}},
    {"a vector register is read by DPP", &Traits::valu, &Traits::dpp, Relation::vector, {2, 2, 2}},
    {"VCC written by a vector instruction is read by v_div_fmas",
     &Traits::valu,
     &Traits::div_fmas,
     Relation::vcc,
     {4, 4, 4}},
    {"a hardware register that was set is read",
     &Traits::sets_register,
     &Traits::gets_register,
     Relation::hardware_register,
     {2, 2, 2}},
    {"a hardware register is set twice",
     &Traits::sets_register,
     &Traits::sets_register,
     Relation::hardware_register,
     {2, 2, 2}},
    {"M0 written by a scalar instruction is used", &Traits::salu, &Traits::reads_m0, Relation::m0, {1, 1, 1}},
    {"the result of a transcendental instruction is read",
     &Traits::trans,
     &Traits::not_trans,
     Relation::vector,
     {0, 1, 1}},
    {"a register that was written in part is read", &Traits::partial, &Traits::valu, Relation::vector, {0, 1, 1}},
    {"a scalar register written by a vector instruction is read by a vector instruction",
     &Traits::valu,
     &Traits::valu,
     Relation::scalar,
     {0, 2, 2}},
    {"EXEC written by a vector instruction is used by a lane access",
     &Traits::valu,
     &Traits::accesses_lane,
     Relation::exec,
     {0, 4, 4}},
    {"a vector register is read by v_readlane", &Traits::valu, &Traits::reads_lane, Relation::vector, {0, 1, 1}},
    {"a vector register is swapped between lanes", &Traits::valu, &Traits::swaps_lanes, Relation::vector, {0, 0, 2}},
    {"data of a store of more than 8 bytes is overwritten",
     &Traits::wide_store,
     &Traits::valu,
     Relation::overwritten,
     {1, 2, 2}},
    {"EXEC written by a vector instruction is used by a matrix instruction",
     &Traits::plain,
     &Traits::matrix,
     Relation::exec,
     {4, 4, 4}},
    {"a vector register is read by a matrix instruction", &Traits::plain, &Traits::matrix, Relation::vector, {2, 2, 2}},
    {"v_fma_f64 follows an f64 matrix instruction", &Traits::f64_matrix, &Traits::f64_fma, Relation::none, {2, 2, 2}},
};

bool related(const Traits& first, const Traits& second, Relation relation) {
  switch (relation) {
    case Relation::scalar:
      return any_overlap(first.writes, second.reads, true);
    case Relation::vector:
      return any_overlap(first.writes, second.reads, false);
    case Relation::lane_select:
      return any_overlap(first.writes, second.lane_select, true);
    case Relation::exec:
      return any_overlap(first.writes, {true, isa::kExec, 2}, true);
    case Relation::vcc:
      return any_overlap(first.writes, {true, isa::kVcc, 2}, true);
    case Relation::m0:
      return any_overlap(first.writes, {true, isa::kM0, 1}, true);
    case Relation::hardware_register:
      return first.hardware_register == second.hardware_register;
    case Relation::overwritten:
      return any_overlap(second.writes, first.stored, false);
    case Relation::none:
      return true;
  }
  return false;
}

// ---- matrix instructions and dot products, whose rows depend on the passes

// By 2, 4, 8 and 16 passes, of f64 ones by their size.
int result_states(const Traits& m, bool memory, HazardRules rules) {
  if (m.f64_matrix) return m.f64_small ? (memory ? 9 : 6) : (memory ? 18 : 11);
  if (rules == HazardRules::cdna2) return m.passes + 3;
  return m.passes + (m.xdl ? 3 : 2);
}
int same_sum_states(const Traits& m, const Traits& next, HazardRules rules) {
  if (m.f64_small && next.f64_small) return 4;
  return rules != HazardRules::cdna2 && !m.f64_matrix && m.passes == 2 ? 2 : 0;
}
int other_sum_states(const Traits& m, const Traits& next, HazardRules rules) {
  if (m.f64_matrix) return next.xdl ? 0 : m.f64_small ? 4 : 9;
  if (rules == HazardRules::cdna2) return m.passes + (next.f64_matrix ? 1 : 0);
  if (next.xdl && !m.xdl) return 0;
  return m.passes + (m.xdl ? 1 : 0);
}
int to_matrix_states(const Traits& m, const Traits& next, HazardRules rules) {
  int needed = 0;
  for (const RegisterSpan& result : m.writes) {
    if (overlap(result, next.sum))
      needed = result.first == next.sum.first && result.count == next.sum.count ? same_sum_states(m, next, rules)
                                                                                : other_sum_states(m, next, rules);
    for (const RegisterSpan& read : next.reads) {
      bool is_sum = read.first == next.sum.first && read.count == next.sum.count;
      if (is_sum || !overlap(result, read)) continue;
      int operand = m.f64_matrix ? (m.f64_small ? 6 : 11) : result_states(m, false, rules);
      needed = std::max(needed, operand);
    }
  }
  return needed;
}
// The C operand is read late: it must not be overwritten while it is.
int overwritten_sum_states(const Traits& m, HazardRules rules) {
  if (m.f64_matrix || (rules != HazardRules::cdna2 && !m.xdl)) return 0;
  return m.passes - 1;
}

int matrix_states(const Traits& m, const Traits& next, HazardRules rules, std::string& what) {
  what = "the result of a matrix instruction is used";
  if (next.matrix) return to_matrix_states(m, next, rules);
  if (!next.valu && !next.memory) return 0;
  int needed = 0;
  if (any_overlap(m.writes, next.reads, false)) needed = result_states(m, next.memory, rules);
  if (any_overlap(m.writes, next.writes, false)) needed = std::max(needed, result_states(m, false, rules));
  if (needed == 0 && any_overlap(next.writes, m.sum, false)) {
    what = "the C operand of a matrix instruction is overwritten";
    needed = overwritten_sum_states(m, rules);
  }
  return needed;
}

int dot_states(const Instruction& dot, const Traits& first, const Instruction& next, const Traits& second) {
  if (second.matrix || (!second.valu && !second.memory)) return 0;
  bool same = dot.decoded->mnemonic == next.decoded->mnemonic;
  std::vector<RegisterSpan> reads = second.reads;
  if (same && next.decoded->operands.size() > 3) {  // the sum of the next one may follow at once
    const isa::DecodedOperand& sum = next.decoded->operands[3];
    std::erase_if(reads, [&](const RegisterSpan& r) { return !r.scalar && r.first == sum.first; });
  } else if (same) {
    std::erase_if(reads, [&](const RegisterSpan& r) { return any_overlap(second.writes, r, false); });
  }
  bool raw = any_overlap(first.writes, reads, false), waw = !same && any_overlap(first.writes, second.writes, false);
  return raw || waw ? 3 : 0;
}

// ---- the scan

class Scan {
 public:
  explicit Scan(const isa::Program& program) : program_(program), flow_(program), rules_(program.arch->hazard_rules) {
    for (size_t i = 0; i + 1 < program.instructions.size(); ++i)
      traits_.push_back(traits_of(program.instructions[i], program));
  }
  Hazards run() {
    for (uint32_t i = 0; i < traits_.size(); ++i) {
      first_ = i;
      reach_ = reach_of(traits_[i]);
      if (!reach_) continue;
      path_.clear();
      flow_.for_local_next(i, [&](uint32_t next) { walk(next, 0); });
    }
    return std::move(found_);
  }

 private:
  int reach_of(const Traits& t) const {
    if (t.matrix) return kFarthest;
    bool first =
        t.valu || t.sets_register || t.wide_store || (t.salu && any_overlap(t.writes, {true, isa::kM0, 1}, true));
    return first ? 5 : 0;
  }
  void walk(uint32_t i, int present) {
    if (i >= traits_.size() || path_.size() > kFarthest) return;
    check(i, present);
    present += traits_[i].states;
    if (present >= reach_) return;
    path_.push_back(i);
    flow_.for_local_next(i, [&](uint32_t next) { walk(next, present); });
    path_.pop_back();
  }
  void check(uint32_t i, int present) {
    const Traits &first = traits_[first_], &second = traits_[i];
    for (const Row& row : kRows) {
      int needed = row.states[static_cast<int>(rules_) - 1];
      if (needed > present && first.*row.first && second.*row.second && related(first, second, row.relation))
        add(i, needed, present, row.what);
    }
    std::string what;
    if (first.matrix)
      if (int needed = matrix_states(first, second, rules_, what); needed > present) add(i, needed, present, what);
    if (first.dot && dot_states(program_.instructions[first_], first, program_.instructions[i], second) > present)
      add(i, 3, present, "the result of a dot product is used");
  }
  void add(uint32_t second, int needed, int present, std::string what) {
    found_.push_back({first_, second, needed, present, std::move(what), path_});
  }

  const isa::Program& program_;
  ControlFlow flow_;
  HazardRules rules_;
  std::vector<Traits> traits_;
  Hazards found_;
  uint32_t first_ = 0;
  int reach_ = 0;
  std::vector<uint32_t> path_;
};

}  // namespace

std::shared_ptr<const Hazards> hazards_of(const std::shared_ptr<const isa::Program>& program) {
  static PerProgram<Hazards> known;
  return known.get(program, [](const isa::Program& p) {
    bool rules = p.arch->hazard_rules != HazardRules::none;
    return std::make_shared<const Hazards>(rules ? Scan(p).run() : Hazards());
  });
}

}  // namespace hipvault::sim
