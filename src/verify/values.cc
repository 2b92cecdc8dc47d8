#include "verify/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "verify/safetensors.h"

namespace hipvault::verify {
namespace {

constexpr int64_t kBlock = 1000003;  // prime
constexpr int64_t kBlockedAbove = int64_t{1} << 22;

double number(const ir::Distribution& distribution, size_t at, double fallback) {
  return at < distribution.numbers.size() ? distribution.numbers[at] : fallback;
}

// ---- real values
// --------------------------------------------------------------------------------------------------------

double draw_real(const ir::Distribution& from, Random& random) {
  if (from.kind == "uniform") {
    double low = number(from, 0, 0), high = number(from, 1, 1);
    return low + (high - low) * random.uniform();
  }
  if (from.kind == "integers") {
    auto low = static_cast<int64_t>(number(from, 0, 0)), high = static_cast<int64_t>(number(from, 1, 16));
    return static_cast<double>(random.between(low, std::max(low, high - 1)));
  }
  if (from.kind == "constant") return number(from, 0, 0);
  if (from.kind == "powers") return std::ldexp(1.0, static_cast<int>(random.between(-4, 4)));
  double mean = from.kind == "normal" ? number(from, 0, 0) : 0,
         deviation = from.kind == "normal" ? number(from, 1, 1) : 1;
  return mean + deviation * random.normal();
}

std::vector<double> special_values(const FillRule& rule) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (rule.twist == Twist::specials) return {std::nan(""), kInf, -kInf, 0.0, -0.0};
  if (rule.twist == Twist::infinities) return {kInf, -kInf};
  if (rule.distribution.kind == "special") return rule.distribution.numbers;
  return {};
}

// The plain stream of values of a rule, before specials are placed.
class RealStream {
 public:
  RealStream(const FillRule& rule, Random& random) : rule_(rule), random_(random) {
    for (double& value : ties_) value = draw_real(rule.distribution, random);
  }
  double next() {
    if (rule_.twist == Twist::ties) return ties_[random_.below(3)];
    double value = draw_real(rule_.distribution, random_);
    if (rule_.twist != Twist::wide || rule_.distribution.kind != "normal") return value;
    double mean = number(rule_.distribution, 0, 0);
    return mean + 4 * (value - mean);
  }

