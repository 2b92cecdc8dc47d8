#include "target/matrix.h"

#include <functional>
#include <map>

#include "base/check.h"
#include "target/matrix_rows.h"

namespace hipvault::target {
namespace {

int log2_of(int value) {
  int bits = 0;
  while ((1 << bits) < value) ++bits;
  return bits;
}

struct Coordinates {
  int inner = 0, block = 0;  // k or row; block
};
// One walk over a layout's characters.
Coordinates locate(const std::string& layout, int group, int element) {
  Coordinates at;
  int bit = 0, next_element = 0;
  bool in_block = false;
  for (char c : layout) {
    if (c == '/') {
      in_block = true;
      bit = 0;
      continue;
    }
    int value = c == 'e' ? element >> next_element++ & 1 : group >> (c - '0') & 1;
    (in_block ? at.block : at.inner) |= value << bit++;
  }
  return at;
}
int element_count(const std::string& layout) {
  int bits = 0;
  for (char c : layout) bits += c == 'e';
  return 1 << bits;
}

// Bits of one map, found by probing: the layouts are linear in the bits of lane and element.
OperandMap map_of(int lanes, int elements, const std::function<std::pair<int, int>(int, int)>& place) {
  OperandMap map;
  for (int bit = 1; bit < lanes; bit *= 2) map.lane_bits.push_back(place(bit, 0));
  for (int bit = 1; bit < elements; bit *= 2) map.element_bits.push_back(place(0, bit));
  return map;
}

DType dtype_of(MatrixType type) {
  switch (type) {
    case MatrixType::f64:
      return DType::f64;
    case MatrixType::f32:
      return DType::f32;
    case MatrixType::f16:
      return DType::f16;
    case MatrixType::bf16:
      return DType::bf16;
    case MatrixType::fp8:
      return DType::f8e4m3fn;
    case MatrixType::bf8:
      return DType::f8e5m2;
    case MatrixType::fp8_fnuz:
      return DType::f8e4m3fnuz;
    case MatrixType::bf8_fnuz:
      return DType::f8e5m2fnuz;
    case MatrixType::i8:
    case MatrixType::iu8:
      return DType::i8;
    case MatrixType::i32:
      return DType::i32;
    default:
      CHECK(false) << "no dtype of ours is this matrix type";
  }
  return DType::f32;
}

const std::map<std::string, std::vector<MatrixInstruction>>& all_rows() {
  static const std::map<std::string, std::vector<MatrixInstruction>> rows = {{"gfx90a", gfx90a_matrix_rows()},
                                                                             {"gfx942", gfx942_matrix_rows()},
                                                                             {"gfx950", gfx950_matrix_rows()},
                                                                             {"gfx1201", gfx1201_matrix_rows()}};
  return rows;
}

}  // namespace

MatrixPlace place_a(const MatrixInstruction& op, int lane, int element) {
  Coordinates at = locate(op.layout_a, lane / op.m, element);
  return {at.block, lane % op.m, at.inner};
}
MatrixPlace place_b(const MatrixInstruction& op, int lane, int element) {
  Coordinates at = locate(op.layout_b, lane / op.n, element);
  return {at.block, at.inner, lane % op.n};
}
MatrixPlace place_c(const MatrixInstruction& op, int lane, int element) {
  Coordinates at = locate(op.layout_c, lane / op.n, element);
  return {at.block, at.inner, lane % op.n};
}
int elements_a(const MatrixInstruction& op) { return element_count(op.layout_a); }
int elements_b(const MatrixInstruction& op) { return element_count(op.layout_b); }
int elements_c(const MatrixInstruction& op) { return element_count(op.layout_c); }

bool is_read(const std::string& layout, int group) {
  for (int bit = 0; group >> bit; ++bit)
    if ((group >> bit & 1) && layout.find(static_cast<char>('0' + bit)) == std::string::npos) return false;
  return true;
}

int source_block(int cbsz, int abid, int block) { return (block >> cbsz << cbsz) + (cbsz ? abid : 0); }

int source_lane(int blgp, int lane) {
  if (blgp == 0) return lane;
  if (blgp == 3) return (lane + 16) % 64;
  return blgp < 3 ? 32 * (blgp - 1) + lane % 32 : 16 * (blgp - 4) + lane % 16;
}

MatrixType format_of(int selector) {
  constexpr MatrixType kFormats[] = {MatrixType::fp8, MatrixType::bf8, MatrixType::fp6, MatrixType::bf6,
                                     MatrixType::fp4};
  return kFormats[selector];
}

// AMD's published kernel for 32x32x64 with fp8 loads k = 16*(l/32) + {0…15} and 32 more ("Matrix Core Programming on
// CDNA3 and CDNA4"); its fp4 kernel loads 32 values in a row [V]. fp6: as fp4 [A].
std::string layout_of_format(const MatrixInstruction& op, MatrixType type) {
  bool wide = op.m == 32;
  if (bits_of(type) == 8) return wide ? "eeee0e" : "eeee01e";
  return wide ? "eeeee0" : "eeeee01";
}

std::span<const MatrixInstruction> matrix_instructions(const std::string& arch) {
  auto at = all_rows().find(arch);
  if (at == all_rows().end()) return {};
  return at->second;
}

const MatrixInstruction* find_matrix_instruction(const std::string& arch, const std::string& mnemonic, int lanes) {
  for (const MatrixInstruction& op : matrix_instructions(arch))
    if (op.mnemonic == mnemonic && op.lanes == lanes) return &op;
  return nullptr;
}

MatrixOp to_matrix_op(const MatrixInstruction& op) {
  CHECK(op.blocks == 1 && !is_sparse(op.family)) << op.mnemonic << " is no instruction for tiles";
  MatrixOp out{op.mnemonic,    op.builtin,     op.m,      op.n, op.k, dtype_of(op.a),
               dtype_of(op.b), dtype_of(op.c), op.cycles, {},   {},   {}};
  std::string plain(static_cast<size_t>(log2_of(elements_a(op))), 'e');
  for (int bit = 0; (1 << bit) < op.lanes / op.m; ++bit) plain += static_cast<char>('0' + bit);
  MatrixInstruction reordered = op;
  reordered.layout_a = reordered.layout_b = plain;
  auto map = [&](MatrixPlace (*place)(const MatrixInstruction&, int, int), int elements) {
    return map_of(op.lanes, elements, [&](int lane, int element) {
      MatrixPlace at = place(reordered, lane, element);
      return std::pair<int, int>{at.row, at.column};
    });
  };
  out.map_a = map(place_a, elements_a(op));
  out.map_b = map(place_b, elements_b(op));
  out.map_c = map(place_c, elements_c(op));
  return out;
}

std::vector<MatrixOp> matrix_ops_of(const std::string& arch, std::span<const char* const> mnemonics) {
  std::vector<MatrixOp> ops;
  int lanes = arch == "gfx1201" ? 32 : 64;
  for (const char* mnemonic : mnemonics) {
    const MatrixInstruction* op = find_matrix_instruction(arch, mnemonic, lanes);
    CHECK(op) << arch << " has no " << mnemonic;
    ops.push_back(to_matrix_op(*op));
  }
  return ops;
}

}  // namespace hipvault::target
