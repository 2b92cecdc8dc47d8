#pragma once
// The judge: decides whether a candidate computes the op. It sees the op's tensor program, the candidate's code objects
// and plan, and a device; never the generator. References are computed here, in the parent; the candidate runs in the
// device's worker and only raw output bytes come back.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "ir/program.h"
#include "record/verdict.h"

namespace hipvault::verify {

struct Candidate {
  Plan plan;
  std::vector<std::string> code_objects;
  double unit_roundoff = 0x1p-24;  // of the accumulate type the plan promises; never looser than the op's policy allows
};

enum class Depth {
  quick,  // search: the smallest case with two distributions and one tail; references are reused
  full,   // every case within the simulator's reach, tails, odd and extreme sizes, strides, all distributions, two
          // orders
};

struct JudgeOptions {
  Depth depth = Depth::full;
  std::vector<std::string> only_cases;  // full: of the op file's cases only these; empty: all
  size_t most_borders = SIZE_MAX;       // full: at most so many border sizes, chosen by the seed
  std::string case_name;                // the timed case; "" = none: only small sizes
  Sizes timed_sizes;                    // all sizes of the timed case
  uint64_t seed = 0;                    // 0: fresh and secret, stored in the verdict
  int64_t max_elements = 1 << 20;       // sizes with more output elements are sampled
  int64_t sampled_elements = 4096;
  int threads = 1;
  std::function<void(const std::string&)> progress;
};

// Holds references and inputs of one op between candidates, so that a search pays for them once. Thread-safe.
class Judge {
 public:
  explicit Judge(const ir::Program& program);
  ~Judge();

  // A Diagnostic for trouble that is not the candidate's: an op whose inputs cannot be made, a device that cannot
  // start.
  Result<Verdict> judge(const Candidate& candidate, device::Device& device, const JudgeOptions& options);

  // Trivial candidates (zeros, ones, copy of each input, mean) must fail: Outcome::trivial_passes names the one that
  // did not.
  Result<Verdict> admit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipvault::verify
