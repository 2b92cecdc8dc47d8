#pragma once
// Tensor program: the IR of an op, one to one with the op language. Element types are concrete, sizes stay symbolic.
//
//   op softmax<T: f32 bf16>(x: T[B,N]) -> y: T[B,N]          stages:  y[B,N] : f32 = exp(x - max(x,N)) / sum(…, N)
//     y = softmax(x, N)
//
// A stage defines one or more outputs. Stages are in order of definition; a stage only reads tensors and earlier
// stages. Results and `inout` tensors are the outputs of the op: a result has the name of the stage output that defines
// it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/expr.h"
#include "record/plan.h"
#include "record/tensor.h"

namespace hipvault::ir {

struct Dim {
  std::string name;
  IntExpr size;      // for a free dimension: IntExpr::name(its own name)
  bool free = true;  // bound by the caller (a case); otherwise derived from others
};

struct IntParam {
  std::string name;
  std::optional<int64_t> fallback;  // value if the case gives none
};
struct ScalarParam {
  std::string name;
  bool is_bool = false;
  std::optional<double> fallback;
};

struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  Role role = Role::input;
  std::vector<IntExpr> shape;          // one expression an axis
  std::vector<std::string> axis_dims;  // the plain Name an axis has, or "" (then the tensor must be read with brackets)
};

// One value that a stage defines. `dims` are its axes, in order. `dtype`: the declared rounding of results; none for
// intermediates, which are exact.
struct Output {
  std::string name;
  std::vector<std::string> dims;
  ValueType type = ValueType::real;
  std::optional<DType> dtype;
  bool indexable = true;  // an intermediate written without brackets cannot be read with brackets
};

enum class ScatterOp : uint8_t { assign, add, mul, max, min };

struct ScanState {
  std::string name;               // as the body reads it (Op::state)
  std::vector<std::string> dims;  // its dimensions, without the scanned one
  ExprRef init, body;
};

struct Stage {
  enum class Kind : uint8_t {
    map,  // outputs[0][dims] = value. In normal form `value` has no reduce, or is one reduce of a reduce-free body
    cumulative,  // running `reduction` (sum, prod, max, min) of value along `dim`; outputs[0].dims contains dim
    scan,        // outputs[i][dim, state dims …] = states[i] after each step along `dim`
    fold,        // outputs[i][state dims …] = states[i] after the last step
    sort,        // outputs: values and positions (integer) of value sorted along `dim`, stable, NaN largest
    topk,        // as sort, largest first, cut to the dimension `new_dim` that replaces `dim`
    scatter,     // target[indices] op= value if condition, over all free dimensions
  };
  Kind kind = Kind::map;
  std::vector<Output> outputs;
  ExprRef value;
  std::string dim;      // cumulative, scan, fold, sort, topk
  std::string new_dim;  // topk
  Reduction reduction = Reduction::sum;
  bool reverse = false, exclusive = false;  // cumulative
  bool descending = false;                  // sort
  std::vector<ScanState> states;
  // scatter: the target is outputs[0].name, a result (starting at the operator's identity, 0 for assign) or an inout
  // tensor (starting at its old value). `over` are the free dimensions that are iterated.
  ScatterOp scatter_op = ScatterOp::assign;
  std::vector<ExprRef> indices;
  ExprRef condition;  // null: always
  std::vector<std::string> over;
  Place place;
};

// What an input is filled with: normal(m,s) uniform(a,b) integers(lo,hi) permutation constant(v) special(…) file("…").
// integers are lo <= v < hi. An argument may be an expression over sizes (`integers(0, V)`): then `sizes`, parallel to
// `numbers`, holds it, and the number is a placeholder; distribution_numbers() gives the values for a case.
struct Distribution {
  std::string kind;
  std::vector<double> numbers;
  std::vector<std::optional<IntExpr>> sizes;
  std::string file;
};

struct Case {
  std::string name;
  std::map<std::string, int64_t> sizes;  // dimensions and int parameters
  std::vector<std::string> open;         // Name=?: chosen at run time
  std::map<std::string, DType> types;    // type variables
  std::map<std::string, double> scalars;
  std::map<std::string, std::vector<int64_t>> strides;
  std::map<std::string, int64_t> offsets;
};

struct Policy {
  bool nan_propagates = true;  // nan: propagate | undefined
  bool order_fixed = false;    // order: any | fixed
  std::optional<DType> accumulate;
};

struct Program {
  std::string name;
  std::map<std::string, DType> types;  // the chosen type variables
  std::vector<Dim> dims;               // every dimension in scope, in order of binding
  std::vector<IntParam> int_params;
  std::vector<ScalarParam> scalar_params;
  std::vector<Tensor> tensors;  // parameters in order, then results in order
  std::vector<IntExpr> require;
  std::vector<Stage> stages;
  std::map<std::string, std::vector<Distribution>> inputs;  // per tensor; absent: normal(0,1) or integers(0,16)
  std::vector<Case> cases;
  Policy policy;

  const Tensor* tensor(const std::string& name) const;
  const Dim* dim(const std::string& name) const;
  const Output* output(const std::string& name) const;  // of any stage
  std::vector<const Tensor*> results() const;           // results and inout tensors
};

// Values of every dimension and parameter from those a case gives: derives the others, checks that nothing is missing
// or unknown, that `/` divides, that no size is negative, and every `require`. The error names the size and the known
// ones.
Result<Sizes> bind_sizes(const Program& program, const Sizes& given);

Result<std::vector<double>> distribution_numbers(const Distribution& distribution, const Sizes& sizes);

// Op-language text that parses back to an equal program.
std::string text(const Program& program);

// Each distinct reduction becomes a stage of its own (named after what it is: "x_max", numbered when taken), equal
// expressions are shared, and multi-dimensional reductions of one kind are merged. Sketches match on this form; the
// interpreter never sees it. mean becomes sum / size.
Program normalise(const Program& program);

}  // namespace hipvault::ir
