#pragma once
// Which sizes a candidate is judged at.
//
// Kernels break at borders: one less than a wave, one more than a tile, a prime, one row, no row, and on both sides of
// every threshold of the plan's own table. A hand-written list per op would miss the thresholds of the next schedule,
// so the sizes are made from the op's free dimensions, its cases and the candidate's plan. `bind_sizes` decides what
// the op allows (derived dimensions, `require`); what it refuses is no case.
//
//   softmax, small: B=4, N=33   ->  "small", "tail N=1", "tail N=63", …, "border N=8191" (plan: when N >= 8192), "empty
//   B=0"

#include <string>
#include <vector>

#include "base/random.h"
#include "ir/program.h"

namespace hipvault::verify {

struct SizedCase {
  std::string name;
  Sizes sizes;  // every dimension and int parameter, from bind_sizes
  std::map<std::string, double> scalars;
  std::map<std::string, std::vector<int64_t>> strides;  // as the case notes them, in elements
  std::map<std::string, int64_t> offsets;
  bool required = false;  // the plan may not refuse it
  double steps = 0;       // scalar steps of the reference over all outputs, estimated
};

// Scalar operations that computing every output once takes, when stages are remembered.
double estimate_steps(const ir::Program& program, const Sizes& sizes);
// Bytes of all tensors of the op, contiguous. Negative if a shape cannot be evaluated.
int64_t tensor_bytes(const ir::Program& program, const Sizes& sizes);

// A case from sizes that may lack derived dimensions; scalars take the values given, then the op's, then 0.5 (true).
Result<SizedCase> make_case(const ir::Program& program, const std::string& name, const Sizes& given,
                            const std::map<std::string, double>& scalars = {});

// The cases of the op file that fit the program's types and `max_steps`, cheapest first. Open sizes get small values.
std::vector<SizedCase> file_cases(const ir::Program& program, double max_steps);

// Variations of `base`: each free dimension through the border list, thresholds of the plan, everything 1, pairs at
// random. At most one of each name; none over `max_steps`.
std::vector<SizedCase> border_cases(const ir::Program& program, const SizedCase& base, const Plan& plan,
                                    double max_steps, Random& random);

// Secret sizes between the public ones: in each gap between consecutive border values of a free dimension, and beyond
// the last of them up to the budget, log-uniform; at most `most`, chosen by `random`. A kernel that is wrong for
// 520 < N < 1000 passes every border.
std::vector<SizedCase> gap_cases(const ir::Program& program, const SizedCase& base, const Plan& plan, double max_steps,
                                 size_t most, Random& random);

// Sizes on both sides of each constant with which the plan's conditions compare a free dimension: name -> values.
std::map<std::string, std::vector<int64_t>> plan_thresholds(const Plan& plan);

}  // namespace hipvault::verify
