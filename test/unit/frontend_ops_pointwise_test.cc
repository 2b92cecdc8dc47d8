// Host loops of the pointwise ops: add, bias_gelu, swiglu, rope, dropout, adam, quantize.

#include <gtest/gtest.h>

#include <cmath>

#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

HOST_OP(add, add) { FOR(n, run["N"]) run.out("z")(n) = run.in("x")(n) + run.in("y")(n); }

HOST_OP(add, bias_add) {
  FOR(m, run["M"]) FOR(n, run["N"]) run.out("y")(m, n) = run.in("x")(m, n) + run.in("b")(n) + run.in("r")(m, n);
}

HOST_OP(bias_gelu, bias_gelu) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    const double z = run.in("x")(m, n) + run.in("b")(n);
    // At minus infinity the formula is -inf * 0: NaN, as PyTorch gives.
    run.out("y")(m, n) = z * 0.5 * (1 + std::erf(z / std::sqrt(2.0)));
  }
}

HOST_OP(bias_gelu, bias_gelu_tanh) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    const double z = run.in("x")(m, n) + run.in("b")(n);
    run.out("y")(m, n) = 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z)));
  }
}

// The derivative by its definition: Phi is the normal distribution, phi its density.
HOST_OP(bias_gelu, bias_gelu_backward) {
  FOR(m, run["M"]) FOR(n, run["N"]) {
    const double z = run.in("x")(m, n) + run.in("b")(n);
    const double phi = std::exp(-z * z / 2) / std::sqrt(2 * M_PI), big_phi = std::erfc(-z / std::sqrt(2.0)) / 2;
    run.out("dx")(m, n) = run.in("dy")(m, n) * (big_phi + z * phi);
  }
}

HOST_OP(swiglu, swiglu) {
  FOR(m, run["M"]) FOR(n, run["N"]) run.out("y")(m, n) = silu(run.in("gate")(m, n)) * run.in("up")(m, n);
}

HOST_OP(swiglu, swiglu_packed) {
  const int64_t half = run["W"] / 2;
  FOR(m, run["M"]) FOR(n, half) run.out("y")(m, n) = silu(run.in("x")(m, n)) * run.in("x")(m, n + half);
}

// The pair (i, i + D/2) turns: (a, b) -> (a cos - b sin, b cos + a sin), each half with its own table entry.
HOST_OP(rope, rope) {
  const Array &x = run.in("x"), &c = run.in("c"), &s = run.in("s");
  const int64_t half = run["D"] / 2;
  FOR(b, run["B"]) FOR(t, run["S"]) FOR(h, run["H"]) FOR(i, half) {
    const double low = x(b, t, h, i), high = x(b, t, h, i + half);
    run.out("y")(b, t, h, i) = low * c(t, i) - high * s(t, i);
    run.out("y")(b, t, h, i + half) = high * c(t, i + half) + low * s(t, i + half);
  }
}

HOST_OP(rope, rope_interleaved) {
  const Array& x = run.in("x");
  FOR(t, run["S"]) FOR(h, run["H"]) FOR(pair, run["D"] / 2) {
    const double frequency =
        std::pow(run.scalar("theta"), -2.0 * static_cast<double>(pair) / static_cast<double>(run["D"]));
    const double angle = run.in("pos")(t)*frequency;
    const double even = x(t, h, 2 * pair), odd = x(t, h, 2 * pair + 1);
    run.out("y")(t, h, 2 * pair) = even * std::cos(angle) - odd * std::sin(angle);
    run.out("y")(t, h, 2 * pair + 1) = odd * std::cos(angle) + even * std::sin(angle);
  }
}

double uniform_of(int64_t seed, int64_t counter) {
  return static_cast<double>(philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(counter)) >> 8) * 0x1p-24;
}

HOST_OP(dropout, dropout) {
  const double p = run.scalar("p");
  FOR(m, run["M"]) FOR(n, run["N"]) {
    const bool keep = uniform_of(run["seed"], m * run["N"] + n) >= p;
    run.out("y")(m, n) = keep ? run.in("x")(m, n) / (1 - p) : 0;
    run.out("mask")(m, n) = keep;
  }
}

HOST_OP(dropout, random_fill) {
  FOR(n, run["n"]) {
    run.out("word")(n) = philox(static_cast<uint64_t>(run["seed"]), static_cast<uint64_t>(n));
    run.out("real")(n) = uniform_of(run["seed"], n);
  }
}

// Algorithm 2 of Loshchilov and Hutter (decoupled weight decay), with the decay times the learning rate as in PyTorch.
HOST_OP(adam, adam) {
  const double lr = run.scalar("lr"), b1 = run.scalar("b1"), b2 = run.scalar("b2");
  const double step = static_cast<double>(run["step"]);
  FOR(n, run["N"]) {
    const double p = run.in("p")(n), g = run.in("g")(n);
    const double m = b1 * run.in("m")(n) + (1 - b1) * g, v = b2 * run.in("v")(n) + (1 - b2) * g * g;
    const double m_hat = m / (1 - std::pow(b1, step)), v_hat = v / (1 - std::pow(b2, step));
    run.out("p")(n) = p - lr * run.scalar("decay") * p - lr * m_hat / (std::sqrt(v_hat) + run.scalar("eps"));
    run.out("m")(n) = m;
    run.out("v")(n) = v;
  }
}

double row_scale(Run& run, int64_t b, double limit) {
  double largest = 1e-12;
  FOR(n, run["N"]) largest = std::max(largest, std::abs(run.in("x")(b, n)));
  return largest / limit;
}

HOST_OP(quantize, quantize) {
  FOR(b, run["B"]) {
    const double scale = row_scale(run, b, run.scalar("limit"));
    FOR(n, run["N"]) run.out("q")(b, n) = run.in("x")(b, n) / scale;
    run.out("scale")(b) = scale;
  }
}

HOST_OP(quantize, quantize_i8) {
  FOR(b, run["B"]) {
    const double scale = row_scale(run, b, 127);
    FOR(n, run["N"]) run.out("q")(b, n) = std::nearbyint(run.in("x")(b, n) / scale);
    run.out("scale")(b) = scale;
  }
}

HOST_OP(quantize, round_trip) {
  FOR(n, run["N"]) {
    const double x = run.in("x")(n);
    run.out("y")(n) = x - round_to(DType::bf16, x);
    run.out("z")(n) = round_to(DType::f16, 3 * x);
  }
}

}  // namespace
}  // namespace hipvault::host_ops
