#pragma once
// Compiles HIP programs with the command line of `hipvault cc` and runs them on the simulated GPU, each as a process of
// its own in a temporary folder.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/subprocess.h"
#include "hipfront/toolchain.h"

namespace hipvault::test {

namespace fs = std::filesystem;

inline const fs::path kPrograms = fs::path(HIPVAULT_SOURCE_DIR) / "test/programs";

inline std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The pieces lie in the build folder, two levels above the test program.
inline void find_pieces() {
  fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "hip";
  ::setenv("HIPVAULT_HIP_DIR", folder.c_str(), 1);
}

// Removed when the test program ends.
struct WorkFolder {
  WorkFolder() : path((fs::temp_directory_path() / "hipfront-XXXXXX").string()) {
    if (!::mkdtemp(path.data())) std::abort();
  }
  ~WorkFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  std::string path;
};
inline fs::path work_folder() {
  static const WorkFolder folder;
  return folder.path;
}

inline SubprocessResult run(std::vector<std::string> argv, std::vector<std::string> environment) {
  SubprocessRequest request;
  request.argv = std::move(argv);
  request.environment = tool_environment();
  request.environment.insert(request.environment.end(), environment.begin(), environment.end());
  request.directory = work_folder();
  request.deadline_s = 300;
  Result<SubprocessResult> result = run_subprocess(request);
  EXPECT_TRUE(result.has_value());
  return result ? *result : SubprocessResult{SubprocessEnd::signalled, -1, "", "", false, 0};
}

inline SubprocessResult compile(const std::vector<std::string>& arguments, const std::vector<std::string>& archs) {
  find_pieces();
  Result<std::vector<std::string>> words = hipfront::cc_command({archs, arguments, ""});
  EXPECT_TRUE(words.has_value()) << (words ? "" : render(words.error()));
  return words ? run(*words, {}) : SubprocessResult{SubprocessEnd::exited, 1, "", "no command", false, 0};
}

inline SubprocessResult run_program(const fs::path& program, const std::string& gpu,
                                    std::vector<std::string> arguments = {}, const std::string& json = "") {
  Result<std::vector<std::string>> environment = hipfront::run_environment({gpu, json, 2, true});
  EXPECT_TRUE(environment.has_value());
  arguments.insert(arguments.begin(), program.string());
  return run(arguments, environment ? *environment : std::vector<std::string>());
}

}  // namespace hipvault::test
