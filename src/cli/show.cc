#include "engine/show.h"

#include "cli/commands.h"
#include "cli/task_options.h"
#include "engine/suggest.h"

namespace hipvault::cli {

int run_show(const Arguments& arguments, Io& io) {
  Parser parser("show", "Shows an op on its way to a kernel: " + engine::join(engine::things_to_show()) + ".");
  engine::TaskRequest request;
  engine::ShowRequest show{"program", ""};
  std::string schedule_file;
  add_task_options(parser.app(), request, true);
  parser.app().add_option("--show", show.what, "what")->capture_default_str();
  parser.app().add_option("--schedule", schedule_file,
                          "file with the decisions; default: those of the first sketch that matches");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  if (!schedule_file.empty()) {
    Result<std::string> text = io.files->read(schedule_file);
    if (!text) return report_error(text.error(), parser.json, io);
    show.schedule = *text;
  }
  Result<engine::LoadedTask> task = engine::load_task(request, *io.files);
  if (!task) return report_error(task.error(), parser.json, io);
  Result<std::string> text = engine::show(*task, show);
  if (!text) return report_error(text.error(), parser.json, io);
  return finish(Json{{"op", task->op_name}, {"case", task->case_name}, {"show", show.what}, {"text", *text}}, *text,
                parser.json, kPass, io);
}

}  // namespace hipvault::cli
