#include <map>
#include <vector>

#include "base/check.h"
#include "isa/matrix.h"
#include "isa/matrix_sums.h"
#include "isa/matrix_values.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

using target::MatrixArithmetic;
using target::MatrixFamily;
using target::MatrixInstruction;
using target::MatrixPlace;
using target::MatrixType;

// ---- where values lie ----------------------------------------------------------------------------------------------

// Where a row of values begins: at 64*element + lane, for each (block, k) of A and B, (block, row) of D.
struct Rows {
  int elements = 0;
  std::vector<uint16_t> start;
};

Rows rows_of(const MatrixInstruction& op, const std::string& layout, int length, int inner,
             MatrixPlace (*place)(const MatrixInstruction&, int, int), bool inner_is_column) {
  MatrixInstruction with_layout = op;
  with_layout.layout_a = with_layout.layout_b = with_layout.layout_c = layout;
  Rows rows;
  rows.elements = target::elements_a(with_layout);
  rows.start.resize(static_cast<size_t>(op.blocks) * static_cast<size_t>(inner));
  for (int e = 0; e < rows.elements; ++e)
    for (int lane = 0; lane < op.lanes; lane += length) {
      if (!target::is_read(layout, lane / length)) continue;
      MatrixPlace at = place(with_layout, lane, e);
      int row = at.block * inner + (inner_is_column ? at.column : at.row);
      rows.start[static_cast<size_t>(row)] = static_cast<uint16_t>(kLanes * e + lane);
    }
  return rows;
}

struct Operand {
  MatrixType type;
  int registers = 0;
  Rows rows;
};

Operand operand_of(const MatrixInstruction& op, bool is_b, MatrixType type) {
  const std::string& own = is_b ? op.layout_b : op.layout_a;
  std::string layout = op.a == MatrixType::by_format ? target::layout_of_format(op, type) : own;
  int k = !is_b && target::is_sparse(op.family) ? op.k / 2 : op.k;
  Operand operand{type, 0, rows_of(op, layout, op.m, k, is_b ? target::place_b : target::place_a, !is_b)};
  operand.registers = std::max(1, operand.rows.elements * target::bits_of(type) / 32);
  return operand;
}

// One row of target/matrix.h, ready to run.
struct Meaning {
  const MatrixInstruction* op = nullptr;
  std::vector<Operand> a, b;  // by format; one where there is no choice
  Rows c;
  int registers_c = 0;
  int other_wave = -1;  // the same mnemonic for the other wave size
  Operation operation;
};

Meaning meaning_of(const MatrixInstruction& op) {
  Meaning m;
  m.op = &op;
  bool free = op.a == MatrixType::by_format;
  for (int selector = 0; selector < (free ? 5 : 1); ++selector) {
    m.a.push_back(operand_of(op, false, free ? target::format_of(selector) : op.a));
    m.b.push_back(operand_of(op, true, free ? target::format_of(selector) : op.b));
  }
  m.c = rows_of(op, op.layout_c, op.n, op.m, target::place_c, false);
  m.registers_c = m.c.elements * target::bits_of(op.c) / 32;
  return m;
}

void execute_matrix(const Instruction& in, Wave& wave);

// What is known of the sums: those of CDNA2 and CDNA3 from measurements, integers from the manuals.
Fidelity fidelity_of(const std::string& arch, const MatrixInstruction& op) {
  bool measured = (arch == "gfx90a" || arch == "gfx942") && !target::is_sparse(op.family);
  return measured || op.arithmetic == MatrixArithmetic::integer ? Fidelity::exact : Fidelity::assumed;
}

