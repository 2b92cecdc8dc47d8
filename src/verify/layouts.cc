#include "verify/layouts.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace hipvault::verify {
namespace {

struct LayoutRow {
  Layout layout;
  const char* name;
};
constexpr LayoutRow kLayouts[] = {
    {Layout::contiguous, "contiguous"}, {Layout::padded, "padded rows"},    {Layout::ragged, "ragged rows"},
    {Layout::offset, "offset"},         {Layout::transposed, "transposed"}, {Layout::odd_unit, "odd unit strides"},
    {Layout::expanded, "expanded"},     {Layout::spread, "spread"},
};

bool is_packed(DType dtype) { return info(dtype).bits < 8; }

// Contiguous strides in which each row of the last axis takes `pad` elements more.
std::vector<int64_t> row_padded(const std::vector<int64_t>& shape, int64_t pad) {
  std::vector<int64_t> strides = contiguous_strides(shape);
  if (shape.size() < 2) return strides;
  int64_t row = std::max<int64_t>(shape.back(), 1) + pad;
  for (size_t axis = shape.size() - 1; axis-- > 0;) {
    strides[axis] = row;
    row *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

std::vector<int64_t> swapped(const std::vector<int64_t>& shape) {
  if (shape.size() < 2) return contiguous_strides(shape);
  std::vector<int64_t> other = shape;
  size_t last = shape.size() - 1;
  std::swap(other[last], other[last - 1]);
  std::vector<int64_t> strides = contiguous_strides(other);
  std::swap(strides[last], strides[last - 1]);
  return strides;
}

// Which of some paddings a tensor gets: outputs the smallest, inputs one by name. With equal ones, a kernel that took
// x's stride for y's went unseen.
int64_t rank_of(const ir::Tensor& tensor) {
  return tensor.role == Role::input ? 1 + static_cast<int64_t>(hash64(tensor.name) % 3) : 0;
}

std::vector<int64_t> strides_for(const ir::Tensor& tensor, const std::vector<int64_t>& shape, Layout layout) {
  std::vector<int64_t> strides = contiguous_strides(shape);
  bool packed = is_packed(tensor.dtype);
  switch (layout) {
    case Layout::padded:
      return row_padded(shape, 16 * (1 + rank_of(tensor)));
    case Layout::ragged:
      return row_padded(shape, packed ? 2 + shape.back() % 2 : 1 + 2 * rank_of(tensor));
    case Layout::transposed:
      return packed ? strides : swapped(shape);
    case Layout::odd_unit:
      for (size_t axis = 0; axis < shape.size() && !packed; ++axis) {
        if (shape[axis] == 1) strides[axis] = 6287 + 2 * static_cast<int64_t>(axis);
      }
      return strides;
    case Layout::spread:
      for (size_t axis = 0; axis < shape.size() && !packed; ++axis) strides[axis] *= 2 + rank_of(tensor);
      return strides;
    case Layout::expanded:
      for (size_t axis = 0; axis < shape.size() && tensor.role == Role::input && !packed; ++axis) {
        if (shape[axis] > 1) {
          strides[axis] = 0;
          break;
        }
      }
      return strides;
    default:
      return strides;
  }
}

HostTensor fill(HostTensor tensor, uint8_t poison) {
  auto [first, last] = element_span(tensor);
  int64_t count = std::max(last + 1, tensor.offset);
  tensor.bytes.assign(static_cast<size_t>(bytes_of(tensor.dtype, count)), static_cast<char>(poison));
  return tensor;
}

int64_t byte_at(DType dtype, int64_t position) { return position * info(dtype).bits / 8; }

}  // namespace

const char* name(Layout layout) {
  for (const LayoutRow& row : kLayouts) {
    if (row.layout == layout) return row.name;
  }
  return "unknown";
}

std::vector<Layout> all_layouts() {
  std::vector<Layout> layouts;
  for (const LayoutRow& row : kLayouts) layouts.push_back(row.layout);
  return layouts;
}

HostTensor outline(const ir::Tensor& tensor, const std::vector<int64_t>& shape, Layout layout) {
  int64_t offset = layout != Layout::offset ? 0 : is_packed(tensor.dtype) ? 2 : 1;
  return {tensor.name, tensor.dtype, shape, strides_for(tensor, shape, layout), offset, {}};
}

HostTensor allocate(const ir::Tensor& tensor, const std::vector<int64_t>& shape, Layout layout, uint8_t poison) {
  return fill(outline(tensor, shape, layout), poison);
}

Result<HostTensor> allocate_noted(const ir::Tensor& tensor, const std::vector<int64_t>& shape,
                                  const std::vector<int64_t>& strides, int64_t offset, uint8_t poison) {
  std::vector<int64_t> chosen = strides.empty() ? contiguous_strides(shape) : strides;
  if (chosen.size() != shape.size()) {
    return fail("verify.strides", tensor.name + " has " + std::to_string(shape.size()) + " axes but " +
                                      std::to_string(chosen.size()) + " strides are noted");
  }
  bool negative = offset < 0 || std::any_of(chosen.begin(), chosen.end(), [](int64_t stride) { return stride < 0; });
  if (negative) return fail("verify.strides", "strides and offset of " + tensor.name + " must not be negative");
  HostTensor made{tensor.name, tensor.dtype, shape, chosen, offset, {}};
  if (bytes_of(tensor.dtype, element_span(made).second + 1) > (int64_t{1} << 30)) {
    return fail("verify.strides", "the noted strides of " + tensor.name + " need more than 1 GiB");
  }
  return fill(std::move(made), poison);
}

std::pair<int64_t, int64_t> element_span(const HostTensor& tensor) {
  if (tensor.elements() == 0) return {0, -1};
  int64_t last = tensor.offset;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  return {tensor.offset, last};
}

int64_t linear_at(const HostTensor& tensor, int64_t position) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.shape[axis] > 1) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return tensor.strides[a] > tensor.strides[b]; });
  std::vector<int64_t> index(tensor.shape.size(), 0);
  int64_t rest = position - tensor.offset;
  for (size_t axis : axes) {
    if (tensor.strides[axis] <= 0 || rest < 0) return -1;
    index[axis] = std::min(rest / tensor.strides[axis], tensor.shape[axis] - 1);
    rest -= index[axis] * tensor.strides[axis];
  }
  if (rest != 0) return -1;
  int64_t linear = 0;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) linear = linear * tensor.shape[axis] + index[axis];
  return linear;
}

