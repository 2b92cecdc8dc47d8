#include "record/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hipvault {
namespace {

constexpr int64_t kAlign = 256;

const char* role_name(Role role) { return role == Role::input ? "input" : role == Role::output ? "output" : "inout"; }

Result<Role> role_by_name(const std::string& name) {
  for (Role role : {Role::input, Role::output, Role::inout})
    if (name == role_name(role)) return role;
  return fail("plan.role", "unknown role \"" + name + "\"", "write input, output or inout");
}

constexpr std::pair<KernelArg::Kind, const char*> kArgKinds[] = {
    {KernelArg::Kind::buffer, "buffer"},
    {KernelArg::Kind::workspace, "workspace"},
    {KernelArg::Kind::integer, "integer"},
    {KernelArg::Kind::scalar, "scalar"},
};

Json to_json(const BufferSpec& buffer) {
  Json shape = Json::array();
  for (const IntExpr& extent : buffer.shape) shape.push_back(extent.text());
  return {{"name", buffer.name}, {"dtype", name(buffer.dtype)}, {"role", role_name(buffer.role)}, {"shape", shape}};
}

Json to_json(const KernelArg& arg) {
  for (const auto& [kind, text] : kArgKinds) {
    if (kind != arg.kind) continue;
    if (kind == KernelArg::Kind::integer) return {{text, arg.value.text()}, {"dtype", name(arg.dtype)}};
    if (kind == KernelArg::Kind::scalar) return {{text, arg.name}, {"dtype", name(arg.dtype)}};
    return {{text, arg.name}};
  }
  CHECK(false) << "argument kind";
  return {};
}

Json to_json(const Launch& launch) {
  Json args = Json::array();
  for (const KernelArg& arg : launch.args) args.push_back(to_json(arg));
  Json json = {{"kernel", launch.kernel},
               {"grid", {launch.grid[0].text(), launch.grid[1].text(), launch.grid[2].text()}},
               {"block", launch.block.text()}};
  if (!launch.dynamic_lds.is_constant(0)) json["dynamic_lds"] = launch.dynamic_lds.text();
  json["args"] = args;
  return json;
}

Json to_json(const WorkspaceBuffer& buffer) {
  return {{"name", buffer.name},
          {"bytes", buffer.bytes.text()},
          {"first_launch", buffer.first_launch},
          {"last_launch", buffer.last_launch},
          {"zeroed", buffer.zeroed}};
}

Json to_json(const Variant& variant);

template <class T>
Json list_json(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to_json(item));
  return json;
}

Json to_json(const Variant& variant) {
  return {{"name", variant.name},
          {"when", variant.when.text()},
          {"workspace", list_json(variant.workspace)},
          {"launches", list_json(variant.launches)}};
}

// ---- reading: every field checked, the message names the place
// -----------------------------------------------------------

Result<IntExpr> read_expr(const Json& json, const std::string& what) {
  if (json.is_number_integer()) return IntExpr(json.get<int64_t>());
  if (!json.is_string()) return fail("plan.type", what + ": expected an expression as a string or a number");
  Result<IntExpr> expr = IntExpr::parse(json.get<std::string>());
  if (!expr) return fail("plan.expression", what + ": " + expr.error().message, "", expr.error().place);
  return expr;
}

Result<IntExpr> read_expr_field(const Json& json, const char* field, const std::string& what, IntExpr fallback) {
  if (!json.is_object() || !json.contains(field)) return fallback;
  return read_expr(json.at(field), what + "." + field);
}

Result<DType> read_dtype(const Json& json, const std::string& what) {
  Result<std::string> text = json_field<std::string>(json, "dtype", what);
  if (!text) return fail(text.error());
  std::optional<DType> dtype = dtype_by_name(*text);
  if (!dtype) return fail("plan.dtype", what + ": unknown dtype \"" + *text + "\"");
  return *dtype;
}

Result<BufferSpec> read_buffer(const Json& json) {
  BufferSpec buffer;
  Result<std::string> text = json_field<std::string>(json, "name", "a buffer of the plan");
  if (!text) return fail(text.error());
  buffer.name = *text;
  std::string what = "buffer " + buffer.name;
  Result<DType> dtype = read_dtype(json, what);
  if (!dtype) return fail(dtype.error());
  buffer.dtype = *dtype;
  Result<std::string> role_text = json_field<std::string>(json, "role", what);
  if (!role_text) return fail(role_text.error());
  Result<Role> role = role_by_name(*role_text);
  if (!role) return fail(role.error());
  buffer.role = *role;
  Result<Json> shape = json_field<Json>(json, "shape", what);
  if (!shape) return fail(shape.error());
  for (const Json& extent : *shape) {
    Result<IntExpr> expr = read_expr(extent, what + ".shape");
    if (!expr) return fail(expr.error());
    buffer.shape.push_back(*expr);
  }
  return buffer;
}