struct Meanings {
  std::vector<Meaning> all;
  std::map<std::pair<std::string, std::string>, int> index;  // arch, mnemonic: the default wave size
  Meanings() {
    for (const target::Arch& arch : target::simulated_archs()) add(arch);
    CHECK(all.size() < 256) << "Operation::matrix is a byte";
    for (size_t at = 0; at < all.size(); ++at) {
      Operation& operation = all[at].operation;
      operation.mnemonic = all[at].op->mnemonic.c_str();
      operation.matrix = static_cast<uint8_t>(at + 1);
    }
  }
  void add(const target::Arch& arch) {
    for (const MatrixInstruction& op : target::matrix_instructions(arch.name)) {
      int at = static_cast<int>(all.size());
      all.push_back(meaning_of(op));
      Operation& operation = all.back().operation;
      operation = custom("", &execute_matrix, InstructionClass::mfma);
      operation.fidelity = fidelity_of(arch.name, op);
      auto [first, fresh] = index.emplace(std::pair(arch.name, op.mnemonic), at);
      if (fresh) continue;
      all[static_cast<size_t>(at)].other_wave = first->second;
      all[static_cast<size_t>(first->second)].other_wave = at;
    }
  }
};
const Meanings& meanings() {
  static const Meanings made;
  return made;
}
const Meaning& meaning(const Operation& operation) { return meanings().all[operation.matrix - size_t{1}]; }

const Operand& operand_a(const Meaning& m, const Modifiers& mod) {
  return m.a[m.a.size() == 1 ? 0 : static_cast<size_t>(mod.cbsz)];
}
const Operand& operand_b(const Meaning& m, const Modifiers& mod) {
  return m.b[m.b.size() == 1 ? 0 : static_cast<size_t>(mod.blgp)];
}

// ---- registers and values ------------------------------------------------------------------------------------------

// What modifiers do to the values of a lane before they are used.
struct Adjust {
  int lane_pattern = 0;                          // blgp
  bool negate_even = false, negate_odd = false;  // by position in the register
  bool is_signed = true;
};

template <class T>
void adjust_lanes(const Adjust& adjust, int element, T* lanes) {
  if (adjust.lane_pattern) {
    T source[kLanes];
    std::memcpy(source, lanes, sizeof source);
    for (int l = 0; l < kLanes; ++l) lanes[l] = source[target::source_lane(adjust.lane_pattern, l)];
  }
  if (element % 2 ? adjust.negate_odd : adjust.negate_even)
    for (int l = 0; l < kLanes; ++l) lanes[l] = -lanes[l];
}

inline void read_doubles(const u32* registers, f64* out) {
  for (int l = 0; l < kLanes; ++l)
    out[l] = std::bit_cast<f64>(registers[l] | static_cast<u64>(registers[kLanes + l]) << 32);
}

template <class T>
void read_operand(const Operand& operand, const Source& source, const Wave& wave, const Adjust& adjust, T* values) {
  const int bits = target::bits_of(operand.type);
  for (int e = 0; e < operand.rows.elements; ++e) {
    T* lanes = values + e * kLanes;
    const int at = e * bits;
    const u32* low = wave.lanes(source.reg + at / 32);
    if constexpr (std::is_same_v<T, f64>)
      read_doubles(low, lanes);
    else if constexpr (std::is_same_v<T, i32>)
      read_integers(operand.type, low, at % 32, adjust.is_signed, lanes);
    else
      read_floats(operand.type, low, at % 32 + bits > 32 ? low + kLanes : low, at % 32, lanes);
    adjust_lanes(adjust, e, lanes);
  }
}

// Constants and scalars stand in every lane and element.
template <class T>
void fill_c(const Meaning& m, const Source& source, const Wave& wave, T* c) {
  u64 bits = read_scalar64(source, wave);
  u32 low[kLanes] = {static_cast<u32>(bits)};
  f32 as_float[kLanes];
  T value;
  if constexpr (sizeof(T) == 8) {
    value = std::bit_cast<T>(bits);
  } else if constexpr (std::is_same_v<T, i32>) {
    value = static_cast<i32>(low[0]);
  } else {
    read_floats(m.op->c, low, low, 0, as_float);
    value = as_float[0];
  }
  std::fill_n(c, m.c.elements * kLanes, value);
}

// Values of 32 bits are summed where D lies, so C only has to move there; others have an array.
template <class T>
bool in_place(const Meaning& m) {
  return sizeof(T) == 4 && target::bits_of(m.op->c) == 32;
}

template <class T>
void read_c(const Meaning& m, const Source& source, const Wave& wave, T* c) {
  if (source.kind != OperandKind::vector) return fill_c(m, source, wave, c);
  const u32* from = wave.lanes(source.reg);
  if (in_place<T>(m)) {
    if (static_cast<const void*>(from) != c)
      std::memmove(c, from, sizeof(u32) * kLanes * static_cast<size_t>(m.c.elements));
    return;
  }
  for (int e = 0; e < m.c.elements; ++e) {
    if constexpr (std::is_same_v<T, f64>)
      read_doubles(from + 2 * e * kLanes, c + e * kLanes);
    else if constexpr (std::is_same_v<T, f32>)
      read_floats(m.op->c, from + e / 2 * kLanes, from, e % 2 * 16, c + e * kLanes);
  }
}

