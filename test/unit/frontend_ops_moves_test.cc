// Host loops of the ops that move, choose and order data: transpose, concat_pad, embedding, scatter_add, topk, top_p.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

HOST_OP(transpose, transpose) { FOR(m, run["M"]) FOR(n, run["N"]) run.out("y")(n, m) = run.in("x")(m, n); }

HOST_OP(transpose, split_heads) {
  FOR(b, run["B"])
  FOR(s, run["S"]) FOR(h, run["H"]) FOR(d, run["D"]) run.out("y")(b, h, s, d) = run.in("x")(b, s, h, d);
}

// Channel (c, i, j) of the input becomes pixel (i, j) of each r x r block.
HOST_OP(transpose, pixel_shuffle) {
  const int64_t r = run["r"];
  FOR(n, run["N"]) FOR(c, run["C"] / (r * r)) FOR(i, r) FOR(j, r) FOR(h, run["H"]) FOR(w, run["W"]) {
    run.out("y")(n, c, h * r + i, w * r + j) = run.in("x")(n, c * r * r + i * r + j, h, w);
  }
}

HOST_OP(concat_pad, concat_pad) {
  run.out("y").fill(run.scalar("value"));
  FOR(b, run["B"]) {
    FOR(m, run["M"]) run.out("y")(b, run["left"] + m) = run.in("a")(b, m);
    FOR(n, run["N"]) run.out("y")(b, run["left"] + run["M"] + n) = run.in("b")(b, n);
  }
}

HOST_OP(concat_pad, reflect_pad) {
  const int64_t pad = run["pad"], count = run["N"];
  FOR(b, run["B"]) FOR(u, count + 2 * pad) {
    int64_t n = u - pad;
    if (n < 0) n = -n;
    if (n >= count) n = 2 * (count - 1) - n;
    run.out("y")(b, u) = run.in("x")(b, n);
  }
}

HOST_OP(concat_pad, roll_flip) {
  const int64_t count = run["N"];
  FOR(b, run["B"]) FOR(n, count) {
    const int64_t to = (((n + run["shift"]) % count) + count) % count;
    run.out("rolled")(b, to) = run.in("x")(b, n);
    run.out("flipped")(b, count - 1 - n) = run.in("x")(b, n);
  }
}

HOST_OP(embedding, embedding) {
  FOR(b, run["B"]) FOR(s, run["S"]) FOR(d, run["D"]) {
    const int64_t id = static_cast<int64_t>(run.in("id")(b, s));
    run.out("y")(b, s, d) = run.in("table").get(0, id, d);
  }
}

HOST_OP(embedding, embedding_bag) {
  run.out("y").fill(0);
  FOR(b, run["B"]) FOR(l, run["L"]) FOR(d, run["D"]) {
    const int64_t id = static_cast<int64_t>(run.in("id")(b, l));
    run.out("y")(b, d) += run.in("table")(id, d) * run.in("w")(b, l);
  }
}

HOST_OP(embedding, gather_columns) {
  FOR(b, run["B"]) FOR(k, run["K"]) { run.out("y")(b, k) = run.in("x")(b, static_cast<int64_t>(run.in("i")(b, k))); }
}

HOST_OP(scatter_add, scatter_add) {
  FOR(n, run["N"]) FOR(d, run["D"]) { run.out("y")(static_cast<int64_t>(run.in("at_row")(n)), d) += run.in("x")(n, d); }
}

HOST_OP(scatter_add, histogram) {
  run.out("count").fill(0);
  FOR(n, run["N"]) {
    const double x = run.in("x")(n);
    if (x >= 0 && x < static_cast<double>(run["bins"])) run.out("count")(static_cast<int64_t>(x)) += 1;
  }
}

HOST_OP(scatter_add, scatter_rows) {
  FOR(n, run["N"]) FOR(d, run["D"]) run.out("y")(static_cast<int64_t>(run.in("place")(n)), d) = run.in("x")(n, d);
}

