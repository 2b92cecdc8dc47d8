#pragma once
// One matrix instruction on one wave, from a test: values go in and out by their place in the matrices.
//
//   MatrixRun run("gfx942", "v_mfma_f32_16x16x16_f16", 64);   // or run.adopt(an instruction of a decoded program)
//   run.put_a(0, i, k, bits), run.put_b(0, k, j, bits), run.put_c(0, i, j, bits);
//   run.execute();
//   run.d(0, i, j)

#include <cstring>
#include <map>
#include <vector>

#include "isa/matrix.h"
#include "target/matrix.h"

namespace hipvault::test {

class MatrixRun {
 public:
  MatrixRun(const std::string& arch, const std::string& mnemonic, int lanes)
      : row_(target::find_matrix_instruction(arch, mnemonic, lanes)), registers_(512 * isa::kLanes) {
    wave_.vgpr = registers_.data();
    instruction_.decoded = &decoded_;
    instruction_.operation = isa::find_matrix_operation(mnemonic, *target::find_arch(arch));
    if (row_) fill_places();
  }
  const target::MatrixInstruction& row() const { return *row_; }
  isa::Modifiers& modifiers() { return decoded_.modifiers; }
  isa::Wave& wave() { return wave_; }
  isa::Instruction& instruction() { return instruction_; }
  target::MatrixType type_a() const { return type_of(row_->a, decoded_.modifiers.cbsz); }
  target::MatrixType type_b() const { return type_of(row_->b, decoded_.modifiers.blgp); }

  // Formats or registers were chosen: places change.
  void fill_places() {
    a_ = places(bases_.a, type_a(), true), b_ = places(bases_.b, type_b(), false);
    c_ = results(bases_.c), d_ = results(bases_.d);
  }
  // Takes registers and modifiers of a bound instruction.
  void adopt(const isa::Instruction& bound) {
    instruction_ = bound;
    decoded_ = *bound.decoded;
    instruction_.decoded = &decoded_;
    bool sparse = is_sparse(row_->family);
    bases_ = {bound.src[0].reg, bound.src[1].reg, sparse ? bound.dst : bound.src[2].reg, bound.dst, bound.src[2].reg,
              bound.src[3].reg, bound.src[4].reg};
    adopted_ = true;
    fill_places();
  }
  void put_a(int block, int i, int k, uint64_t bits) { put(a_.at({block, i, k}), bits); }
  void put_b(int block, int k, int j, uint64_t bits) { put(b_.at({block, k, j}), bits); }
  void put_c(int block, int i, int j, uint64_t bits) { put(c_.at({block, i, j}), bits); }
  uint64_t d(int block, int i, int j) const { return get(d_.at({block, i, j})); }
  uint32_t* index() { return wave_.lanes(bases_.index); }
  uint32_t* scale_a() { return wave_.lanes(bases_.scale_a); }
  uint32_t* scale_b() { return wave_.lanes(bases_.scale_b); }
  void clear() { std::fill(registers_.begin(), registers_.end(), 0); }

  // Binds and runs; what was wrong with the operands, or "".
  std::string execute() {
    if (adopted_) {
      instruction_.operation->execute(instruction_, wave_);
      return "";
    }
    instruction_.sources = 0;
    instruction_.dst = static_cast<uint16_t>(bases_.d);
    instruction_.dst_count = static_cast<int8_t>(registers_for(elements_c(*row_), bits_of(row_->c)));
    source(bases_.a, registers_for(count(a_), bits_of(type_a())));
    source(bases_.b, registers_for(count(b_), bits_of(type_b())));
    if (is_sparse(row_->family))
      source(bases_.index, 1);
    else
      source(bases_.c, instruction_.dst_count);
    if (row_->scaled) source(bases_.scale_a, 1), source(bases_.scale_b, 1);
    std::string problem = isa::bind_matrix(instruction_, row_->lanes);
    if (problem.empty()) instruction_.operation->execute(instruction_, wave_);
    return problem;
  }

 private:
  struct Spot {
    int base = 0, lane = 0, element = 0, bits = 0;
  };
  using Key = std::array<int, 3>;
  using Places = std::map<Key, Spot>;

  struct Bases {
    int a = 40, b = 60, c = 0, d = 0, index = 100, scale_a = 101, scale_b = 102;
  };

  Places results(int base) const {
    Places out;
    for (int lane = 0; lane < row_->lanes; ++lane)
      for (int e = 0; e < elements_c(*row_); ++e) out[key(place_c(*row_, lane, e))] = {base, lane, e, bits_of(row_->c)};
    return out;
  }
  static target::MatrixType type_of(target::MatrixType type, int selector) {
    return type == target::MatrixType::by_format ? target::format_of(selector) : type;
  }
  static Key key(const target::MatrixPlace& at) { return {at.block, at.row, at.column}; }
  static int registers_for(int elements, int bits) { return std::max(1, elements * bits / 32); }
  int count(const Places& places) const {
    int most = 0;
    for (const auto& [unused, spot] : places) most = std::max(most, spot.element + 1);
    return most;
  }
  Places places(int base, target::MatrixType type, bool is_a) const {
    target::MatrixInstruction op = *row_;
    if (op.a == target::MatrixType::by_format) op.layout_a = op.layout_b = layout_of_format(op, type);
    Places out;
    const std::string& layout = is_a ? op.layout_a : op.layout_b;
    for (int lane = 0; lane < op.lanes; ++lane)
      for (int e = 0; target::is_read(layout, lane / op.m) && e < (is_a ? elements_a(op) : elements_b(op)); ++e)
        out[key(is_a ? place_a(op, lane, e) : place_b(op, lane, e))] = {base, lane, e, bits_of(type)};
    return out;
  }
  void source(int base, int count) {
    isa::Source& s = instruction_.src[instruction_.sources++];
    s.kind = isa::OperandKind::vector;
    s.reg = static_cast<uint16_t>(base);
    s.count = static_cast<uint8_t>(count);
  }
  // Up to 64 bits from bit element * bits on, over the registers of one lane.
  void put(const Spot& spot, uint64_t value) {
    for (int bit = 0; bit < spot.bits; ++bit) {
      int at = spot.element * spot.bits + bit;
      uint32_t& word = registers_[static_cast<size_t>((spot.base + at / 32) * isa::kLanes + spot.lane)];
      word = (word & ~(1u << at % 32)) | static_cast<uint32_t>(value >> bit & 1) << at % 32;
    }
  }
  uint64_t get(const Spot& spot) const {
    uint64_t value = 0;
    for (int bit = 0; bit < spot.bits; ++bit) {
      int at = spot.element * spot.bits + bit;
      uint64_t word = registers_[static_cast<size_t>((spot.base + at / 32) * isa::kLanes + spot.lane)];
      value |= (word >> at % 32 & 1) << bit;
    }
    return value;
  }

  const target::MatrixInstruction* row_;
  std::vector<uint32_t> registers_;
  isa::Wave wave_;
  isa::Decoded decoded_;
  isa::Instruction instruction_;
  Bases bases_;
  bool adopted_ = false;
  Places a_, b_, c_, d_;
};

}  // namespace hipvault::test
