#pragma once
// How the judge lays tensors out in memory, and what it puts around them.
//
// A kernel that is right on contiguous tensors may read rows by stride and their base by head size, or take a vector
// load from a base that is only 4-byte aligned. So the same logical values are laid out in several ways. The bytes
// between elements hold the poison: read, they show as NaN or a wild number; written, they show as changed.

#include <string>
#include <vector>

#include "ir/program.h"
#include "record/run_request.h"
#include "record/tensor.h"

namespace hipvault::verify {

enum class Layout {
  contiguous,
  padded,      // rows start 16 to 64 elements further than they need, so that 16-byte alignment survives
  ragged,      // rows start 1 element (2 for 4-bit types) further: no row but the first is aligned
  offset,      // the first element is 1 element into its allocation
  transposed,  // the last two axes swapped in memory
  odd_unit,    // axes of size 1 get a stride that fits nothing else
  expanded,    // inputs: the first axis longer than 1 has stride 0 (one row seen many times)
  spread,      // every stride two to five times what it needs, so that vectors too have gaps
};
const char* name(Layout layout);
std::vector<Layout> all_layouts();

// An empty allocation for a tensor of this shape: strides, offset, and `bytes` filled with `poison` throughout. 4-bit
// types keep stride 1 on their last axis and even strides elsewhere. Outputs are never expanded.
HostTensor allocate(const ir::Tensor& tensor, const std::vector<int64_t>& shape, Layout layout, uint8_t poison);

// Its strides and offset alone, without an allocation.
HostTensor outline(const ir::Tensor& tensor, const std::vector<int64_t>& shape, Layout layout);

// The same with strides and offset as a case notes them. Error: strides that do not have the tensor's rank, are
// negative, or need an allocation above 1 GiB.
Result<HostTensor> allocate_noted(const ir::Tensor& tensor, const std::vector<int64_t>& shape,
                                  const std::vector<int64_t>& strides, int64_t offset, uint8_t poison);

// Position range [first, last] of the tensor's elements in its allocation; {0, -1} if it has none.
std::pair<int64_t, int64_t> element_span(const HostTensor& tensor);

// Adds the names a plan's conditions use: x.stride.0 …, x.align.
void add_layout_names(const HostTensor& tensor, Sizes& sizes);

// Moves the bytes of `tensor` into a request for a device.
BufferRequest buffer_request(const HostTensor& tensor, Role role, bool read_back);

// The linear index of the element at a position of the allocation; -1 if the position is between elements. For strides
// that enumerate elements without overlap, in any order of axes.
int64_t linear_at(const HostTensor& tensor, int64_t position);

// Whether any byte outside the elements differs between the two states of the allocation.
bool gaps_changed(const HostTensor& layout, const std::string& before, const std::string& after);

}  // namespace hipvault::verify
