#include "tile/stage_to_lds.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace hipvault::tile {
namespace {

int log2_of(int64_t value) { return 63 - __builtin_clzll(static_cast<unsigned long long>(value)); }

// LDS offsets of a layout's register, lane and wave bits.
std::vector<uint64_t> offset_columns(const std::vector<Coords>& bases, const Layout& shared) {
  std::vector<uint64_t> map = invert(shared.columns(), coordinate_bits(shared.shape)), out;
  for (const Coords& basis : bases) out.push_back(tile::apply(map, flatten(basis, shared.shape)));
  return out;
}

// Lanes served together for an access of so many bytes; the arch's table, else halves of the wave.
std::vector<std::vector<int>> phases_for(const target::Arch& arch, int bytes, int wave_size) {
  for (const target::Arch::LdsPhases& row : arch.lds_read_phases)
    if (row.bytes == std::max(4, bytes)) return row.groups;
  std::vector<std::vector<int>> groups;
  int size = std::max(1, std::min(wave_size, arch.lds_banks * 4 / std::max(4, bytes)));
  for (int lane = 0; lane < wave_size; ++lane) {
    if (lane % size == 0) groups.emplace_back();
    groups.back().push_back(lane);
  }
  return groups;
}

// What is tried: offset bits in order along `fast` first, then the other axes from the last to the first; bit `from +
// t` of the fast axis is exclusive-ored with bit `start + t` of the rest, for t < count, and with its own bit `above +
// t`, for t < folds. The second matters where a row is longer than all banks together: lanes that lie side by side in
// one row, each with only a part of its 16 bytes, would meet in the banks after a full turn.
struct Swizzle {
  int fast = 0, from = 0, start = 0, count = 0, above = 0, folds = 0;
};

Layout swizzled(const std::vector<int32_t>& shape, const Swizzle& swizzle) {
  int fast = swizzle.fast;
  Layout layout;
  layout.shape = shape;
  auto push_axis = [&](int axis) {
    for (int32_t bit = 1; bit < shape[static_cast<size_t>(axis)]; bit *= 2) {
      Coords basis(shape.size(), 0);
      basis[static_cast<size_t>(axis)] = bit;
      layout.reg.push_back(basis);
    }
  };
  push_axis(fast);
  size_t rest = layout.reg.size();
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis)
    if (axis != fast) push_axis(axis);
  auto mix = [&](size_t bit, int t) { layout.reg[bit][static_cast<size_t>(fast)] ^= 1 << (swizzle.from + t); };
  for (int t = 0; t < swizzle.count; ++t) mix(rest + static_cast<size_t>(swizzle.start + t), t);
  for (int t = 0; t < swizzle.folds; ++t) mix(static_cast<size_t>(swizzle.above) + static_cast<size_t>(t), t);
  return layout;
}

int axis_of_first_register(const Layout& layout) {
  for (const Coords& basis : layout.reg)
    for (size_t d = 0; d < basis.size(); ++d)
      if (basis[d]) return static_cast<int>(d);
  return static_cast<int>(layout.shape.size()) - 1;
}

// What a round trip costs: instructions on both sides, each as many cycles as its phases and conflicts take.
int round_trip_cost(const Layout& source, const Layout& destination, const Layout& shared, int bytes,
                    const target::Arch& arch) {
  int cost = 0;
  for (const Layout* side : {&source, &destination}) {
    int vector = lds_vector(*side, shared, bytes), wave_size = 1 << side->lane.size();
    int phases = static_cast<int>(phases_for(arch, vector * bytes, wave_size).size());
    cost += side->registers() / vector * (phases + bank_conflicts(*side, shared, bytes, arch));
  }
  return cost;
}

class Stager {
 public:
  Stager(Kernel& kernel, const PassContext& context) : kernel_(kernel), context_(context) {}
  void run() { kernel_.body = rewrite(std::move(kernel_.body), false); }

 private:
  const Layout& layout_of(ValueId value) const { return *kernel_.values[static_cast<size_t>(value)].layout; }

  bool moves_between_lanes(const Operation& op) const {
    if (op.code != OpCode::convert_layout) return false;
    const Layout &from = layout_of(op.operands[0]), &to = layout_of(op.results[0]);
    return from.lane != to.lane || from.wave != to.wave;
  }

  Block rewrite(Block block, bool in_loop) {
    Block result;
    result.args = std::move(block.args);
    for (size_t at = 0; at < block.ops.size(); ++at) {
      Operation& op = block.ops[at];
      if (!moves_between_lanes(op)) {
        for (Block& region : op.regions) region = rewrite(std::move(region), in_loop || op.code == OpCode::for_loop);
        result.ops.push_back(std::move(op));
        continue;
      }
      std::vector<Operation> batch = take_batch(block, at);
      stage(batch, in_loop, result.ops);
    }
    return result;
  }

  // Conversions that follow each other with nothing but pure operations between; those operations move in front.
  std::vector<Operation> take_batch(Block& block, size_t& at) {
    std::vector<Operation> batch = {std::move(block.ops[at])};
    std::set<ValueId> made = {batch[0].results[0]};
    while (at + 1 < block.ops.size()) {
      const Operation& next = block.ops[at + 1];
      if (!moves_between_lanes(next) || made.contains(next.operands[0])) break;
      made.insert(next.results[0]);
      batch.push_back(std::move(block.ops[++at]));
    }
    return batch;
  }

  Operation make(OpCode code, std::vector<ValueId> operands, std::vector<ValueId> results) const {
    Operation op;
    op.code = code;
    op.operands = std::move(operands);
    op.results = std::move(results);
    return op;
  }

