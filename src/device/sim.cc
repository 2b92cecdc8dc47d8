// The simulated GPU as a device: every run in a child of its own, so that a candidate's run can neither see the
// references nor outlive its deadline, and a fault of the simulator itself is a typed end instead of the end of a
// search.

#include <algorithm>

#include "device/devices.h"
#include "device/worker.h"

namespace hipvault::device {
namespace {

jail::Workers& run_workers() {
  static jail::Workers workers(worker_kind());
  return workers;
}

int64_t bytes_in(const RunRequest& request) {
  int64_t bytes = request.plan.workspace_bytes;
  for (const BufferRequest& buffer : request.buffers) bytes += static_cast<int64_t>(buffer.data.size());
  for (const std::string& code : request.code_objects) bytes += static_cast<int64_t>(code.size());
  return bytes;
}

// The child holds the request, placed copies with red zones, a shadow of what was written, and the result.
jail::Limits limits_of(const RunRequest& request) {
  jail::Limits limits;
  int64_t bytes = bytes_in(request);
  limits.deadline_s = request.deadline_s;
  limits.cpu_s = request.deadline_s * std::max(request.threads, 1) + 5;
  limits.memory_bytes = (int64_t{4} << 30) + 8 * bytes;
  limits.result_bytes = (int64_t{256} << 20) + 2 * bytes;
  return limits;
}

RunResult ended_badly(const jail::Outcome& outcome, const jail::Limits& limits) {
  RunResult result;
  result.run.status = outcome.end == jail::End::deadline ? RunStatus::deadline : RunStatus::worker_died;
  result.run.message = "run worker: " + describe(outcome, limits);
  if (!outcome.errors.empty()) result.run.message += "; it said: " + outcome.errors.substr(0, 2000);
  return result;
}

class SimDevice : public Device {
 public:
  explicit SimDevice(target::Gpu gpu) : gpu_(std::move(gpu)) { run_workers().launch(); }
  std::string name() const override { return "sim"; }
  std::string gpu() const override { return gpu_.name; }

  Result<RunResult> run(const RunRequest& asked) override {
    if (!asked.gpu.empty() && asked.gpu != gpu_.name) {
      return fail("device.gpu", "a run for " + asked.gpu + " was given to a device that is a " + gpu_.name);
    }
    jail::Limits limits = limits_of(asked);
    Result<jail::Outcome> outcome = run_workers().run(bytes_of_request(asked), limits);
    if (!outcome) return fail(outcome.error());
    if (outcome->end != jail::End::finished) return ended_badly(*outcome, limits);
    Result<RunResult> result = run_result_from_bytes(outcome->result);
    if (result) return result;
    RunResult unreadable;
    unreadable.run.status = RunStatus::worker_died;
    unreadable.run.message = "the run worker gave back something unreadable: " + result.error().message;
    return unreadable;
  }

 private:
  std::string bytes_of_request(const RunRequest& asked) const {
    if (asked.gpu == gpu_.name) return to_bytes(asked);
    RunRequest named = asked;
    named.gpu = gpu_.name;
    return to_bytes(named);
  }

  target::Gpu gpu_;
};

}  // namespace

std::unique_ptr<Device> make_sim_device(const target::Gpu& gpu) { return std::make_unique<SimDevice>(gpu); }

}  // namespace hipvault::device
