#include "tile/assign_layouts.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "tile/axis_info.h"
#include "tile/free_values.h"

namespace hipvault::tile {
namespace {

// The layout a value would have by itself. Strong: a matrix instruction dictates it, so neighbours should follow.
struct Natural {
  Layout layout;
  bool strong = false;
};

int first_axis(const Layout& layout) {
  for (const std::vector<Coords>* bases : {&layout.reg, &layout.lane, &layout.wave})
    for (const Coords& basis : *bases)
      for (size_t d = 0; d < basis.size(); ++d)
        if (basis[d]) return static_cast<int>(d);
  return static_cast<int>(layout.shape.size()) - 1;
}

int run_of_registers(const Layout& layout) {
  int axis = first_axis(layout), run = 1;
  for (const Coords& basis : layout.reg) {
    if (basis[static_cast<size_t>(axis)] != run) break;
    run *= 2;
  }
  return run;
}

// Whether what lanes hold together is neighbours along `axis`: a run of registers, continued by the next lane.
bool runs_along(const Layout& layout, int axis) {
  auto d = static_cast<size_t>(axis);
  Coords next(layout.shape.size(), 0);
  next[d] = 1;
  for (const Coords& basis : layout.reg) {
    if (basis != next) break;
    next[d] *= 2;
  }
  return next[d] >= layout.shape[d] || (!layout.lane.empty() && layout.lane[0] == next);
}

class Assigner {
 public:
  Assigner(Kernel& kernel, const PassContext& context)
      : kernel_(kernel),
        context_(context),
        axes_(kernel, context.multiple_of),
        costs_(free_costs(kernel)),
        definition_(kernel.values.size(), nullptr) {}

  Status run() {
    Block old = std::move(kernel_.body);
    kernel_.body = {};
    index(old, nullptr);
    if (Status status = choose_matrix_ops(old); !status) return status;
    visit(old, [&](const Operation& op) { note_access(op); });
    kernel_.body = rewrite(old);
    return {};
  }

 private:
  // ---- what the program is made of
  // ---------------------------------------------------------------------------------------

  void index(const Block& block, const Operation* parent) {
    for (ValueId arg : block.args) argument_of_[arg] = parent;
    for (const Operation& op : block.ops) {
      for (ValueId result : op.results) definition_[static_cast<size_t>(result)] = &op;
      for (const Block& region : op.regions) index(region, &op);
      for (ValueId operand : op.operands) users_[operand].push_back(&op);
    }
  }

  bool is_free(ValueId value) const { return costs_[static_cast<size_t>(value)] >= 0; }
  bool is_lazy(ValueId value) const {
    const Operation* op = definition_[static_cast<size_t>(value)];
    return is_free(value) || (op && op_group(op->code) == OpGroup::shape && op->code != OpCode::convert_layout);
  }

  const target::MatrixOp* best_matrix_op(const Operation& dot) const {
    const Type &a = kernel_.type(dot.operands[0]), &b = kernel_.type(dot.operands[1]),
               &c = kernel_.type(dot.operands[2]);
    const target::MatrixOp* best = nullptr;
    double best_cost = 0;
    for (const target::MatrixOp& op : context_.arch->matrix_ops) {
      if (op.a != a.dtype || op.b != b.dtype || op.c != c.dtype) continue;
      if (op.m > c.shape[0] || op.n > c.shape[1] || op.k > a.shape[1]) continue;
      double cost = op.cycles / (static_cast<double>(op.m) * op.n * op.k) * (1 + 0.001 * op.m);
      if (!best || cost < best_cost) best = &op, best_cost = cost;
    }
    return best;
  }