template <class T>
void write_d(const Meaning& m, const Instruction& in, Wave& wave, const T* d) {
  if (in_place<T>(m)) return;
  for (int e = 0; e < m.c.elements; ++e) {
    const T* lanes = d + e * kLanes;
    if constexpr (sizeof(T) == 8) {
      u32* to = wave.lanes(in.dst + 2 * e);
      for (int l = 0; l < m.op->lanes; ++l) {
        u64 value = std::bit_cast<u64>(lanes[l]);
        to[l] = static_cast<u32>(value);
        to[kLanes + l] = static_cast<u32>(value >> 32);
      }
    } else {
      u32* to = wave.lanes(in.dst + e / 2);
      for (int l = 0; l < m.op->lanes; ++l) {
        f32 value = static_cast<f32>(lanes[l]);
        u32 half = m.op->c == MatrixType::bf16 ? to_bfloat(value) : std::bit_cast<u16>(static_cast<f16>(value));
        to[l] = e % 2 ? (to[l] & 0xffff) | half << 16 : (to[l] & 0xffff0000) | half;
      }
    }
  }
}

// ---- modifiers -----------------------------------------------------------------------------------------------------

// Row starts of A with block b taken from block source_block(b).
void broadcast_blocks(const MatrixInstruction& op, const Modifiers& mod, const Rows& rows, uint16_t* out) {
  for (int block = 0; block < op.blocks; ++block) {
    int from = target::source_block(mod.cbsz, mod.abid, block);
    std::copy_n(rows.start.begin() + from * op.k, op.k, out + block * op.k);
  }
}

// Stored value k of row i meets row 4*(k/2) + index of B. A lane's indices are two bits a value, from bit
// `set * 2 * values` on.
void read_indices(const Meaning& m, const Instruction& in, const Wave& wave, uint8_t* partner) {
  const Rows& rows = m.a[0].rows;
  const Modifiers& mod = in.decoded->modifiers;
  const int sets = std::max(1, 16 / rows.elements);
  int set = m.op->family == MatrixFamily::swmmac ? mod.index_key : mod.cbsz ? 0 : mod.abid;
  const u32* raw = wave.lanes(in.src[2].reg);
  for (int k = 0; k < m.op->k / 2; ++k) {
    const int start = rows.start[static_cast<size_t>(k)], lane = start % kLanes;
    const int shift = 2 * (set % sets * rows.elements + start / kLanes);
    for (int i = 0; i < m.op->m; ++i)
      partner[start + i] = static_cast<uint8_t>(4 * (k / 2) + (raw[lane + i] >> shift & 3));
  }
}

// E8M0 scales: lane l has that of row l % M in the l / M-th 32 values of k. The byte is chosen by op_sel and
// op_sel_hi.
void read_scales(const Source& source, const Wave& wave, int byte, i32* out) {
  alignas(64) u32 raw[kLanes];
  fetch_dwords(source, wave, 0, raw);
  for (int l = 0; l < kLanes; ++l) {
    i32 exponent = static_cast<i32>(raw[l] >> (8 * byte) & 255);
    out[l] = exponent == 255 ? kExponentOfSpecial : exponent - 127;
  }
}
int scale_byte(const Modifiers& mod, int operand) {
  return (mod.op_sel >> operand & 1) | (mod.op_sel_hi >> operand & 1) << 1;  // -1, not printed, is all ones
}

// Fast mode multiplies the values themselves.
void apply_scales(const i32* scale, int k, int length, const uint16_t* rows, f32* values) {
  alignas(64) f32 factor[kLanes];
  for (int l = 0; l < kLanes; ++l)
    factor[l] = scale[l] == kExponentOfSpecial ? NAN : static_cast<f32>(std::ldexp(1.0, scale[l]));
  for (int at = 0; at < k; ++at) {
    const f32* of_row = factor + at / 32 * length;
    f32* row = values + rows[at];
    for (int i = 0; i < length; ++i) row[i] *= of_row[i];
  }
}

