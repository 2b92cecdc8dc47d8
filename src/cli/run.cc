#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "hipfront/toolchain.h"

namespace hipvault::cli {
namespace {

// Ours, beside the program's own exit codes: 70 it cannot be started, 71 the pieces beside hipvault are missing, 72 the
// gpu is not known; 128 + n: the program ended by signal n.
enum RunExit { kCannotStart = 70, kNoPieces = 71, kNoGpu = 72, kSignal = 128 };

int say(const Diagnostic& diagnostic, int code, Io& io) {
  io.err << render(diagnostic) << "\n";
  return code;
}

int run_program(std::vector<std::string> words, const std::vector<std::string>& environment, Io& io) {
  io.out.flush();
  pid_t child = ::fork();
  if (child == 0) {
    for (const std::string& setting : environment) {
      size_t at = setting.find('=');
      ::setenv(setting.substr(0, at).c_str(), setting.c_str() + at + 1, 1);
    }
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    std::fprintf(stderr, "hipvault run: %s cannot be started: %s\n", argv[0], std::strerror(errno));
    ::_exit(kCannotStart);
  }
  // Ctrl-C is the program's.
  std::signal(SIGINT, SIG_IGN);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0) return kCannotStart;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  io.err << "hipvault run: the program ended by signal " << WTERMSIG(status) << "\n";
  return kSignal + WTERMSIG(status);
}

}  // namespace

int run_run(const Arguments& arguments, Io& io) {
  hipfront::RunOptions options;
  options.gpu = "mi300x";
  bool no_check = false;
  CLI::App app(
      "Runs a HIP program on the simulated GPU. The exit code is the program's own; 70 and above are ours: 70 it "
      "cannot be started, 71 files beside hipvault are missing, 72 no such gpu, 128 + n it ended by signal n.",
      "run");
  app.add_option("--gpu", options.gpu, "the gpu it sees, or an arch");
  app.add_option("--json", options.json, "write device time, wave-instructions and findings to this file");
  app.add_option("--threads", options.threads, "host threads; 0: all");
  app.add_flag("--no-check", no_check, "without the checkers, faster");
  app.prefix_command();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, io.out, io.err) == 0 ? kPass : kBadInput;
  }
  std::vector<std::string> words = app.remaining();
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  if (words.empty())
    return say({"usage", "no program is given", "hipvault run [--gpu G] [--json FILE] ./prog [args]", {}}, kBadInput,
               io);
  options.check = !no_check;
  Result<target::Gpu> gpu = target::find_gpu(options.gpu);
  if (!gpu) return say(gpu.error(), kNoGpu, io);
  if (!options.json.empty()) options.json = std::filesystem::absolute(options.json);
  Result<std::vector<std::string>> environment = hipfront::run_environment(options);
  if (!environment) return say(environment.error(), kNoPieces, io);
  return run_program(words, *environment, io);
}

}  // namespace hipvault::cli
