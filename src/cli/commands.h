#pragma once
// The table of subcommands: help, "did you mean" and completion read it.

#include <span>

#include "cli/command.h"

namespace hipvault::cli {

std::span<const Command> all_commands();

// The whole program but for workers: picks the command and runs it.
int run_cli(const Arguments& arguments, Io& io);

// One a file of its name.
int run_build(const Arguments& arguments, Io& io);
int run_cc(const Arguments& arguments, Io& io);
int run_check(const Arguments& arguments, Io& io);
int run_doctor(const Arguments& arguments, Io& io);
int run_gpus(const Arguments& arguments, Io& io);
int run_help(const Arguments& arguments, Io& io);
int run_new_kernel(const Arguments& arguments, Io& io);
int run_ops(const Arguments& arguments, Io& io);
int run_optimize(const Arguments& arguments, Io& io);
int run_run(const Arguments& arguments, Io& io);
int run_show(const Arguments& arguments, Io& io);
int run_sim(const Arguments& arguments, Io& io);
int run_test(const Arguments& arguments, Io& io);
int run_vault(const Arguments& arguments, Io& io);
int run_verify(const Arguments& arguments, Io& io);
int run_version(const Arguments& arguments, Io& io);

}  // namespace hipvault::cli
