#pragma once
// HostTensor: a tensor in host memory with strides and offset, as the judge hands it to a device. `bytes` holds the
// whole allocation; element (i0, i1, …) is at element index offset + Σ i·stride. 4-bit types count nibbles.

#include <string>
#include <vector>

#include "record/dtype.h"

namespace hipvault {

struct HostTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements; 0 repeats; never negative
  int64_t offset = 0;            // in elements
  std::string bytes;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
  }
  // Position in `bytes`, in elements, of a multi-index.
  int64_t position(const int64_t* index) const {
    int64_t at = offset;
    for (size_t axis = 0; axis < shape.size(); ++axis) at += index[axis] * strides[axis];
    return at;
  }
  int64_t position_of(int64_t linear) const {
    int64_t at = offset;
    for (size_t axis = shape.size(); axis-- > 0;) {
      at += (linear % shape[axis]) * strides[axis];
      linear /= shape[axis];
    }
    return at;
  }
};

inline std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * (shape[axis] > 0 ? shape[axis] : 1);
  return strides;
}

// A zero-filled, contiguous tensor.
inline HostTensor make_tensor(std::string name, DType dtype, std::vector<int64_t> shape) {
  HostTensor tensor{std::move(name), dtype, shape, contiguous_strides(shape), 0, {}};
  tensor.bytes.assign(static_cast<size_t>(bytes_of(dtype, tensor.elements())), '\0');
  return tensor;
}

}  // namespace hipvault
