// Host loops of attention, paged caches and recurrences: attention, paged_attention, delta.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

// Weights of a softmax over scores, in place; gives the log-sum-exp.
double to_weights(std::vector<double>& scores) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& score : scores) total += score = std::exp(score - largest);
  for (double& score : scores) score /= total;
  return largest + std::log(total);
}

HOST_OP(attention, attention) {
  const Array &q = run.in("q"), &k = run.in("k"), &v = run.in("v");
  const double root = std::sqrt(static_cast<double>(run["D"]));
  FOR(b, run["B"]) FOR(g, run["G"]) FOR(r, run["R"]) FOR(s, run["S"]) {
    std::vector<double> weights(static_cast<size_t>(run["C"] - run["S"] + s + 1), 0);  // the keys that exist by then
    FOR(c, static_cast<int64_t>(weights.size())) {
      FOR(d, run["D"]) weights[static_cast<size_t>(c)] += q(b, g, r, s, d) * k(b, g, c, d) / root;
    }
    to_weights(weights);
    FOR(d, run["D"]) {
      double total = 0;
      FOR(c, static_cast<int64_t>(weights.size())) total += weights[static_cast<size_t>(c)] * v(b, g, c, d);
      run.out("o")(b, g, r, s, d) = total;
    }
  }
}

HOST_OP(attention, attention_window) {
  const Array &q = run.in("q"), &k = run.in("k"), &v = run.in("v");
  const double root = std::sqrt(static_cast<double>(run["D"])), cap = run.scalar("cap");
  const int64_t heads_per_group = run["H"] / run["G"];
  FOR(b, run["B"]) FOR(h, run["H"]) FOR(s, run["S"]) {
    const int64_t group = h / heads_per_group, here = s + run["C"] - run["S"];
    const int64_t first = std::max<int64_t>(0, here - run["window"] + 1);
    std::vector<double> weights;
    for (int64_t c = first; c <= here; ++c) {
      double dot = 0;
      FOR(d, run["D"]) dot += q(b, s, h, d) * k(b, c, group, d);
      weights.push_back(cap * std::tanh(dot / root / cap));
    }
    run.out("lse")(b, h, s) = to_weights(weights);
    FOR(d, run["D"]) {
      double total = 0;
      for (int64_t c = first; c <= here; ++c) total += weights[static_cast<size_t>(c - first)] * v(b, c, group, d);
      run.out("o")(b, s, h, d) = total;
    }
  }
}

HOST_OP(attention, attention_full) {
  const Array &q = run.in("q"), &k = run.in("k"), &v = run.in("v");
  FOR(b, run["B"]) FOR(s, run["S"]) {
    std::vector<double> weights(static_cast<size_t>(run["C"]), 0);
    FOR(c, run["C"]) {
      FOR(d, run["D"])
      weights[static_cast<size_t>(c)] += q(b, s, d) * k(b, c, d) / std::sqrt(static_cast<double>(run["D"]));
    }
    to_weights(weights);
    FOR(e, run["E"]) {
      double total = 0;
      FOR(c, run["C"]) total += weights[static_cast<size_t>(c)] * v(b, c, e);
      run.out("o")(b, s, e) = total;
    }
  }
}

// Gathers each sequence's keys and values into plain lists first, then attends.
HOST_OP(paged_attention, paged_attention) {
  const int64_t width = run["P"], heads_per_group = run["H"] / run["G"];
  FOR(b, run["B"]) FOR(h, run["H"]) {
    const int64_t count = static_cast<int64_t>(run.in("len")(b)), group = h / heads_per_group;
    std::vector<std::vector<double>> keys, values;
    FOR(l, count) {
      const int64_t page = static_cast<int64_t>(run.in("page")(b, l / width));
      keys.emplace_back(), values.emplace_back();
      FOR(d, run["D"]) keys.back().push_back(run.in("kc")(page, l % width, group, d));
      FOR(d, run["D"]) values.back().push_back(run.in("vc")(page, l % width, group, d));
    }
    std::vector<double> weights(keys.size(), 0);
    for (size_t l = 0; l < keys.size(); ++l) {
      FOR(d, run["D"])
      weights[l] += run.in("q")(b, h, d) * keys[l][static_cast<size_t>(d)] / std::sqrt(static_cast<double>(run["D"]));
    }
    to_weights(weights);
    FOR(d, run["D"]) {
      double total = 0;
      for (size_t l = 0; l < keys.size(); ++l) total += weights[l] * values[l][static_cast<size_t>(d)];
      run.out("o")(b, h, d) = total;
    }
  }
}

