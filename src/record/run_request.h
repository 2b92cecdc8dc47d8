#pragma once
// What a device is asked to run and what it gives back: plain data that crosses into the worker process and out again.
//
// Addresses: each buffer is placed by the device with red zones around it; `data` of a BufferRequest is the whole
// allocation of the tensor (offset included), and the kernel gets the address of element `offset`.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "record/plan.h"
#include "record/run.h"

namespace hipvault {

struct BufferRequest {
  std::string name;
  std::string data;         // initial bytes of the allocation
  int64_t first_byte = 0;   // where element `offset` is: the pointer handed to the kernel
  int64_t valid_begin = 0;  // the kernel may touch bytes [valid_begin, valid_end) of the allocation
  int64_t valid_end = 0;
  bool writable = false;    // a write to a buffer that is not is recorded as a finding, and takes effect
  bool initialised = true;  // false: reading a byte before it was written is a finding
  bool read_back = false;   // return its bytes
  int64_t size = 0;         // bytes of the allocation where `data` is shorter: data repeats to fill it, empty data is
                            // zeros. For timing, where moving the bytes would cost more than running; 0: data.size()
};

struct RunRequest {
  std::string gpu;
  std::vector<std::string> code_objects;  // ELF bytes; kernels are found by name over all of them
  ResolvedPlan plan;
  std::vector<BufferRequest> buffers;  // in the order of Plan::buffers
  std::vector<double> scalars;         // in the order of Plan::scalars
  uint8_t workspace_poison = 0xa5;     // fill of the workspace, LDS and registers before the run
  bool check = true;                   // checkers on
  bool exact = true;                   // exact meanings; false: fast mode
  bool count_lines = false;            // fill the unique_bytes_* counters
  int64_t step_budget = 0;             // wave-instructions over all launches; 0 = the device's default
  double deadline_s = 60;              // wall clock; the worker is killed after it
  // Run only these work-groups of each launch (linear ids x + gx*(y + gy*z)); empty = all. Out-of-range ids are
  // ignored.
  std::vector<int64_t> only_groups;
  // Real devices: this many timed repetitions after the first run, each behind a sweep over other memory of
  // `flush_bytes`, which empties the caches; results are read after them.
  int samples = 0;
  int64_t flush_bytes = 0;
  uint64_t wave_order_seed = 0;  // the order in which waves and groups are interleaved
  int threads = 1;
};

struct RunResult {
  Run run;
  std::vector<std::string> buffers;  // bytes of those with read_back, others empty; only if run.status == completed
  // For runs with only_groups: which bytes of each read-back buffer were written, as [begin, end) ranges in order.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> written;
};

// Binary form for the pipe between processes (sizes and bytes, no text). Reading checks every length.
std::string to_bytes(const RunRequest& request);
Result<RunRequest> run_request_from_bytes(std::string_view bytes);
std::string to_bytes(const RunResult& result);
Result<RunResult> run_result_from_bytes(std::string_view bytes);

}  // namespace hipvault
