#pragma once
// From syntax to a tensor program: names, dimensions, types, expansion of functions. One Elaborator makes one program.
// The first error ends it: functions return null or false then.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/syntax.h"
#include "ir/program.h"

namespace hipvault::frontend {

// What names mean at a place. In a function only its formals (and the states of scans in it) are visible.
struct Scope {
  std::map<std::string, ir::ExprRef> values;  // formals and states
  std::map<std::string, std::string> dims;    // formal dimension -> the caller's
  std::string function;                       // "" in the op itself
};

class Elaborator {
 public:
  Elaborator(const OpFile& file, const OpSyntax& op, const std::map<std::string, DType>& types, DType fp8)
      : file_(file), op_(op), given_types_(types), fp8_(fp8) {}

  Result<ir::Program> run();

 private:
  using AstKind = Ast::Kind;

  // Trouble (elaborate.cc). Each returns null so that callers can `return wrong(…)`.
  std::nullptr_t wrong(const Pos& pos, const std::string& code, const std::string& message,
                       const std::string& hint = "");
  std::nullptr_t unknown(const Pos& pos, const std::string& what, const std::string& name,
                         const std::vector<std::string>& known);
  bool failed() const { return error_.has_value(); }

  // Expressions (elaborate.cc).
  ir::ExprRef expr(const AstRef& ast, const Scope& scope);  // within the budget
  ir::ExprRef unbounded(const AstRef& ast, const Scope& scope);
  ir::ExprRef value_name(const Ast& ast, const Scope& scope);
  ir::ExprRef global_name(const Ast& ast);
  ir::ExprRef index_expr(const Ast& ast, const Scope& scope);
  ir::ExprRef unary(const Ast& ast, const Scope& scope);
  ir::ExprRef binary(const Ast& ast, const Scope& scope);
  ir::ExprRef at_expr(const Ast& ast, const Scope& scope);
  ir::ExprRef checked_apply(ir::Op op, std::vector<ir::ExprRef> args, const Ast& ast);
  ir::ExprRef load_at_own_axes(const std::string& name, ir::ValueType type, const std::vector<std::string>& dims);
  bool arguments(const Ast& ast, const Scope& scope, std::vector<ir::ExprRef>& args);
  std::optional<std::string> dim_name(const AstRef& ast, const Scope& scope, const std::string& where);
  std::optional<std::string> resolve_dim(const std::string& name, const Pos& pos, const Scope& scope);
  std::vector<std::string> value_names(const Scope& scope) const;
  std::vector<std::string> dim_names(const Scope& scope) const;
  std::string free_text(const ir::ExprRef& e) const;

  // How much is written out (budget.cc).
  bool affordable(const ir::ExprRef& e, const Pos& pos);
  double written_out(const ir::ExprRef& e);
  void weigh(const ir::Stage& stage);

  // Calls (calls.cc).
  ir::ExprRef call(const Ast& ast, const Scope& scope);
  ir::ExprRef reduction(ir::Reduction kind, const Ast& ast, const Scope& scope);
  ir::ExprRef size_call(const Ast& ast, const Scope& scope);
  ir::ExprRef cast_call(DType dtype, const Ast& ast, const Scope& scope);
  ir::ExprRef cdiv_call(const Ast& ast, const Scope& scope);
  ir::ExprRef expand(const FnSyntax& fn, const Ast& ast, const Scope& scope);
  const FnSyntax* function(const std::string& name) const;

  // What is a stage of its own (stages.cc): cumulative, scan, fold, sort, topk. The stage's outputs have dims and types
  // but no names yet.
  static bool is_stage_call(const Ast& ast);
  std::optional<ir::Stage> stage_of(const Ast& ast, const Scope& scope);
  std::optional<ir::Stage> cumulative(ir::Reduction kind, const Ast& ast, const Scope& scope);
  std::optional<ir::Stage> sort_or_topk(const Ast& ast, const Scope& scope);
  std::optional<ir::Stage> scan(const Ast& ast, const Scope& scope);
  bool scan_bodies(const Ast& ast, const Scope& scope, ir::Stage& stage);
  ir::ExprRef lift(const Ast& ast, const Scope& scope);
  bool no_state(const ir::ExprRef& e, const Ast& ast);
  std::vector<std::string> ordered(const std::set<std::string>& dims) const;

  // Declarations (declare.cc).
  bool choose_types();
  bool collect_dims();
  bool declare_params();
  bool declare_results();
  bool declare_tensor(const ParamSyntax& param, Role role);
  bool declare_scalar(const ParamSyntax& param);
  bool bind_dim(const std::string& name, const AstRef& size, const Pos& pos);
  bool check_dim_cycles();
  std::optional<DType> element_type(const std::string& name, const Pos& pos);
  std::optional<DType> dtype_named(const std::string& name) const;
  std::optional<IntExpr> size_of(const AstRef& ast);
  std::optional<double> constant(const AstRef& ast);
  bool new_name(const std::string& name, const Pos& pos);

  // Statements (statements.cc).
  bool statement(const LineSyntax& line);
  bool stage_statement(const LineSyntax& line);
  bool map_statement(const LineSyntax& line);
  bool scatter(const LineSyntax& line);
  bool is_scatter(const LineSyntax& line);
  std::optional<std::vector<std::string>> plain_dims(const LhsSyntax& left);
  bool fits_target(const ir::Tensor& target, const std::vector<std::string>& dims) const;
  bool name_output(const LhsSyntax& left, const std::set<std::string>& free, ir::Output& output);
  bool check_results();
  void add_renamed_dims();

  // Notes (notes.cc).
  bool notes();
  bool case_note(const NoteSyntax& note);
  bool case_bind(const BindSyntax& bind, ir::Case& one);
  bool case_field(const BindSyntax& bind, ir::Case& one);
  bool case_type(const BindSyntax& bind, ir::Case& one);
  bool input_note(const NoteSyntax& note);
  bool policy_note(const NoteSyntax& note);

  const OpFile& file_;
  const OpSyntax& op_;
  const std::map<std::string, DType>& given_types_;
  DType fp8_;
  ir::Program program_;
  std::set<std::string> taken_;    // names of values, given by the author anywhere in the op
  std::set<std::string> defined_;  // results and inout tensors that have their value
  std::set<std::string> scattered_;
  std::set<std::string> anonymous_;
  std::vector<std::string> calls_;                 // functions being expanded, with their places
  std::unordered_map<ir::ExprRef, double> sizes_;  // of what was met already, written out
  std::map<std::string, double> weights_;          // of stages' outputs: what a read of one stands for
  int64_t steps_ = 0;                              // expressions elaborated
  int lenient_ = 0;                                // inside a scan whose state's dimensions are not known yet
  std::optional<Diagnostic> error_;
};

// The reduction, cumulative reduction or scalar operation that a call's name means.
std::optional<ir::Reduction> reduction_named(const std::string& name);
std::optional<ir::Reduction> cumulative_named(const std::string& name);
std::optional<ir::Op> operation_spelled(const std::string& spelling, int arity);
std::vector<std::string> builtin_names();

}  // namespace hipvault::frontend
