#include <fmt/format.h>

#include "cli/commands.h"
#include "engine/suggest.h"

namespace hipvault::cli {

int run_help(const Arguments& arguments, Io& io) {
  Arguments words;
  bool json = false;
  for (const std::string& word : arguments) (word == "--json" ? json = true : (words.push_back(word), false));
  if (!words.empty()) {
    Arguments asked = {words.front(), "--help"};
    if (json) asked.push_back("--json");
    if (words.front() != "help") return run_cli(asked, io);
  }
  Json list = Json::array();
  std::string text =
      "hipvault turns an operator, as a few lines of mathematics, into a HIP kernel that is proven to compute it.\n\n";
  text += "usage: hipvault COMMAND [OPTIONS]\n\ncommands:\n";
  for (const Command& command : all_commands()) {
    text += fmt::format("  {:<12} {}\n", command.name, command.help);
    list.push_back(Json{{"name", command.name}, {"help", command.help}, {"needs", command.needs}});
  }
  text +=
      "\nhipvault COMMAND --help lists the options of a command. Try: hipvault optimize ops/softmax.hv --case small\n";
  return finish(Json{{"commands", list}}, text, json, kPass, io);
}

}  // namespace hipvault::cli