 private:
  const FillRule& rule_;
  Random& random_;
  double ties_[3];
};

void place_specials(HostTensor& tensor, const std::vector<double>& values, Random& random) {
  int64_t count = tensor.elements();
  if (values.empty() || count == 0) return;
  std::vector<int64_t> places = {0, count / 2, count - 1};
  for (int64_t extra = 0; extra < std::min<int64_t>(count / 64, 4096); ++extra) {
    places.push_back(static_cast<int64_t>(random.below(static_cast<uint64_t>(count))));
  }
  size_t next = random.below(values.size());
  for (int64_t place : places) {
    double value = values[next++ % values.size()];
    if (is_float(tensor.dtype)) {
      encode(tensor.dtype, tensor.bytes.data(), tensor.position_of(place), value);
    } else {
      encode_int(tensor.dtype, tensor.bytes.data(), tensor.position_of(place), static_cast<int64_t>(value));
    }
  }
}

void fill_reals(HostTensor& tensor, const FillRule& rule, Random& random) {
  RealStream stream(rule, random);
  int64_t count = tensor.elements();
  bool blocked =
      count > kBlockedAbove && tensor.strides == contiguous_strides(tensor.shape) && info(tensor.dtype).bits >= 8;
  int64_t drawn = blocked ? kBlock : count;
  for (int64_t linear = 0; linear < drawn; ++linear) {
    encode(tensor.dtype, tensor.bytes.data(), tensor.position_of(linear), stream.next());
  }
  int64_t width = info(tensor.dtype).bits / 8;
  char* data = tensor.bytes.data() + tensor.offset * width;
  for (int64_t at = drawn; at < count; at += kBlock) {
    std::memcpy(data + at * width, data, static_cast<size_t>(std::min(kBlock, count - at) * width));
  }
  place_specials(tensor, special_values(rule), random);
}

// ---- integers
// -----------------------------------------------------------------------------------------------------------

struct IntSpan {
  int64_t low = 0, high = 0;  // low <= value < high
};

IntSpan span_of(const HostTensor& tensor, const FillRule& rule) {
  const DTypeInfo& type = info(tensor.dtype);
  IntSpan span{static_cast<int64_t>(number(rule.distribution, 0, 0)),
               static_cast<int64_t>(number(rule.distribution, 1, 16))};
  if (rule.distribution.kind != "integers" && rule.distribution.kind != "uniform") span = {0, 16};
  if (rule.distribution.kind == "normal") span = {-8, 8};
  bool noted = !rule.distribution.numbers.empty() && rule.distribution.kind == "integers";
  if (noted && span.high <= span.low) return span;  // no such value
  span.high = std::max(span.high, span.low + 1);
  if (rule.range.indexes()) {
    span.high = noted ? std::min(span.high, rule.range.high) : rule.range.high;
    if (span.low >= span.high) span.low = 0;
    if (!noted) span.low = 0;
  }
  int bits = type.bits - (type.is_signed ? 1 : 0);
  int64_t limit = bits >= 62 ? INT64_MAX : int64_t{1} << bits;
  span.low = std::max(span.low, type.is_signed ? -limit : 0);
  if (tensor.dtype == DType::boolean) limit = 2;
  span.high = std::min(span.high, limit);
  return span;
}

// `count` different values of [0, high), in random order.
Result<std::vector<int64_t>> distinct_values(int64_t count, int64_t high, Random& random, const std::string& name) {
  if (count > high) {
    return fail("verify.inputs",
                name + " needs " + std::to_string(count) + " different values below " + std::to_string(high));
  }
  std::vector<int64_t> values;
  if (high <= 4 * count + 1024) {
    values.resize(static_cast<size_t>(high));
    std::iota(values.begin(), values.end(), 0);
    for (int64_t at = 0; at < count; ++at)
      std::swap(values[at], values[at + random.below(static_cast<uint64_t>(high - at))]);
    values.resize(static_cast<size_t>(count));
    return values;
  }
  std::unordered_set<int64_t> seen;
  while (static_cast<int64_t>(values.size()) < count) {
    auto value = static_cast<int64_t>(random.below(static_cast<uint64_t>(high)));
    if (seen.insert(value).second) values.push_back(value);
  }
  return values;
}

Status fill_distinct(HostTensor& tensor, const FillRule& rule, Random& random) {
  int64_t count = tensor.elements();
  int64_t high = rule.range.indexes() ? rule.range.high : count;
  Result<std::vector<int64_t>> values = distinct_values(count, high, random, tensor.name);
  if (!values) return fail(values.error());
  double low = rule.distribution.kind == "integers" ? number(rule.distribution, 0, 0) : 0;
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t value = (*values)[linear];
    // A note that allows negative values means "no write here" for some of them.
    if (low < 0 && random.below(8) == 0) value = random.between(static_cast<int64_t>(low), -1);
    encode_int(tensor.dtype, tensor.bytes.data(), tensor.position_of(linear), value);
  }
  return {};
}

// A special index that is past the end at this size would be an error of the inputs. Those below 0 stay: an op that
// names them guards them ("ignore").
std::vector<double> legal_specials(const FillRule& rule) {
  std::vector<double> kept = rule.distribution.numbers;
  if (rule.range.indexes())
    std::erase_if(kept, [&](double value) { return value >= static_cast<double>(rule.range.high); });
  return kept;
}