// ---- execution -----------------------------------------------------------------------------------------------------

Adjust adjust_of(const MatrixInstruction& op, const Modifiers& mod, int operand) {
  Adjust adjust;
  bool is_wmma = op.lanes == 32 || op.family == MatrixFamily::wmma || op.family == MatrixFamily::swmmac;
  if (operand == 1 && op.permutes_b) adjust.lane_pattern = mod.blgp;
  if (op.negates) adjust.negate_even = adjust.negate_odd = mod.neg >> operand & 1;
  if (!is_wmma) return adjust;
  adjust.is_signed = mod.neg_lo >> operand & 1;
  bool halves = target::bits_of(op.a) == 16;
  adjust.negate_even = halves && (mod.neg_lo >> operand & 1);
  adjust.negate_odd = halves && (mod.neg_hi >> operand & 1);
  return adjust;
}

template <class T>
struct Values {
  alignas(64) T a[kMatrixCapacity];
  alignas(64) T b[kMatrixCapacity];
  alignas(64) T d[kMatrixCapacity];  // where it cannot be summed in the registers
  uint8_t partner[kMatrixCapacity];
  uint16_t row_a[kLanes];  // with broadcasts
};

void sum_truncated_floats(const Meaning& m, const Modifiers& mod, const MatrixSum<f32>& s, Exponents e) {
  const Operand &a = operand_a(m, mod), &b = operand_b(m, mod);
  alignas(64) i32 exponents_a[kMatrixCapacity], exponents_b[kMatrixCapacity];
  e.a = exponents_a, e.b = exponents_b;
  e.lowest_a = lowest_exponent(a.type), e.lowest_b = lowest_exponent(b.type);
  fill_exponents(s.a, a.rows.elements * kLanes, e.lowest_a, exponents_a);
  fill_exponents(s.b, b.rows.elements * kLanes, e.lowest_b, exponents_b);
  sum_truncated(s, e, m.op->chunk, m.op->arithmetic == MatrixArithmetic::truncated_halves);
}

void sum_floats(const Meaning& m, const Instruction& in, const Wave& wave, const MatrixSum<f32>& s, f32* a, f32* b) {
  const MatrixInstruction& op = *m.op;
  const Modifiers& mod = in.decoded->modifiers;
  alignas(64) i32 scale_a[kLanes], scale_b[kLanes];
  if (op.scaled) {
    read_scales(in.src[3], wave, scale_byte(mod, 0), scale_a);
    read_scales(in.src[4], wave, scale_byte(mod, 1), scale_b);
  }
  if (wave.fast_matrix || op.arithmetic == MatrixArithmetic::fma_chain) {
    if (op.scaled) apply_scales(scale_a, op.k, op.m, s.row_a, a), apply_scales(scale_b, op.k, op.n, s.row_b, b);
    return sum_fma_chain(s);
  }
  if (op.arithmetic == MatrixArithmetic::flushed_pairs) {
    drop_denormals(op.a, a, m.a[0].rows.elements * kLanes);
    drop_denormals(op.b, b, m.b[0].rows.elements * kLanes);
    return sum_flushed_pairs(s, op.chunk);
  }
  Exponents e;
  if (op.scaled) e.scale_a = scale_a, e.scale_b = scale_b;
  sum_truncated_floats(m, mod, s, e);
}

template <class T>
void adjust_c(const Meaning& m, const Modifiers& mod, T* c) {
  if constexpr (!std::is_same_v<T, i32>) {
    bool wmma = m.op->family == MatrixFamily::wmma;
    bool negate = m.op->negates ? mod.neg >> 2 & 1 : wmma && (mod.neg_lo >> 2 & 1);
    bool absolute = wmma && (mod.neg_hi >> 2 & 1);
    if (!negate && !absolute) return;
    for (int at = 0; at < m.c.elements * kLanes; ++at) {
      T value = absolute ? std::fabs(c[at]) : c[at];
      c[at] = negate ? -value : value;
    }
  }
}

