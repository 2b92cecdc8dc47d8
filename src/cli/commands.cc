#include "cli/commands.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/suggest.h"

namespace hipvault::cli {
namespace {

constexpr Command kCommands[] = {
    {"optimize", "search for a fast, verified kernel of an op", "device", run_optimize},
    {"build", "make one kernel of an op from a schedule", "device", run_build},
    {"verify", "judge a kernel somebody else wrote", "device", run_verify},
    {"new-kernel", "print a template for a kernel of an op", "ops", run_new_kernel},
    {"show", "look at an op, its tensor program, tile programs or kernel text", "ops", run_show},
    {"cc", "compile a HIP program for the simulated GPU", "compiler", run_cc},
    {"run", "run a HIP program on the simulated GPU", "nothing", run_run},
    {"check", "run a HIP program with all checkers and say what they find", "nothing", run_check},
    {"vault", "list, show, replay or export what was tried: ls | show | replay | export", "vault", run_vault},
    {"ops", "list the op library", "ops", run_ops},
    {"gpus", "list the gpus", "nothing", run_gpus},
    {"sim", "say what the simulated GPU can execute: coverage", "nothing", run_sim},
    {"doctor", "say what was found on this machine, what is missing and the fix", "nothing", run_doctor},
    {"test", "run the tests of the build this program belongs to", "nothing", run_test},
    {"version", "print the version", "nothing", run_version},
    {"help", "explain a command", "nothing", run_help},
};

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

namespace {

int run_command(const Arguments& arguments, Io& io) {
  if (arguments.empty()) return run_help({}, io);
  std::string name = arguments.front();
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version") name = "version";
  for (const Command& command : kCommands)
    if (name == command.name) return command.run(Arguments(arguments.begin() + 1, arguments.end()), io);
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  return report_error({"usage", "there is no command \"" + name + "\"", engine::known_words(name, names), {}}, json,
                      io);
}

}  // namespace

// What was asked for and could not be written is a failure, however well the rest went.
int run_cli(const Arguments& arguments, Io& io) {
  errno = 0;
  int code = run_command(arguments, io);
  io.out.flush();
  if (io.out) return code;
  std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
  io.err << render({"io", "cannot write all of the output to stdout" + reason, "send it to a disk with free space", {}})
         << "\n";
  return code == kPass ? kBadInput : code;
}

}  // namespace hipvault::cli