Status fill_integers(HostTensor& tensor, const FillRule& rule, Random& random) {
  if (tensor.elements() == 0) return {};
  if (rule.range.distinct || rule.distribution.kind == "permutation") return fill_distinct(tensor, rule, random);
  IntSpan span = span_of(tensor, rule);
  if (span.low >= span.high) return fail("verify.inputs", "no value of " + tensor.name + " is a legal index");
  int64_t ties[3];
  for (int64_t& value : ties) value = random.between(span.low, span.high - 1);
  for (int64_t linear = 0; linear < tensor.elements(); ++linear) {
    int64_t value = random.between(span.low, span.high - 1);
    if (rule.distribution.kind == "constant") value = static_cast<int64_t>(number(rule.distribution, 0, 0));
    if (rule.twist == Twist::ties) value = ties[random.below(3)];
    if (rule.twist == Twist::index_low && rule.range.indexes()) value = std::max<int64_t>(span.low, 0);
    if (rule.twist == Twist::index_high && rule.range.indexes()) value = span.high - 1;
    encode_int(tensor.dtype, tensor.bytes.data(), tensor.position_of(linear), value);
  }
  if (rule.distribution.kind == "special") place_specials(tensor, legal_specials(rule), random);
  return {};
}

Status fill_from_file(HostTensor& tensor, const std::string& path) {
  Result<HostTensor> read = read_safetensor(path, tensor.name);
  if (!read) return fail(read.error());
  if (read->shape != tensor.shape || read->dtype != tensor.dtype) {
    return fail("verify.inputs", path + ": " + tensor.name + " has another shape or dtype than this case asks for");
  }
  for (int64_t linear = 0; linear < tensor.elements(); ++linear) {
    int64_t to = tensor.position_of(linear);
    if (is_float(tensor.dtype)) {
      encode(tensor.dtype, tensor.bytes.data(), to, decode(read->dtype, read->bytes.data(), linear));
    } else {
      encode_int(tensor.dtype, tensor.bytes.data(), to, decode_int(read->dtype, read->bytes.data(), linear));
    }
  }
  return {};
}

ir::Distribution default_distribution(DType dtype) {
  ir::Distribution made;
  made.kind = dtype == DType::e8m0 ? "powers" : is_float(dtype) ? "normal" : "integers";
  if (made.kind == "normal") made.numbers = {0, 1};
  return made;
}

}  // namespace

Result<FillRule> rule_for(const ir::Program& program, const ir::Tensor& tensor, const Draw& draw,
                          const IndexRange& range, const Sizes& sizes) {
  FillRule rule{default_distribution(tensor.dtype), range, draw.twist};
  auto noted = program.inputs.find(tensor.name);
  if (noted != program.inputs.end() && !noted->second.empty()) {
    rule.distribution = noted->second[static_cast<size_t>(draw.alternative) % noted->second.size()];
    Result<std::vector<double>> numbers = ir::distribution_numbers(rule.distribution, sizes);
    if (!numbers) return fail(numbers.error());
    rule.distribution.numbers = *numbers;
  }
  bool special = draw.twist == Twist::specials || draw.twist == Twist::infinities || takes_turns(draw.twist);
  if (special && !takes_specials(program, tensor)) rule.twist = Twist::none;
  return rule;
}

bool takes_specials(const ir::Program& program, const ir::Tensor& tensor) {
  DType type = tensor.dtype;
  bool wide = type == DType::f64 || type == DType::f32 || type == DType::f16 || type == DType::bf16;
  if (!wide || tensor.role == Role::output) return false;
  auto noted = program.inputs.find(tensor.name);
  if (noted == program.inputs.end() || noted->second.empty()) return true;
  // Twists change the first alternative; a normal one promises no range, whatever the others add.
  return noted->second[0].kind == "normal";
}

Status fill_values(HostTensor& tensor, const FillRule& rule, Random& random) {
  if (rule.distribution.kind == "file") return fill_from_file(tensor, rule.distribution.file);
  if (!is_float(tensor.dtype)) return fill_integers(tensor, rule, random);
  fill_reals(tensor, rule, random);
  return {};
}

}  // namespace hipvault::verify
