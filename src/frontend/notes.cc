// Notes: cases, input distributions, policies.

#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborate.h"

namespace hipvault::frontend {
namespace {

struct DistributionRow {
  const char* kind;
  int least, most;  // arguments
};
constexpr DistributionRow kDistributions[] = {
    {"normal", 2, 2},   {"uniform", 2, 2},  {"integers", 2, 2}, {"permutation", 0, 0},
    {"constant", 1, 1}, {"special", 0, 64}, {"file", 0, 0},
};

}  // namespace

bool Elaborator::notes() {
  for (const NoteSyntax& note : op_.notes) {
    bool fine = note.kind == "case" ? case_note(note) : note.kind == "input" ? input_note(note) : policy_note(note);
    if (!fine) return false;
  }
  return true;
}

bool Elaborator::case_note(const NoteSyntax& note) {
  ir::Case one;
  one.name = note.name;
  for (const ir::Case& other : program_.cases)
    if (other.name == note.name)
      return wrong(note.pos, "name", fmt::format("there are two cases named {}", note.name)), false;
  for (const BindSyntax& bind : note.binds)
    if (!case_bind(bind, one)) return false;
  auto given = [&](const std::string& name) {
    return one.sizes.contains(name) || std::find(one.open.begin(), one.open.end(), name) != one.open.end();
  };
  for (const ir::Dim& dim : program_.dims)
    if (dim.free && !given(dim.name))
      return wrong(note.pos, "case", fmt::format("the case {} gives no value for {}", note.name, dim.name),
                   fmt::format("write {}=64, or {}=? to choose it at run time", dim.name, dim.name)),
             false;
  for (const ir::IntParam& param : program_.int_params)
    if (!param.fallback && !given(param.name))
      return wrong(note.pos, "case", fmt::format("the case {} gives no value for {}", note.name, param.name)), false;
  for (const ir::ScalarParam& param : program_.scalar_params)
    if (!param.fallback && !one.scalars.contains(param.name))
      return wrong(note.pos, "case", fmt::format("the case {} gives no value for {}", note.name, param.name)), false;
  program_.cases.push_back(std::move(one));
  return true;
}

bool Elaborator::case_bind(const BindSyntax& bind, ir::Case& one) {
  if (!bind.field.empty()) return case_field(bind, one);
  if (!bind.type.empty()) return case_type(bind, one);
  std::vector<std::string> known;
  bool is_int = false, is_scalar = false, is_bool = false, is_dim = false;
  for (const ir::Dim& dim : program_.dims)
    if (dim.free) known.push_back(dim.name), is_dim = is_dim || dim.name == bind.name;
  for (const ir::IntParam& param : program_.int_params)
    known.push_back(param.name), is_int = is_int || param.name == bind.name;
  for (const ir::ScalarParam& param : program_.scalar_params) {
    known.push_back(param.name);
    if (param.name == bind.name) is_scalar = true, is_bool = param.is_bool;
  }
  if (!is_dim && !is_int && !is_scalar) {
    const ir::Dim* derived = program_.dim(bind.name);
    if (derived != nullptr)
      return wrong(bind.pos, "case",
                   fmt::format("{} follows from other sizes: {} = {}", bind.name, bind.name, derived->size.text()),
                   "leave it out"),
             false;
    return unknown(bind.pos, "size or parameter", bind.name, known), false;
  }
  if (bind.open) {
    if (is_scalar)
      return wrong(bind.pos, "case",
                   fmt::format("only sizes may be open, but {} is a parameter of type {}", bind.name,
                               is_bool ? "bool" : "float")),
             false;
    one.open.push_back(bind.name);
    return true;
  }
  std::optional<double> value = constant(bind.value);
  if (!value) return false;
  bool added = false;
  if (is_scalar) {
    added = one.scalars.emplace(bind.name, *value).second;
  } else {
    std::optional<IntExpr> size = size_of(bind.value);
    if (!size) return false;
    if (is_dim && size->value() < 0)
      return wrong(bind.value->pos, "case", fmt::format("the size {} cannot be negative", bind.name)), false;
    added = one.sizes.emplace(bind.name, size->value()).second;
  }
  return added || (wrong(bind.pos, "case", fmt::format("{} is given twice", bind.name)), false);
}

bool Elaborator::case_type(const BindSyntax& bind, ir::Case& one) {
  std::vector<std::string> known;
  for (const TypeVariable& variable : op_.variables) {
    known.push_back(variable.name);
    if (variable.name != bind.name) continue;
    if (std::find(variable.dtypes.begin(), variable.dtypes.end(), bind.type) == variable.dtypes.end()) {
      std::string list;
      for (const std::string& dtype : variable.dtypes) list += " " + dtype;
      return wrong(bind.pos, "type", fmt::format("{} cannot be {}", bind.name, bind.type),
                   fmt::format("{} is one of:{}", bind.name, list)),
             false;
    }
    one.types[bind.name] = bind.type == "f8" ? fp8_ : *dtype_by_name(bind.type);
    return true;
  }
  return unknown(bind.pos, "type variable", bind.name, known), false;
}

bool Elaborator::case_field(const BindSyntax& bind, ir::Case& one) {
  const ir::Tensor* tensor = program_.tensor(bind.name);
  std::vector<std::string> known;
  for (const ir::Tensor& each : program_.tensors) known.push_back(each.name);
  if (tensor == nullptr) return unknown(bind.pos, "tensor", bind.name, known), false;
  auto number = [&](const AstRef& ast, int64_t& value) {
    std::optional<IntExpr> size = size_of(ast);
    if (!size) return false;
    if (size->kind() != IntExpr::Kind::constant || size->value() < 0)
      return wrong(ast->pos, "case", "expected an integer that is not negative"), false;
    value = size->value();
    return true;
  };
  if (bind.field == "offset") return number(bind.value, one.offsets[bind.name]);
  std::vector<int64_t>& strides = one.strides[bind.name];
  if (bind.list.size() != tensor->shape.size())
    return wrong(bind.pos, "case",
                 fmt::format("{} has {} axes, but {} strides are given", bind.name, tensor->shape.size(),
                             bind.list.size())),
           false;
  strides.resize(bind.list.size());
  for (size_t i = 0; i < strides.size(); ++i)
    if (!number(bind.list[i], strides[i])) return false;
  return true;
}

bool Elaborator::input_note(const NoteSyntax& note) {
  std::vector<std::string> tensors, kinds;
  for (const ir::Tensor& tensor : program_.tensors)
    if (tensor.role != Role::output) tensors.push_back(tensor.name);
  if (std::find(tensors.begin(), tensors.end(), note.name) == tensors.end())
    return unknown(note.pos, "input", note.name, tensors), false;
  for (const DistributionRow& row : kDistributions) kinds.push_back(row.kind);
  std::vector<ir::Distribution>& list = program_.inputs[note.name];
  if (!list.empty())
    return wrong(note.pos, "name", fmt::format("the input {} has two notes", note.name),
                 "separate distributions with |"),
           false;
  for (const DistSyntax& dist : note.dists) {
    auto row = std::find_if(std::begin(kDistributions), std::end(kDistributions),
                            [&](const DistributionRow& one) { return dist.kind == one.kind; });
    if (row == std::end(kDistributions)) return unknown(dist.pos, "distribution", dist.kind, kinds), false;
    int count = static_cast<int>(dist.args.size());
    if (count < row->least || count > row->most || (dist.kind == "file") != !dist.file.empty())
      return wrong(dist.pos, "arguments",
                   dist.kind == "file"
                       ? std::string("file needs a name in quotes")
                       : fmt::format("{} takes {} numbers, but {} are given", dist.kind, row->least, count)),
             false;
    ir::Distribution one{dist.kind, {}, {}, dist.file};
    for (const AstRef& arg : dist.args) {
      bool sized = arg->kind == AstKind::dim || arg->kind == AstKind::name || arg->kind == AstKind::binary ||
                   arg->kind == AstKind::call;
      std::optional<IntExpr> size = sized ? size_of(arg) : std::nullopt;
      std::optional<double> number = sized ? std::optional<double>(0) : constant(arg);
      if (failed()) return false;
      one.numbers.push_back(*number);
      one.sizes.push_back(size);
    }
    list.push_back(std::move(one));
  }
  return true;
}

bool Elaborator::policy_note(const NoteSyntax& note) {
  auto choose = [&](const char* yes, const char* no, bool& flag) {
    if (note.name != yes && note.name != no)
      return wrong(note.pos, "syntax",
                   fmt::format("expected {} or {} after {}:, but found {}", yes, no, note.kind, note.name)),
             false;
    flag = note.name == yes;
    return true;
  };
  if (note.kind == "nan") return choose("propagate", "undefined", program_.policy.nan_propagates);
  if (note.kind == "order") return choose("fixed", "any", program_.policy.order_fixed);
  program_.policy.accumulate = element_type(note.name, note.pos);
  return program_.policy.accumulate.has_value();
}

}  // namespace hipvault::frontend
