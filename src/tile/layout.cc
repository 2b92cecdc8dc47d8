#include "tile/layout.h"

#include <algorithm>

#include "base/check.h"

namespace hipvault::tile {
namespace {

int log2_of(int32_t extent) {
  CHECK(extent > 0 && (extent & (extent - 1)) == 0) << extent << " is not a power of two";
  return __builtin_ctz(static_cast<unsigned>(extent));
}

void xor_into(Coords& coords, const Coords& basis) {
  for (size_t d = 0; d < coords.size(); ++d) coords[d] ^= basis[d];
}

std::string bases_text(const std::vector<Coords>& bases) {
  std::string out = "[";
  for (size_t b = 0; b < bases.size(); ++b) {
    out += b ? " (" : "(";
    for (size_t d = 0; d < bases[b].size(); ++d) out += (d ? "," : "") + std::to_string(bases[b][d]);
    out += ")";
  }
  return out + "]";
}

Coords unit(size_t rank, int axis, int32_t value) {
  Coords coords(rank, 0);
  coords[static_cast<size_t>(axis)] = value;
  return coords;
}

bool is_zero(const Coords& basis) {
  return std::all_of(basis.begin(), basis.end(), [](int32_t c) { return c == 0; });
}

// The coordinates of every basis, through `f`.
template <class F>
Layout mapped(const Layout& layout, std::vector<int32_t> shape, F f) {
  Layout result;
  result.shape = std::move(shape);
  for (const Coords& basis : layout.reg) result.reg.push_back(f(basis));
  for (const Coords& basis : layout.lane) result.lane.push_back(f(basis));
  for (const Coords& basis : layout.wave) result.wave.push_back(f(basis));
  return result;
}

}  // namespace

int coordinate_bits(const std::vector<int32_t>& shape) {
  int bits = 0;
  for (int32_t extent : shape) bits += log2_of(extent);
  return bits;
}

uint64_t flatten(const Coords& coords, const std::vector<int32_t>& shape) {
  uint64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d) flat = flat << log2_of(shape[d]) | static_cast<uint64_t>(coords[d]);
  return flat;
}

Coords unflatten(uint64_t flat, const std::vector<int32_t>& shape) {
  Coords coords(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    coords[d] = static_cast<int32_t>(flat & static_cast<uint64_t>(shape[d] - 1));
    flat >>= log2_of(shape[d]);
  }
  return coords;
}

std::vector<uint64_t> Layout::columns() const {
  std::vector<uint64_t> out;
  for (const std::vector<Coords>* bases : {&reg, &lane, &wave})
    for (const Coords& basis : *bases) out.push_back(flatten(basis, shape));
  return out;
}

Coords Layout::at(int32_t register_index, int32_t lane_index, int32_t wave_index) const {
  Coords coords(shape.size(), 0);
  for (size_t b = 0; b < reg.size(); ++b)
    if (register_index >> b & 1) xor_into(coords, reg[b]);
  for (size_t b = 0; b < lane.size(); ++b)
    if (lane_index >> b & 1) xor_into(coords, lane[b]);
  for (size_t b = 0; b < wave.size(); ++b)
    if (wave_index >> b & 1) xor_into(coords, wave[b]);
  return coords;
}

bool Layout::is_surjective() const { return rank(columns()) == coordinate_bits(shape); }
bool Layout::is_injective() const {
  std::vector<uint64_t> all = columns();
  return rank(all) == static_cast<int>(all.size());
}

std::string Layout::text() const {
  std::string out = "shape=[";
  for (size_t d = 0; d < shape.size(); ++d) out += (d ? "," : "") + std::to_string(shape[d]);
  return out + "] reg=" + bases_text(reg) + " lane=" + bases_text(lane) + " wave=" + bases_text(wave);
}

Layout Layout::blocked(std::vector<int32_t> shape, std::vector<int32_t> vector, std::vector<int32_t> lanes,
                       std::vector<int32_t> waves, std::vector<int> order) {
  size_t rank = shape.size();
  CHECK(vector.size() == rank && lanes.size() == rank && waves.size() == rank && order.size() == rank)
      << "ranks differ";
  Layout layout;
  layout.shape = shape;
  Coords covered(rank, 1);
  auto take = [&](std::vector<Coords>& bases, int axis, int32_t count) {
    size_t d = static_cast<size_t>(axis);
    for (int bit = 0; bit < log2_of(count); ++bit) {
      bool fits = covered[d] < shape[d];
      bases.push_back(unit(rank, axis, fits ? covered[d] : 0));
      if (fits) covered[d] *= 2;
    }
  };
  // Registers beyond the shape would be pure copies, so a vector never exceeds its extent.
  for (int axis : order)
    take(layout.reg, axis, std::min(vector[static_cast<size_t>(axis)], shape[static_cast<size_t>(axis)]));
  for (int axis : order) take(layout.lane, axis, lanes[static_cast<size_t>(axis)]);
  for (int axis : order) take(layout.wave, axis, waves[static_cast<size_t>(axis)]);
  for (int axis : order) take(layout.reg, axis, shape[static_cast<size_t>(axis)] / covered[static_cast<size_t>(axis)]);
  return layout;
}

