// Judges and times kernels on an NVIDIA GPU where there is no compiler: what `hipvault build --device null --gpu h200`
// left.
//
//   on_gpu FOLDER…      beside the op library (./ops); each FOLDER has plan.json, kernel.hsaco (PTX) and report.json
//   (op and case)
//
// One JSON object a line on stdout: op, case, verdict, message, cases, time_us (median), samples_us, roofline_us. Each
// folder is a process of its own: a kernel that hangs or breaks the context ends with it.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/clock.h"
#include "base/json.h"
#include "device/devices.h"
#include "engine/evaluate.h"
#include "engine/task.h"
#include "measure/measure.h"

using namespace hipvault;

namespace {

constexpr unsigned kDeadlineSeconds = 240;

Result<Json> judged_and_timed(const std::string& folder) {
  FileSystem& files = real_file_system();
  Result<std::string> plan_text = files.read(folder + "/plan.json"), code = files.read(folder + "/kernel.hsaco"),
                      report_text = files.read(folder + "/report.json");
  if (!plan_text) return fail(plan_text.error());
  if (!code) return fail(code.error());
  if (!report_text) return fail(report_text.error());
  Result<Json> plan_json = parse_json(*plan_text, "plan.json"), report = parse_json(*report_text, "report.json");
  if (!plan_json) return fail(plan_json.error());
  if (!report) return fail(report.error());
  Result<Plan> plan = plan_from_json(*plan_json);
  if (!plan) return fail(plan.error());

  engine::TaskRequest request;
  request.op = report->value("op", "");
  request.case_name = report->value("case", "");
  request.gpu = report->value("gpu", "h200");
  Json types = report->value("types", Json::object());
  for (const auto& [variable, dtype] : types.items())
    request.defines.push_back(variable + "=" + dtype.get<std::string>());
  Result<engine::LoadedTask> task = engine::load_task(request, files);
  if (!task) return fail(task.error());
  Result<engine::Bench> bench = engine::make_bench(*task);
  if (!bench) return fail(bench.error());
  Result<std::unique_ptr<device::GpuDriver>> driver = device::open_cuda_driver(0);
  if (!driver) return fail(driver.error());
  device::GpuFacts facts = (*driver)->facts();
  std::unique_ptr<device::Device> gpu = device::make_gpu_device("cuda:0", task->task.gpu, std::move(*driver));

  verify::JudgeOptions options;
  options.case_name = task->case_name;
  options.timed_sizes = task->task.sizes;
  verify::Candidate candidate{*plan, {*code}, 0x1p-24};
  double started = real_clock().seconds();
  Result<Verdict> verdict = bench->judge->judge(candidate, *gpu, options);
  if (!verdict) return fail(verdict.error());
  double judged = real_clock().seconds() - started;
  Json line = {{"op", task->op_name},         {"case", task->case_name},        {"folder", folder},
               {"device", facts.title},       {"driver", facts.driver_version}, {"verdict", name(verdict->outcome)},
               {"message", verdict->message}, {"cases", verdict->cases.size()}, {"judge_seconds", judged}};
  measure::MeasureRequest timing{*plan, {*code}, bench->sizes, bench->buffers, bench->scalars, bench->work};
  Result<Timing> time = measure::measure(timing, *gpu, task->task.gpu);
  if (!time) return fail(time.error());
  line["timing"] = to_json(*time);
  return line;
}

void print_line(const std::string& folder) {
  Result<Json> line = judged_and_timed(folder);
  Json shown = line ? *line : Json{{"folder", folder}, {"error", render(line.error())}};
  std::printf("%s\n", shown.dump().c_str());
  std::fflush(stdout);
}

void run_apart(const std::string& folder) {
  pid_t child = fork();
  if (child == 0) {
    alarm(kDeadlineSeconds);
    print_line(folder);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  Json line = {{"folder", folder}, {"error", signal == SIGALRM ? "it hung" : "it died: " + std::to_string(status)}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: on_gpu FOLDER…\n"), 2;
  for (int at = 1; at < argc; ++at) run_apart(argv[at]);
  return 0;
}
