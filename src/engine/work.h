#pragma once
// The least work an op can be done with: what the roofline is drawn from. Of the op and its sizes alone; no schedule
// can change it.
//
// Bytes: each input element that is needed, once; each result element, once. An input that is read through data (a
// gather) counts no more elements than there are reads: embedding of 8 tokens from 128,256 rows reads 8 rows. Flops:
// two for each step of a contraction, which is a sum over D of a product whose sides have different dimensions besides
// D. Other arithmetic is left out: it rides along with the bytes.

#include "base/result.h"
#include "ir/program.h"
#include "measure/measure.h"

namespace hipvault::engine {

// `normal`: ir::normalise(program). An error if a size cannot be evaluated.
Result<measure::Work> work_of(const ir::Program& normal, const Sizes& sizes);

}  // namespace hipvault::engine
