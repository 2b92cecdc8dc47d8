#include "cli/commands.h"
#include "engine/suggest.h"
#include "engine/task.h"
#include "report/table.h"

namespace hipvault::cli {

int run_ops(const Arguments& arguments, Io& io) {
  Parser parser("ops", "Lists the ops of the library with their cases.");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  Json list = Json::array();
  report::Table table({"op", "file", "cases"});
  std::string problems;
  for (const engine::OpEntry& entry : engine::list_ops(*io.files)) {
    if (!entry.problem.empty()) problems += entry.problem + "\n";
    if (!entry.problem.empty()) continue;
    list.push_back(Json{{"op", entry.name}, {"file", entry.file}, {"cases", entry.cases}});
    table.add({entry.name, entry.file, engine::join(entry.cases)});
  }
  io.err << problems;
  if (table.empty() && problems.empty())
    return report_error(
        {"ops.missing", "no op library was found", "run it where the folder ops/ is, or give op files by path", {}},
        parser.json, io);
  return finish(Json{{"ops", list}}, table.text(), parser.json, problems.empty() ? kPass : kBadInput, io);
}

}  // namespace hipvault::cli
