#pragma once
// Emitter: expressions of a tensor program to tile operations. Dimensions are bound to index tiles, stage outputs to
// where they are: in memory, in a value already at hand, or nowhere (then the stage's own expression is put in its
// place). Shapes meet by broadcasting, so the same emitter serves one work-item an element ([256] tiles) and rows
// against columns ([R,1] and [1,C]).
//
// Masks: a value is only right in lanes where its mask holds, and nothing is loaded elsewhere. A `where` narrows the
// mask of each branch that loads; an `else` of a load narrows the mask of the load.
//
// Equal expressions at equal indices give one value: what an expression was worth is remembered per enclosing loop.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "schedule/scope.h"

namespace hipvault::schedule {

using Env = std::map<std::string, Value>;  // dimension -> its index

constexpr tile::ValueId kNoMask = -1;

// How dimensions run together: `linear` counts the elements of dims (the last fastest), which are coordinates that the
// sketch took apart. A tensor whose axes are those dims in a row and contiguous is addressed by `linear` itself.
struct Collapsed {
  std::vector<std::string> dims;
  Value linear;
  std::vector<tile::ValueId> coordinates;  // of dims
};

class Emitter {
 public:
  // `shape`: of loop-carried tiles of inner reductions; [] for scalars.
  Emitter(KernelScope& scope, std::vector<int32_t> shape);

  // ---- where stage outputs are. Default: put in place.
  void read_workspace(const std::string& output);
  void read_result(const std::string& output);              // from the tensor of that name
  void bind_value(const std::string& output, Value value);  // at the bound dimensions only
  Value bound(const std::string& output) const { return sources_.at(output).value; }
  void read_states(std::function<Value(const ir::Expr&, const Env&, tile::ValueId mask)> read) {
    states_ = std::move(read);
  }
  void read_copy(const std::string& tensor, const std::string& workspace) { copies_[tensor] = workspace; }

  // ---- dimensions
  // The canonical coordinate of a dimension: loads at exactly these are recognised (bounds, contiguity).
  void bind_dim(Env& env, const std::string& dim, Value index);
  // Takes a linear index apart over dims, the last fastest.
  void bind_linear(Env& env, const std::vector<std::string>& dims, Value linear);
  // The coordinate along which lanes are neighbours, and how many of them one access may move (1: strides are general).
  void set_fast(Value coordinate, int64_t vector) { fast_ = {coordinate.id}, vector_ = vector; }
  // Tiles whose lanes may be neighbours along any of these coordinates: a tensor whose last axis one of them indexes is
  // moved along that axis, which must be contiguous, also when a lane moves one element at a time.
  void set_tiled(const std::vector<Value>& coordinates, int64_t vector) {
    fast_.clear();
    for (const Value& coordinate : coordinates) fast_.insert(coordinate.id);
    vector_ = vector, contiguous_ = true;
  }
  void set_collapsed(const Env& env, const std::vector<std::string>& dims, Value linear);
  // Tiles of this shape are loaded once and kept in LDS; forget_large() then gives up their registers, and the next use
  // reads LDS. An empty shape: nothing is kept.
  void keep_in_lds(std::vector<int32_t> shape) { lds_shape_ = std::move(shape); }
  void forget_large();
  // `whole` is the conjunction of `parts`, each of which says that one dimension is inside. A load whose place does not
  // depend on a dimension need not ask for it: a bias of [1,n] stays a row instead of growing to [m,n] with its mask.
  void set_parts(tile::ValueId whole, std::vector<tile::ValueId> parts) { parts_[whole] = std::move(parts); }
  void set_wide_sums(bool wide) { wide_sums_ = wide; }  // inner float sums and products in f64

  // ---- values
  Value eval(const ir::ExprRef& expr, const Env& env, tile::ValueId mask);
  // In a memory type: a plain load of that type as it is, anything else converted.
  tile::ValueId eval_as(const ir::ExprRef& expr, const Env& env, tile::ValueId mask, DType dtype);
  Value convert(Value value, ir::ValueType type);
  Value rounded(Value value, DType dtype);  // to dtype and back: a declared rounding
  Value integer(int64_t value);
  tile::ValueId all_of(tile::ValueId a, tile::ValueId b);  // of masks, kNoMask allowed
  tile::ValueId as_index(Value value);                     // in the scope's index type

  // ---- memory
  Value load_tensor(const std::string& tensor, const std::vector<Value>& indices, tile::ValueId mask);
  void store_tensor(const std::string& tensor, const std::vector<Value>& indices, Value value, tile::ValueId mask);
  tile::ValueId tensor_offset(const std::string& tensor, const std::vector<Value>& indices);
  tile::ValueId row_major(const std::vector<IntExpr>& shape, const std::vector<Value>& indices);
  Value load_workspace(const std::string& name, ir::ValueType type, tile::ValueId offset, tile::ValueId mask);
  void store_workspace(const std::string& name, tile::ValueId offset, Value value, tile::ValueId mask);

  tile::ValueId nibble_bits(Value value, DType dtype);  // i32 0 … 15: the element's 4 bits

