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

// For element e of lane group g: the first of a run of values in the plain matrix; -1: the group's lanes are not read.
struct Runs {
  int elements = 0, groups = 0, length = 0;
  std::vector<int> first;  // [element][group]
  int at(int element, int group) const { return first[static_cast<size_t>(element * groups + group)]; }
};

// `inner`: k of A and B (A is kept as [k][m]), rows of D.
Runs runs_of(const MatrixInstruction& op, const std::string& layout, int length, int inner,
             MatrixPlace (*place)(const MatrixInstruction&, int, int), bool inner_is_column) {
  MatrixInstruction with_layout = op;
  with_layout.layout_a = with_layout.layout_b = with_layout.layout_c = layout;
  Runs runs;
  runs.elements = target::elements_a(with_layout);
  runs.groups = op.lanes / length;
  runs.length = length;
  for (int e = 0; e < runs.elements; ++e)
    for (int g = 0; g < runs.groups; ++g) {
      MatrixPlace at = place(with_layout, g * length, e);
      int first = (at.block * inner + (inner_is_column ? at.column : at.row)) * length;
      runs.first.push_back(target::is_read(layout, g) ? first : -1);
    }
  return runs;
}

struct Operand {
  MatrixType type;
  int registers = 0;
  Runs runs;
};

Operand operand_of(const MatrixInstruction& op, bool is_b, MatrixType type) {
  const std::string& own = is_b ? op.layout_b : op.layout_a;
  std::string layout = op.a == MatrixType::by_format ? target::layout_of_format(op, type) : own;
  int k = !is_b && target::is_sparse(op.family) ? op.k / 2 : op.k;
  Operand operand{type, 0, runs_of(op, layout, op.m, k, is_b ? target::place_b : target::place_a, !is_b)};
  operand.registers = std::max(1, operand.runs.elements * target::bits_of(type) / 32);
  return operand;
}