  Status choose_matrix_ops(Block& block) {
    Status status;
    visit(block, [&](Operation& op) {
      if (op.code != OpCode::dot || op.attrs.matrix) return;
      op.attrs.matrix = best_matrix_op(op);
      if (!op.attrs.matrix && status)
        status = fail("tile.no-matrix-op",
                      "kernel " + kernel_.name + ": " + context_.arch->name + " has no matrix instruction for " +
                          text(kernel_.type(op.operands[0])) + " x " + text(kernel_.type(op.operands[1])) + " into " +
                          text(kernel_.type(op.operands[2])),
                      "cast the operands to a type the arch multiplies, or take larger tiles");
    });
    return status;
  }

  // ---- blocked layouts from memory accesses
  // --------------------------------------------------------------------------------

  int64_t alignment_of(int buffer) const {
    const BufferArg& arg = kernel_.buffers[static_cast<size_t>(buffer)];
    auto fact = context_.alignment.find(arg.name);
    return fact == context_.alignment.end() ? std::max<int64_t>(1, info(arg.dtype).bits / 8) : fact->second;
  }

  int fast_axis(const Operation& access) const {
    const std::vector<int32_t>& shape = kernel_.type(access.operands[0]).shape;
    const AxisInfo& offsets = axes_.of(access.operands[0]);
    int best = static_cast<int>(shape.size()) - 1;
    for (int d = best - 1; d >= 0; --d)
      if (offsets.contiguity[static_cast<size_t>(d)] > offsets.contiguity[static_cast<size_t>(best)]) best = d;
    return best;
  }

  static bool is_access(const Operation& op) {
    return op.code == OpCode::load || op.code == OpCode::store || op.code == OpCode::atomic;
  }

  void note_access(const Operation& op) {
    if (!is_access(op)) return;
    const std::vector<int32_t>& shape = kernel_.type(op.operands[0]).shape;
    if (shape.empty()) return;
    int axis = fast_axis(op);
    int& width = widths_[{shape, axis}];
    width = std::max(
        {width, 1, op.code == OpCode::atomic ? 1 : axes_.access_width(op, axis, alignment_of(op.attrs.buffer))});
    if (!default_axis_.contains(shape)) default_axis_[shape] = axis;
  }

  Layout base(const std::vector<int32_t>& shape, int fast) const {
    auto known = widths_.find({shape, fast});
    return spread(shape, fast, known == widths_.end() ? 1 : known->second);
  }

  // `width` neighbours a lane along `fast`, lanes along `fast` first, waves along the slowest axes first.
  Layout spread(const std::vector<int32_t>& shape, int fast, int width) const {
    int64_t total = 1;
    for (int32_t extent : shape) total *= extent;
    int64_t lanes_in_all = static_cast<int64_t>(kernel_.wave_size) * kernel_.waves;
    std::vector<int> order = {fast};
    for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d)
      if (d != fast) order.push_back(d);
    std::vector<int32_t> left = shape, vector(shape.size(), 1), lanes(shape.size(), 1), waves(shape.size(), 1);
    auto f = static_cast<size_t>(fast);
    vector[f] = static_cast<int32_t>(std::clamp<int64_t>(total / lanes_in_all, 1, std::min<int64_t>(width, shape[f])));
    left[f] /= vector[f];
    auto take = [&](std::vector<int32_t>& counts, const std::vector<int>& along, int32_t wanted) {
      for (int axis : along) {
        auto d = static_cast<size_t>(axis);
        int32_t part = std::min(wanted, left[d]);
        counts[d] *= part;
        left[d] /= part;
        wanted /= part;
      }
      counts[f] *= wanted;  // more lanes than elements: they repeat
    };
    take(lanes, order, kernel_.wave_size);
    std::vector<int> slow_first(order.rbegin(), order.rend());
    take(waves, slow_first, kernel_.waves);
    return Layout::blocked(shape, vector, lanes, waves, order);
  }

  Layout default_layout(const std::vector<int32_t>& shape) const {
    auto axis = default_axis_.find(shape);
    return base(shape, axis == default_axis_.end() ? static_cast<int>(shape.size()) - 1 : axis->second);
  }
  Layout access_layout(const Operation& access) const {
    return base(kernel_.type(access.operands[0]).shape, fast_axis(access));
  }

