#pragma once
// KernelScope: one kernel under construction together with what launches it. A sketch asks for a size, a stride or a
// buffer by its name in the op; the scope declares the kernel argument, remembers what the launcher passes, and writes
// down every condition that the code relies on. So the `when` of a plan's variant is not written by hand: it is what
// the kernels really assumed. Example, in a narrow scope:
//
//   scope.stride("x", 0)      -> argument i32 x_stride_0 = x.stride.0; when x.stride.0 <= 2^31-1
//   scope.use_unit_stride("x", 1)  -> no argument;              when x.stride.1 == 1
//
// A narrow scope counts in 32 bits and demands that every size and offset fits; a wide one counts in 64 bits and
// demands nothing, which makes it the last variant of a plan. Arguments that turn out unused are dropped, with their
// conditions.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/program.h"
#include "record/plan.h"
#include "schedule/schedule.h"
#include "tile/builder.h"

namespace hipvault::schedule {

// A value in the kernel, with the mathematical type it has in the op. Integers carry bounds that hold in every lane
// that is not masked off: they decide between 32 and 64 bits and save tests.
struct Value {
  tile::ValueId id = -1;
  ir::ValueType type = ir::ValueType::real;
  int64_t low = 0, high = 0;
};

enum class Access { read, write, read_write };

struct Facts {
  bool wide = false;
  bool fast_math = false;  // f32: exp as one hardware instruction, division by a hardware reciprocal
  Sizes fixed;             // plan sizes that this kernel is specialised to
};

struct BuiltKernel {
  tile::Kernel kernel;
  Launch launch;
  std::map<std::string, IntExpr> conditions;  // by text: what the launcher must have checked
  std::map<std::string, int64_t> multiple_of, alignment;
};

class KernelScope {
 public:
  KernelScope(const Task& task, const std::string& kernel_name, int waves, const Facts& facts);

  tile::Builder b;
  const ir::Program& program() const { return task_.normal; }
  const Task& task() const { return task_; }
  bool wide() const { return facts_.wide; }
  bool fast_math() const { return facts_.fast_math; }
  DType index_type() const { return facts_.wide ? DType::i64 : DType::i32; }
  DType real() const { return real_; }

  // Index of the buffer argument. The first call decides what may be done with it.
  int tensor(const std::string& name, Access access = Access::read);
  int workspace(const std::string& name, DType dtype, Access access);

  Value size(const IntExpr& size);  // in index_type
  Value dim(const std::string& dim);
  Value stride(const std::string& tensor, size_t axis);
  Value scalar(const std::string& name);        // a float parameter is f64
  IntExpr expanded(const IntExpr& size) const;  // over the plan's sizes, fixed ones put in

  void require(const IntExpr& condition);
  void use_unit_stride(const std::string& tensor, size_t axis);
  void use_stride_multiple(const std::string& tensor, size_t axis, int64_t factor);
  void use_alignment(const std::string& tensor, int64_t bytes);
  void use_size_multiple(const IntExpr& size, int64_t factor);

  BuiltKernel finish(const std::array<IntExpr, 3>& grid);

 private:
  struct Integer {
    Value value;
    IntExpr passed;
    IntExpr when = IntExpr(1);
    int64_t multiple = 1;
  };
  void declare_sizes();
  void declare_size(const IntExpr& size, const std::string& name);
  void declare_strides(const ir::Tensor& tensor);
  std::string unused_name(std::string name);
  Integer& argument(const std::string& name, const IntExpr& passed, int64_t low, int64_t high);
  KernelArg pass_buffer(size_t index) const;
  KernelArg pass_scalar(const tile::ScalarArg& arg, BuiltKernel& built) const;
  void require_span(const std::string& tensor);

  const Task& task_;
  Facts facts_;
  DType real_;
  std::set<std::string> names_;
  std::map<std::string, std::string> size_arguments_;  // expanded text -> argument
  std::map<std::string, Integer> integers_;            // by argument name
  std::map<std::string, Value> scalars_;
  std::map<std::string, std::string> scalar_names_;  // argument -> parameter of the op
  std::map<std::string, int> buffers_;               // "x" and "workspace x"
  std::vector<KernelArg> buffer_args_;
  std::map<std::string, int64_t> alignment_;
  std::map<std::string, IntExpr> requirements_;  // by text
};

// Removes operations without effect whose results nobody uses, then arguments that no operation reads.
void remove_dead(tile::Kernel& kernel);

constexpr int64_t kNarrowSize = int64_t{1} << 30;  // the largest size a narrow kernel accepts
constexpr int64_t kWideSize = int64_t{1} << 46;

}  // namespace hipvault::schedule
