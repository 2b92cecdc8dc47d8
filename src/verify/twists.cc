#include "verify/twists.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hipvault::verify {
namespace {

constexpr int64_t kTwistedBelow = int64_t{1} << 26;

using Row = std::vector<double>;

// The first, one of the last four, next to a multiple of a power of two (where stretches of a row meet) or any
// position.
size_t some_place(size_t length, Random& random) {
  uint64_t pick = random.below(6);
  if (pick == 0) return 0;
  if (pick < 3) return length - 1 - random.below(std::min<size_t>(length, 4));
  size_t stretch = size_t{32} << random.below(7);
  if (pick > 3 || stretch > length) return random.below(length);
  return std::min(length - 1, stretch * (1 + random.below(length / stretch)) + random.below(8) - 4);
}

void negative(Row& row, DType, Random&) {
  for (double& value : row) value = value == 0 ? -1 : -std::fabs(value);
}
void positive(Row& row, DType, Random&) {
  for (double& value : row) value = value == 0 ? 1 : std::fabs(value);
}
void one_dominant(Row& row, DType, Random& random) { row[some_place(row.size(), random)] = 24 + 8 * random.uniform(); }
// A power of two, and in long rows the other element below it: sums of equal terms round in one direction, which the
// error model (independent roundings) does not allow for, unless the terms are exact as 2^k and exp(0) are.
void all_but_one(Row& row, DType, Random& random) {
  double constant = std::ldexp(row[0] < 0 ? -1.0 : 1.0, static_cast<int>(random.between(-2, 2)));
  row.assign(row.size(), constant);
  bool above = row.size() <= 32 && random.below(2) == 0;
  row[some_place(row.size(), random)] += (above ? 0.5 : -0.5) * std::fabs(constant);
}
void alternating(Row& row, DType, Random&) {
  double size = std::fabs(row[0]) + 0.5;
  for (size_t at = 0; at < row.size(); ++at) row[at] = (at % 2 == 0 ? size : -size) * (1 + row[at] / 64);
}
// Within what 8-bit floats can hold.
void far_below(Row& row, DType, Random&) {
  for (double& value : row) value = -96 - 8 * std::fabs(value);
}
void one_far(Row& row, DType, Random& random) { row[some_place(row.size(), random)] = 96 + 64 * random.uniform(); }
void large(Row& row, DType dtype, Random&) {
  for (double& value : row) value *= dtype == DType::f16 ? 8 : 32;
}
void tiny(Row& row, DType dtype, Random&) {
  for (double& value : row) value = std::ldexp(value, dtype == DType::f16 ? -8 : -30);
}
void subnormal(Row& row, DType dtype, Random& random) {
  for (double& value : row) {
    if (random.below(8) == 0) value = std::copysign(info(dtype).min_normal * 0.5 * random.uniform(), value);
  }
}
void empty_rows(Row& row, DType, Random& random) {
  if (random.below(3) == 0) row.assign(row.size(), -std::numeric_limits<double>::infinity());
}

struct TwistRow {
  Twist twist;
  void (*apply)(Row& row, DType dtype, Random& random);
};
constexpr TwistRow kRows[] = {
    {Twist::negative, negative},
    {Twist::positive, positive},
    {Twist::one_dominant, one_dominant},
    {Twist::all_but_one, all_but_one},
    {Twist::alternating, alternating},
    {Twist::far_below, far_below},
    {Twist::one_far, one_far},
    {Twist::large, large},
    {Twist::tiny, tiny},
    {Twist::subnormal, subnormal},
    {Twist::empty_rows, empty_rows},
};
constexpr size_t kMixable = 9;  // the first so many rows of the table are drawn from by `mixed`

}  // namespace

void twist_rows(HostTensor& tensor, Twist twist, Random& random) {
  int64_t count = tensor.elements(), length = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (count == 0 || count > kTwistedBelow || !is_float(tensor.dtype)) return;
  const TwistRow* fixed = std::find_if(std::begin(kRows), std::end(kRows),
                                       [&](const TwistRow& candidate) { return candidate.twist == twist; });
  Row row(static_cast<size_t>(length));
  for (int64_t first = 0; first < count; first += length) {
    const TwistRow* one = fixed != std::end(kRows) ? fixed : &kRows[random.below(kMixable)];
    for (int64_t at = 0; at < length; ++at)
      row[static_cast<size_t>(at)] = decode(tensor.dtype, tensor.bytes.data(), tensor.position_of(first + at));
    one->apply(row, tensor.dtype, random);
    for (int64_t at = 0; at < length; ++at)
      encode(tensor.dtype, tensor.bytes.data(), tensor.position_of(first + at), row[static_cast<size_t>(at)]);
  }
}

}  // namespace hipvault::verify
