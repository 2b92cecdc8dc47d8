#include "verify/sampling.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace hipvault::verify {
namespace {

// Up to `wanted` coordinates of an axis: ends, both sides of powers of two, random rest.
std::vector<int64_t> axis_coordinates(int64_t extent, int64_t wanted, Random& random) {
  std::set<int64_t> chosen;
  auto add = [&](int64_t at) {
    if (at >= 0 && at < extent && static_cast<int64_t>(chosen.size()) < wanted) chosen.insert(at);
  };
  for (int64_t at : {int64_t{0}, extent - 1, int64_t{1}, extent - 2, extent / 2}) add(at);
  // Half of the room at most for the powers, the large ones first: work-group tiles before vector widths.
  int64_t room = wanted / 2;
  for (int64_t power = int64_t{1} << 40; power >= 2 && static_cast<int64_t>(chosen.size()) < room; power /= 2) {
    add(power);
    add(power - 1);
  }
  if (extent <= wanted) {
    for (int64_t at = 0; at < extent; ++at) add(at);
  }
  while (static_cast<int64_t>(chosen.size()) < std::min(wanted, extent)) {
    add(static_cast<int64_t>(random.below(static_cast<uint64_t>(extent))));
  }
  return {chosen.begin(), chosen.end()};
}

int64_t product(const std::vector<int64_t>& shape, size_t axes) {
  int64_t count = 1;
  for (size_t axis = 0; axis < axes; ++axis) count *= shape[axis];
  return count;
}

// Leading tuples as linear ids over all axes but the last: corners of every axis, then random.
std::vector<int64_t> leading_tuples(const std::vector<int64_t>& shape, int64_t wanted, Random& random) {
  size_t axes = shape.size() - 1;
  int64_t total = product(shape, axes);
  std::set<int64_t> chosen;
  std::vector<std::vector<int64_t>> borders;
  for (size_t axis = 0; axis < axes; ++axis) borders.push_back(axis_coordinates(shape[axis], 16, random));
  for (int64_t tries = 0; tries < 8 * wanted && static_cast<int64_t>(chosen.size()) < std::min(wanted, total);
       ++tries) {
    int64_t linear = 0;
    for (size_t axis = 0; axis < axes; ++axis) {
      bool border = random.below(2) == 0;
      int64_t at = border ? borders[axis][random.below(borders[axis].size())]
                          : static_cast<int64_t>(random.below(static_cast<uint64_t>(shape[axis])));
      if (tries == 0) at = 0;
      if (tries == 1) at = shape[axis] - 1;
      linear = linear * shape[axis] + at;
    }
    chosen.insert(linear);
  }
  for (int64_t linear = 0; linear < total && static_cast<int64_t>(chosen.size()) < std::min(wanted, total); ++linear) {
    chosen.insert(linear);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

std::vector<int64_t> sample_elements(const std::vector<int64_t>& shape, int64_t wanted, Random& random) {
  int64_t total = product(shape, shape.size());
  std::vector<int64_t> elements;
  if (total <= wanted) {
    elements.resize(static_cast<size_t>(total));
    std::iota(elements.begin(), elements.end(), 0);
    return elements;
  }
  int64_t last = shape.back(), rows = product(shape, shape.size() - 1);
  int64_t per_row = std::min<int64_t>(last, std::max<int64_t>(64, (wanted + rows - 1) / rows));
  int64_t row_count = std::min<int64_t>(rows, (wanted + per_row - 1) / per_row);
  for (int64_t row : leading_tuples(shape, row_count, random)) {
    for (int64_t at : axis_coordinates(last, per_row, random)) elements.push_back(row * last + at);
  }
  return elements;
}

std::vector<int64_t> thin_elements(const std::vector<int64_t>& shape, const std::vector<int64_t>& elements,
                                   int64_t wanted, Random& random) {
  if (static_cast<int64_t>(elements.size()) <= wanted) return elements;
  int64_t last = shape.empty() ? 1 : shape.back();
  std::map<int64_t, std::vector<int64_t>> rows;
  for (int64_t element : elements) rows[element / last].push_back(element);
  std::vector<const std::vector<int64_t>*> all;
  for (const auto& [row, members] : rows) all.push_back(&members);
  auto total = static_cast<int64_t>(elements.size()), count = static_cast<int64_t>(all.size());
  int64_t per_row = std::max<int64_t>(64, (wanted + count - 1) / count);
  std::vector<int64_t> kept;
  for (int64_t at : axis_coordinates(count, std::min(count, (wanted + per_row - 1) / per_row), random)) {
    const std::vector<int64_t>& members = *all[static_cast<size_t>(at)];
    for (int64_t member : axis_coordinates(static_cast<int64_t>(members.size()), per_row, random)) {
      kept.push_back(members[static_cast<size_t>(member)]);
    }
  }
  // Short rows leave room: fill it from anywhere.
  std::set<int64_t> chosen(kept.begin(), kept.end());
  while (static_cast<int64_t>(chosen.size()) < std::min(wanted, total)) {
    chosen.insert(elements[random.below(static_cast<uint64_t>(total))]);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace hipvault::verify
