// Host loops of the ops over images and sequences of channels: conv2d, max_pool2d, group_norm.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

HOST_OP(conv2d, conv2d) {
  const int64_t st = run["st"], pad = run["pad"], dil = run["dil"];
  FOR(n, run["N"]) FOR(f, run["F"]) FOR(p, run["P"]) FOR(q, run["Q"]) {
    double total = run.in("b")(f);
    FOR(c, run["C"]) FOR(r, run["R"]) FOR(s, run["S"]) {
      total += run.in("x").get(0, n, c, p * st - pad + r * dil, q * st - pad + s * dil) * run.in("w")(f, c, r, s);
    }
    run.out("y")(n, f, p, q) = total;
  }
}

HOST_OP(conv2d, depthwise_conv2d) {
  const int64_t st = run["st"], pad = run["pad"];
  FOR(n, run["N"]) FOR(c, run["C"]) FOR(p, run["P"]) FOR(q, run["Q"]) {
    double total = 0;
    FOR(r, run["R"]) FOR(s, run["S"]) {
      total += run.in("x").get(0, n, c, p * st - pad + r, q * st - pad + s) * run.in("w")(c, r, s);
    }
    run.out("y")(n, c, p, q) = total;
  }
}

// The definition: every input pixel paints its filter onto the output.
HOST_OP(conv2d, transposed_conv2d) {
  const int64_t st = run["st"], pad = run["pad"];
  Array& y = run.out("y");
  y.fill(0);
  FOR(n, run["N"])
  FOR(c, run["C"]) FOR(h, run["H"]) FOR(w, run["W"]) FOR(f, run["F"]) FOR(r, run["R"]) FOR(s, run["S"]) {
    const int64_t p = h * st + r - pad, q = w * st + s - pad;
    if (p < 0 || q < 0 || p >= y.shape()[2] || q >= y.shape()[3]) continue;
    y(n, f, p, q) += run.in("x")(n, c, h, w) * run.in("w")(c, f, r, s);
  }
}

// The last tap meets the current step.
HOST_OP(conv2d, causal_conv1d) {
  const int64_t taps = run["K"];
  FOR(b, run["B"]) FOR(c, run["C"]) FOR(l, run["L"]) {
    double total = run.in("b")(c);
    FOR(back, std::min(taps, l + 1)) total += run.in("x")(b, c, l - back) * run.in("w")(c, taps - 1 - back);
    run.out("y")(b, c, l) = silu(total);
  }
}

// Calls `visit` for every pixel that exists under the window of output (p, q).
template <class Visit>
void under_window(const Run& run, int64_t p, int64_t q, Visit visit) {
  FOR(r, run["k"]) FOR(s, run["k"]) {
    const int64_t h = p * run["st"] - run["pad"] + r, w = q * run["st"] - run["pad"] + s;
    if (h >= 0 && w >= 0 && h < run["H"] && w < run["W"]) visit(h, w);
  }
}

HOST_OP(max_pool2d, max_pool2d) {
  FOR(n, run["N"]) FOR(c, run["C"]) FOR(p, run["P"]) FOR(q, run["Q"]) {
    double largest = -std::numeric_limits<double>::infinity();
    under_window(run, p, q, [&](int64_t h, int64_t w) {
      const double x = run.in("x")(n, c, h, w);
      if (std::isnan(x) || x > largest) largest = x;
    });
    run.out("y")(n, c, p, q) = largest;
  }
}

HOST_OP(max_pool2d, avg_pool2d) {
  FOR(n, run["N"]) FOR(c, run["C"]) FOR(p, run["P"]) FOR(q, run["Q"]) {
    double total = 0, count = 0;
    under_window(run, p, q, [&](int64_t h, int64_t w) {
      total += run.in("x")(n, c, h, w);
      count += 1;
    });
    run.out("y")(n, c, p, q) = total / count;
  }
}

HOST_OP(max_pool2d, upsample_nearest) {
  FOR(n, run["N"]) FOR(c, run["C"]) FOR(p, run["oh"]) FOR(q, run["ow"]) {
    const int64_t h =
        static_cast<int64_t>(std::floor(static_cast<double>(p * run["H"]) / static_cast<double>(run["oh"])));
    const int64_t w =
        static_cast<int64_t>(std::floor(static_cast<double>(q * run["W"]) / static_cast<double>(run["ow"])));
    run.out("y")(n, c, p, q) = run.in("x")(n, c, h, w);
  }
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments found;
  const double count = static_cast<double>(values.size());
  for (double value : values) found.mean += value / count;
  for (double value : values) found.variance += (value - found.mean) * (value - found.mean) / count;
  return found;
}

HOST_OP(group_norm, group_norm) {
  const Array& x = run.in("x");
  const int64_t width = run["C"] / run["groups"];
  FOR(n, run["N"]) FOR(c, run["C"]) {
    std::vector<double> values;
    const int64_t first = c / width * width;
    FOR(k, width) FOR(h, run["H"]) FOR(w, run["W"]) values.push_back(x(n, first + k, h, w));
    const Moments found = moments(values);
    FOR(h, run["H"]) FOR(w, run["W"]) {
      const double normal = (x(n, c, h, w) - found.mean) / std::sqrt(found.variance + run.scalar("eps"));
      run.out("y")(n, c, h, w) = normal * run.in("w")(c) + run.in("b")(c);
    }
  }
}

HOST_OP(group_norm, batch_norm) {
  const Array& x = run.in("x");
  FOR(c, run["C"]) {
    std::vector<double> values;
    FOR(n, run["N"]) FOR(h, run["H"]) FOR(w, run["W"]) values.push_back(x(n, c, h, w));
    const Moments found = moments(values);
    run.out("mu")(c) = found.mean;
    run.out("var")(c) = found.variance;
    FOR(n, run["N"]) FOR(h, run["H"]) FOR(w, run["W"]) {
      const double normal = (x(n, c, h, w) - found.mean) / std::sqrt(found.variance + run.scalar("eps"));
      run.out("y")(n, c, h, w) = normal * run.in("w")(c) + run.in("b")(c);
    }
  }
}

}  // namespace
}  // namespace hipvault::host_ops
