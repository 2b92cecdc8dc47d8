#pragma once
// The interpreter's inside. Expressions become nodes once: names are resolved to slots of dimensions, tensors to memory
// with strides, stages to their records; equal expressions are one node. Evaluation walks the nodes.
//
// What is remembered, in bounded memory: values of maps and reductions in direct-mapped tables keyed by the indices of
// their free dimensions, rows of running reductions and sorts, trajectories of scans.

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "ir/interpret_scalar.h"

namespace hipvault::ir {

struct Node;
struct StageRecord;

// A table that forgets: one entry a slot, the newest wins.
struct Memo {
  std::vector<int> slots;        // of the dimensions that make the key
  std::vector<int64_t> extents;  // their sizes
  int64_t total = 1;
  std::vector<int64_t> keys;
  std::vector<V> values;
  int64_t mask = 0;

  int64_t key(const std::vector<int64_t>& env) const {
    int64_t k = 0;
    for (size_t i = 0; i < slots.size(); ++i) k = k * extents[i] + env[static_cast<size_t>(slots[i])];
    return k;
  }
  void prepare(size_t bytes);
};

struct TensorView {
  const HostTensor* tensor = nullptr;
  std::vector<double> table;  // of all bit patterns, for types of at most 16 bits
  bool is_float = true;
  int bits = 32;

  V at(int64_t position) const;
};

struct Node {
  enum class Kind : uint8_t {
    constant,
    index,
    load_tensor,
    load_stage,
    state,
    cast,
    reduce,
    unary,
    binary,
    compare,
    logical,
    choose,
    generator
  };
  Kind kind = Kind::constant;
  Op op = Op::number;
  ValueType type = ValueType::real;
  bool integers = false;  // the operation is on integers (or truth values), exactly
  bool uses_state = false;
  V value;       // constant
  int slot = 0;  // index
  std::vector<Node*> args;
  Node* otherwise = nullptr;
  // load
  const TensorView* view = nullptr;
  std::vector<int64_t> strides, extents;
  std::vector<int> index_slots;  // per axis: the slot when the index is a plain dimension, else -1
  StageRecord* stage = nullptr;
  int output = 0;
  std::string name;
  // reduce
  Reduction reduction = Reduction::sum;
  std::vector<int> over;
  std::vector<int64_t> over_extents;
  int64_t count = 1;
  std::unique_ptr<Memo> memo;
  DType dtype = DType::f32;
  std::vector<int64_t>
      walk[2];  // sum of products of two tensors: how far each factor's position moves a step of `over`
};

struct OutputRecord {
  const Output* output = nullptr;
  std::vector<int> slots;
  std::vector<int64_t> extents;
};

// A remembered row: of a running reduction, a sort, or a scan's trajectory.
struct Row {
  std::vector<V> values;
  std::vector<int64_t> positions;     // sort: where each value came from
  std::vector<V> source;              // sort: the values before sorting, when they have errors
  std::vector<std::vector<V>> marks;  // scan: the states before each block
  int64_t block = -1;                 // scan: the block in `values`
};

struct StateRecord {
  const ScanState* state = nullptr;
  Node* init = nullptr;
  Node* body = nullptr;
  std::vector<int> slots;  // of all its dimensions
  std::vector<int64_t> extents;
  std::vector<bool> coupled;  // its neighbours along this dimension matter
  std::vector<int> coupled_slots;
  std::vector<int64_t> coupled_extents;
  int64_t local = 1, offset = 0;  // how many values a step, and where they stand among all states'
};

struct StageRecord {
  const Stage* stage = nullptr;
  std::vector<OutputRecord> outputs;
  Node* value = nullptr;
  std::unique_ptr<Memo> memo;  // maps
  // Rows.
  int slot = -1;  // of the dimension that runs
  int64_t extent = 0;
  std::vector<int> key_slots;  // the other dimensions
  std::vector<int64_t> key_extents;
  std::unordered_map<int64_t, std::unique_ptr<Row>> rows;
  std::deque<int64_t> row_order;
  // Scan.
  std::vector<StateRecord> states;
  int64_t local = 0, block = 0;
  const std::vector<V>* current = nullptr;  // the states before the step being computed
  // Scatter.
  std::vector<Node*> indices;
  Node* condition = nullptr;
  std::vector<int> fixed_axis;  // per axis: the slot of the dimension that is its index, or -1
  std::vector<int> over_slots;  // the dimensions that are walked
  std::vector<int64_t> over_extents;
  std::vector<int64_t> target_extents;
  std::vector<std::pair<int64_t, int64_t>> hits;  // (place, step), sorted
  bool indexed = false;                           // looked at once
  bool listed = false;                            // `hits` holds every write
};

struct Interpreter::Impl {
  Impl(const Program& program, const Bindings& bindings, const ErrorModel& model, size_t memory_budget);

  // Preparation (interpret_compile.cc).
  void prepare();
  void prepare_stage(const Stage& stage);
  void prepare_states(StageRecord& record);
  void prepare_scatter(StageRecord& record);
  Node* compile(const ExprRef& expr);
  Node* make_node(const ExprRef& expr);
  void compile_load(Node& node, const Expr& e);
  void compile_reduce(Node& node, const Expr& e);
  void find_walk(Node& node);
  bool walk_of(const Node& load, const std::vector<int>& over, std::vector<int64_t>& steps) const;
  int slot_of(const std::string& dim);
  int64_t extent_of(const std::string& dim);
  std::unique_ptr<Memo> memo_over(const std::vector<int>& slots);
  const TensorView* view_of(const std::string& tensor);

