#include "cli/commands.h"
#include "engine/workers.h"
#include "report/table.h"

namespace hipvault::cli {

int run_doctor(const Arguments& arguments, Io& io) {
  Parser parser("doctor",
                "Says what was found on this machine, what is missing and how to mend it. Exit code 3 if no kernel can "
                "be compiled.");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  Json list = Json::array();
  report::Table table({"", "what", "name", "detail"});
  bool can_compile = false, can_run = false;
  for (const engine::SystemFact& fact : engine::examine_system()) {
    list.push_back(Json{{"group", fact.group}, {"name", fact.name}, {"good", fact.good}, {"detail", fact.detail}});
    table.add({fact.good ? "ok" : "missing", fact.group, fact.name, fact.detail});
    can_compile = can_compile || (fact.group == "compiler" && fact.good);
    can_run = can_run || (fact.group == "device" && fact.good);
  }
  std::string verdict = can_compile && can_run ? "Everything that `hipvault optimize` needs is here.\n"
                                               : "Something that `hipvault optimize` needs is missing.\n";
  Json json{{"ready", can_compile && can_run}, {"facts", list}};
  return finish(json, table.text() + "\n" + verdict, parser.json, can_compile && can_run ? kPass : kNoToolchain, io);
}

}  // namespace hipvault::cli
