#pragma once
// A small seeded generator (splitmix64, Steele et al. 2014) whose stream is the same on every machine, unlike the
// distributions of the standard library. Not for secrets: secret seeds come from base's `entropy()`.

#include <cmath>
#include <cstdint>

namespace hipvault {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound); bound > 0. Bias below 2^-32 for bounds below 2^32.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Box-Muller; one of the two values is thrown away, for a stream that is easy to replay.
  double normal() {
    double u = uniform(), v = uniform();
    return std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(6.283185307179586 * v);
  }

 private:
  uint64_t state_;
};

// Unpredictable bits from the operating system.
uint64_t entropy();

}  // namespace hipvault
