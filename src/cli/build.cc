#include "engine/build.h"

#include "cli/commands.h"
#include "cli/task_options.h"

namespace hipvault::cli {

int run_build(const Arguments& arguments, Io& io) {
  Parser parser("build", "Makes exactly one kernel of an op from a schedule, judges it in full and times it.");
  engine::BuildRequest request;
  request.vault = default_vault();
  std::string out;
  bool quick = false;
  CLI::App& app = parser.app();
  add_task_options(app, request.task, true);
  add_tool_options(app, request.tools, request.threads);
  app.add_option("--schedule", request.schedule_file, "file with the decisions; missing ones take their defaults");
  app.add_option("--out", out, "folder of the results; default: out/OP.CASE.GPU");
  app.add_option("--vault", request.vault, "database of all attempts")->capture_default_str();
  app.add_flag("--quick", quick, "judge on small sizes only");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  if (!request.schedule_file.empty()) {
    Result<std::string> schedule = io.files->read(request.schedule_file);
    if (!schedule) return report_error(schedule.error(), parser.json, io);
    request.schedule = *schedule;
  }
  Result<engine::LoadedTask> task = engine::load_task(request.task, *io.files);
  if (!task) return report_error(task.error(), parser.json, io);
  std::string folder = output_folder(out, *task);
  Status usable = check_output_folder(folder, *io.files);
  if (!usable) return report_error(usable.error(), parser.json, io);
  request.depth = quick ? engine::Depth::quick : engine::Depth::full;
  if (!parser.json) request.progress = [&](const std::string& message) { io.err << message << "\n"; };
  Result<engine::Built> built = engine::build(request, *io.files);
  if (!built) return report_error(built.error(), parser.json, io);
  report::Report report = report_of(built->task, built->candidate, built->work);
  report.device = request.tools.device;
  report.toolchain = built->candidate.compiled.toolchain;
  report.attempt = built->attempt;
  report.agent = "build";
  report.total = {"all",
                  1,
                  1,
                  built->candidate.reached >= engine::Reached::compiled,
                  built->candidate.reached >= engine::Reached::correct,
                  built->candidate.reached >= engine::Reached::timed};
  for (const auto& [stage, seconds] : built->candidate.seconds) report.seconds += seconds;
  Status written = write_outputs(folder, &built->candidate, report, *io.files);
  if (!written) return report_error(written.error(), parser.json, io);
  return finish(report::summary_json(report), report::summary_text(report) + "written to " + folder + "/\n",
                parser.json, report.verdict == "pass" ? kPass : kNotPass, io);
}

}  // namespace hipvault::cli
