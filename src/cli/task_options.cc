#include "cli/task_options.h"

namespace hipvault::cli {

void add_task_options(CLI::App& app, engine::TaskRequest& task, bool op_is_positional) {
  const char* op_help =
      "an op file (ops/norm.hv), one op of it (ops/norm.hv:rms_norm), or an op of the library by name";
  if (op_is_positional) app.add_option("OP", task.op, op_help)->required();
  if (!op_is_positional) app.add_option("--op", task.op, op_help);
  app.add_option("--case", task.case_name, "a case of the op file; default: its first");
  app.add_option("-D", task.defines, "a size, parameter or type variable: -D N=1024 -D T=bf16")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--gpu", task.gpu, "gpu or arch; `hipvault gpus` lists them")->capture_default_str();
}

void add_tool_options(CLI::App& app, engine::ToolOptions& tools, int& threads) {
  tools.cache_directory = default_cache();
  threads = default_threads();
  app.add_option("--device", tools.device, "sim | hip:0 | cuda:0")->capture_default_str();
  app.add_option("--cc", tools.clang_path, "compile with this clang instead of the built-in one");
  app.add_option("--cache", tools.cache_directory, "folder of compiled kernels")->capture_default_str();
  app.add_option("--threads", threads, "how many candidates are tried at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
}

std::string outcome_of(const engine::Candidate& candidate) {
  if (candidate.verdict) return name(candidate.verdict->outcome);
  return candidate.reached < engine::Reached::compiled ? name(Outcome::compile_failed) : "none";
}

report::Report report_of(const engine::LoadedTask& task, const engine::Candidate& candidate,
                         const measure::Work& work) {
  report::Report report;
  const target::Gpu& gpu = task.task.gpu;
  const target::Arch& arch = target::arch_of(gpu);
  report.op = task.op_name;
  report.op_text = ir::text(task.task.program);
  report.case_name = task.case_name;
  report.gpu = gpu.name;
  report.gpu_title = gpu.title;
  report.arch = gpu.arch;
  report.types = task.types();
  report.sizes = task.task.sizes;
  report.verdict = outcome_of(candidate);
  if (report.verdict != "pass") report.message = candidate.reason;
  report.evidence = candidate.verdict;
  report.schedule = schedule::text(candidate.schedule);
  report.source = candidate.source;
  report.timing = candidate.timing;
  for (const compile::KernelResources& use : candidate.compiled.kernels) {
    report.kernels.push_back({use.kernel, use.vgprs, use.agprs, use.sgprs, use.vgpr_spills, use.sgpr_spills,
                              use.occupancy, arch.max_waves_per_simd, use.max_group_size, use.lds_bytes, arch.lds_bytes,
                              use.scratch_bytes});
  }
  report.roofline.bytes = work.bytes_read + work.bytes_written;
  report.roofline.flops = work.flops;
  bool reads = work.bytes_read > 3 * work.bytes_written;
  report.roofline.bandwidth = reads ? gpu.achievable_read : gpu.achievable_copy;
  report.roofline.peak_bandwidth = gpu.peak_bandwidth;
  for (const target::MatrixOp& op : arch.matrix_ops) {
    if (op.a != work.matrix_dtype || op.cycles <= 0) continue;
    double flops = 2.0 * op.m * op.n * op.k / op.cycles * arch.simds_per_cu * gpu.cus * gpu.clock_mhz * 1e6;
    report.roofline.peak_flops = std::max(report.roofline.peak_flops, flops);
  }
  return report;
}

constexpr const char* kOutputNames[] = {"kernel.hip", "kernel.hsaco", "schedule.txt",
                                        "plan.json",  "report.json",  "report.html"};

Status check_output_folder(const std::string& folder, FileSystem& files) {
  Status made = files.make_directories(folder);
  if (!made) return made;
  for (const char* name : kOutputNames) {
    std::string path = folder + "/" + name;
    if (files.exists(path) && files.list(path))
      return fail("io", "cannot write " + path + ": a folder is in the way", "choose another folder: --out FOLDER");
  }
  std::string probe = folder + "/.hipvault-can-write";
  Status written = files.write(probe, "");
  if (!written) return written;
  return files.remove(probe);
}

Status write_outputs(const std::string& folder, const engine::Candidate* candidate, report::Report& report,
                     FileSystem& files) {
  Status made = files.make_directories(folder);
  if (!made) return made;
  std::vector<std::pair<std::string, std::string>> outputs;
  if (candidate != nullptr) {
    report.kernel = folder + "/kernel.hip";
    outputs.push_back({"kernel.hip", candidate->source});
    if (candidate->compiled.ok) outputs.push_back({"kernel.hsaco", candidate->compiled.code_object});
    outputs.push_back({"schedule.txt", schedule::text(candidate->schedule)});
    outputs.push_back({"plan.json", to_json(candidate->plan).dump(2) + "\n"});
  }
  outputs.push_back(
      {"report.json", report::full_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"});
  outputs.push_back({"report.html", report::html(report)});
  for (const auto& [name, content] : outputs) {
    Status written = files.write(folder + "/" + name, content);
    if (!written) return written;
  }
  return {};
}

std::string output_folder(const std::string& option, const engine::LoadedTask& task) {
  return option.empty() ? "out/" + task.op_name + "." + task.case_name + "." + task.task.gpu.name : option;
}

}  // namespace hipvault::cli
