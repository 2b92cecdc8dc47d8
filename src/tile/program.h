#pragma once
// Tile program: one GPU kernel over tiles. Close to Triton's IR: a grid of programs, each a work-group of `waves` waves
// that computes on whole tiles. Values are SSA; a value with shape [] is a scalar, the same for the whole program.
//
//   kernel add(x: f32*, y: f32* writable, N: i32) waves 4
//     %0 = program_id axis=0 : i32
//     %1 = range : i32[1024]
//     …
//     store buffer=y %6, %9, %7
//
// Tile extents are powers of two; ragged edges are masks. Booleans are dtype `boolean`.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/dtype.h"
#include "tile/layout.h"

namespace hipvault::tile {

enum class OpCode : uint8_t {
#define OP(name, operands, results, group) name,
#include "tile/ops.def"
#undef OP
};
enum class OpGroup : uint8_t { value, shape, memory, cross, control, index };

const char* op_name(OpCode code);
OpGroup op_group(OpCode code);
int op_operands(OpCode code);  // -1: any number
int op_results(OpCode code);
std::optional<OpCode> op_by_name(const std::string& name);

struct Type {
  DType dtype = DType::f32;
  std::vector<int32_t> shape;
  bool lds = false;  // a tile in LDS (lds_alloc)
  bool operator==(const Type&) const = default;
};

std::string text(const Type& type);  // "f32[4,16]", "lds f16[64,64]"
int64_t elements(const Type& type);  // 1 for a scalar

using ValueId = int32_t;

enum class Kind : uint8_t { none, sum, prod, max, min, logical_and, logical_or, argmax, argmin, exchange };
const char* kind_name(Kind kind);
std::optional<Kind> kind_by_name(const std::string& name);

struct Attrs {
  double number = 0;
  int64_t integer = 0;
  std::string name;  // argument
  int buffer = -1;   // load, store, atomic: index into Kernel::buffers
  int axis = 0;
  std::vector<int> axes;  // permute
  Kind kind = Kind::none;
  bool reverse = false, descending = false;
  // Set by passes.
  int vector = 1;  // load, store: elements a lane moves at once
  bool nontemporal = false;
  const target::MatrixOp* matrix = nullptr;  // dot
  std::optional<Layout> layout;              // lds_alloc: its swizzle; convert_layout: the new layout
};

struct Operation;
struct Block {
  std::vector<ValueId> args;
  std::vector<Operation> ops;
};

struct Operation {
  OpCode code = OpCode::constant;
  std::vector<ValueId> operands, results;
  Attrs attrs;
  std::vector<Block> regions;
  std::string comment;  // printed above the code that the operation becomes
};

struct BufferArg {
  std::string name;
  DType dtype = DType::f32;
  bool writable = false;
  bool readable = true;
};
struct ScalarArg {
  std::string name;
  DType dtype = DType::i32;  // i32, i64, f32, f64
};

struct ValueInfo {
  Type type;
  std::string hint;              // a readable name for the printer; made unique there
  std::optional<Layout> layout;  // tiles: set by assign_layouts
};

struct Kernel {
  std::string name;
  std::string comment;  // what it computes, printed above it
  int waves = 4;
  int wave_size = 64;
  std::vector<BufferArg> buffers;  // kernel arguments: buffers first, then scalars
  std::vector<ScalarArg> scalars;
  std::vector<ValueInfo> values;
  Block body;
  int waves_per_eu = 0;  // 0: leave it to the compiler

  const Type& type(ValueId id) const { return values[static_cast<size_t>(id)].type; }
};

// Text form, for people and goldens; `parse_kernel` reads it back to an equal program (layouts included when present).
std::string text(const Kernel& kernel);
Result<Kernel> parse_kernel(const std::string& text);

// Whether dropping the operation could be noticed even when its results are unused.
bool has_effect(const Operation& op);
// All operations in program order, those of regions after the operation that holds them.
void visit(const Block& block, const std::function<void(const Operation&)>& f);
void visit(Block& block, const std::function<void(Operation&)>& f);

// SSA and type rules of every operation. Called after every pass in debug builds and tests.
Status verify(const Kernel& kernel);

}  // namespace hipvault::tile
