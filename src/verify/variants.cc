#include "verify/variants.h"

#include <algorithm>

namespace hipvault::verify {
namespace {

constexpr int64_t kFar = int64_t{1} << 33;  // a stride that 32 bits do not hold, on an axis where it is never taken
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int kStarts = 10, kRounds = 6;

// How one tensor may lie: the judge's layouts, and far strides on axes of size 1.
enum class Place { contiguous, padded, ragged, offset, transposed, odd_unit, expanded, far_unit, ragged_offset };
constexpr Place kPlaces[] = {Place::contiguous, Place::padded,     Place::ragged,
                             Place::offset,     Place::transposed, Place::odd_unit,
                             Place::expanded,   Place::far_unit,   Place::ragged_offset};

std::vector<int64_t> shape_of(const ir::Tensor& tensor, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const IntExpr& extent : tensor.shape) shape.push_back(extent.evaluate(sizes).value_or(0));
  return shape;
}

HostTensor placed(const ir::Tensor& tensor, const Sizes& sizes, Place place) {
  std::vector<int64_t> shape = shape_of(tensor, sizes);
  if (place == Place::ragged_offset) {
    HostTensor made = outline(tensor, shape, Layout::ragged);
    made.offset = outline(tensor, shape, Layout::offset).offset;
    return made;
  }
  if (place != Place::far_unit) return outline(tensor, shape, static_cast<Layout>(place));
  HostTensor made = outline(tensor, shape, Layout::contiguous);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) made.strides[axis] = kFar;
  }
  return made;
}

void split(const IntExpr& when, std::vector<IntExpr>& conjuncts) {
  if (when.kind() != IntExpr::Kind::logical_and) return conjuncts.push_back(when);
  for (const IntExpr& operand : when.operands()) split(operand, conjuncts);
}

// One point of the search: sizes and a place for each tensor.
struct Point {
  Sizes given;
  std::vector<Place> places;
};

class Finder {
 public:
  Finder(const ir::Program& program, const Plan& plan, size_t variant, double max_steps)
      : program_(program), plan_(plan), variant_(variant), max_steps_(max_steps) {
    split(plan.variants[variant].when, conjuncts_);
    thresholds_ = plan_thresholds(plan);
  }

  std::optional<SizedCase> find(const std::vector<SizedCase>& starts, Random& random) {
    std::optional<SizedCase> best;
    for (int start = 0; start < kStarts && !best; ++start) {
      Point point = first_point(starts[random.below(starts.size())], start, random);
      int score = climb(point, random);
      if (score == goal()) best = case_at(point);
    }
    return best;
  }

 private:
  // Every conjunct and every earlier variant that must not hold; one more for a case that can be afforded.
  int goal() const { return static_cast<int>(conjuncts_.size() + variant_) + 1; }

  Point first_point(const SizedCase& from, int start, Random& random) const {
    Point point;
    for (const ir::Dim& dim : program_.dims) {
      if (dim.free) point.given[dim.name] = from.sizes.at(dim.name);
    }
    for (const ir::IntParam& param : program_.int_params) point.given[param.name] = from.sizes.at(param.name);
    scalars_ = from.scalars;
    point.places.assign(program_.tensors.size(), start == 0 ? Place::contiguous : Place::padded);
    // Strides of axes of size 1 are free: two coordinates that only help together.
    for (auto& [dim, size] : point.given) {
      if (start % 3 == 2 && random.below(2) == 0) size = 1;
    }
    for (Place& place : point.places) {
      if (start == 2 || start == 5)
        place = Place::far_unit;
      else if (start > 1)
        place = kPlaces[random.below(std::size(kPlaces))];
    }
    return point;
  }

  std::vector<int64_t> values_of(const std::string& dim, int64_t now, Random& random) const {
    std::vector<int64_t> values = {1, 2, 3, 7, 16, 33, 64, 100, 128, 256, 333, 512, 1024, 2048, 4096};
    auto near = thresholds_.find(dim);
    if (near != thresholds_.end()) values.insert(values.end(), near->second.begin(), near->second.end());
    for (const ir::Case& noted : program_.cases) {
      if (auto at = noted.sizes.find(dim); at != noted.sizes.end()) values.push_back(at->second);
    }
    for (int64_t factor : {2, 8, 64}) values.push_back(std::max<int64_t>(1, now / factor));
    for (int extra = 0; extra < 6; ++extra) values.push_back(random.between(1, 5000));
    return values;
  }