  // Nodes (interpret_eval.cc).
  V eval(const Node& node);
  V eval_load_tensor(const Node& node);
  V eval_load_stage(const Node& node);
  V eval_state(const Node& node);
  V eval_cast(const Node& node);
  V eval_reduce(const Node& node);
  V eval_binary(const Node& node);
  V as_real(const Node& node, const V& value) const;  // the value of `node` as an operand among reals
  V eval_logical(const Node& node);
  V eval_choose(const Node& node);
  V eval_generator(const Node& node);
  V cast_value(DType dtype, const V& a, ValueType from);
  V uncertain_load(const Node& node, const std::vector<V>& indices);
  bool try_eval(const Node& node, V& out);  // what would be an error is no answer

  // Reductions (interpret_reduce.cc).
  V reduce_sum(const Node& node, bool mean);
  V reduce_products(const Node& node);
  V reduce_prod(const Node& node);
  V reduce_extreme(const Node& node);
  V reduce_logical(const Node& node);
  V reduce_position(const Node& node);
  template <class F>
  void walk(const std::vector<int>& slots, const std::vector<int64_t>& extents, const F& f);  // f returns false to stop

  // Stages (interpret_stages.cc).
  V stage_value(StageRecord& record, int output, const int64_t* index);
  V compute_stage(StageRecord& record, int output);
  V declared(const Output& output, const V& value, ValueType from);
  int64_t row_key(const StageRecord& record) const;
  Row* row_of(StageRecord& record);
  void fill_cumulative(StageRecord& record, Row& row);
  void fill_sort(StageRecord& record, Row& row);
  V sort_value(StageRecord& record, Row& row, int output);
  V scan_value(StageRecord& record, Row& row, int output);
  void start_scan(StageRecord& record, std::vector<V>& states);
  void step_scan(StageRecord& record, std::vector<V>& states);
  int64_t local_index(const StateRecord& state) const;
  V raw_value(StageRecord& record, int output);
  ValueType raw_type(const StageRecord& record, int output) const;
  V scatter_value(StageRecord& record, const int64_t* index);
  V scatter_start(const StageRecord& record, const int64_t* index);
  void combine(StageRecord& record, V& total, int64_t count, double& magnitude);
  void index_scatter(StageRecord& record);
  int64_t scatter_place(StageRecord& record);  // -1: not written
  int64_t wanted_place(const StageRecord& record, const int64_t* index) const;

  bool find(const std::string& output, const std::vector<int64_t>* index, StageRecord*& record, int& which);

  // What an uncertain integer may be, and whether a value is right for some inputs within the errors
  // (interpret_accept.cc).
  bool possible(const Node& node, std::vector<int64_t>& values);
  bool possible_extremes(const Node& node, std::vector<int64_t>& values);
  bool possible_places(const Node& load, std::vector<std::vector<int64_t>>& places);
  bool accepts(const Node& node, double got);
  bool accepts_at(const Node& load, const std::vector<int64_t>& place, double got);
  bool accepts_stage(StageRecord& record, int output, const int64_t* index, double got);
  bool accepts_rank(StageRecord& record, double got);
  bool accepts_rounded(StageRecord& record, int output, double got);
  bool accepts_position(const Node& node, double got);

  void wrong(const std::string& code, const std::string& message, const std::string& hint = "");
  bool failed() const { return error_.has_value(); }

  const Program& program_;
  const Bindings bindings_;  // a copy: views of inout tensors are made when a scatter first starts from one
  Scalars scalars_;
  size_t budget_;
  std::vector<std::string> dims_;
  std::map<std::string, int> slots_;
  std::vector<int64_t> env_, sizes_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unordered_map<uint64_t, std::vector<std::pair<ExprRef, Node*>>> compiled_;
  std::map<std::string, std::unique_ptr<TensorView>> views_;
  std::vector<std::unique_ptr<StageRecord>> stages_;
  std::map<std::string, std::pair<StageRecord*, int>> by_output_;
  std::map<std::string, std::pair<StageRecord*, int>> by_state_;  // while a scan is compiled
  size_t memos_ = 0;
  int64_t generation_ = 0;     // of scan steps
  const Stage* at_ = nullptr;  // being computed
  std::optional<Diagnostic> error_;
};

// Sets slots for a while.
class Hold {
 public:
  Hold(std::vector<int64_t>& env, const std::vector<int>& slots) : env_(env), slots_(slots) {
    old_.reserve(slots.size());
    for (int slot : slots) old_.push_back(env[static_cast<size_t>(slot)]);
  }
  ~Hold() {
    for (size_t i = 0; i < slots_.size(); ++i) env_[static_cast<size_t>(slots_[i])] = old_[i];
  }
  Hold(const Hold&) = delete;

 private:
  std::vector<int64_t>& env_;
  const std::vector<int>& slots_;
  std::vector<int64_t> old_;
};

// An odometer over `slots`; the last runs fastest.
template <class F>
void Interpreter::Impl::walk(const std::vector<int>& slots, const std::vector<int64_t>& extents, const F& f) {
  for (int64_t extent : extents)
    if (extent == 0) return;
  Hold hold(env_, slots);
  for (int slot : slots) env_[static_cast<size_t>(slot)] = 0;
  while (!failed()) {
    if (!f()) return;
    size_t axis = slots.size();
    while (axis-- > 0) {
      int64_t& position = env_[static_cast<size_t>(slots[axis])];
      if (++position < extents[axis]) break;
      position = 0;
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
}

}  // namespace hipvault::ir