Layout Layout::matrix(const target::MatrixOp& op, char which, std::vector<int32_t> shape, std::vector<int32_t> waves) {
  CHECK(which == 'a' || which == 'b' || which == 'c') << "operand " << which;
  CHECK(shape.size() == 2 && waves.size() == 2) << "matrix operands have rank 2";
  const target::OperandMap& map = which == 'a' ? op.map_a : which == 'b' ? op.map_b : op.map_c;
  int32_t rows = which == 'b' ? op.k : op.m, columns = which == 'a' ? op.k : op.n;
  CHECK(shape[0] >= rows && shape[1] >= columns) << "a tile smaller than " << op.mnemonic;
  Layout layout;
  layout.shape = shape;
  for (auto [row, column] : map.element_bits) layout.reg.push_back({row, column});
  for (auto [row, column] : map.lane_bits) layout.lane.push_back({row, column});
  Coords covered = {rows, columns};
  // Waves tile the dimensions of the result (m for A, n for B, both for C); along k every wave holds the same.
  for (size_t d : {size_t{1}, size_t{0}})
    for (int bit = 0; bit < log2_of(waves[d]); ++bit) {
      bool along_k = (which == 'a' && d == 1) || (which == 'b' && d == 0);
      bool fits = !along_k && covered[d] < shape[d];
      layout.wave.push_back(unit(2, static_cast<int>(d), fits ? covered[d] : 0));
      if (fits) covered[d] *= 2;
    }
  for (int d : {1, 0})
    for (int32_t& extent = covered[static_cast<size_t>(d)]; extent < shape[static_cast<size_t>(d)]; extent *= 2)
      layout.reg.push_back(unit(2, d, extent));
  return layout;
}

Layout Layout::without_axis(int axis) const {
  std::vector<int32_t> smaller = shape;
  smaller.erase(smaller.begin() + axis);
  Layout result = mapped(*this, smaller, [axis](Coords basis) {
    basis.erase(basis.begin() + axis);
    return basis;
  });
  // A register bit that no longer moves would only copy: a lane keeps one of each.
  std::erase_if(result.reg, is_zero);
  return result;
}

Layout Layout::narrowed_to(const std::vector<int32_t>& narrow) const {
  Layout result = mapped(*this, narrow, [&](Coords basis) {
    for (size_t d = 0; d < basis.size(); ++d)
      if (narrow[d] == 1) basis[d] = 0;
    return basis;
  });
  std::erase_if(result.reg, is_zero);
  return result;
}

Layout Layout::with_axis(int axis) const {
  std::vector<int32_t> larger = shape;
  larger.insert(larger.begin() + axis, 1);
  return mapped(*this, larger, [axis](Coords basis) {
    basis.insert(basis.begin() + axis, 0);
    return basis;
  });
}

Layout Layout::permuted(const std::vector<int>& axes) const {
  auto pick = [&axes](const std::vector<int32_t>& from) {
    std::vector<int32_t> to;
    for (int axis : axes) to.push_back(from[static_cast<size_t>(axis)]);
    return to;
  };
  return mapped(*this, pick(shape), pick);
}

Layout Layout::reshaped(const std::vector<int32_t>& new_shape) const {
  CHECK(coordinate_bits(shape) == coordinate_bits(new_shape)) << "reshape to another number of elements";
  return mapped(*this, new_shape, [&](const Coords& basis) { return unflatten(flatten(basis, shape), new_shape); });
}

Layout Layout::broadcast_to(const std::vector<int32_t>& larger) const {
  Layout result = *this;
  result.shape = larger;
  for (size_t d = larger.size(); d-- > 0;)
    for (int32_t extent = shape[d]; extent < larger[d]; extent *= 2)
      result.reg.push_back(unit(larger.size(), static_cast<int>(d), extent));
  return result;
}

int rank(std::vector<uint64_t> columns) {
  int found = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c]) continue;
    ++found;
    uint64_t lowest = columns[c] & (~columns[c] + 1);
    for (size_t other = c + 1; other < columns.size(); ++other)
      if (columns[other] & lowest) columns[other] ^= columns[c];
  }
  return found;
}

std::vector<uint64_t> invert(const std::vector<uint64_t>& columns, int rows) {
  CHECK(columns.size() <= 64) << "more than 64 input bits";
  // Gauss over (image, combination of inputs that gives it). Earlier columns are preferred: registers before lanes
  // before waves, so that a repeated element is taken from where it is cheapest.
  std::vector<uint64_t> image, inputs;
  for (size_t c = 0; c < columns.size(); ++c) {
    uint64_t value = columns[c], from = uint64_t{1} << c;
    for (size_t r = 0; r < image.size(); ++r)
      if (value & image[r] & (~image[r] + 1)) value ^= image[r], from ^= inputs[r];
    if (!value) continue;
    uint64_t lowest = value & (~value + 1);
    for (size_t r = 0; r < image.size(); ++r)
      if (image[r] & lowest) image[r] ^= value, inputs[r] ^= from;
    image.push_back(value);
    inputs.push_back(from);
  }
  std::vector<uint64_t> result(static_cast<size_t>(rows), 0);
  for (int row = 0; row < rows; ++row) {
    bool found = false;
    for (size_t r = 0; r < image.size(); ++r)
      if (image[r] == uint64_t{1} << row) result[static_cast<size_t>(row)] = inputs[r], found = true;
    CHECK(found) << "the map does not reach bit " << row;
  }
  return result;
}

uint64_t apply(const std::vector<uint64_t>& columns, uint64_t input) {
  uint64_t out = 0;
  for (size_t c = 0; c < columns.size(); ++c)
    if (input >> c & 1) out ^= columns[c];
  return out;
}

}  // namespace hipvault::tile
