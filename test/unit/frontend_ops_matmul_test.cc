// Host loops of the matrix products: matmul, linear_gelu, w4a16, fp8_matmul, moe.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

// c[m, n] = Σ_k A(m, k) B(k, n), the layouts given by the two functions.
template <class A, class B>
void product(Run& run, A a, B b) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    double total = 0;
    FOR(k, run["K"]) total += a(m, k) * b(k, n);
    run.out("c")(m, n) = total;
  }
}

HOST_OP(matmul, matmul) {
  const Array &a = run.in("a"), &b = run.in("b");
  product(run, [&](int64_t m, int64_t k) { return a(m, k); }, [&](int64_t k, int64_t n) { return b(k, n); });
}

HOST_OP(matmul, matmul_nt) {
  const Array &a = run.in("a"), &b = run.in("b");
  product(run, [&](int64_t m, int64_t k) { return a(m, k); }, [&](int64_t k, int64_t n) { return b(n, k); });
}

HOST_OP(matmul, matmul_tn) {
  const Array &a = run.in("a"), &b = run.in("b");
  product(run, [&](int64_t m, int64_t k) { return a(k, m); }, [&](int64_t k, int64_t n) { return b(k, n); });
}

HOST_OP(matmul, matmul_tt) {
  const Array &a = run.in("a"), &b = run.in("b");
  product(run, [&](int64_t m, int64_t k) { return a(k, m); }, [&](int64_t k, int64_t n) { return b(n, k); });
}

HOST_OP(matmul, batched_matmul) {
  FOR(i, run["B"]) FOR(m, run["M"]) FOR(n, run["N"]) {
    double total = 0;
    FOR(k, run["K"]) total += run.in("a")(i, m, k) * run.in("b")(i, k, n);
    run.out("c")(i, m, n) = total;
  }
}

HOST_OP(matmul, matmul_i8) {
  const Array &a = run.in("a"), &b = run.in("b");
  product(run, [&](int64_t m, int64_t k) { return a(m, k); }, [&](int64_t k, int64_t n) { return b(n, k); });
}

double row_dot(const Array& x, int64_t m, const Array& w, int64_t n, int64_t count) {
  double total = 0;
  FOR(k, count) total += x(m, k) * w(n, k);
  return total;
}

HOST_OP(linear_gelu, linear_gelu) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    run.out("y")(m, n) = gelu(row_dot(run.in("x"), m, run.in("w"), n, run["K"]) + run.in("b")(n));
  }
}

HOST_OP(linear_gelu, linear_swiglu) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    const double gate = row_dot(run.in("x"), m, run.in("wg"), n, run["K"]);
    run.out("y")(m, n) = silu(gate) * row_dot(run.in("x"), m, run.in("wu"), n, run["K"]);
  }
}

// The other order of the low-rank product: (B A) first, then x.
HOST_OP(linear_gelu, linear_lora) {
  FOR(n, run["N"]) FOR(m, run["M"]) {
    double total = 0;
    FOR(k, run["K"]) {
      double adapter = 0;
      FOR(r, run["R"]) adapter += run.in("b")(n, r) * run.in("a")(r, k);
      total += run.in("x")(m, k) * (run.in("w")(n, k) + run.scalar("alpha") * adapter);
    }
    run.out("y")(m, n) = total;
  }
}

HOST_OP(w4a16, w4a16) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    double total = 0;
    FOR(k, run["K"]) {
      const int64_t group = k / run["group"];
      total += run.in("x")(m, k) * (run.in("w")(n, k) - run.in("zero")(n, group)) * run.in("scale")(n, group);
    }
    run.out("y")(m, n) = total;
  }
}

HOST_OP(w4a16, w4a16_packed) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    double total = 0;
    FOR(k, run["K"]) {
      const uint32_t word = static_cast<uint32_t>(static_cast<int64_t>(run.in("w")(n, k / 8)));
      const int weight = static_cast<int>((word >> (4 * (k % 8))) & 15u) - 8;
      total += run.in("x")(m, k) * weight * run.in("scale")(n, k / run["group"]);
    }
    run.out("y")(m, n) = total;
  }
}

