#include "cli/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

namespace hipvault::cli {
namespace {

int say(const Diagnostic& diagnostic, int code, Io& io) {
  io.err << render(diagnostic) << "\n";
  return code;
}

[[noreturn]] void become(std::vector<std::string> words, const std::vector<std::string>& environment) {
  for (const std::string& setting : environment) {
    size_t at = setting.find('=');
    ::setenv(setting.substr(0, at).c_str(), setting.c_str() + at + 1, 1);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  std::fprintf(stderr, "hipvault: %s cannot be started: %s\n", argv[0], std::strerror(errno));
  ::_exit(kCannotStart);
}

}  // namespace

std::optional<int> read_program(CLI::App& app, const Arguments& arguments, const std::string& usage,
                                ProgramCommand& command, Io& io) {
  hipfront::RunOptions& options = command.options;
  options.gpu = "mi300x";
  app.add_option("--gpu", options.gpu, "the gpu it sees, or an arch");
  app.add_option("--json", options.json, "write device time, wave-instructions and findings to this file");
  app.add_option("--threads", options.threads, "host threads; 0: all");
  app.prefix_command();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, io.out, io.err) == 0 ? kPass : kBadInput;
  }
  command.words = app.remaining();
  if (!command.words.empty() && command.words[0] == "--") command.words.erase(command.words.begin());
  if (command.words.empty()) return say({"usage", "no program is given", usage, {}}, kBadInput, io);
  Result<target::Gpu> gpu = target::find_gpu(options.gpu);
  if (!gpu) return say(gpu.error(), kNoGpu, io);
  if (!options.json.empty()) options.json = std::filesystem::absolute(options.json);
  return std::nullopt;
}

int run_program(const ProgramCommand& command, Io& io) {
  Result<std::vector<std::string>> environment = hipfront::run_environment(command.options);
  if (!environment) return say(environment.error(), kNoPieces, io);
  io.out.flush();
  pid_t child = ::fork();
  if (child == 0) become(command.words, *environment);
  // Ctrl-C is the program's.
  std::signal(SIGINT, SIG_IGN);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0) return kCannotStart;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  io.err << "hipvault: the program ended by signal " << WTERMSIG(status) << "\n";
  return kSignal + WTERMSIG(status);
}

}  // namespace hipvault::cli
