#pragma once
// Expressions of a tensor program: immutable trees over named dimensions, shared freely. An expression denotes one
// exact number for each value of its free dimensions.
//
// Values are mathematical: boolean, integer (exact; int64 in the interpreter, where overflow is an error) or real. The
// only roundings are `cast` nodes and declared result types.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "record/dtype.h"
#include "record/int_expr.h"

namespace hipvault::ir {

enum class ValueType { boolean, integer, real };

enum class Op : uint8_t {
  number,  // a constant: `integer` if type is integer (or boolean), else `number`
  index,   // the index along dimension `name`: integer, 0 … size-1
  size,    // an integer expression over sizes and int parameters: `size_expr`
  scalar,  // a float or bool parameter of the op: `name`
  load,    // element args[0..rank) of the tensor or stage `name`; with `has_else`, args[rank] is the value outside
  state,   // inside a scan body: the previous value of the state `name` at args[0..rank)
  cast,    // args[0] rounded to `dtype`
  reduce,  // args[0] combined by `reduction` over `dims`
#define OP(name, arity, spelling, result) name,
#include "ir/ops.def"
#undef OP
};

enum class Reduction : uint8_t { sum, prod, max, min, mean, any, all, argmax, argmin };

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;

struct Expr {
  Op op = Op::number;
  ValueType type = ValueType::real;
  std::vector<ExprRef> args;
  std::string name;
  double number = 0;
  int64_t integer = 0;
  IntExpr size_expr;
  DType dtype = DType::f32;
  Reduction reduction = Reduction::sum;
  std::vector<std::string> dims;  // reduce: over these
  bool has_else = false;
  // Derived when built.
  std::set<std::string> free;  // free dimensions
  uint64_t hash = 0;           // structural
};

const char* op_name(Op op);
const char* op_spelling(Op op);  // as in ops.def; "" for the nodes that are not rows of it
int op_arity(Op op);             // -1: not a row of ops.def
const char* reduction_name(Reduction reduction);
ValueType type_of(DType dtype);  // of elements

// Builders. They compute type, free and hash, and CHECK arities; type errors are the front end's business
// (ir/verify.h).
ExprRef number(double value);
ExprRef integer(int64_t value);
ExprRef boolean(bool value);
ExprRef index(const std::string& dim);
ExprRef size(IntExpr expr);
ExprRef scalar(const std::string& name, ValueType type);
ExprRef load(const std::string& tensor, ValueType type, std::vector<ExprRef> indices, ExprRef otherwise = nullptr);
ExprRef state(const std::string& name, ValueType type, std::vector<ExprRef> indices);
ExprRef cast(DType dtype, ExprRef value);
ExprRef reduce(Reduction reduction, ExprRef value, std::vector<std::string> dims);
ExprRef apply(Op op, std::vector<ExprRef> args);

bool equal(const ExprRef& a, const ExprRef& b);  // structural

// Rebuilds with every free occurrence of index(N) replaced, all at once; bound dimensions are renamed where a
// replacement would be captured: D becomes D__1, which has the size of D (Program::dim knows the rule).
ExprRef substitute(const ExprRef& expr, const std::map<std::string, ExprRef>& replacements);
std::string base_dim(const std::string& dim);                       // "D__1" -> "D"
ExprRef with_args(const ExprRef& expr, std::vector<ExprRef> args);  // the same node over other arguments
// The same reduction with those of its dimensions renamed that are in `avoid`.
ExprRef rename_bound(const ExprRef& reduction, const std::set<std::string>& avoid);
// Bottom-up rewrite: `f` gets each node with rewritten arguments and returns its replacement (or the node itself).
ExprRef rewrite(const ExprRef& expr, const std::function<ExprRef(const ExprRef&)>& f);
void visit(const ExprRef& expr, const std::function<void(const Expr&)>& f);

std::string text(const ExprRef& expr);  // op language

}  // namespace hipvault::ir
