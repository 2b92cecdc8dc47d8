#include <unistd.h>

#include <iostream>

#include "cli/commands.h"
#include "engine/workers.h"

int main(int argc, char** argv) {
  if (std::optional<int> status = hipvault::engine::serve_as_worker(argc, argv)) return *status;
  hipvault::cli::Io io{std::cout, std::cerr, ::isatty(2) != 0, &hipvault::real_file_system()};
  return hipvault::cli::run_cli(hipvault::cli::Arguments(argv + 1, argv + argc), io);
}
