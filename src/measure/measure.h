#pragma once
// Time of a candidate at one set of sizes. On the simulated GPU: `draft`, an analytical estimate from executed
// instruction counts and bytes of sampled work-groups; the cycle model comes behind the same function. On real GPUs:
// measured.

#include "base/result.h"
#include "device/device.h"
#include "record/plan.h"
#include "record/timing.h"
#include "target/target.h"

namespace hipvault::measure {

struct Work {             // the roofline's floor, from the op and its sizes alone
  double bytes_read = 0;  // each input element that is needed, once
  double bytes_written = 0;
  double flops = 0;  // of matrix work; 0 if none
  DType matrix_dtype = DType::f32;
};

struct MeasureRequest {
  Plan plan;
  std::vector<std::string> code_objects;
  Sizes sizes;                         // with stride and align names
  std::vector<BufferRequest> buffers;  // inputs at the timed size
  std::vector<double> scalars;
  Work work;
};

// Errors: the plan refuses the sizes, the candidate does not run to its end at this size, or the device cannot run.
Result<Timing> measure(const MeasureRequest& request, device::Device& device, const target::Gpu& gpu);

}  // namespace hipvault::measure
