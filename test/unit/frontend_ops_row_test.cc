// Host loops of the ops over rows: softmax, cross_entropy, norms, argmax, cumsum, reduce.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double maximum_nan(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b); }

double row_max(const Array& x, int64_t row, int64_t count) {
  double largest = -kInfinity;
  FOR(n, count) largest = maximum_nan(largest, x(row, n));
  return largest;
}

double row_lse(const Array& x, int64_t row, int64_t count) {
  const double largest = row_max(x, row, count);
  double total = 0;
  FOR(n, count) total += std::exp(x(row, n) - largest);
  return largest + std::log(total);
}

HOST_OP(softmax, softmax) {
  const Array& x = run.in("x");
  FOR(b, run["B"]) {
    const double largest = row_max(x, b, run["N"]);
    double total = 0;
    FOR(n, run["N"]) total += std::exp(x(b, n) - largest);
    FOR(n, run["N"]) run.out("y")(b, n) = std::exp(x(b, n) - largest) / total;
  }
}

HOST_OP(softmax, log_softmax) {
  FOR(b, run["B"]) {
    const double lse = row_lse(run.in("x"), b, run["N"]);
    FOR(n, run["N"]) run.out("y")(b, n) = run.in("x")(b, n) - lse;
  }
}

HOST_OP(softmax, causal_softmax) {
  const int64_t past = run["C"] - run["S"];
  FOR(h, run["H"]) FOR(s, run["S"]) {
    double total = 0, largest = -kInfinity;
    for (int64_t c = 0; c <= s + past; ++c) largest = std::max(largest, run.in("x")(h, s, c) * run.scalar("scale"));
    for (int64_t c = 0; c <= s + past; ++c) total += std::exp(run.in("x")(h, s, c) * run.scalar("scale") - largest);
    FOR(c, run["C"]) {
      const bool seen = c <= s + past;
      run.out("y")(h, s, c) = seen ? std::exp(run.in("x")(h, s, c) * run.scalar("scale") - largest) / total : 0;
    }
  }
}

// By the Jacobian of softmax: d y_i / d x_j = y_i ([i = j] - y_j).
HOST_OP(softmax, softmax_backward) {
  const Array &y = run.in("y"), &dy = run.in("dy");
  FOR(b, run["B"]) FOR(j, run["N"]) {
    double total = 0;
    FOR(i, run["N"]) total += dy(b, i) * y(b, i) * ((i == j ? 1 : 0) - y(b, j));
    run.out("dx")(b, j) = total;
  }
}

HOST_OP(cross_entropy, cross_entropy) {
  FOR(b, run["B"]) {
    const int64_t label = static_cast<int64_t>(run.in("label")(b));
    const bool counts = label != run["ignore"];
    run.out("loss")(b) = counts ? row_lse(run.in("x"), b, run["V"]) - run.in("x")(b, label) : 0;
  }
}

HOST_OP(cross_entropy, cross_entropy_backward) {
  FOR(b, run["B"]) {
    const int64_t label = static_cast<int64_t>(run.in("label")(b));
    const double lse = row_lse(run.in("x"), b, run["V"]);
    FOR(v, run["V"]) {
      const double gradient = std::exp(run.in("x")(b, v) - lse) - (v == label ? 1 : 0);
      run.out("dx")(b, v) = label == run["ignore"] ? 0 : run.in("g")(b)*gradient;
    }
  }
}

