#include "cli/commands.h"
#include "cli/task_options.h"
#include "engine/foreign.h"

namespace hipvault::cli {

int run_new_kernel(const Arguments& arguments, Io& io) {
  Parser parser("new-kernel",
                "Prints a template for a kernel of an op: its plan and an empty kernel with the right arguments.");
  engine::TaskRequest request;
  std::string out;
  add_task_options(parser.app(), request, true);
  parser.app().add_option("--out", out, "write it to this file instead of stdout");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  Result<engine::LoadedTask> task = engine::load_task(request, *io.files);
  if (!task) return report_error(task.error(), parser.json, io);
  Result<std::string> text = engine::new_kernel(*task);
  if (!text) return report_error(text.error(), parser.json, io);
  if (out.empty()) return finish(Json{{"op", task->op_name}, {"source", *text}}, *text, parser.json, kPass, io);
  if (io.files->exists(out))
    return report_error({"new-kernel.exists", out + " is there already", "choose another name", {}}, parser.json, io);
  Status written = io.files->write(out, *text);
  if (!written) return report_error(written.error(), parser.json, io);
  return finish(Json{{"op", task->op_name}, {"file", out}}, "written to " + out + "\n", parser.json, kPass, io);
}

}  // namespace hipvault::cli