  // Along `axis` a lane holds consecutive elements, then lanes, then waves: what scans and sorts want.
  Layout consecutive_layout(const std::vector<int32_t>& shape, int axis) const {
    return spread(shape, axis, shape[static_cast<size_t>(axis)]);
  }

  std::vector<int32_t> dot_waves(const Operation& dot) const {
    const std::vector<int32_t>& shape = kernel_.type(dot.results[0]).shape;
    int32_t rows = shape[0] / dot.attrs.matrix->m, columns = shape[1] / dot.attrs.matrix->n, left = kernel_.waves;
    std::vector<int32_t> waves = {1, 1};
    while (left > 1) {
      bool by_rows = rows >= columns;
      if (std::max(rows, columns) > 1) (by_rows ? rows : columns) /= 2;
      waves[by_rows ? 0 : 1] *= 2;
      left /= 2;
    }
    return waves;
  }
  Layout dot_layout(const Operation& dot, char which) const {
    size_t operand = which == 'a' ? 0 : which == 'b' ? 1 : 2;
    return Layout::matrix(*dot.attrs.matrix, which, kernel_.type(dot.operands[operand]).shape, dot_waves(dot));
  }

  // ---- natural layouts
  // -----------------------------------------------------------------------------------------------------

  std::optional<Natural> natural(ValueId value) {
    if (kernel_.type(value).shape.empty()) return std::nullopt;
    if (auto known = natural_.find(value); known != natural_.end()) return known->second;
    if (!asking_.insert(value).second) return std::nullopt;  // a loop that asks for itself
    std::optional<Natural> found = compute_natural(value);
    asking_.erase(value);
    if (found) natural_[value] = found;
    return found;
  }

  std::optional<Natural> compute_natural(ValueId value) {
    if (auto arg = argument_of_.find(value); arg != argument_of_.end()) return natural_of_carried(*arg->second, value);
    if (is_free(value)) return std::nullopt;
    const Operation& op = *definition_[static_cast<size_t>(value)];
    if (op_group(op.code) == OpGroup::value) return natural_of_operands(op);
    switch (op.code) {
      case OpCode::load:
      case OpCode::atomic:
        return Natural{access_layout(op)};
      case OpCode::dot:
        return Natural{dot_layout(op, 'c'), true};
      case OpCode::reduce:
        return Natural{layout_or_default(op.operands[0]).without_axis(op.attrs.axis)};
      case OpCode::scan:
      case OpCode::sort:
        return Natural{consecutive_layout(kernel_.type(value).shape, op.attrs.axis)};
      case OpCode::gather:
        return Natural{layout_or_default(op.operands[1])};
      case OpCode::for_loop:
      case OpCode::if_else:
        return natural_of_result(op, value);
      case OpCode::expand_dims:
      case OpCode::permute:
      case OpCode::reshape:
        return natural_of_shape_op(op);
      case OpCode::convert_layout:
        return op.attrs.layout ? Natural{*op.attrs.layout, true} : natural(op.operands[0]);
      default:
        return std::nullopt;
    }
  }

  // A small tile that is only there to be broadcast (a weight row, a scale a row) is loaded as the large one needs it,
  // so that no element has to move between lanes afterwards.
  std::optional<Layout> wanted_by_broadcast(ValueId value) {
    for (const Operation* user : users_[value]) {
      bool shape = op_group(user->code) == OpGroup::shape && user->code != OpCode::convert_layout;
      if (!shape && op_group(user->code) != OpGroup::value) continue;
      ValueId result = user->results[0];
      std::optional<Layout> layout =
          user->code == OpCode::broadcast ? layout_around(result) : wanted_by_broadcast(result);
      if (layout) return operand_layout(*user, value, *layout);
    }
    return std::nullopt;
  }
  Layout layout_around(ValueId broadcast) {
    for (const Operation* user : users_[broadcast])
      if (op_group(user->code) == OpGroup::value)
        if (std::optional<Natural> found = natural(user->results[0])) return found->layout;
    return default_layout(kernel_.type(broadcast).shape);
  }