  // ---- loops. What is remembered inside is forgotten after.
  std::vector<tile::ValueId> loop(
      Value low, Value high, int64_t step, std::vector<tile::ValueId> carried,
      const std::function<std::vector<tile::ValueId>(Value, const std::vector<tile::ValueId>&)>& body);
  // Nested loops over dims, innermost last.
  std::vector<tile::ValueId> loop_over(
      const std::vector<std::string>& dims, const Env& env, std::vector<tile::ValueId> carried,
      const std::function<std::vector<tile::ValueId>(const Env&, const std::vector<tile::ValueId>&)>& body);
  const std::vector<int32_t>& shape() const { return shape_; }
  KernelScope& scope() { return scope_; }
  DType accumulator(ir::Reduction reduction, ir::ValueType type) const;

 private:
  using Key = std::tuple<uint64_t, tile::ValueId, std::vector<tile::ValueId>>;
  struct Source {
    enum class Kind { workspace, result, value } kind = Kind::workspace;
    Value value;
  };

  // What reals are at the moment: see is_uniform.
  DType real_dtype() const { return exact_ ? DType::f64 : scope_.real(); }
  bool is_uniform(const ir::ExprRef& expr);
  Value compute_uniform(const ir::ExprRef& expr);
  Value compute(const ir::ExprRef& expr, const Env& env, tile::ValueId mask);
  Value compute_load(const ir::Expr& expr, const Env& env, tile::ValueId mask);
  Value load_at(const ir::Expr& expr, const std::vector<Value>& indices, tile::ValueId mask);
  Value load_stage(const ir::Stage& stage, size_t output, const std::vector<Value>& indices, tile::ValueId mask);
  Value compute_select(const ir::Expr& expr, const Env& env, tile::ValueId mask);
  Value compute_reduce(const ir::Expr& expr, const Env& env, tile::ValueId mask);
  Value compute_op(const ir::Expr& expr, const std::vector<Value>& args);
  std::optional<tile::ValueId> compute_fast(const ir::Expr& expr, const std::vector<Value>& args);
  Value integer_op(const ir::Expr& expr, Value a, Value b);
  Value integer_power(const ir::Expr& expr, Value base);
  Value compute_random(const ir::Expr& expr, Value seed, Value counter);
  Value cast_to(DType dtype, Value value);
  tile::ValueId in_range(Value index, const IntExpr& size);
  tile::ValueId nonzero_divisor(Value divisor);
  Value decode(tile::ValueId loaded, DType dtype);
  Value nibble(tile::ValueId byte, tile::ValueId offset, DType dtype);
  Value f4_value(tile::ValueId bits);
  tile::ValueId f4_bits(Value value);
  tile::ValueId encode(Value value, DType dtype);
  bool collapses(const std::string& tensor, const std::vector<Value>& indices, size_t axis);
  tile::ValueId collapsed_offset(const std::string& tensor, size_t& axis);
  tile::ValueId mask_for(tile::ValueId offset, tile::ValueId mask);
  tile::ValueId load_kept(const std::string& tensor, const std::vector<Value>& indices, tile::ValueId mask);
  std::optional<size_t> fast_axis(const std::vector<Value>& indices) const;
  tile::ValueId axis_offset(const std::string& tensor, size_t axis, Value index, bool fast, bool fast_here);
  Value* remembered(const ir::ExprRef& expr, const Env& env, tile::ValueId mask);
  Key key_of(const ir::ExprRef& expr, const Env& env, tile::ValueId mask);
  bool loads(const ir::ExprRef& expr);

  KernelScope& scope_;
  std::vector<int32_t> shape_;
  std::map<std::string, Source> sources_;
  std::map<std::string, std::string> copies_;
  std::function<Value(const ir::Expr&, const Env&, tile::ValueId)> states_;
  std::map<tile::ValueId, std::string> extent_of_;  // canonical index -> text of its size
  std::map<tile::ValueId, tile::ValueId> weaker_;   // mask -> the mask it was narrowed from
  std::vector<std::map<Key, std::pair<ir::ExprRef, Value>>> memory_{1};
  std::map<const ir::Expr*, bool> loads_;
  std::map<tile::ValueId, std::vector<tile::ValueId>> parts_;
  std::optional<Collapsed> collapsed_;
  std::vector<int32_t> lds_shape_;
  std::map<std::pair<std::string, std::vector<tile::ValueId>>, tile::ValueId> kept_;  // tensor at indices -> LDS tile
  std::set<tile::ValueId> fast_;
  int64_t vector_ = 1;
  bool contiguous_ = false;  // along a fast coordinate, whatever the vector
  bool wide_sums_ = false;
  bool exact_ = false;
};

// ---- reductions, in parts: a value, and for arg* the position.
std::vector<tile::ValueId> identity_parts(KernelScope& scope, ir::Reduction reduction, DType dtype,
                                          const std::vector<int32_t>& shape);
std::vector<tile::ValueId> combine_parts(KernelScope& scope, ir::Reduction reduction,
                                         const std::vector<tile::ValueId>& a, const std::vector<tile::ValueId>& b);
// Along a tile's axis; the axis stays with extent 1.
std::vector<tile::ValueId> reduce_parts(KernelScope& scope, ir::Reduction reduction,
                                        const std::vector<tile::ValueId>& parts, int axis);
bool is_arg(ir::Reduction reduction);
DType position_type(const KernelScope& scope);

}  // namespace hipvault::schedule
