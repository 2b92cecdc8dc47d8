#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "cli/commands.h"

namespace hipvault::cli {
namespace {

// Runs a program in place of the shell, its output on our stdout or stderr; its exit code.
int run_program(std::vector<std::string> words, bool output_to_err) {
  pid_t child = ::fork();
  if (child == 0) {
    if (output_to_err) ::dup2(2, 1);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

int run_test(const Arguments& arguments, Io& io) {
  Parser parser("test", "Runs the tests of the build this program belongs to. Words after -- go to ctest.");
  parser.app().allow_extras();
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error || !std::filesystem::exists(folder / "CTestTestfile.cmake"))
    return report_error({"test.no-build",
                         "this program does not stand in a build folder with tests",
                         "run ./hv test in the source tree",
                         {}},
                        parser.json, io);
  std::vector<std::string> words = {"ctest", "--test-dir", folder.string(), "--output-on-failure", "--no-tests=error",
                                    "-LE",   "slow"};
  for (const std::string& word : parser.app().remaining())
    if (word != "--") words.push_back(word);
  int status = run_program(words, parser.json);
  if (status == 127)
    return report_error({"toolchain.ctest", "ctest is missing", "apt-get install cmake", {}}, parser.json, io);
  Json json{{"passed", status == 0}, {"ctest_exit_code", status}};
  return finish(json, "", parser.json, status == 0 ? kPass : kNotPass, io);
}

}  // namespace hipvault::cli
