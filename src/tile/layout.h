#pragma once
// Linear layouts: which work-item holds which element of a tile, as a linear map over bits.
//
// A layout maps (register, lane, wave) to the coordinates of an element: every bit of the three inputs has a basis
// vector, one coordinate a tile dimension, and the element's coordinates are the xor of the bases of the set bits.
// Example, a 16 x 16 f32 accumulator of v_mfma_f32_16x16x16_f16 (row = 4*(lane/16) + register, column = lane%16):
//
//   register: (1,0) (2,0)        lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0)        wave: -
//
// All extents are powers of two. A zero basis means that the bit repeats the same element (broadcast). The same algebra
// describes LDS: a shared layout maps the offset in LDS to coordinates, so a swizzle is a layout and a conversion is
// inverse(destination) ∘ source. (The idea: "Linear Layouts", Triton, arXiv 2505.23819.)

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/target.h"

namespace hipvault::tile {

using Coords = std::vector<int32_t>;

class Layout {
 public:
  std::vector<int32_t> shape;           // of the tile
  std::vector<Coords> reg, lane, wave;  // bases, low bit first

  int registers() const { return 1 << reg.size(); }  // values a lane holds
  Coords at(int32_t register_index, int32_t lane_index, int32_t wave_index) const;
  bool is_surjective() const;  // every element is held somewhere
  bool is_injective() const;   // nothing is held twice
  bool operator==(const Layout& other) const = default;
  // Bases as masks over the bits of the row-major element number: registers, then lanes, then waves.
  std::vector<uint64_t> columns() const;
  std::string text() const;  // "shape=[16,16] reg=[(1,0),(2,0)] lane=[…] wave=[]"

  // Lanes hold `vector[d]` neighbours along d; then lanes, then waves, then more registers cover the shape, fastest
  // along order[0]. What the shape does not need repeats (zero bases).
  static Layout blocked(std::vector<int32_t> shape, std::vector<int32_t> vector, std::vector<int32_t> lanes,
                        std::vector<int32_t> waves, std::vector<int> order);
  // The operand of a matrix instruction tiled over `shape`, `waves` along each dimension. which: 'a', 'b' or 'c'.
  static Layout matrix(const target::MatrixOp& op, char which, std::vector<int32_t> shape, std::vector<int32_t> waves);

  Layout without_axis(int axis) const;  // what a reduction along axis leaves: the coordinate is dropped
  Layout with_axis(int axis) const;     // inverse of the shape change only: extent 1 inserted
  Layout permuted(const std::vector<int>& axes) const;
  Layout reshaped(const std::vector<int32_t>& new_shape) const;  // row-major order kept
  Layout narrowed_to(const std::vector<int32_t>& shape) const;   // coordinates along extents that become 1 are dropped
  Layout broadcast_to(const std::vector<int32_t>& shape) const;  // more registers along extents that were 1
};

int coordinate_bits(const std::vector<int32_t>& shape);                     // log2 of the number of elements
uint64_t flatten(const Coords& coords, const std::vector<int32_t>& shape);  // row-major element number
Coords unflatten(uint64_t flat, const std::vector<int32_t>& shape);

// Composition, inverse and rank over GF(2); matrices are lists of column bit masks.
std::vector<uint64_t> invert(const std::vector<uint64_t>& columns, int rows);  // a right inverse; CHECKs surjective
int rank(std::vector<uint64_t> columns);
uint64_t apply(const std::vector<uint64_t>& columns, uint64_t input);

}  // namespace hipvault::tile
