#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace hipvault::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  Status run() {
    for (const Tensor& tensor : program_.tensors) check_tensor(tensor);
    for (const Stage& stage : program_.stages) {
      stage_ = &stage;
      check_stage(stage);
      for (const Output& output : stage.outputs) define(output);
    }
    for (const Tensor* tensor : program_.results())
      if (!defined_.contains(tensor->name)) wrong(fmt::format("the result {} has no stage", tensor->name));
    if (error_) return fail(*error_);
    return {};
  }

 private:
  void wrong(const std::string& message) {
    if (error_) return;
    std::string where = stage_ == nullptr ? ""
                                          : fmt::format(", in the stage that defines {}",
                                                        stage_->outputs.empty() ? "nothing" : stage_->outputs[0].name);
    error_ = Diagnostic{"ir.verify", message + where, "", stage_ == nullptr ? Place{} : stage_->place};
  }
  void require(bool holds, const std::string& message) {
    if (!holds) wrong(message);
  }

  void check_tensor(const Tensor& tensor) {
    require(tensor.shape.size() == tensor.axis_dims.size(),
            fmt::format("the tensor {} has {} axes but {} axis names", tensor.name, tensor.shape.size(),
                        tensor.axis_dims.size()));
    require(tensors_.emplace(tensor.name, &tensor).second, fmt::format("two tensors are named {}", tensor.name));
    for (const IntExpr& extent : tensor.shape)
      for (const std::string& name : extent.names())
        require(is_size(name), fmt::format("the shape of {} uses the unknown size {}", tensor.name, name));
  }

  bool is_size(const std::string& name) const {
    if (program_.dim(name) != nullptr) return true;
    return std::any_of(program_.int_params.begin(), program_.int_params.end(),
                       [&](const IntParam& param) { return param.name == name; });
  }

  void define(const Output& output) {
    auto tensor = tensors_.find(output.name);
    if (tensor != tensors_.end()) {
      require(tensor->second->role != Role::input, fmt::format("the input {} is assigned", output.name));
      require(output.dtype == tensor->second->dtype,
              fmt::format("{} is not rounded to the dtype it is declared with", output.name));
      require(stage_->kind == Stage::Kind::scatter || output.dims.size() == tensor->second->shape.size(),
              fmt::format("{} has the wrong number of axes", output.name));
    }
    if (stage_->kind != Stage::Kind::scatter) {
      std::set<std::string> seen;
      for (const std::string& dim : output.dims) {
        require(program_.dim(dim) != nullptr, fmt::format("{} has the unknown dimension {}", output.name, dim));
        require(seen.insert(dim).second, fmt::format("{} has the dimension {} twice", output.name, dim));
      }
    }
    require(defined_.emplace(output.name, &output).second, fmt::format("{} is defined twice", output.name));
  }

  void check_stage(const Stage& stage) {
    size_t outputs = stage.outputs.size();
    switch (stage.kind) {
      case Stage::Kind::map:
        require(outputs == 1, "a map has one output");
        break;
      case Stage::Kind::cumulative:
        require(outputs == 1, "a running reduction has one output");
        require(stage.reduction == Reduction::sum || stage.reduction == Reduction::prod ||
                    stage.reduction == Reduction::max || stage.reduction == Reduction::min,
                "no such running reduction");
        break;
      case Stage::Kind::scan:
      case Stage::Kind::fold:
        require(outputs == stage.states.size() && outputs > 0, "a scan has an output for every state");
        break;
      case Stage::Kind::sort:
      case Stage::Kind::topk:
        require(outputs == 2, "a sort has values and positions");
        break;
      case Stage::Kind::scatter:
        return check_scatter(stage);
    }
    if (error_) return;
    if (!stage.states.empty()) return check_states(stage);
    require(stage.value != nullptr, "a stage without a value");
    if (error_) return;
    check_expr(stage.value);
    std::set<std::string> free = stage.value->free;
    if (stage.kind != Stage::Kind::map)
      require(free.contains(stage.dim), fmt::format("{} is not a dimension of the operand", stage.dim));
    if (stage.kind == Stage::Kind::topk) free.erase(stage.dim), free.insert(stage.new_dim);
    for (const Output& output : stage.outputs) covers(output, free);
  }

  void covers(const Output& output, const std::set<std::string>& free) {
    for (const std::string& dim : free)
      require(std::find(output.dims.begin(), output.dims.end(), dim) != output.dims.end(),
              fmt::format("the value uses {}, which {} does not have", dim, output.name));
  }

  void check_states(const Stage& stage) {
    for (const ScanState& state : stage.states) states_[state.name] = &state;
    for (size_t i = 0; i < stage.states.size() && !error_; ++i) {
      const ScanState& state = stage.states[i];
      require(state.init && state.body, "a state without a value");
      if (error_) return;
      require(!state.init->free.contains(stage.dim),
              fmt::format("the initial value of {} uses {}", state.name, stage.dim));
      std::set<std::string> allowed(state.dims.begin(), state.dims.end());
      for (const ExprRef& expr : {state.init, state.body}) {
        check_expr(expr);
        for (const std::string& dim : expr->free)
          require(allowed.contains(dim) || dim == stage.dim,
                  fmt::format("the state {} has no dimension {}", state.name, dim));
      }
      if (stage.kind == Stage::Kind::scan) allowed.insert(stage.dim);
      covers(stage.outputs[i], allowed);
    }
    states_.clear();
  }

  void check_scatter(const Stage& stage) {
    require(stage.outputs.size() == 1 && stage.value != nullptr, "a scatter has one output and a value");
    if (error_) return;
    auto target = tensors_.find(stage.outputs[0].name);
    require(target != tensors_.end() && target->second->role != Role::input,
            "a scatter goes to a result or inout tensor");
    if (error_) return;
    require(stage.indices.size() == target->second->shape.size(), "a scatter has an index for every axis");
    std::set<std::string> over(stage.over.begin(), stage.over.end());
    std::vector<ExprRef> all = stage.indices;
    all.push_back(stage.value);
    if (stage.condition) all.push_back(stage.condition);
    for (const ExprRef& expr : all) {
      check_expr(expr);
      for (const std::string& dim : expr->free)
        require(over.contains(dim), fmt::format("a scatter does not iterate over {}", dim));
    }
    for (const ExprRef& index : stage.indices) {
      require(index->type == ValueType::integer, "an index is not an integer");
      visit(index, [&](const Expr& e) { require(e.op != Op::reduce, "a reduction in the indices of a scatter"); });
    }
  }

  void check_expr(const ExprRef& expr) {
    visit(expr, [&](const Expr& e) { check_node(e); });
  }

  void check_node(const Expr& e) {
    switch (e.op) {
      case Op::number:
        return require(e.type != ValueType::boolean || e.integer == 0 || e.integer == 1,
                       "a truth value that is neither");
      case Op::index:
        return require(program_.dim(e.name) != nullptr, fmt::format("unknown dimension {}", e.name));
      case Op::size:
        for (const std::string& name : e.size_expr.names())
          require(is_size(name), fmt::format("unknown size {}", name));
        return;
      case Op::scalar:
        return require(std::any_of(program_.scalar_params.begin(), program_.scalar_params.end(),
                                   [&](const ScalarParam& param) { return param.name == e.name; }),
                       fmt::format("unknown parameter {}", e.name));
      case Op::load:
        return check_load(e);
      case Op::state:
        return check_state(e);
      case Op::cast:
        return require(e.args.size() == 1 && e.type == type_of(e.dtype), "a cast of the wrong type");
      case Op::reduce:
        return check_reduce(e);
      default:
        return check_operation(e);
    }
  }

  void check_indices(const Expr& e, size_t rank) {
    require(
        e.args.size() == rank + (e.has_else ? 1 : 0),
        fmt::format("{} has {} axes but is read with {} indices", e.name, rank, e.args.size() - (e.has_else ? 1 : 0)));
    for (size_t i = 0; i < rank && i < e.args.size(); ++i)
      require(e.args[i]->type == ValueType::integer, fmt::format("an index of {} is not an integer", e.name));
  }

  void check_load(const Expr& e) {
    auto tensor = tensors_.find(e.name);
    if (tensor != tensors_.end() && (tensor->second->role != Role::output || defined_.contains(e.name)))
      return check_indices(e, tensor->second->shape.size());
    auto output = defined_.find(e.name);
    require(output != defined_.end(), fmt::format("{} is read before it is defined", e.name));
    if (!error_) check_indices(e, output->second->dims.size());
  }

  void check_state(const Expr& e) {
    auto found = states_.find(e.name);
    require(found != states_.end(), fmt::format("the state {} is read outside its scan", e.name));
    if (!error_) check_indices(e, found->second->dims.size());
  }

  void check_reduce(const Expr& e) {
    require(e.args.size() == 1, "a reduction of several operands");
    if (error_) return;
    for (const std::string& dim : e.dims) {
      require(e.args[0]->free.contains(dim),
              fmt::format("{} over {}, which the operand does not use", reduction_name(e.reduction), dim));
      require(program_.dim(dim) != nullptr, fmt::format("unknown dimension {}", dim));
    }
    bool logical = e.reduction == Reduction::any || e.reduction == Reduction::all;
    require(!logical || e.args[0]->type == ValueType::boolean, "any or all of numbers");
  }

  void check_operation(const Expr& e) {
    require(static_cast<int>(e.args.size()) == op_arity(e.op),
            fmt::format("{} of {} operands", op_name(e.op), e.args.size()));
    if (error_) return;
    bool logical = e.op == Op::logical_and || e.op == Op::logical_or || e.op == Op::logical_not;
    bool integers = (e.op >= Op::bit_and && e.op <= Op::shift_right) || e.op == Op::random || e.op == Op::uniform;
    for (const ExprRef& arg : e.args) {
      if (logical) require(arg->type == ValueType::boolean, fmt::format("{} of a number", op_name(e.op)));
      if (integers)
        require(arg->type == ValueType::integer, fmt::format("{} of what is not an integer", op_name(e.op)));
    }
    if (e.op == Op::select) require(e.args[0]->type == ValueType::boolean, "where on a number");
  }

  const Program& program_;
  const Stage* stage_ = nullptr;
  std::map<std::string, const Tensor*> tensors_;
  std::map<std::string, const Output*> defined_;
  std::map<std::string, const ScanState*> states_;
  std::optional<Diagnostic> error_;
};

}  // namespace

Status verify(const Program& program) { return Verifier(program).run(); }

}  // namespace hipvault::ir