Result<KernelArg> read_arg(const Json& json, const std::string& what) {
  KernelArg arg;
  for (const auto& [kind, text] : kArgKinds) {
    if (!json.is_object() || !json.contains(text)) continue;
    arg.kind = kind;
    if (kind == KernelArg::Kind::integer) {
      Result<IntExpr> value = read_expr(json.at(text), what);
      if (!value) return fail(value.error());
      arg.value = *value;
    } else {
      Result<std::string> name = json_field<std::string>(json, text, what);
      if (!name) return fail(name.error());
      arg.name = *name;
    }
    if (kind == KernelArg::Kind::buffer || kind == KernelArg::Kind::workspace) return arg;
    Result<DType> dtype = read_dtype(json, what);
    if (!dtype) return fail(dtype.error());
    arg.dtype = *dtype;
    return arg;
  }
  return fail("plan.argument", what + ": an argument needs one of the fields buffer, workspace, integer, scalar");
}

Result<Launch> read_launch(const Json& json) {
  Launch launch;
  Result<std::string> kernel = json_field<std::string>(json, "kernel", "a launch of the plan");
  if (!kernel) return fail(kernel.error());
  launch.kernel = *kernel;
  std::string what = "launch of " + launch.kernel;
  Result<Json> grid = json_field<Json>(json, "grid", what);
  if (!grid) return fail(grid.error());
  if (!grid->is_array() || grid->empty() || grid->size() > 3)
    return fail("plan.grid", what + ": grid must be a list of 1 to 3 expressions");
  for (size_t axis = 0; axis < grid->size(); ++axis) {
    Result<IntExpr> extent = read_expr(grid->at(axis), what + ".grid");
    if (!extent) return fail(extent.error());
    launch.grid[axis] = *extent;
  }
  Result<IntExpr> block = read_expr_field(json, "block", what, IntExpr(256));
  if (!block) return fail(block.error());
  launch.block = *block;
  Result<IntExpr> lds = read_expr_field(json, "dynamic_lds", what, IntExpr(0));
  if (!lds) return fail(lds.error());
  launch.dynamic_lds = *lds;
  Result<Json> args = json_field<Json>(json, "args", what);
  if (!args) return fail(args.error());
  for (const Json& item : *args) {
    Result<KernelArg> arg = read_arg(item, fmt::format("argument {} of {}", launch.args.size(), launch.kernel));
    if (!arg) return fail(arg.error());
    launch.args.push_back(*arg);
  }
  return launch;
}

Result<WorkspaceBuffer> read_workspace(const Json& json) {
  WorkspaceBuffer buffer;
  Result<std::string> text = json_field<std::string>(json, "name", "a workspace buffer of the plan");
  if (!text) return fail(text.error());
  buffer.name = *text;
  std::string what = "workspace " + buffer.name;
  Result<IntExpr> bytes = json.contains("bytes") ? read_expr(json.at("bytes"), what + ".bytes")
                                                 : fail("plan.missing", what + ": the field \"bytes\" is missing");
  if (!bytes) return fail(bytes.error());
  buffer.bytes = *bytes;
  buffer.first_launch = json.value("first_launch", 0);
  buffer.last_launch = json.value("last_launch", 1 << 20);
  buffer.zeroed = json.value("zeroed", false);
  return buffer;
}

template <class T>
Status read_list(const Json& json, const char* field, std::vector<T>& items, Result<T> (*read)(const Json&),
                 bool required, const std::string& what) {
  if (!json.is_object()) return fail("plan.type", what + " must be an object");
  if (!json.contains(field)) {
    if (!required) return {};
    return fail("plan.missing", what + ": the list \"" + field + "\" is missing");
  }
  if (!json.at(field).is_array()) return fail("plan.type", what + ": \"" + field + "\" must be a list");
  for (const Json& element : json.at(field)) {
    Result<T> item = read(element);
    if (!item) return fail(item.error());
    items.push_back(*item);
  }
  return {};
}

Result<Variant> read_variant(const Json& json) {
  Variant variant;
  variant.name = json.is_object() ? json.value("name", std::string("only")) : "";
  std::string what = "variant " + variant.name;
  Result<IntExpr> when = read_expr_field(json, "when", what, IntExpr(1));
  if (!when) return fail(when.error());
  variant.when = *when;
  Status status = read_list(json, "workspace", variant.workspace, read_workspace, false, what);
  if (status) status = read_list(json, "launches", variant.launches, read_launch, true, what);
  if (!status) return fail(status.error());
  return variant;
}

