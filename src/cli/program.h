#pragma once
// A HIP program as a child process on the simulated GPU: what `run` and `check` share.

#include "cli/command.h"
#include "hipfront/toolchain.h"

namespace hipvault::cli {

// Ours, beside the program's own exit codes: 70 it cannot be started, 71 the pieces beside hipvault are missing, 72 the
// gpu is not known, 73 `check` has findings; 128 + n: the program ended by signal n.
enum ProgramExit { kCannotStart = 70, kNoPieces = 71, kNoGpu = 72, kHasFindings = 73, kSignal = 128 };

struct ProgramCommand {
  hipfront::RunOptions options;
  std::vector<std::string> words;  // the program and its arguments
};

// Reads the options that `app` has, those that all share, and the program's words. Else the exit code, said on err.
std::optional<int> read_program(CLI::App& app, const Arguments& arguments, const std::string& usage,
                                ProgramCommand& command, Io& io);

// Waits until it ends; its exit code, or ours.
int run_program(const ProgramCommand& command, Io& io);

}  // namespace hipvault::cli
