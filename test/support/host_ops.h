#pragma once
// How the op library is checked: every op of ops/ has a host loop, plain C++ in double written from the mathematics,
// and the interpreter must agree with it. Expected values never come from our own machinery.
//
//   HOST_OP(softmax, log_softmax) {                  // file, op
//     const Array& x = run.in("x");
//     FOR(b, run["B"]) {
//       double total = 0;
//       FOR(n, run["N"]) total += std::exp(x(b, n));
//       FOR(n, run["N"]) run.out("y")(b, n) = x(b, n) - std::log(total);
//     }
//   }
//
// The loop runs on the small, odd and strided cases of the op, on every dtype and input distribution that the file
// names. A test lists the ops of all files and fails for one that has no loop.

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "frontend/hv.h"
#include "ir/program.h"

#define FOR(i, count) for (int64_t i = 0, i##_end = (count); i < i##_end; ++i)

namespace hipvault::host_ops {

// A tensor's values, decoded, at any rank: x(i, j). An index outside is a mistake of the loop and aborts.
class Array {
 public:
  Array() = default;
  Array(std::vector<int64_t> shape, double fill) : shape_(std::move(shape)) {
    int64_t count = 1;
    for (int64_t extent : shape_) count *= extent;
    values_.assign(static_cast<size_t>(count), fill);
  }

  template <class... Index>
  double& operator()(Index... index) {
    const std::array<int64_t, sizeof...(Index)> all = {static_cast<int64_t>(index)...};
    return values_[at(all.data(), all.size())];
  }
  template <class... Index>
  double operator()(Index... index) const {
    const std::array<int64_t, sizeof...(Index)> all = {static_cast<int64_t>(index)...};
    return values_[at(all.data(), all.size())];
  }
  // The value, or `otherwise` if an index is outside.
  template <class... Index>
  double get(double otherwise, Index... index) const {
    const std::array<int64_t, sizeof...(Index)> all = {static_cast<int64_t>(index)...};
    for (size_t axis = 0; axis < all.size(); ++axis)
      if (all[axis] < 0 || all[axis] >= shape_[axis]) return otherwise;
    return values_[at(all.data(), all.size())];
  }
  void fill(double value) { values_.assign(values_.size(), value); }

  const std::vector<int64_t>& shape() const { return shape_; }
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }

 private:
  size_t at(const int64_t* index, size_t rank) const {
    CHECK(rank == shape_.size()) << "host loop: wrong rank";
    int64_t position = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      CHECK(index[axis] >= 0 && index[axis] < shape_[axis]) << "host loop: index outside, axis " << axis;
      position = position * shape_[axis] + index[axis];
    }
    return static_cast<size_t>(position);
  }

  std::vector<int64_t> shape_;
  std::vector<double> values_;
};

// One run of a loop: sizes, inputs, and the outputs that it fills. Results start at a value that no op computes; inout
// tensors start at their old values, which in() keeps.
class Run {
 public:
  Sizes sizes;
  std::map<std::string, double> scalars;
  std::map<std::string, Array> inputs, outputs;

  int64_t operator[](const std::string& name) const { return find(sizes, name); }
  double scalar(const std::string& name) const { return find(scalars, name); }
  const Array& in(const std::string& name) const { return find(inputs, name); }
  Array& out(const std::string& name) {
    CHECK(outputs.count(name)) << "host loop: no output " << name;
    return outputs[name];
  }

 private:
  template <class Map>
  static const typename Map::mapped_type& find(const Map& map, const std::string& name) {
    auto found = map.find(name);
    CHECK(found != map.end()) << "host loop: unknown name " << name;
    return found->second;
  }
};

using Loop = void (*)(Run&);

bool register_loop(const std::string& file, const std::string& op, Loop loop);
std::vector<std::pair<std::string, std::string>> registered_loops();

// Runs the loop against the interpreter; failures are GoogleTest's.
void check_op(const std::string& file, const std::string& op, Loop loop);

// ops/NAME.hv parsed with the standard library, and one op of it with type variables fixed. f8 means e4m3fnuz, as on
// gfx942.
Result<frontend::OpFileRef> open_op_file(const std::string& name);
Result<ir::Program> open_op(const std::string& file, const std::string& op,
                            const std::map<std::string, DType>& types = {});
std::vector<std::string> op_files();  // names without .hv, without std

// Evaluates one op on given numbers. `sizes` and `scalars` as in a case; `inputs` are in row-major order and are
// rounded to the tensor's dtype. Gives every result and inout tensor.
struct Question {
  std::string file, op;
  std::map<std::string, DType> types;
  Sizes sizes;
  std::map<std::string, double> scalars;
  std::map<std::string, std::vector<double>> inputs;
};
Result<std::map<std::string, Array>> evaluate(const Question& question);

// Philox4x32-10 (Salmon et al. 2011), word 0, key `seed`, counter (c, 0): rule 11 of the op language.
uint32_t philox(uint64_t seed, uint64_t counter);

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double silu(double x) { return x / (1 + std::exp(-x)); }
inline double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace hipvault::host_ops

#define HOST_OP(file, op)                                                                                           \
  static void host_##file##_##op(::hipvault::host_ops::Run& run);                                                   \
  static const bool registered_##file##_##op = ::hipvault::host_ops::register_loop(#file, #op, host_##file##_##op); \
  TEST(OpLibrary, file##_##op) {                                                                                    \
    ASSERT_TRUE(registered_##file##_##op);                                                                          \
    ::hipvault::host_ops::check_op(#file, #op, host_##file##_##op);                                                 \
  }                                                                                                                 \
  static void host_##file##_##op(::hipvault::host_ops::Run& run)