HOST_OP(paged_attention, cache_write) {
  FOR(n, run["N"]) FOR(d, run["D"]) {
    const int64_t slot = static_cast<int64_t>(run.in("slot")(n));
    if (slot >= 0) run.out("c")(slot / run["P"], slot % run["P"], d) = run.in("x")(n, d);
  }
}

// One step of the gated delta rule on a matrix state[d][e].
void delta_step(const Run& run, int64_t b, int64_t h, int64_t l, std::vector<std::vector<double>>& state) {
  const double beta = run.in("b")(b, h, l), decay = std::exp(run.in("g")(b, h, l));
  const Array &k = run.in("k"), &v = run.in("v");
  for (std::vector<double>& row : state)
    for (double& value : row) value *= decay;
  FOR(e, run["E"]) {
    double recalled = 0;
    FOR(d, run["D"]) recalled += state[static_cast<size_t>(d)][static_cast<size_t>(e)] * k(b, h, l, d);
    const double correction = beta * (v(b, h, l, e) - recalled);
    FOR(d, run["D"]) state[static_cast<size_t>(d)][static_cast<size_t>(e)] += k(b, h, l, d) * correction;
  }
}

HOST_OP(delta, delta) {
  FOR(b, run["B"]) FOR(h, run["H"]) {
    std::vector<std::vector<double>> state(static_cast<size_t>(run["D"]),
                                           std::vector<double>(static_cast<size_t>(run["E"])));
    FOR(d, run["D"]) FOR(e, run["E"]) state[static_cast<size_t>(d)][static_cast<size_t>(e)] = run.in("s0")(b, h, d, e);
    FOR(l, run["L"]) {
      delta_step(run, b, h, l, state);
      FOR(e, run["E"]) {
        double total = 0;
        FOR(d, run["D"]) total += state[static_cast<size_t>(d)][static_cast<size_t>(e)] * run.in("q")(b, h, l, d);
        run.out("o")(b, h, l, e) = total / std::sqrt(static_cast<double>(run["D"]));
      }
    }
    FOR(d, run["D"])
    FOR(e, run["E"]) run.out("last")(b, h, d, e) = state[static_cast<size_t>(d)][static_cast<size_t>(e)];
  }
}

HOST_OP(delta, selective_scan) {
  FOR(b, run["B"]) FOR(c, run["C"]) {
    std::vector<double> state(static_cast<size_t>(run["N"]), 0);
    FOR(l, run["L"]) {
      const double dt = run.in("dt")(b, l, c), x = run.in("x")(b, l, c);
      double total = run.in("d")(c)*x;
      FOR(n, run["N"]) {
        double& value = state[static_cast<size_t>(n)];
        value = std::exp(dt * run.in("a")(c, n)) * value + dt * run.in("bm")(b, l, n) * x;
        total += value * run.in("cm")(b, l, n);
      }
      run.out("y")(b, l, c) = total;
    }
  }
}

// Closed form: step j is damped and turned L - 1 - j times before the end. x adds to the first coordinate only.
HOST_OP(delta, oscillator) {
  FOR(b, run["B"]) {
    double real = 0, imaginary = 0;
    FOR(l, run["L"]) {
      const double turns = static_cast<double>(run["L"] - 1 - l), size = std::pow(run.scalar("damp"), turns);
      real += run.in("x")(b, l) * size * std::cos(turns * run.scalar("w"));
      imaginary += run.in("x")(b, l) * size * std::sin(turns * run.scalar("w"));
    }
    run.out("y")(b) = real;
    run.out("z")(b) = imaginary;
  }
}

}  // namespace
}  // namespace hipvault::host_ops