HOST_OP(w4a16, w8a16) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    run.out("y")(m, n) = row_dot(run.in("x"), m, run.in("w"), n, run["K"]) * run.in("scale")(n);
  }
}

// Block by block, as the scales are meant.
HOST_OP(fp8_matmul, fp8_matmul) {
  const int64_t block = run["block"], blocks = (run["K"] + block - 1) / block;
  FOR(m, run["M"]) FOR(n, run["N"]) {
    double total = 0;
    FOR(i, blocks) {
      double part = 0;
      for (int64_t k = i * block; k < std::min(run["K"], (i + 1) * block); ++k)
        part += run.in("a")(m, k) * run.in("b")(n, k);
      total += part * run.in("sa")(m, i) * run.in("sb")(n / block, i);
    }
    run.out("y")(m, n) = total;
  }
}

HOST_OP(fp8_matmul, mxfp4_matmul) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    double total = 0;
    FOR(i, run["K"] / 32) {
      double part = 0;
      FOR(j, 32) part += run.in("a")(m, 32 * i + j) * run.in("b")(n, 32 * i + j);
      total += part * run.in("sa")(m, i) * run.in("sb")(n, i);
    }
    run.out("y")(m, n) = total;
  }
}

std::vector<int64_t> best_positions(const std::vector<double>& score, int64_t count) {
  std::vector<int64_t> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const double first = score[static_cast<size_t>(a)], second = score[static_cast<size_t>(b)];
    return first != second ? first > second : a < b;
  });
  order.resize(static_cast<size_t>(count));
  return order;
}

HOST_OP(moe, moe_gate) {
  FOR(n, run["N"]) {
    std::vector<double> logits;
    FOR(e, run["E"]) logits.push_back(run.in("x")(n, e));
    const std::vector<int64_t> best = best_positions(logits, run["k"]);
    double total = 0;
    for (int64_t e : best) total += std::exp(run.in("x")(n, e));
    FOR(k, run["k"]) {
      const int64_t e = best[static_cast<size_t>(k)];
      run.out("id")(n, k) = static_cast<double>(e);
      run.out("w")(n, k) = std::exp(run.in("x")(n, e)) / total;
    }
  }
}

HOST_OP(moe, moe_gate_sigmoid) {
  FOR(n, run["N"]) {
    std::vector<double> biased;
    FOR(e, run["E"]) biased.push_back(sigmoid(run.in("x")(n, e)) + run.in("bias")(e));
    const std::vector<int64_t> best = best_positions(biased, run["k"]);
    double total = 0;
    for (int64_t e : best) total += sigmoid(run.in("x")(n, e));
    FOR(k, run["k"]) {
      const int64_t e = best[static_cast<size_t>(k)];
      run.out("id")(n, k) = static_cast<double>(e);
      run.out("w")(n, k) = run.scalar("scale") * sigmoid(run.in("x")(n, e)) / total;
    }
  }
}

HOST_OP(moe, moe) {
  run.out("y").fill(0);
  FOR(n, run["N"]) FOR(k, run["K"]) FOR(f, run["F"]) {
    const int64_t expert = static_cast<int64_t>(run.in("id")(n, k));
    double total = 0;
    FOR(d, run["D"]) total += run.in("x")(n, d) * run.in("w")(expert, f, d);
    run.out("y")(n, f) += run.in("gate")(n, k) * total;
  }
}

HOST_OP(moe, moe_mlp) {
  run.out("y").fill(0);
  FOR(n, run["N"]) FOR(k, run["K"]) FOR(f, run["F"]) {
    const int64_t expert = static_cast<int64_t>(run.in("id")(n, k));
    double gate = 0, up = 0;
    FOR(d, run["D"]) {
      gate += run.in("x")(n, d) * run.in("w1")(expert, f, d);
      up += run.in("x")(n, d) * run.in("w3")(expert, f, d);
    }
    FOR(o, run["O"]) run.out("y")(n, o) += run.in("gate")(n, k) * silu(gate) * up * run.in("w2")(expert, o, f);
  }
}

}  // namespace
}  // namespace hipvault::host_ops