// Label smoothing by its definition: the target is (1 - e) one-hot + e / V everywhere.
HOST_OP(cross_entropy, cross_entropy_mean) {
  const double e = run.scalar("smooth");
  double total = 0, rows = 0;
  FOR(b, run["B"]) {
    const int64_t label = static_cast<int64_t>(run.in("label")(b));
    if (label == run["ignore"]) continue;
    const double lse = row_lse(run.in("x"), b, run["V"]);
    rows += 1;
    FOR(v, run["V"]) {
      const double target = (v == label ? 1 - e : 0) + e / static_cast<double>(run["V"]);
      total -= target * (run.in("x")(b, v) - lse);
    }
  }
  run.out("loss")() = total / rows;
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(const Array& x, int64_t row, int64_t count) {
  Moments found;
  FOR(n, count) found.mean += x(row, n) / static_cast<double>(count);
  FOR(n, count) found.variance += (x(row, n) - found.mean) * (x(row, n) - found.mean) / static_cast<double>(count);
  return found;
}

void layer_norm_row(Run& run, int64_t b) {
  const Moments found = moments(run.in("x"), b, run["N"]);
  FOR(n, run["N"]) {
    const double normal = (run.in("x")(b, n) - found.mean) / std::sqrt(found.variance + run.scalar("eps"));
    run.out("y")(b, n) = normal * run.in("w")(n) + run.in("b")(n);
  }
}

HOST_OP(layer_norm, layer_norm) { FOR(b, run["B"]) layer_norm_row(run, b); }

HOST_OP(layer_norm, layer_norm_train) {
  FOR(b, run["B"]) {
    layer_norm_row(run, b);
    const Moments found = moments(run.in("x"), b, run["N"]);
    run.out("mu")(b) = found.mean;
    run.out("rstd")(b) = 1 / std::sqrt(found.variance + run.scalar("eps"));
  }
}

// dx_j = rstd * (g_j - mean(g) - h_j * mean(g * h)) with g = dy * w (Ba et al. 2016, differentiated by hand).
HOST_OP(layer_norm, layer_norm_backward) {
  const Array &dy = run.in("dy"), &x = run.in("x"), &w = run.in("w");
  const double count = static_cast<double>(run["N"]);
  FOR(b, run["B"]) {
    const double mu = run.in("mu")(b), rstd = run.in("rstd")(b);
    double first = 0, second = 0;
    FOR(n, run["N"]) {
      first += dy(b, n) * w(n) / count;
      second += dy(b, n) * w(n) * (x(b, n) - mu) * rstd / count;
    }
    FOR(n, run["N"]) run.out("dx")(b, n) = rstd * (dy(b, n) * w(n) - first - (x(b, n) - mu) * rstd * second);
  }
}

HOST_OP(rms_norm, rms_norm) {
  FOR(b, run["B"]) {
    double squares = 0;
    FOR(n, run["N"]) squares += run.in("x")(b, n) * run.in("x")(b, n);
    const double root = std::sqrt(squares / static_cast<double>(run["N"]) + run.scalar("eps"));
    FOR(n, run["N"]) run.out("y")(b, n) = run.in("x")(b, n) / root * run.in("w")(n);
  }
}

HOST_OP(rms_norm, add_rms_norm) {
  FOR(b, run["B"]) {
    double squares = 0;
    FOR(n, run["N"]) squares += std::pow(run.in("x")(b, n) + run.in("r")(b, n), 2);
    const double root = std::sqrt(squares / static_cast<double>(run["N"]) + run.scalar("eps"));
    FOR(n, run["N"]) {
      const double sum = run.in("x")(b, n) + run.in("r")(b, n);
      run.out("sum_out")(b, n) = sum;
      run.out("y")(b, n) = sum / root * run.in("w")(n);
    }
  }
}

// The first NaN wins, else the lowest of the largest.
HOST_OP(argmax, argmax) {
  const Array& x = run.in("x");
  FOR(b, run["B"]) {
    int64_t best = 0;
    FOR(n, run["N"]) {
      if (std::isnan(x(b, best))) break;
      if (std::isnan(x(b, n)) || x(b, n) > x(b, best)) best = n;
    }
    run.out("i")(b) = static_cast<double>(best);
    run.out("v")(b) = x(b, best);
  }
}

HOST_OP(argmax, argmin_columns) {
  const Array& x = run.in("x");
  FOR(m, run["M"]) {
    int64_t best = 0;
    FOR(n, run["N"]) if (x(n, m) < x(best, m)) best = n;
    run.out("i")(m) = static_cast<double>(best);
  }
}

HOST_OP(cumsum, cumsum) {
  FOR(b, run["B"]) {
    double total = 0;
    FOR(n, run["N"]) run.out("y")(b, n) = total += run.in("x")(b, n);
  }
}

HOST_OP(cumsum, offsets) {
  double total = 0;
  FOR(e, run["E"]) {
    run.out("start")(e) = total;
    total += run.in("counts")(e);
  }
  run.out("total")() = total;
}

HOST_OP(cumsum, reward_to_go) {
  FOR(b, run["B"]) {
    double total = 0;
    for (int64_t l = run["L"]; l-- > 0;) run.out("y")(b, l) = total += run.in("r")(b, l);
  }
}

HOST_OP(cumsum, running) {
  FOR(b, run["B"]) {
    double largest = -kInfinity, decay = 1;
    FOR(n, run["N"]) {
      run.out("m")(b, n) = largest = std::max(largest, run.in("x")(b, n));
      run.out("decay")(b, n) = decay;
      decay *= run.in("g")(b, n);
    }
  }
}

HOST_OP(reduce, reduce) {
  FOR(b, run["B"]) {
    double total = 0;
    FOR(n, run["N"]) total += run.in("x")(b, n);
    run.out("y")(b) = total;
  }
}

HOST_OP(reduce, column_mean) {
  FOR(n, run["N"]) {
    double total = 0;
    FOR(m, run["M"]) total += run.in("x")(m, n);
    run.out("y")(n) = total / static_cast<double>(run["M"]);
  }
}

HOST_OP(reduce, mse) {
  double total = 0;
  FOR(m, run["M"]) FOR(n, run["N"]) total += std::pow(run.in("x")(m, n) - run.in("t")(m, n), 2);
  run.out("loss")() = total / static_cast<double>(run["M"] * run["N"]);
}

HOST_OP(reduce, nonfinite) {
  bool found = false, zero = true;
  FOR(n, run["N"]) {
    found = found || !std::isfinite(run.in("x")(n));
    zero = zero && run.in("x")(n) == 0;
  }
  run.out("found")() = found;
  run.out("zero")() = zero;
}

HOST_OP(reduce, row_statistics) {
  FOR(b, run["B"]) {
    double lo = kInfinity, hi = -kInfinity, squares = 0, exponentials = 0, product = 1;
    FOR(n, run["N"]) {
      const double x = run.in("x")(b, n);
      lo = std::min(lo, x), hi = std::max(hi, x), product *= x;
      squares += x * x, exponentials += std::exp(x);
    }
    run.out("lo")(b) = lo;
    run.out("hi")(b) = hi;
    run.out("norm")(b) = std::sqrt(squares);
    run.out("lse")(b) = std::log(exponentials);
    run.out("product")(b) = product;
  }
}

}  // namespace
}  // namespace hipvault::host_ops