HOST_OP(scatter_add, segment_range) {
  run.out("hi").fill(-std::numeric_limits<double>::infinity());
  run.out("lo").fill(std::numeric_limits<double>::infinity());
  FOR(n, run["N"]) {
    double& hi = run.out("hi")(static_cast<int64_t>(run.in("segment")(n)));
    double& lo = run.out("lo")(static_cast<int64_t>(run.in("segment")(n)));
    hi = std::max(hi, run.in("x")(n));
    lo = std::min(lo, run.in("x")(n));
  }
}

// Positions of a row by value, NaN as the largest, ties to the lower position.
std::vector<int64_t> sorted_positions(const Array& x, int64_t row, bool descending) {
  std::vector<int64_t> order(static_cast<size_t>(x.shape()[1]));
  std::iota(order.begin(), order.end(), 0);
  auto less = [&](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const double first = descending ? x(row, b) : x(row, a), second = descending ? x(row, a) : x(row, b);
    if (less(first, second)) return true;
    return !less(second, first) && a < b;
  });
  return order;
}

HOST_OP(topk, topk) {
  FOR(b, run["B"]) {
    const std::vector<int64_t> order = sorted_positions(run.in("x"), b, true);
    FOR(k, run["k"]) {
      run.out("v")(b, k) = run.in("x")(b, order[static_cast<size_t>(k)]);
      run.out("i")(b, k) = static_cast<double>(order[static_cast<size_t>(k)]);
    }
  }
}

HOST_OP(topk, sort) {
  FOR(b, run["B"]) {
    const std::vector<int64_t> order = sorted_positions(run.in("x"), b, false);
    FOR(n, run["N"]) {
      run.out("v")(b, n) = run.in("x")(b, order[static_cast<size_t>(n)]);
      run.out("i")(b, n) = static_cast<double>(order[static_cast<size_t>(n)]);
    }
  }
}

HOST_OP(topk, sort_descending) {
  FOR(b, run["B"]) {
    const std::vector<int64_t> order = sorted_positions(run.in("x"), b, true);
    FOR(n, run["N"]) run.out("v")(b, n) = run.in("x")(b, order[static_cast<size_t>(n)]);
  }
}

// Walks down from the most likely token: first until the mass reaches p, then again until the drawn share of that mass.
HOST_OP(top_p, top_p) {
  const Array& x = run.in("x");
  FOR(b, run["B"]) {
    const std::vector<int64_t> order = sorted_positions(x, b, true);
    std::vector<double> weight;
    double total = 0;
    for (int64_t v : order) weight.push_back(std::exp((x(b, v) - x(b, order[0])) / run.scalar("temperature")));
    for (double each : weight) total += each;
    size_t kept = 0;
    double mass = 0;
    while (kept < weight.size() && mass < run.scalar("p")) mass += weight[kept++] / total;
    const double u =
        static_cast<double>(philox(static_cast<uint64_t>(run["seed"]), static_cast<uint64_t>(b)) >> 8) * 0x1p-24;
    size_t chosen = 0;
    for (double sum = weight[0] / total; sum <= u * mass && chosen + 1 < kept;) sum += weight[++chosen] / total;
    run.out("token")(b) = static_cast<double>(order[chosen]);
  }
}

HOST_OP(top_p, gumbel_sample) {
  FOR(b, run["B"]) {
    int64_t best = 0;
    double largest = -std::numeric_limits<double>::infinity();
    FOR(v, run["V"]) {
      const uint32_t word = philox(static_cast<uint64_t>(run["seed"]), static_cast<uint64_t>(b * run["V"] + v));
      const double noisy = run.in("x")(b, v) - std::log(-std::log((word + 0.5) / 4294967296.0));
      if (noisy > largest) largest = noisy, best = v;
    }
    run.out("token")(b) = static_cast<double>(best);
  }
}

}  // namespace
}  // namespace hipvault::host_ops