// Every name an argument uses must exist: found now, a typo is a message; found later, a wrong pointer.
Status check_names(const Plan& plan) {
  auto has = [](const auto& list, const std::string& wanted) {
    return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.name == wanted; });
  };
  for (const Variant& variant : plan.variants)
    for (const Launch& launch : variant.launches)
      for (const KernelArg& arg : launch.args) {
        bool known = arg.kind == KernelArg::Kind::integer ||
                     (arg.kind == KernelArg::Kind::buffer && has(plan.buffers, arg.name)) ||
                     (arg.kind == KernelArg::Kind::workspace && has(variant.workspace, arg.name)) ||
                     (arg.kind == KernelArg::Kind::scalar && has(plan.scalars, arg.name));
        if (!known)
          return fail("plan.name",
                      fmt::format("kernel {} takes \"{}\", which the plan does not define", launch.kernel, arg.name));
      }
  return {};
}

Result<ScalarSpec> read_scalar(const Json& json) {
  Result<std::string> text = json_field<std::string>(json, "name", "a scalar of the plan");
  if (!text) return fail(text.error());
  Result<DType> dtype = read_dtype(json, "scalar " + *text);
  if (!dtype) return fail(dtype.error());
  return ScalarSpec{*text, *dtype};
}

// ---- resolving
// ---------------------------------------------------------------------------------------------------------------

struct Placed {
  int64_t offset = 0, bytes = 0;
};

// First fit over buffers whose lifetimes overlap. Few buffers, so quadratic is fine.
Result<std::vector<Placed>> place_workspace(const Variant& variant, const Sizes& sizes, int64_t& total) {
  std::vector<Placed> placed;
  for (const WorkspaceBuffer& buffer : variant.workspace) {
    Result<int64_t> bytes = buffer.bytes.evaluate(sizes);
    if (!bytes) return fail(bytes.error());
    if (*bytes < 0) return fail("plan.workspace", fmt::format("workspace {} would have {} bytes", buffer.name, *bytes));
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < placed.size(); ++i) {
        const WorkspaceBuffer& other = variant.workspace[i];
        bool alive_together = other.first_launch <= buffer.last_launch && buffer.first_launch <= other.last_launch;
        bool overlap = offset < placed[i].offset + placed[i].bytes && placed[i].offset < offset + *bytes;
        if (!alive_together || !overlap) continue;
        offset = (placed[i].offset + placed[i].bytes + kAlign - 1) / kAlign * kAlign;
        moved = true;
      }
    }
    placed.push_back({offset, *bytes});
    total = std::max(total, offset + *bytes);
  }
  return placed;
}

template <class T>
int index_of(const std::vector<T>& list, const std::string& wanted) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == wanted) return static_cast<int>(i);
  CHECK(false) << "no " << wanted << " in the plan";
  return -1;
}

Result<ResolvedArg> resolve_arg(const Plan& plan, const Variant& variant, const std::vector<Placed>& placed,
                                const KernelArg& arg, const Sizes& sizes) {
  ResolvedArg resolved;
  resolved.kind = arg.kind;
  resolved.dtype = arg.dtype;
  resolved.name = arg.name;
  if (arg.kind == KernelArg::Kind::buffer) resolved.index = index_of(plan.buffers, arg.name);
  if (arg.kind == KernelArg::Kind::scalar) resolved.index = index_of(plan.scalars, arg.name);
  if (arg.kind == KernelArg::Kind::workspace)
    resolved.offset = placed[static_cast<size_t>(index_of(variant.workspace, arg.name))].offset;
  if (arg.kind == KernelArg::Kind::integer) {
    Result<int64_t> value = arg.value.evaluate(sizes);
    if (!value) return fail(value.error());
    if (arg.dtype == DType::i32 && (*value < INT32_MIN || *value > INT32_MAX))
      return fail("plan.overflow", fmt::format("the argument {} = {} does not fit 32 bits", arg.value.text(), *value));
    resolved.value = *value;
  }
  return resolved;
}

Result<int64_t> evaluate_within(const IntExpr& expr, const Sizes& sizes, int64_t low, int64_t high,
                                const std::string& what) {
  Result<int64_t> value = expr.evaluate(sizes);
  if (!value) return value;
  if (*value < low || *value > high)
    return fail("plan.range", fmt::format("{} = {} is outside {} … {}", what, *value, low, high));
  return value;
}