  std::optional<Natural> natural_of_operands(const Operation& op) {
    std::optional<Natural> first;
    for (ValueId operand : op.operands) {
      std::optional<Natural> candidate = natural(operand);
      if (candidate && candidate->strong) return candidate;
      if (candidate && !first) first = candidate;
    }
    return first;
  }
  std::optional<Natural> natural_of_shape_op(const Operation& op) {
    std::optional<Natural> from = natural(op.operands[0]);
    if (!from) return from;
    if (op.code == OpCode::expand_dims) return Natural{from->layout.with_axis(op.attrs.axis), from->strong};
    if (op.code == OpCode::permute) return Natural{from->layout.permuted(op.attrs.axes), from->strong};
    return Natural{from->layout.reshaped(kernel_.type(op.results[0]).shape), from->strong};
  }
  std::optional<Natural> natural_of_result(const Operation& op, ValueId value) {
    size_t at = static_cast<size_t>(std::find(op.results.begin(), op.results.end(), value) - op.results.begin());
    if (op.code == OpCode::for_loop) return natural(op.regions[0].args[at + 1]);
    for (const Block& region : op.regions)
      if (std::optional<Natural> found = natural(region.ops.back().operands[at])) return found;
    return std::nullopt;
  }
  // A carried tile lies as the loop body leaves it; the initial value adapts.
  std::optional<Natural> natural_of_carried(const Operation& loop, ValueId arg) {
    const std::vector<ValueId>& args = loop.regions[0].args;
    size_t at = static_cast<size_t>(std::find(args.begin(), args.end(), arg) - args.begin());
    if (at == 0) return std::nullopt;
    if (std::optional<Natural> yielded = natural(loop.regions[0].ops.back().operands[at - 1])) return yielded;
    return natural(loop.operands[at + 2]);
  }

  Layout layout_or_default(ValueId value) {
    std::optional<Natural> found = natural(value);
    return found ? found->layout : default_layout(kernel_.type(value).shape);
  }

  // ---- the new program
  // -----------------------------------------------------------------------------------------------------

  ValueInfo& info_of(ValueId value) { return kernel_.values[static_cast<size_t>(value)]; }

  void hold(ValueId value, const Layout& layout) { info_of(value).layout = layout; }

  ValueId emit_clone(const Operation& op, std::vector<ValueId> operands, const Layout& layout) {
    Operation clone = op;
    clone.operands = std::move(operands);
    clone.comment.clear();
    ValueInfo info = info_of(op.results[0]);
    info.layout = layout;
    kernel_.values.push_back(info);
    clone.results = {static_cast<ValueId>(kernel_.values.size()) - 1};
    out_->push_back(std::move(clone));
    return out_->back().results[0];
  }

  // What the operand must lie in for `op` (elementwise or a change of shape) to lie in `layout`.
  Layout operand_layout(const Operation& op, ValueId operand, const Layout& layout) const {
    const std::vector<int32_t>& shape = kernel_.type(operand).shape;
    switch (op.code) {
      case OpCode::expand_dims:
        return layout.without_axis(op.attrs.axis);
      case OpCode::broadcast:
        return layout.narrowed_to(shape);
      case OpCode::reshape:
        return layout.reshaped(shape);
      case OpCode::permute: {
        std::vector<int> inverse(op.attrs.axes.size());
        for (size_t d = 0; d < inverse.size(); ++d)
          inverse[static_cast<size_t>(op.attrs.axes[d])] = static_cast<int>(d);
        return layout.permuted(inverse);
      }
      default:
        return layout;
    }
  }