template <class T>
void multiply(const Meaning& m, const Instruction& in, Wave& wave) {
  const MatrixInstruction& op = *m.op;
  const Modifiers& mod = in.decoded->modifiers;
  const bool sparse = target::is_sparse(op.family);
  const Operand &a = operand_a(m, mod), &b = operand_b(m, mod);
  Values<T> values;
  read_operand(a, in.src[0], wave, adjust_of(op, mod, 0), values.a);
  read_operand(b, in.src[1], wave, adjust_of(op, mod, 1), values.b);
  MatrixSum<T> s;
  s.shape = {op.m, op.n, sparse ? op.k / 2 : op.k, op.k, op.blocks};
  s.a = values.a, s.b = values.b;
  s.row_a = a.rows.start.data(), s.row_b = b.rows.start.data(), s.row_d = m.c.start.data();
  if (op.broadcasts_a && mod.cbsz) broadcast_blocks(op, mod, a.rows, values.row_a), s.row_a = values.row_a;
  if (sparse) read_indices(m, in, wave, values.partner), s.partner = values.partner;
  s.d = in_place<T>(m) ? reinterpret_cast<T*>(wave.lanes(in.dst)) : values.d;
  read_c(m, in.src[sparse ? 3 : 2], wave, s.d);
  adjust_c(m, mod, s.d);
  if constexpr (std::is_same_v<T, i32>)
    sum_integers(s, in.clamp);
  else if constexpr (std::is_same_v<T, f64>)
    sum_fma_chain(s);
  else
    sum_floats(m, in, wave, s, values.a, values.b);
  write_d(m, in, wave, s.d);
}

void execute_matrix(const Instruction& in, Wave& wave) {
  const Meaning& m = meaning(*in.operation);
  if (m.op->c == MatrixType::f64)
    multiply<f64>(m, in, wave);
  else if (m.op->c == MatrixType::i32)
    multiply<i32>(m, in, wave);
  else
    multiply<f32>(m, in, wave);
}

// ---- binding -------------------------------------------------------------------------------------------------------

std::string modifier_problem(const MatrixInstruction& op, const Modifiers& mod) {
  bool free = op.a == MatrixType::by_format;
  if (free && (mod.cbsz > 4 || mod.blgp > 4)) return "its cbsz or blgp names no format";
  if (op.broadcasts_a && ((1 << mod.cbsz) > op.blocks || mod.abid >= 1 << mod.cbsz))
    return "its cbsz or abid names no block";
  return "";
}

}  // namespace

const MatrixInstruction& matrix_row(const Operation& operation) { return *meaning(operation).op; }

const Operation* find_matrix_operation(const std::string& mnemonic, const target::Arch& arch) {
  auto at = meanings().index.find({arch.name, mnemonic});
  return at == meanings().index.end() ? nullptr : &meanings().all[static_cast<size_t>(at->second)].operation;
}

std::string bind_matrix(Instruction& in, int wave_size) {
  const Meaning* m = &meaning(*in.operation);
  if (m->op->lanes != wave_size) {
    if (m->other_wave < 0) return "it has no form for waves of " + std::to_string(wave_size) + " lanes";
    m = &meanings().all[static_cast<size_t>(m->other_wave)];
    in.operation = &m->operation;
  }
  const Modifiers& mod = in.decoded->modifiers;
  if (std::string problem = modifier_problem(*m->op, mod); !problem.empty()) return problem;
  bool sparse = target::is_sparse(m->op->family);
  if (in.sources != (m->op->scaled ? 5 : 3)) return "it has another number of operands than its meaning";
  auto is_wrong = [&](int operand, int registers) {
    return in.src[operand].kind != OperandKind::vector || in.src[operand].count != registers;
  };
  bool wrong_c = sparse ? is_wrong(2, 1) : in.src[2].kind == OperandKind::vector && is_wrong(2, m->registers_c);
  if (is_wrong(0, operand_a(*m, mod).registers) || is_wrong(1, operand_b(*m, mod).registers) || wrong_c ||
      in.dst_count != m->registers_c)
    return "an operand has another width than its meaning";
  if (sparse) {  // D holds C, and is not printed twice
    in.src[3] = Source{};
    in.src[3].kind = OperandKind::vector;
    in.src[3].reg = in.dst;
    in.src[3].count = static_cast<uint8_t>(m->registers_c);
    in.sources = 4;
  }
  return "";
}

}  // namespace hipvault::isa