Result<ResolvedLaunch> resolve_launch(const Plan& plan, const Variant& variant, const std::vector<Placed>& placed,
                                      size_t at, const Sizes& sizes) {
  const Launch& launch = variant.launches[at];
  ResolvedLaunch resolved;
  resolved.kernel = launch.kernel;
  for (size_t axis = 0; axis < 3; ++axis) {
    Result<int64_t> extent =
        evaluate_within(launch.grid[axis], sizes, 0, axis == 0 ? INT32_MAX : 65535, "the grid of " + launch.kernel);
    if (!extent) return fail(extent.error());
    resolved.grid[axis] = *extent;
  }
  Result<int64_t> block = evaluate_within(launch.block, sizes, 1, 1024, "the block of " + launch.kernel);
  if (!block) return fail(block.error());
  resolved.block = *block;
  Result<int64_t> lds = evaluate_within(launch.dynamic_lds, sizes, 0, 1 << 20, "the dynamic LDS of " + launch.kernel);
  if (!lds) return fail(lds.error());
  resolved.dynamic_lds = *lds;
  for (const KernelArg& arg : launch.args) {
    Result<ResolvedArg> one = resolve_arg(plan, variant, placed, arg, sizes);
    if (!one) return fail(one.error());
    resolved.args.push_back(*one);
  }
  for (size_t i = 0; i < variant.workspace.size(); ++i)
    if (variant.workspace[i].zeroed && variant.workspace[i].first_launch == static_cast<int>(at))
      resolved.clear.push_back({placed[i].offset, placed[i].bytes});
  return resolved;
}

}  // namespace

Json to_json(const Plan& plan) {
  Json scalars = Json::array();
  for (const ScalarSpec& scalar : plan.scalars)
    scalars.push_back({{"name", scalar.name}, {"dtype", name(scalar.dtype)}});
  return {{"op", plan.op},
          {"arch", plan.arch},
          {"buffers", list_json(plan.buffers)},
          {"sizes", plan.sizes},
          {"scalars", scalars},
          {"accumulate", plan.accumulate},
          {"atomics", plan.atomics},
          {"variants", list_json(plan.variants)}};
}

namespace {

Result<Plan> read_plan(const Json& json) {
  Plan plan;
  Result<std::string> op = json_field<std::string>(json, "op", "the plan");
  if (!op) return fail(op.error());
  plan.op = *op;
  plan.arch = json.value("arch", std::string());
  Result<std::vector<std::string>> sizes = json_field<std::vector<std::string>>(json, "sizes", "the plan");
  if (!sizes) return fail(sizes.error());
  plan.sizes = *sizes;
  plan.accumulate = json.value("accumulate", std::string("f32"));
  plan.atomics = json.value("atomics", false);
  Status status = read_list(json, "buffers", plan.buffers, read_buffer, true, "the plan");
  if (status) status = read_list(json, "scalars", plan.scalars, read_scalar, false, "the plan");
  if (status) status = read_list(json, "variants", plan.variants, read_variant, true, "the plan");
  if (status) status = check_names(plan);
  if (!status) return fail(status.error());
  if (plan.variants.empty())
    return fail("plan.empty", "the plan has no variant", "give at least one with its launches");
  return plan;
}

}  // namespace

Result<Plan> plan_from_json(const Json& json) {
  try {
    return read_plan(json);
  } catch (const nlohmann::json::exception& error) {  // an optional field of the wrong type
    return fail("plan.type", std::string("the plan has a field of the wrong type: ") + error.what());
  }
}

Result<ResolvedPlan> resolve(const Plan& plan, const Sizes& sizes) {
  std::string refused;
  for (const Variant& variant : plan.variants) {
    Result<int64_t> accepts = variant.when.evaluate(sizes);
    if (!accepts) return fail(accepts.error());
    if (*accepts == 0) {
      refused += (refused.empty() ? "" : "; ") + variant.name + " needs " + variant.when.text();
      continue;
    }
    ResolvedPlan resolved;
    resolved.variant = variant.name;
    Result<std::vector<Placed>> placed = place_workspace(variant, sizes, resolved.workspace_bytes);
    if (!placed) return fail(placed.error());
    for (size_t at = 0; at < variant.launches.size(); ++at) {
      Result<ResolvedLaunch> launch = resolve_launch(plan, variant, *placed, at, sizes);
      if (!launch) return fail(launch.error());
      resolved.launches.push_back(*launch);
    }
    return resolved;
  }
  return fail("plan.refused", "no variant of the plan accepts these sizes: " + refused);
}

}  // namespace hipvault