  // The value in the layout asked for; emits what is needed for that.
  ValueId get(ValueId value, const Layout& layout) {
    if (kernel_.type(value).shape.empty() || kernel_.type(value).lds) return value;
    if (!is_lazy(value) && info_of(value).layout == layout) return value;
    std::pair<ValueId, std::string> key = {value, layout.text()};
    if (auto known = made_.find(key); known != made_.end()) return known->second;
    ValueId made = -1;
    if (is_lazy(value)) {
      const Operation& op = *definition_[static_cast<size_t>(value)];
      std::vector<ValueId> operands;
      for (ValueId operand : op.operands) operands.push_back(get(operand, operand_layout(op, operand, layout)));
      made = emit_clone(op, operands, layout);
    } else {
      Operation convert;
      convert.code = OpCode::convert_layout;
      convert.results = {value};
      made = emit_clone(convert, {value}, layout);
    }
    made_[key] = made;
    return made;
  }

  Layout layout_for_store(const Operation& op) {
    std::optional<Natural> value = natural(op.operands[1]);
    if (!value) return access_layout(op);
    int fast = fast_axis(op);
    bool contiguous = axes_.of(op.operands[0]).contiguity[static_cast<size_t>(fast)] > 1;
    bool other_axis = kernel_.type(op.operands[0]).shape.size() > 1 && !runs_along(value->layout, fast);
    // A lane with a long run of its own (after a scan) would leave its neighbours' lines alone.
    Layout wanted = access_layout(op);
    bool long_runs = run_of_registers(value->layout) > run_of_registers(wanted);
    return !value->strong && contiguous && (other_axis || long_runs) ? wanted : value->layout;
  }

  // Layouts asked of the operands; the results are held in `results`.
  void place(const Operation& op, const std::vector<Layout>& operands, const std::vector<Layout>& results) {
    Operation placed = op;
    for (size_t k = 0; k < op.operands.size(); ++k) placed.operands[k] = get(op.operands[k], operands[k]);
    for (size_t k = 0; k < op.results.size(); ++k)
      if (!kernel_.type(op.results[k]).shape.empty()) hold(op.results[k], results[k]);
    out_->push_back(std::move(placed));
  }
  void place_all(const Operation& op, const Layout& operands, const Layout& results) {
    place(op, std::vector<Layout>(op.operands.size(), operands), std::vector<Layout>(op.results.size(), results));
  }

  bool is_scalar_op(const Operation& op) const {
    for (ValueId value : op.operands)
      if (!kernel_.type(value).shape.empty()) return false;
    for (ValueId value : op.results)
      if (!kernel_.type(value).shape.empty()) return false;
    return op.regions.empty();
  }

  void rewrite(const Operation& op) {
    if (op.code == OpCode::yield) return rewrite_yield(op);
    if (is_scalar_op(op)) {
      out_->push_back(op);
      return;
    }
    if (op.results.size() == 1 && !kernel_.type(op.results[0]).shape.empty() && is_lazy(op.results[0])) return;
    switch (op.code) {
      case OpCode::store: {
        Layout layout = layout_for_store(op);
        return place_all(op, layout, layout);
      }
      case OpCode::load:
      case OpCode::atomic: {
        Layout layout = layout_or_default(op.results[0]);
        return place_all(op, layout, layout);
      }
      case OpCode::reduce: {
        Layout layout = layout_or_default(op.operands[0]);
        return place_all(op, layout, layout.without_axis(op.attrs.axis));
      }
      case OpCode::scan:
      case OpCode::sort: {
        Layout layout = consecutive_layout(kernel_.type(op.results[0]).shape, op.attrs.axis);
        return place_all(op, layout, layout);
      }
      case OpCode::gather: {
        Layout indices = layout_or_default(op.operands[1]);
        return place(op, {layout_or_default(op.operands[0]), indices}, {indices});
      }
      case OpCode::dot:
        return place(op, {dot_layout(op, 'a'), dot_layout(op, 'b'), dot_layout(op, 'c')}, {dot_layout(op, 'c')});
      case OpCode::for_loop:
        return rewrite_loop(op);
      case OpCode::if_else:
        return rewrite_if(op);
      case OpCode::lds_alloc:
        out_->push_back(op);
        return;
      case OpCode::lds_store: {
        Layout layout = layout_or_default(op.operands[1]);
        return place_all(op, layout, layout);
      }
      case OpCode::convert_layout:
        if (op.attrs.layout) {
          made_.clear();
          return place_all(op, layout_or_default(op.operands[0]), *op.attrs.layout);
        }
        [[fallthrough]];
      default: {
        Layout layout = layout_or_default(op.results[0]);
        return place_all(op, layout, layout);
      }
    }
  }

