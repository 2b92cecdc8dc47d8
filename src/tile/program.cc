#include "tile/program.h"

#include <array>

#include "base/check.h"

namespace hipvault::tile {
namespace {

struct OpRow {
  OpCode code;
  const char* name;
  int operands, results;
  OpGroup group;
};

constexpr std::array kOps = {
#define OP(name, operands, results, group) OpRow{OpCode::name, #name, operands, results, OpGroup::group},
#include "tile/ops.def"
#undef OP
};

constexpr std::array kKinds = {"none", "sum", "prod", "max", "min", "and", "or", "argmax", "argmin", "exchange"};

}  // namespace

const char* op_name(OpCode code) { return kOps[static_cast<size_t>(code)].name; }
OpGroup op_group(OpCode code) { return kOps[static_cast<size_t>(code)].group; }
int op_operands(OpCode code) { return kOps[static_cast<size_t>(code)].operands; }
int op_results(OpCode code) { return kOps[static_cast<size_t>(code)].results; }

std::optional<OpCode> op_by_name(const std::string& name) {
  for (const OpRow& row : kOps)
    if (name == row.name) return row.code;
  return std::nullopt;
}

const char* kind_name(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::optional<Kind> kind_by_name(const std::string& name) {
  for (size_t k = 0; k < kKinds.size(); ++k)
    if (name == kKinds[k]) return static_cast<Kind>(k);
  return std::nullopt;
}

std::string text(const Type& type) {
  std::string out = name(type.dtype);
  if (type.lds) out = "lds " + out;
  if (type.shape.empty()) return out;
  out += "[";
  for (size_t d = 0; d < type.shape.size(); ++d) out += (d ? "," : "") + std::to_string(type.shape[d]);
  return out + "]";
}

int64_t elements(const Type& type) {
  int64_t count = 1;
  for (int32_t extent : type.shape) count *= extent;
  return count;
}

bool has_effect(const Operation& op) {
  switch (op.code) {
    case OpCode::store:
    case OpCode::atomic:
    case OpCode::lds_alloc:
    case OpCode::lds_store:
    case OpCode::barrier:
    case OpCode::yield:
      return true;
    default:
      break;
  }
  for (const Block& region : op.regions)
    for (const Operation& inner : region.ops)
      if (inner.code != OpCode::yield && has_effect(inner)) return true;
  return false;
}

void visit(const Block& block, const std::function<void(const Operation&)>& f) {
  for (const Operation& op : block.ops) {
    f(op);
    for (const Block& region : op.regions) visit(region, f);
  }
}

void visit(Block& block, const std::function<void(Operation&)>& f) {
  for (Operation& op : block.ops) {
    f(op);
    for (Block& region : op.regions) visit(region, f);
  }
}

}  // namespace hipvault::tile