  void stage(const std::vector<Operation>& batch, bool in_loop, std::vector<Operation>& out) {
    std::vector<ValueId> tiles;
    for (const Operation& convert : batch) {
      Type type = kernel_.type(convert.results[0]);
      type.lds = true;
      int bytes = std::max(1, info(type.dtype).bits / 8);
      std::string hint = kernel_.values[static_cast<size_t>(convert.results[0])].hint;
      kernel_.values.push_back(ValueInfo{type, hint.empty() ? "staged" : "staged_" + hint, std::nullopt});
      tiles.push_back(static_cast<ValueId>(kernel_.values.size()) - 1);
      Operation alloc = make(OpCode::lds_alloc, {}, {tiles.back()});
      alloc.attrs.layout =
          choose_swizzle(layout_of(convert.operands[0]), layout_of(convert.results[0]), bytes, *context_.arch);
      out.push_back(std::move(alloc));
    }
    if (in_loop) out.push_back(make(OpCode::barrier, {}, {}));  // the last round has been read
    for (size_t k = 0; k < batch.size(); ++k)
      out.push_back(make(OpCode::lds_store, {tiles[k], batch[k].operands[0]}, {}));
    out.push_back(make(OpCode::barrier, {}, {}));
    for (size_t k = 0; k < batch.size(); ++k) out.push_back(make(OpCode::lds_load, {tiles[k]}, batch[k].results));
  }

  Kernel& kernel_;
  const PassContext& context_;
};

}  // namespace

int lds_vector(const Layout& layout, const Layout& shared, int element_bytes) {
  std::vector<uint64_t> reg = offset_columns(layout.reg, shared), others = offset_columns(layout.lane, shared);
  for (uint64_t column : offset_columns(layout.wave, shared)) others.push_back(column);
  uint64_t run = 1;
  for (uint64_t column : reg) {
    if (column != run) break;
    run *= 2;
  }
  for (uint64_t column : reg)
    if (column >= run) others.push_back(column);
  for (uint64_t column : others)
    while (column & (run - 1)) run /= 2;
  return static_cast<int>(std::min<uint64_t>(run, static_cast<uint64_t>(std::max(1, 16 / element_bytes))));
}

int bank_conflicts(const Layout& layout, const Layout& shared, int element_bytes, const target::Arch& arch) {
  std::vector<uint64_t> lanes = offset_columns(layout.lane, shared);
  int bytes = lds_vector(layout, shared, element_bytes) * element_bytes, extra = 0;
  for (const std::vector<int>& group : phases_for(arch, bytes, 1 << lanes.size())) {
    std::map<int64_t, std::set<int64_t>> words_in_bank;
    for (int lane : group) {
      int64_t first = static_cast<int64_t>(tile::apply(lanes, static_cast<uint64_t>(lane))) * element_bytes / 4;
      for (int64_t word = first; word < first + std::max(1, bytes / 4); ++word)
        words_in_bank[word % arch.lds_banks].insert(word);
    }
    size_t most = 1;
    for (const auto& [bank, words] : words_in_bank) most = std::max(most, words.size());
    extra += static_cast<int>(most) - 1;
  }
  return extra;
}

namespace {

// The best so far of the swizzles tried for one conversion.
class Choice {
 public:
  Choice(const Layout& source, const Layout& destination, int bytes, const target::Arch& arch)
      : source_(source), destination_(destination), bytes_(bytes), arch_(arch) {}

  void offer(const Swizzle& swizzle) {
    Layout candidate = swizzled(source_.shape, swizzle);
    int cost = round_trip_cost(source_, destination_, candidate, bytes_, arch_);
    if (cost_ < 0 || cost < cost_) best_ = candidate, cost_ = cost;
  }
  bool has_conflicts() const {
    return bank_conflicts(source_, best_, bytes_, arch_) + bank_conflicts(destination_, best_, bytes_, arch_) > 0;
  }
  const Layout& best() const { return best_; }

 private:
  const Layout &source_, &destination_;
  int bytes_;
  const target::Arch& arch_;
  Layout best_;
  int cost_ = -1;
};

// Calls f for every mix of `count` bits of the fast axis, the plain order first.
template <class F>
void for_mixes(int fast, int fast_bits, int rest_bits, F f) {
  f(Swizzle{.fast = fast});
  for (int from = 0; from < fast_bits; ++from)
    for (int start = 0; start < rest_bits; ++start)
      for (int count = 1; count <= std::min({fast_bits - from, rest_bits - start, 5}); ++count)
        f(Swizzle{.fast = fast, .from = from, .start = start, .count = count});
}

}  // namespace

Layout choose_swizzle(const Layout& source, const Layout& destination, int element_bytes, const target::Arch& arch) {
  Choice choice(source, destination, element_bytes, arch);
  int turn = log2_of(std::max(1, arch.lds_banks * 4 / element_bytes));  // offset bits that all banks take
  std::set<int> axes = {axis_of_first_register(source), axis_of_first_register(destination)};
  auto bits_of = [&](int axis) { return log2_of(source.shape[static_cast<size_t>(axis)]); };
  int all_bits = coordinate_bits(source.shape);
  for (int fast : axes)
    for_mixes(fast, bits_of(fast), all_bits - bits_of(fast), [&](const Swizzle& swizzle) { choice.offer(swizzle); });
  if (!choice.has_conflicts()) return choice.best();
  for (int fast : axes)
    for_mixes(fast, bits_of(fast), all_bits - bits_of(fast), [&](Swizzle swizzle) {
      swizzle.above = turn;
      int room = std::min(bits_of(fast) - turn, turn - swizzle.from);
      for (swizzle.folds = 1; swizzle.folds <= room; ++swizzle.folds) choice.offer(swizzle);
    });
  return choice.best();
}

Status stage_to_lds(Kernel& kernel, const PassContext& context) {
  Stager(kernel, context).run();
  return {};
}

}  // namespace hipvault::tile