// One row of target/matrix.h, ready to run.
struct Meaning {
  const MatrixInstruction* op = nullptr;
  std::vector<Operand> a, b;  // by format; one where there is no choice
  Runs c;
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
  m.c = runs_of(op, op.layout_c, op.n, op.m, target::place_c, false);
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
    for (const target::Arch& arch : target::all_archs()) add(arch);
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

// ---- reading -------------------------------------------------------------------------------------------------------

template <class T>
void copy_runs(const Runs& runs, int element, const T* lanes, T* matrix) {
  for (int g = 0; g < runs.groups; ++g)
    if (int first = runs.at(element, g); first >= 0)
      std::memcpy(matrix + first, lanes + g * runs.length, static_cast<size_t>(runs.length) * sizeof(T));
}

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

template <class T>
void read_operand(const Operand& operand, const Source& source, const Wave& wave, const Adjust& adjust, T* matrix) {
  const int bits = target::bits_of(operand.type);
  alignas(64) T lanes[kLanes];
  for (int e = 0; e < operand.runs.elements; ++e) {
    const int at = e * bits, reg = source.reg + at / 32;
    const u32* low = wave.lanes(reg);
    if constexpr (std::is_same_v<T, f64>) {
      const u32* high = wave.lanes(reg + 1);
      for (int l = 0; l < kLanes; ++l) lanes[l] = std::bit_cast<f64>(low[l] | static_cast<u64>(high[l]) << 32);
    } else if constexpr (std::is_same_v<T, i32>) {
      read_integers(operand.type, low, at % 32, adjust.is_signed, lanes);
    } else {
      bool straddles = at % 32 + bits > 32;
      read_floats(operand.type, low, straddles ? wave.lanes(reg + 1) : low, at % 32, lanes);
    }
    adjust_lanes(adjust, e, lanes);
    copy_runs(operand.runs, e, lanes, matrix);
  }
}

// One element of C of all lanes; constants and scalars stand in every lane.
template <class T>
void read_c_lanes(const Meaning& m, const Source& source, const Wave& wave, int element, T* lanes) {
  const int bits = target::bits_of(m.op->c), at = element * bits;
  alignas(64) u32 low[kLanes], high[kLanes];
  bool in_registers = source.kind == OperandKind::vector;
  fetch_dwords(source, wave, in_registers ? at / 32 : 0, low);
  if constexpr (sizeof(T) == 8) {
    fetch_dwords(source, wave, in_registers ? at / 32 + 1 : 1, high);
    for (int l = 0; l < kLanes; ++l) lanes[l] = std::bit_cast<T>(low[l] | static_cast<u64>(high[l]) << 32);
  } else if constexpr (std::is_same_v<T, i32>) {
    std::memcpy(lanes, low, sizeof low);
  } else {
    read_floats(m.op->c, low, low, in_registers ? at % 32 : 0, lanes);
  }
}

template <class T>
void read_c(const Meaning& m, const Source& source, const Wave& wave, bool negate, bool absolute, T* matrix) {
  alignas(64) T lanes[kLanes];
  for (int e = 0; e < m.c.elements; ++e) {
    read_c_lanes(m, source, wave, e, lanes);
    if constexpr (!std::is_same_v<T, i32>) {
      if (absolute)
        for (int l = 0; l < kLanes; ++l) lanes[l] = std::fabs(lanes[l]);
      if (negate)
        for (int l = 0; l < kLanes; ++l) lanes[l] = -lanes[l];
    }
    copy_runs(m.c, e, lanes, matrix);
  }
}

template <class T>
void write_d(const Meaning& m, const Instruction& in, Wave& wave, const T* matrix) {
  const int bits = target::bits_of(m.op->c);
  alignas(64) T lanes[kLanes];
  for (int e = 0; e < m.c.elements; ++e) {
    for (int g = 0; g < m.c.groups; ++g)
      std::memcpy(lanes + g * m.c.length, matrix + m.c.at(e, g), static_cast<size_t>(m.c.length) * sizeof(T));
    u32* to = wave.lanes(in.dst + e * bits / 32);
    if constexpr (sizeof(T) == 8) {
      for (int l = 0; l < m.op->lanes; ++l) {
        u64 value = std::bit_cast<u64>(lanes[l]);
        to[l] = static_cast<u32>(value);
        to[kLanes + l] = static_cast<u32>(value >> 32);
      }
    } else if (bits == 32) {
      std::memcpy(to, lanes, static_cast<size_t>(m.op->lanes) * sizeof(T));
    } else {
      for (int l = 0; l < m.op->lanes; ++l) {
        f32 value = static_cast<f32>(lanes[l]);
        u32 half = m.op->c == MatrixType::bf16 ? to_bfloat(value) : std::bit_cast<u16>(static_cast<f16>(value));
        to[l] = e % 2 ? (to[l] & 0xffff) | half << 16 : (to[l] & 0xffff0000) | half;
      }
    }
  }
}

// ---- modifiers -----------------------------------------------------------------------------------------------------

template <class T>
void broadcast_blocks(const MatrixInstruction& op, const Modifiers& mod, T* a) {
  const int size = op.m * op.k;
  for (int block = 0; block < op.blocks; ++block)
    if (int from = target::source_block(mod.cbsz, mod.abid, block); from != block)
      std::memcpy(a + block * size, a + from * size, static_cast<size_t>(size) * sizeof(T));
}

// Stored value k of row i meets row 4*(k/2) + index of B. A lane's indices are two bits a value, from bit
// `set * 2 * values` on.
void read_indices(const Meaning& m, const Instruction& in, const Wave& wave, uint8_t* row_b) {
  const Runs& runs = m.a[0].runs;
  const Modifiers& mod = in.decoded->modifiers;
  const int sets = 16 / runs.elements;
  int set = m.op->family == MatrixFamily::swmmac ? mod.index_key : mod.cbsz ? 0 : mod.abid;
  set = sets ? set % sets : 0;
  alignas(64) u32 raw[kLanes];
  fetch_dwords(in.src[2], wave, 0, raw);
  for (int e = 0; e < runs.elements; ++e)
    for (int g = 0; g < runs.groups; ++g) {
      int first = runs.at(e, g);
      if (first < 0) continue;
      int k = first / runs.length, shift = 2 * (set * runs.elements + e);
      for (int i = 0; i < runs.length; ++i)
        row_b[first + i] = static_cast<uint8_t>(4 * (k / 2) + (raw[g * runs.length + i] >> shift & 3));
    }
}

// E8M0 scales: lane l has those of row l % M and of the l / M-th 32 values of k. The byte is chosen by op_sel and
// op_sel_hi.
void read_scales(const MatrixInstruction& op, const Source& source, const Wave& wave, int byte, i32* out) {
  alignas(64) u32 raw[kLanes];
  fetch_dwords(source, wave, 0, raw);
  for (int l = 0; l < kLanes; ++l) {
    i32 exponent = static_cast<i32>(raw[l] >> (8 * byte) & 255);
    out[l / op.m * op.m + l % op.m] = exponent == 255 ? kExponentOfSpecial : exponent - 127;
  }
}
int scale_byte(const Modifiers& mod, int operand) {
  return (mod.op_sel >> operand & 1) | (mod.op_sel_hi >> operand & 1) << 1;  // -1, not printed, is all ones
}

// Fast mode multiplies the values themselves.
void apply_scales(const i32* scale, int k, int length, f32* matrix) {
  for (int at = 0; at < k; ++at)
    for (int i = 0; i < length; ++i) {
      int exponent = scale[at / 32 * length + i];
      f32& value = matrix[at * length + i];
      value = exponent >= kExponentOfSpecial / 2 ? NAN : std::ldexp(value, exponent);
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
struct Tiles {
  alignas(64) T a[kMatrixCapacity];
  alignas(64) T b[kMatrixCapacity];
  alignas(64) T d[kMatrixCapacity];
  alignas(64) uint8_t row_b[kMatrixCapacity];
};

struct Scales {
  alignas(64) i32 a[kLanes], b[kLanes];
};

void sum_floats(const Meaning& m, const Instruction& in, const Wave& wave, const MatrixSum<f32>& s, Tiles<f32>& tiles) {
  const MatrixInstruction& op = *m.op;
  const Modifiers& mod = in.decoded->modifiers;
  const MatrixType type_a = operand_a(m, mod).type, type_b = operand_b(m, mod).type;
  const int count_a = op.m * s.shape.k * op.blocks, count_b = op.n * op.k * op.blocks;
  Scales scales;
  if (op.scaled) {
    read_scales(op, in.src[3], wave, scale_byte(mod, 0), scales.a);
    read_scales(op, in.src[4], wave, scale_byte(mod, 1), scales.b);
  }
  if (wave.fast_matrix || op.arithmetic == MatrixArithmetic::fma_chain) {
    if (op.scaled) apply_scales(scales.a, op.k, op.m, tiles.a), apply_scales(scales.b, op.k, op.n, tiles.b);
    return sum_fma_chain(s);
  }
  if (op.arithmetic == MatrixArithmetic::flushed_pairs) {
    drop_denormals(type_a, tiles.a, count_a);
    drop_denormals(type_b, tiles.b, count_b);
    return sum_flushed_pairs(s, op.chunk);
  }
  alignas(64) i32 exponents_a[kMatrixCapacity], exponents_b[kMatrixCapacity];
  Exponents e{exponents_a, exponents_b, lowest_exponent(type_a), lowest_exponent(type_b), nullptr, nullptr};
  fill_exponents(tiles.a, count_a, e.lowest_a, exponents_a);
  fill_exponents(tiles.b, count_b, e.lowest_b, exponents_b);
  if (op.scaled) e.scale_a = scales.a, e.scale_b = scales.b;
  sum_truncated(s, e, op.chunk, op.arithmetic == MatrixArithmetic::truncated_halves);
}

template <class T>
void multiply(const Meaning& m, const Instruction& in, Wave& wave) {
  const MatrixInstruction& op = *m.op;
  const Modifiers& mod = in.decoded->modifiers;
  const bool sparse = target::is_sparse(op.family), rdna = op.family == MatrixFamily::wmma;
  Tiles<T> tiles;
  read_operand(operand_a(m, mod), in.src[0], wave, adjust_of(op, mod, 0), tiles.a);
  read_operand(operand_b(m, mod), in.src[1], wave, adjust_of(op, mod, 1), tiles.b);
  bool negate_c = op.negates ? mod.neg >> 2 & 1 : rdna && (mod.neg_lo >> 2 & 1);
  read_c(m, in.src[sparse ? 3 : 2], wave, negate_c, rdna && (mod.neg_hi >> 2 & 1), tiles.d);
  if (op.broadcasts_a && mod.cbsz) broadcast_blocks(op, mod, tiles.a);
  if (sparse) read_indices(m, in, wave, tiles.row_b);
  MatrixSum<T> s{{op.m, op.n, sparse ? op.k / 2 : op.k, op.k, op.blocks},
                 tiles.a,
                 tiles.b,
                 tiles.d,
                 sparse ? tiles.row_b : nullptr};
  if constexpr (std::is_same_v<T, i32>)
    sum_integers(s, in.clamp);
  else if constexpr (std::is_same_v<T, f64>)
    sum_fma_chain(s);
  else
    sum_floats(m, in, wave, s, tiles);
  write_d(m, in, wave, tiles.d);
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
