#include "cli/commands.h"
#include "cli/program.h"

namespace hipvault::cli {

int run_run(const Arguments& arguments, Io& io) {
  ProgramCommand command;
  bool no_check = false;
  CLI::App app(
      "Runs a HIP program on the simulated GPU. The exit code is the program's own; 70 and above are ours: 70 it "
      "cannot be started, 71 files beside hipvault are missing, 72 no such gpu, 128 + n it ended by signal n.",
      "run");
  app.add_flag("--no-check", no_check, "without the checkers, faster");
  if (std::optional<int> code =
          read_program(app, arguments, "hipvault run [--gpu G] [--json FILE] ./prog [args]", command, io))
    return *code;
  command.options.check = !no_check;
  return run_program(command, io);
}

}  // namespace hipvault::cli
