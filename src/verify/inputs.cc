#include "verify/inputs.h"

#include <algorithm>

#include "base/hash.h"
#include "verify/twists.h"
#include "verify/values.h"

namespace hipvault::verify {
namespace {

std::string describe(const ir::Distribution& distribution) {
  std::string text = distribution.kind + "(";
  for (size_t at = 0; at < distribution.numbers.size(); ++at) {
    std::string number = std::to_string(distribution.numbers[at]);
    number.erase(number.find_last_not_of('0') + 1);
    if (!number.empty() && number.back() == '.') number.pop_back();
    text += (at > 0 ? "," : "") + number;
  }
  return text + distribution.file + ")";
}

struct TurnRow {
  Twist twist;
  const char* name;
};
constexpr TurnRow kTurns[] = {
    {Twist::negative, "negative"},
    {Twist::positive, "positive"},
    {Twist::one_dominant, "one dominant"},
    {Twist::all_but_one, "all but one"},
    {Twist::alternating, "alternating"},
    {Twist::far_below, "far below"},
    {Twist::one_far, "one far"},
    {Twist::large, "large"},
    {Twist::tiny, "tiny"},
    {Twist::subnormal, "subnormal"},
    {Twist::empty_rows, "rows of -inf"},
    {Twist::mixed, "mixed"},
};

bool is_input(const ir::Tensor& tensor) { return tensor.role != Role::output; }

std::vector<Draw> noted_draws(const ir::Program& program) {
  size_t alternatives = 1;
  for (const auto& [tensor, distributions] : program.inputs)
    alternatives = std::max(alternatives, distributions.size());
  std::vector<Draw> draws;
  for (size_t at = 0; at < alternatives; ++at) {
    std::string name;
    for (const auto& [tensor, distributions] : program.inputs) {
      if (!distributions.empty())
        name += (name.empty() ? "" : ", ") + tensor + ": " + describe(distributions[at % distributions.size()]);
    }
    draws.push_back({name.empty() ? "default" : name, static_cast<int>(at), Twist::none, true});
  }
  return draws;
}

template <class Predicate>
bool any_input(const ir::Program& program, Predicate predicate) {
  return std::any_of(program.tensors.begin(), program.tensors.end(),
                     [&](const ir::Tensor& tensor) { return is_input(tensor) && predicate(tensor); });
}

Result<std::vector<int64_t>> shape_of(const ir::Tensor& tensor, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const IntExpr& extent : tensor.shape) {
    Result<int64_t> value = extent.evaluate(sizes);
    if (!value) return fail(value.error());
    shape.push_back(*value);
  }
  return shape;
}

bool is_permutation(const ir::Program& program, const ir::Tensor& tensor) {
  auto noted = program.inputs.find(tensor.name);
  return noted != program.inputs.end() &&
         std::any_of(noted->second.begin(), noted->second.end(),
                     [](const ir::Distribution& distribution) { return distribution.kind == "permutation"; });
}

// Case notes hold for the contiguous layout only; the others replace them.
Result<HostTensor> lay_out(const ir::Tensor& tensor, const SizedCase& sized, Layout layout, uint8_t poison) {
  Result<std::vector<int64_t>> shape = shape_of(tensor, sized.sizes);
  if (!shape) return fail(shape.error());
  auto strides = sized.strides.find(tensor.name);
  auto offset = sized.offsets.find(tensor.name);
  bool noted = strides != sized.strides.end() || offset != sized.offsets.end();
  if (layout != Layout::contiguous || !noted) return allocate(tensor, *shape, layout, poison);
  return allocate_noted(tensor, *shape, strides == sized.strides.end() ? std::vector<int64_t>{} : strides->second,
                        offset == sized.offsets.end() ? 0 : offset->second, poison);
}

}  // namespace

bool takes_turns(Twist twist) {
  return std::any_of(std::begin(kTurns), std::end(kTurns), [&](const TurnRow& row) { return row.twist == twist; });
}

std::vector<Draw> all_draws(const ir::Program& program) {
  std::vector<Draw> draws = noted_draws(program);
  auto takes = [&](const ir::Tensor& tensor) { return takes_specials(program, tensor); };
  bool integers =
      any_input(program, [](const ir::Tensor& t) { return !is_float(t.dtype) && t.dtype != DType::boolean; });
  draws.push_back({"ties", 0, Twist::ties, false});
  if (any_input(program, takes)) {
    draws.push_back({"wide", 0, Twist::wide, false});
    if (program.policy.nan_propagates) {
      draws.push_back({"infinities", 0, Twist::infinities, false});
      draws.push_back({"specials", 0, Twist::specials, false});
    }
    for (const TurnRow& row : kTurns) {
      if (row.twist != Twist::empty_rows || program.policy.nan_propagates)
        draws.push_back({row.name, 0, row.twist, false});
    }
  }
  if (integers) {
    draws.push_back({"lowest index", 0, Twist::index_low, false});
    draws.push_back({"highest index", 0, Twist::index_high, false});
  }
  return draws;
}

Result<CaseInputs> make_inputs(const ir::Program& program, const SizedCase& sized, const Draw& draw, Layout layout,
                               uint64_t seed) {
  CaseInputs inputs{sized.sizes, {}, sized.scalars, {}};
  std::map<std::string, IndexRange> ranges = index_ranges(program, sized.sizes);
  for (const ir::Tensor& tensor : program.tensors) {
    // Values that may not repeat cannot lie on one address.
    bool repeats = layout == Layout::expanded && !ranges[tensor.name].distinct && !is_permutation(program, tensor);
    Layout chosen = layout == Layout::expanded && !repeats ? Layout::contiguous : layout;
    Result<HostTensor> made = lay_out(tensor, sized, chosen, poison_byte(seed, 0));
    if (!made) return fail(made.error());
    if (is_input(tensor)) {
      Random random(hash64(tensor.name, seed));
      Result<FillRule> rule = rule_for(program, tensor, draw, ranges[tensor.name], sized.sizes);
      if (!rule) return fail(rule.error());
      Status filled = fill_values(*made, *rule, random);
      if (!filled) return fail(filled.error());
      if (takes_turns(rule->twist)) twist_rows(*made, rule->twist, random);
    }
    add_layout_names(*made, inputs.sizes);
    inputs.tensors.push_back(std::move(*made));
  }
  inputs.description = draw.name + "; " + name(layout) + "; seed " + std::to_string(seed);
  return inputs;
}

// Bytes that, repeated, are a large number in every float type (6e16 as f32, 235 as f16) and far from the small
// integers that indices and counts are; run 0 positive, run 1 negative.
uint8_t poison_byte(uint64_t seed, int run) {
  Random random(hash64("poison", seed));
  for (int skip = 0; skip < run; ++skip) random.next();
  return static_cast<uint8_t>((run % 2 == 0 ? 0x5b : 0xdb) + random.below(0x20));
}

}  // namespace hipvault::verify
