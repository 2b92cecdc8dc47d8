#include "verify/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace hipvault::verify {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kAskedAtMost = 4096;  // calls of acceptable() per output: past that, the output is plainly wrong

struct Got {
  double real = 0;
  int64_t integer = 0;
};

Got read_element(const HostTensor& layout, const std::string& bytes, int64_t position) {
  if (is_float(layout.dtype)) return {decode(layout.dtype, bytes.data(), position), 0};
  int64_t value = decode_int(layout.dtype, bytes.data(), position);
  return {static_cast<double>(value), value};
}

bool same_bits(const HostTensor& layout, const std::string& a, const std::string& b, int64_t position) {
  int bits = info(layout.dtype).bits;
  if (bits < 8) return decode_int(layout.dtype, a.data(), position) == decode_int(layout.dtype, b.data(), position);
  size_t width = static_cast<size_t>(bits / 8), at = static_cast<size_t>(position) * width;
  return std::memcmp(a.data() + at, b.data() + at, width) == 0;
}

std::string number_text(const HostTensor& layout, const Got& got) {
  return is_float(layout.dtype) ? fmt::format("{:.9g}", got.real) : std::to_string(got.integer);
}

std::string expected_text(const HostTensor& layout, const ir::Value& value) {
  return is_float(layout.dtype) ? fmt::format("{:.9g}", value.real) : std::to_string(value.integer);
}

// How an element failed; pass if it did not.
struct Judgement {
  Outcome outcome = Outcome::pass;
  double error = 0, tolerance = 0;
};

class Comparer {
 public:
  Comparer(Reference& reference, const OutputBytes& output, const CompareOptions& options, Comparison& total)
      : reference_(reference), output_(output), layout_(*output.layout), options_(options), total_(total) {}

  Status compare(int64_t linear) {
    Result<ir::Value> value = reference_.value(layout_.name, layout_.shape, linear);
    if (!value) return fail(value.error());
    int64_t position = layout_.position_of(linear);
    Got got = read_element(layout_, *output_.bytes, position);
    // Nothing is known of the value (it comes out of an overflow): no evidence, unless nothing was written at all.
    if (is_float(layout_.dtype) && std::isinf(value->error) && !std::isnan(value->real) && !never_written(position))
      return {};
    Result<Judgement> judged = judge(*value, got, linear);
    if (!judged) return fail(judged.error());
    ++total_.elements;
    if (judged->outcome != Outcome::pass && never_written(position)) judged->outcome = Outcome::not_written;
    record(*judged, *value, got, linear);
    return {};
  }

 private:
  bool never_written(int64_t position) const {
    return output_.poisoned && same_bits(layout_, layout_.bytes, *output_.bytes, position);
  }

  Result<Judgement> judge(const ir::Value& value, const Got& got, int64_t linear) {
    if (!is_float(layout_.dtype)) return judge_integer(value, got, linear);
    if (std::isnan(value.real)) {
      if (std::isnan(got.real) || !options_.nan_propagates) return Judgement{};
      return ask({Outcome::wrong_nan, kInf, value.error}, got, linear);
    }
    if (std::isnan(got.real)) return Judgement{Outcome::wrong_nan, kInf, value.error};
    if (got.real == value.real) return Judgement{Outcome::pass, 0, value.error};
    bool infinite = std::isinf(got.real) || std::isinf(value.real);
    double tolerance = value.error + options_.smallest_normal;
    double error = infinite ? kInf : std::fabs(got.real - value.real);
    if (error <= tolerance) return Judgement{Outcome::pass, error, tolerance};
    return ask({infinite ? Outcome::wrong_nan : Outcome::wrong_value, error, tolerance}, got, linear);
  }

  Result<Judgement> judge_integer(const ir::Value& value, const Got& got, int64_t linear) {
    if (got.integer == value.integer) return Judgement{};
    double error = std::fabs(static_cast<double>(got.integer) - static_cast<double>(value.integer));
    return ask({Outcome::wrong_value, error, value.error}, got, linear);
  }

  // The interpreter's last word: a value may be right for inputs within the error of what it is computed from.
  Result<Judgement> ask(Judgement judgement, const Got& got, int64_t linear) {
    if (++asked_ > kAskedAtMost) return judgement;
    Result<bool> fine = reference_.acceptable(layout_.name, layout_.shape, linear, got.real);
    if (!fine) return fail(fine.error());
    if (*fine) return Judgement{Outcome::pass, 0, judgement.tolerance};
    return judgement;
  }

  static int severity(Outcome outcome) {
    return outcome == Outcome::not_written   ? 3
           : outcome == Outcome::wrong_nan   ? 2
           : outcome == Outcome::wrong_value ? 1
                                             : 0;
  }

  void record(const Judgement& judged, const ir::Value& value, const Got& got, int64_t linear) {
    double ratio = judged.error == 0 ? 0 : judged.tolerance == 0 ? kInf : judged.error / judged.tolerance;
    if (judged.outcome != Outcome::pass) ++total_.wrong;
    int now = severity(judged.outcome), before = severity(total_.outcome);
    bool larger = ratio > total_.worst || (total_.where.empty() && judged.error > 0);
    if (now < before || (now == before && !larger)) return;
    total_.outcome = judged.outcome;
    total_.worst = ratio;
    total_.max_error = judged.error;
    total_.tolerance = judged.tolerance;
    total_.where = fmt::format("{}: got {}, expected {}", element_name(layout_, linear), number_text(layout_, got),
                               expected_text(layout_, value));
  }

  Reference& reference_;
  const OutputBytes& output_;
  const HostTensor& layout_;
  const CompareOptions& options_;
  Comparison& total_;
  int64_t asked_ = 0;
};

}  // namespace

Status compare_output(Reference& reference, const OutputBytes& output, const std::vector<int64_t>& elements,
                      const CompareOptions& options, Comparison& total) {
  Comparer comparer(reference, output, options, total);
  for (int64_t linear : elements) {
    Status done = comparer.compare(linear);
    if (!done) return done;
  }
  return {};
}

std::string first_difference(const HostTensor& layout, const std::string& one, const std::string& other,
                             const std::vector<int64_t>& elements) {
  for (int64_t linear : elements) {
    int64_t position = layout.position_of(linear);
    if (same_bits(layout, one, other, position)) continue;
    return fmt::format("{}: {} in one run, {} in another", element_name(layout, linear),
                       number_text(layout, read_element(layout, one, position)),
                       number_text(layout, read_element(layout, other, position)));
  }
  return "";
}

std::string element_name(const HostTensor& layout, int64_t linear) {
  std::string text = layout.name + "[";
  std::vector<int64_t> index = multi_index(layout.shape, linear);
  for (size_t axis = 0; axis < index.size(); ++axis) text += (axis > 0 ? ", " : "") + std::to_string(index[axis]);
  return text + "]";
}

}  // namespace hipvault::verify
