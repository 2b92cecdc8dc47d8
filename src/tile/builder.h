#pragma once
// Builder: makes tile programs with types worked out and shapes broadcast, so that a sketch reads like the mathematics.
//
//   Builder b("add", 4);
//   int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::f32, true);
//   ValueId n = b.scalar("N", DType::i32);
//   ValueId at = b.add(b.mul(b.program_id(0), b.constant(1024)), b.range(1024));
//   ValueId in = b.lt(at, n);
//   b.store(y, at, b.add(b.load(x, at, in), b.constant(1.0f)), in);
//   Kernel kernel = b.finish();
//
// Binary operations broadcast as in NumPy (scalars splat, extents of 1 grow, missing leading axes are added). Integer
// operands of different widths meet at the wider; a constant takes the type of the other side. Mixing integer and
// float, or two float types, needs an explicit cast: CHECK otherwise (a sketch's mistake, not a user's).

#include <functional>
#include <string>
#include <vector>

#include "tile/program.h"

namespace hipvault::tile {

class Builder {
 public:
  Builder(std::string kernel_name, int waves, int wave_size = 64);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // Arguments.
  int buffer(const std::string& name, DType dtype, bool writable, bool readable = true);
  ValueId scalar(const std::string& name, DType dtype);

  // Leaves.
  ValueId constant(double value, DType dtype = DType::f32);
  ValueId integer(int64_t value, DType dtype = DType::i32);
  ValueId boolean(bool value);
  ValueId full(ValueId scalar, std::vector<int32_t> shape);
  ValueId program_id(int axis);
  ValueId num_programs(int axis);
  ValueId range(int32_t n);  // i32 [n]

  // Elementwise, any row of ops.def with group value.
  ValueId unary(OpCode code, ValueId a);
  ValueId binary(OpCode code, ValueId a, ValueId b);
  ValueId add(ValueId a, ValueId b) { return binary(OpCode::add, a, b); }
  ValueId sub(ValueId a, ValueId b) { return binary(OpCode::sub, a, b); }
  ValueId mul(ValueId a, ValueId b) { return binary(OpCode::mul, a, b); }
  ValueId lt(ValueId a, ValueId b) { return binary(OpCode::lt, a, b); }
  ValueId logical_and(ValueId a, ValueId b) { return binary(OpCode::bit_and, a, b); }
  ValueId select(ValueId condition, ValueId a, ValueId b);
  ValueId fma(ValueId a, ValueId b, ValueId c);
  ValueId cast(ValueId a, DType dtype);
  ValueId bitcast(ValueId a, DType dtype);

  // Shapes.
  ValueId expand_dims(ValueId a, int axis);
  ValueId broadcast(ValueId a, std::vector<int32_t> shape);
  ValueId reshape(ValueId a, std::vector<int32_t> shape);
  ValueId permute(ValueId a, std::vector<int> axes);
  // The range [n] as the axis `axis` of a tile of rank `rank`: extents 1 elsewhere.
  ValueId range_along(int32_t n, int axis, int rank);

  // Memory. offsets, mask and value broadcast together. `other` is what masked-off lanes get (default 0).
  ValueId load(int buffer, ValueId offsets, ValueId mask = -1, ValueId other = -1);
  void store(int buffer, ValueId offsets, ValueId value, ValueId mask = -1);
  ValueId atomic(Kind kind, int buffer, ValueId offsets, ValueId value, ValueId mask = -1);
  ValueId lds_alloc(DType dtype, std::vector<int32_t> shape);
  void lds_store(ValueId lds, ValueId value);
  ValueId lds_load(ValueId lds);
  void barrier();

  // Across a tile.
  ValueId reduce(Kind kind, ValueId value, int axis);
  std::pair<ValueId, ValueId> arg_reduce(Kind kind, ValueId value, ValueId index, int axis);
  ValueId scan(Kind kind, ValueId value, int axis, bool reverse = false);
  ValueId dot(ValueId a, ValueId b, ValueId accumulator);
  ValueId gather(ValueId source, ValueId indices, int axis);
  std::vector<ValueId> sort(std::vector<ValueId> values, int axis, bool descending = false);

  // Control. The body gets (induction variable, carried values) and returns the new carried values.
  std::vector<ValueId> for_loop(ValueId low, ValueId high, ValueId step, std::vector<ValueId> initial,
                                const std::function<std::vector<ValueId>(ValueId, const std::vector<ValueId>&)>& body);
  std::vector<ValueId> if_else(ValueId condition, const std::function<std::vector<ValueId>()>& then,
                               const std::function<std::vector<ValueId>()>& otherwise);

  // Readability of what is printed.
  ValueId name(ValueId value, const std::string& hint);  // returns value
  void comment(const std::string& text);                 // above the next operation
  void describe(const std::string& text);                // above the kernel
  void set_waves_per_eu(int waves);

  const Type& type(ValueId value) const;
  Kernel finish();  // CHECKs verify()

 private:
  ValueId emit(OpCode code, std::vector<ValueId> operands, Type type, Attrs attrs = {});
  std::vector<ValueId> emit_many(OpCode code, std::vector<ValueId> operands, const std::vector<Type>& types,
                                 Attrs attrs, std::vector<Block> regions = {});
  Block build_region(const std::vector<Type>& args,
                     const std::function<std::vector<ValueId>(const std::vector<ValueId>&)>& body);
  ValueId new_value(const Type& type);
  // Makes the operands' types meet (see the head of this file); `where` names the operation in a CHECK.
  void meet_dtypes(ValueId& a, ValueId& b, const char* where);
  ValueId as_dtype(ValueId constant, DType dtype);
  ValueId grow(ValueId a, const std::vector<int32_t>& shape);
  std::vector<int32_t> common_shape(const std::vector<ValueId>& values, const char* where) const;

  Kernel kernel_;
  std::map<ValueId, Attrs> constants_;
  std::vector<Block*> blocks_;
  std::string pending_comment_;
};

}  // namespace hipvault::tile
