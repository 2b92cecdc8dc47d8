#pragma once
// Plan: how an op is launched. One description serves the launcher that users take home, the judge, the simulator and
// kernels written elsewhere (as `// hv-plan: {json}` in their source).
//
// Names in expressions: every name of `sizes` (dimensions and int parameters, "N"), and for each buffer x of rank r
//   x.stride.0 … x.stride.(r-1)   in elements, per axis in order
//   x.align                       the largest power of two, at most 256, that divides the address of its first element
// so `x.stride.1 == 1 and x.align >= 16 and N % 8 == 0` is the condition under which a vectorised variant may run.
//
// Dispatch: the first variant whose `when` holds is launched. A plan whose last variant has a `when` other than 1
// refuses the remaining sizes; the refusal names the condition.
//
// Example (softmax split over two launches):
//   variant "split4"  when "x.stride.1 == 1 and N >= 65536"
//     workspace part: bytes 8 * B * 4, written by launch 0, read by launch 1
//     launch softmax_part   grid (4, B, 1) block 256   args x, part, N, x.stride.0
//     launch softmax_finish grid (4, B, 1) block 256   args x, part, y, N, …

#include <array>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/dtype.h"
#include "record/int_expr.h"

namespace hipvault {

enum class Role { input, output, inout };

// A tensor argument of the op. `shape` has one expression an axis, over the plan's sizes.
struct BufferSpec {
  std::string name;
  DType dtype = DType::f32;
  Role role = Role::input;
  std::vector<IntExpr> shape;
};

// A float or bool parameter of the op (int parameters are sizes). In the C entry they follow the sizes in the same
// array, as the bits of a double.
struct ScalarSpec {
  std::string name;
  DType dtype = DType::f64;
};

struct KernelArg {
  enum class Kind { buffer, workspace, integer, scalar };
  Kind kind = Kind::buffer;
  std::string name;          // of the buffer, workspace buffer or scalar
  IntExpr value;             // integer: its value
  DType dtype = DType::i32;  // integer: i32 or i64; scalar: f32 or f64
};

struct Launch {
  std::string kernel;
  std::array<IntExpr, 3> grid = {IntExpr(1), IntExpr(1), IntExpr(1)};  // work-groups
  IntExpr block = IntExpr(256);                                        // work-items in x; y = z = 1
  IntExpr dynamic_lds;                                                 // bytes
  std::vector<KernelArg> args;                                         // in the kernel's order
};

// Offsets are assigned by `resolve`, 256-byte aligned; buffers whose launch ranges do not overlap may share bytes.
struct WorkspaceBuffer {
  std::string name;
  IntExpr bytes;
  int first_launch = 0;  // lifetime, inclusive, as indices of launches
  int last_launch = 0;
  bool zeroed = false;  // the launcher clears it before the first launch of its lifetime
};

struct Variant {
  std::string name;
  IntExpr when = IntExpr(1);
  std::vector<WorkspaceBuffer> workspace;
  std::vector<Launch> launches;
};

struct Plan {
  std::string op;
  std::string arch;
  std::vector<BufferSpec> buffers;  // in the order of the C entry's `buffers`
  std::vector<std::string> sizes;   // in the order of the C entry's `sizes`
  std::vector<ScalarSpec> scalars;  // follow the sizes
  std::vector<Variant> variants;
  std::string accumulate = "f32";  // what sums are kept in, for the error model and the promises
  bool atomics = false;            // float atomics: results may differ between runs
};

Json to_json(const Plan& plan);
Result<Plan> plan_from_json(const Json& json);

// ---- a plan with numbers
// ---------------------------------------------------------------------------------------------

struct ResolvedArg {
  KernelArg::Kind kind = KernelArg::Kind::buffer;
  int index = 0;       // buffer: index into Plan::buffers; scalar: into Plan::scalars
  int64_t offset = 0;  // workspace: byte offset
  int64_t value = 0;   // integer
  DType dtype = DType::i32;
  std::string name;
};

struct ResolvedLaunch {
  std::string kernel;
  std::array<int64_t, 3> grid{};  // any 0 means nothing is launched
  int64_t block = 0;              // work-items in x
  int64_t block_y = 1, block_z = 1;
  int64_t dynamic_lds = 0;
  std::vector<ResolvedArg> args;
  std::string raw_args;  // instead of `args`: the bytes of the explicit arguments as the kernel lays them out
  std::vector<std::pair<int64_t, int64_t>> clear;  // workspace byte ranges [offset, size) to zero before this launch

  int64_t items() const { return block * block_y * block_z; }  // of a work-group
};

struct ResolvedPlan {
  std::string variant;
  int64_t workspace_bytes = 0;
  std::vector<ResolvedLaunch> launches;
};

// `sizes` must hold every name of plan.sizes and the stride and align names above. Errors: no variant accepts the
// sizes; an expression cannot be evaluated; a grid or block out of range (block 1…1024, grid < 2^31).
Result<ResolvedPlan> resolve(const Plan& plan, const Sizes& sizes);

}  // namespace hipvault
