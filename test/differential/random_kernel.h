#pragma once
// Random kernels as source text that means the same on the host and on the device. A kernel is a list of phases: code
// of one lane, or an exchange between lanes (LDS, lane permutations, ballots, atomics), at which the host visits all
// lanes before it goes on. Arithmetic is what both sides define to the last bit: integers, IEEE operations without
// contraction; NaNs are made alike before their bits are looked at.

#include <string>
#include <vector>

#include "base/random.h"

namespace hipvault::test {

// A statement: text, or a head with one or two blocks.
struct Statement {
  std::string text;  // "s.u[0] = …;", or "if (…)", "for (…)", "switch (…)"
  std::vector<Statement> body, otherwise;
  bool block = false;
};

struct Phase {
  std::vector<Statement> code;  // of one lane, if this is no exchange
  bool separate = false;        // a function of its own on the device
  std::string device, host;     // an exchange: statements of the kernel, and of the host's driver
  std::string index;            // expression that both use as e(s, c)
};

struct RandomKernel {
  std::string name;
  int block = 64, groups = 2;
  std::vector<Phase> phases;

  std::string text() const;  // both sides, chosen by DEVICE
};

RandomKernel make_random_kernel(uint64_t seed, const std::string& name);
extern const char* const kRandomPrelude;

// Smaller kernels: one statement or phase less each. For minimising.
std::vector<RandomKernel> shrink(const RandomKernel& kernel);

constexpr int kStateWords = 26;  // dwords a lane leaves in `out`
constexpr int kInputWords = 256, kSums = 64;

}  // namespace hipvault::test
