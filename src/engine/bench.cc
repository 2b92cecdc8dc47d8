// What candidates are tried with: opened once a search.

#include <fmt/format.h>
#include <unistd.h>

#include "engine/evaluate.h"
#include "engine/work.h"
#include "verify/inputs.h"

namespace hipvault::engine {
namespace {

// Large inputs are handed to the device as their first part, repeated: a candidate's time needs places, not values, and
// moving 64 MB into the worker cost ten times what running the sampled work-groups did.
constexpr size_t kTimingBytes = 1 << 20;

void shorten(BufferRequest& buffer) {
  if (buffer.data.size() <= kTimingBytes) return;
  buffer.size = static_cast<int64_t>(buffer.data.size());
  buffer.data.resize(buffer.initialised ? kTimingBytes : 0);
  buffer.data.shrink_to_fit();
}

// Inputs are made here before they go to the device.
Status check_host_memory(const LoadedTask& task) {
  double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  double bytes = static_cast<double>(verify::tensor_bytes(task.task.program, task.task.sizes));
  if (bytes <= memory) return {};
  constexpr double kGiB = 1 << 30;
  return fail("size.host-memory",
              fmt::format("the tensors of {} have {:.4g} GiB at these sizes, and this machine has {:.4g} GiB of memory",
                          task.op_name, bytes / kGiB, memory / kGiB),
              "choose smaller sizes: another --case or -D");
}

constexpr uint64_t kTimingSeed = 0x68697076;  // timing inputs need no secret: values do not decide the verdict

}  // namespace

Result<Bench> make_bench(const LoadedTask& task) {
  Status fits = check_host_memory(task);
  if (!fits) return fail(fits.error());
  Bench bench;
  bench.task = &task;
  bench.judge = std::make_unique<verify::Judge>(task.task.program);
  Result<Verdict> admitted = bench.judge->admit();
  if (!admitted) return fail(admitted.error());
  if (!admitted->passed())
    return fail("task.trivial", "the op " + task.op_name + " is not admitted: " + admitted->message,
                "give it inputs on which a constant or a copy is wrong");
  Result<measure::Work> work = work_of(task.task.normal, task.task.sizes);
  if (!work) return fail(work.error());
  bench.work = *work;
  std::vector<verify::Draw> draws = verify::all_draws(task.task.program);
  Result<verify::CaseInputs> inputs =
      verify::make_inputs(task.task.program, task.timed, draws.front(), verify::Layout::contiguous, kTimingSeed);
  if (!inputs) return fail(inputs.error());
  bench.sizes = inputs->sizes;
  for (size_t i = 0; i < inputs->tensors.size(); ++i) {
    bench.buffers.push_back(verify::buffer_request(inputs->tensors[i], task.task.program.tensors[i].role, false));
    shorten(bench.buffers.back());
  }
  for (const ir::ScalarParam& param : task.task.program.scalar_params)
    bench.scalars.push_back(inputs->scalars[param.name]);
  return bench;
}

}  // namespace hipvault::engine