  int score(const Point& point) const {
    Result<SizedCase> made = make_case(program_, "", point.given, scalars_);
    if (!made) return -1;
    Sizes all = made->sizes;
    double bytes = 0;
    for (size_t at = 0; at < program_.tensors.size(); ++at) {
      HostTensor outline = placed(program_.tensors[at], made->sizes, point.places[at]);
      if (outline.elements() == 0) return -1;  // an empty case shows nothing
      add_layout_names(outline, all);
      bytes += static_cast<double>(element_span(outline).second) * info(outline.dtype).bits / 8;
    }
    int met = made->steps <= max_steps_ && bytes <= static_cast<double>(kMostBytes) ? 1 : 0;
    for (const IntExpr& conjunct : conjuncts_) met += conjunct.evaluate(all).value_or(0) != 0 ? 1 : 0;
    for (size_t earlier = 0; earlier < variant_; ++earlier)
      met += plan_.variants[earlier].when.evaluate(all).value_or(1) == 0 ? 1 : 0;
    return met;
  }

  // Moves one coordinate at a time to its best value until nothing improves.
  int climb(Point& point, Random& random) const {
    int best = score(point);
    for (int round = 0; round < kRounds && best < goal(); ++round) {
      int before = best;
      for (auto& [dim, value] : point.given) best = move_size(point, value, values_of(dim, value, random), best);
      for (Place& place : point.places) best = move_place(point, place, best);
      if (best < goal()) best = move_all_places(point, best);
      if (best == before && round > 1) break;
    }
    return best;
  }

  int move_size(const Point& point, int64_t& value, const std::vector<int64_t>& values, int best) const {
    int64_t chosen = value;
    for (int64_t next : values) {
      if (best == goal()) break;
      value = next;
      int now = score(point);
      if (now > best) best = now, chosen = next;
    }
    value = chosen;
    return best;
  }

  int move_place(const Point& point, Place& place, int best) const {
    Place chosen = place;
    for (Place next : kPlaces) {
      if (best == goal()) break;
      place = next;
      int now = score(point);
      if (now > best) best = now, chosen = next;
    }
    place = chosen;
    return best;
  }

  int move_all_places(Point& point, int best) const {
    std::vector<Place> chosen = point.places;
    for (Place next : kPlaces) {
      point.places.assign(point.places.size(), next);
      int now = score(point);
      if (now > best) best = now, chosen = point.places;
    }
    point.places = chosen;
    return best;
  }

  std::optional<SizedCase> case_at(const Point& point) const {
    const std::string& name = plan_.variants[variant_].name;
    Result<SizedCase> made = make_case(program_, "variant " + name, point.given, scalars_);
    if (!made) return std::nullopt;
    for (size_t at = 0; at < program_.tensors.size(); ++at) {
      HostTensor outline = placed(program_.tensors[at], made->sizes, point.places[at]);
      made->strides[outline.name] = outline.strides;
      made->offsets[outline.name] = outline.offset;
    }
    return variant_for(program_, plan_, *made, Layout::contiguous) == name ? std::optional(*made) : std::nullopt;
  }

  const ir::Program& program_;
  const Plan& plan_;
  size_t variant_;
  double max_steps_;
  std::vector<IntExpr> conjuncts_;
  std::map<std::string, std::vector<int64_t>> thresholds_;
  mutable std::map<std::string, double> scalars_;
};

}  // namespace

std::string variant_for(const ir::Program& program, const Plan& plan, const SizedCase& sized, Layout layout) {
  Sizes all = sized.sizes;
  for (const ir::Tensor& tensor : program.tensors) {
    HostTensor made = outline(tensor, shape_of(tensor, sized.sizes), layout);
    auto strides = sized.strides.find(tensor.name);
    auto offset = sized.offsets.find(tensor.name);
    if (layout == Layout::contiguous && strides != sized.strides.end()) made.strides = strides->second;
    if (layout == Layout::contiguous && offset != sized.offsets.end()) made.offset = offset->second;
    if (made.strides.size() != made.shape.size()) return "";
    add_layout_names(made, all);
  }
  Result<ResolvedPlan> resolved = resolve(plan, all);
  return resolved ? resolved->variant : "";
}

std::optional<SizedCase> find_case(const ir::Program& program, const Plan& plan, size_t variant,
                                   const std::vector<SizedCase>& starts, double max_steps, Random& random) {
  if (starts.empty()) return std::nullopt;
  return Finder(program, plan, variant, max_steps).find(starts, random);
}

}  // namespace hipvault::verify