  void rewrite_yield(const Operation& op) {
    Operation placed = op;
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (!kernel_.type(op.operands[k]).shape.empty()) placed.operands[k] = get(op.operands[k], yield_layouts_[k]);
    out_->push_back(std::move(placed));
  }

  std::vector<Layout> layouts_of(const std::vector<ValueId>& values) {
    std::vector<Layout> layouts;
    for (ValueId value : values)
      layouts.push_back(kernel_.type(value).shape.empty() ? Layout{} : layout_or_default(value));
    return layouts;
  }

  void rewrite_loop(const Operation& op) {
    std::vector<Layout> carried =
        layouts_of(std::vector<ValueId>(op.regions[0].args.begin() + 1, op.regions[0].args.end()));
    for (size_t k = 0; k < carried.size(); ++k)
      if (!kernel_.type(op.regions[0].args[k + 1]).shape.empty()) hold(op.regions[0].args[k + 1], carried[k]);
    std::vector<Layout> operands(3);
    operands.insert(operands.end(), carried.begin(), carried.end());
    Operation placed = op;
    for (size_t k = 3; k < op.operands.size(); ++k) placed.operands[k] = get(op.operands[k], operands[k]);
    rewrite_regions(op, placed, carried);
  }

  void rewrite_if(const Operation& op) {
    Operation placed = op;
    rewrite_regions(op, placed, layouts_of(op.results));
  }

  void rewrite_regions(const Operation& op, Operation& placed, const std::vector<Layout>& results) {
    for (size_t r = 0; r < op.regions.size(); ++r) {
      std::vector<Layout> outer = std::move(yield_layouts_);
      yield_layouts_ = results;
      placed.regions[r] = rewrite(op.regions[r]);
      yield_layouts_ = std::move(outer);
    }
    for (size_t k = 0; k < op.results.size(); ++k)
      if (!kernel_.type(op.results[k]).shape.empty()) hold(op.results[k], results[k]);
    out_->push_back(std::move(placed));
  }

  Block rewrite(const Block& block) {
    Block result;
    result.args = block.args;
    std::vector<Operation>* outer_out = out_;
    std::map<std::pair<ValueId, std::string>, ValueId> outer_made = made_;
    out_ = &result.ops;
    for (const Operation& op : block.ops) rewrite(op);
    out_ = outer_out;
    made_ = std::move(outer_made);
    return result;
  }

  Kernel& kernel_;
  const PassContext& context_;
  AxisAnalysis axes_;
  std::vector<int> costs_;  // of free values
  std::vector<const Operation*> definition_;
  std::map<ValueId, const Operation*> argument_of_;  // region arguments and the loop they belong to
  std::map<ValueId, std::vector<const Operation*>> users_;
  std::set<ValueId> asking_;
  std::map<std::pair<std::vector<int32_t>, int>, int> widths_;
  std::map<std::vector<int32_t>, int> default_axis_;
  std::map<ValueId, std::optional<Natural>> natural_;
  std::map<std::pair<ValueId, std::string>, ValueId> made_;
  std::vector<Layout> yield_layouts_;
  std::vector<Operation>* out_ = nullptr;
};

}  // namespace

Status assign_layouts(Kernel& kernel, const PassContext& context) { return Assigner(kernel, context).run(); }

}  // namespace hipvault::tile
