#pragma once
// The values a candidate is judged on.
//
// One fixed draw lets a constant pass (a kernel that memsets the answer to the only input ever used), and well-behaved
// numbers hide missing NaN handling, ties and overflow. A Draw names one way to fill all inputs of an op: the
// alternative of each input's noted distributions, and a twist on top. Draws are functions of a seed, so that a verdict
// can be replayed; the seed is secret until then.
//
//   input x: normal(0,1) | uniform(0,100)     draws: "normal", "uniform", then the twists
//
// integers(lo,hi) are the values lo <= v < hi; with hi <= lo there is none, and such sizes are no case. Integer tensors
// that index something stay in the range index_ranges derives. `special(a, b, …)` is normal(0,1) with some elements,
// the first and the last among them, replaced by a, b, ….

#include <string>
#include <vector>

#include "verify/cases.h"
#include "verify/layouts.h"

namespace hipvault::verify {

enum class Twist {
  none,
  ties,          // every value is one of three drawn from the distribution
  wide,          // floats that have a normal distribution: four times as far from their mean
  specials,      // NaN, ±inf and ±0 at the first, the middle, the last and some random elements of each float input
  infinities,    // ±inf only, so that a NaN in the output is the kernel's own
  negative,      // floats: every value below zero (a maximum that starts from 0 shows)
  positive,      // floats: every value above zero
  one_dominant,  // one element of each row far above the rest: the first, the last or any
  all_but_one,   // rows that are constant but for one element
  alternating,   // equal magnitudes with changing signs: sums cancel
  far_below,     // every value below -96: exponentials vanish where the maximum is not subtracted
  one_far,       // one element of each row above 96: exponentials overflow where the maximum misses it
  large,         // 32 times as large
  tiny,          // 2^-30 times as large (f16: 2^-8)
  subnormal,     // an eighth of the elements below the smallest normal number
  empty_rows,    // some rows are -inf throughout
  mixed,         // each row another of these
  index_low,     // index tensors: all 0 (one expert gets all tokens)
  index_high,    // index tensors: all the largest legal value
};

struct Draw {
  std::string name;
  int alternative = 0;  // of each input's distributions, modulo their number
  Twist twist = Twist::none;
  bool noted = true;  // exactly what the op file says: trouble with it is the op's, with a twist it only drops the draw
};

// Whether a twist changes the rows of float inputs: such draws take turns over border sizes, so that more of them cost
// no more cases.
bool takes_turns(Twist twist);

// All draws that make sense for the op, the noted ones first. Twists that go beyond a noted distribution (NaN in an
// input that is noted as uniform(0.1, 1)) are left out; under `nan: undefined` specials are too.
std::vector<Draw> all_draws(const ir::Program& program);

struct CaseInputs {
  Sizes sizes;                      // of the case, with the stride and align names of every tensor
  std::vector<HostTensor> tensors;  // in the order of Program::tensors; results hold the poison
  std::map<std::string, double> scalars;
  std::string description;  // distribution, layout and seed, in words
};

// Error: an input file that cannot be read or does not fit, or no value exists (an index into an empty axis).
Result<CaseInputs> make_inputs(const ir::Program& program, const SizedCase& sized, const Draw& draw, Layout layout,
                               uint64_t seed);

// What results, gaps and workspace hold before run 0, 1, ….
uint8_t poison_byte(uint64_t seed, int run);

}  // namespace hipvault::verify