void add_layout_names(const HostTensor& tensor, Sizes& sizes) {
  for (size_t axis = 0; axis < tensor.strides.size(); ++axis) {
    sizes[tensor.name + ".stride." + std::to_string(axis)] = tensor.strides[axis];
  }
  int64_t first_byte = byte_at(tensor.dtype, tensor.offset);
  int64_t align = 256;
  while (first_byte % align != 0) align /= 2;
  sizes[tensor.name + ".align"] = align;
}

BufferRequest buffer_request(const HostTensor& tensor, Role role, bool read_back) {
  BufferRequest request;
  request.name = tensor.name;
  request.data = tensor.bytes;
  request.first_byte = byte_at(tensor.dtype, tensor.offset);
  auto [first, last] = element_span(tensor);
  request.valid_begin = last < first ? request.first_byte : byte_at(tensor.dtype, first);
  request.valid_end = last < first ? request.first_byte : bytes_of(tensor.dtype, last + 1);
  request.writable = role != Role::input;
  request.initialised = role != Role::output;
  request.read_back = read_back;
  return request;
}

bool gaps_changed(const HostTensor& layout, const std::string& before, const std::string& after) {
  if (before.size() != after.size()) return true;
  if (is_packed(layout.dtype))
    return false;  // rows share no bytes with gaps only when even; values are compared anyway
  size_t width = static_cast<size_t>(info(layout.dtype).bits / 8);
  std::string masked = after;
  int64_t count = layout.elements();
  for (int64_t linear = 0; linear < count; ++linear) {
    size_t at = static_cast<size_t>(layout.position_of(linear)) * width;
    std::memcpy(masked.data() + at, before.data() + at, width);
  }
  return masked != before;
}

}  // namespace hipvault::verify
