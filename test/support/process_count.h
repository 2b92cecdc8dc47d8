#pragma once
// Counts that a leak test compares: our descriptors, our children (zombies too), and processes by command line.

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace hipvault::test {

inline int open_descriptors() {
  int count = 0;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += !entry.path().empty();
  return count;
}

template <class Test>
int count_processes(const Test& test) {
  int count = 0;
  std::error_code error;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") == std::string::npos && test(entry.path().string())) ++count;
  }
  return count;
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Children of this process, in any state.
inline int child_processes() {
  std::string parent = std::to_string(::getpid());
  return count_processes([&](const std::string& folder) {
    std::string stat = content_of(folder + "/stat");
    size_t name_end = stat.rfind(')');  // "pid (name) state ppid ..."
    return name_end != std::string::npos && stat.compare(name_end + 4, parent.size() + 1, parent + " ") == 0;
  });
}

// Live processes `program argument`. Waits a moment for a killed one to vanish: reaping orphans is the system's
// business.
inline int processes_with_argument(const std::string& program, const std::string& argument) {
  std::string line = program + '\0' + argument + '\0';
  int count = 0;
  for (int round = 0; round < 200; ++round) {
    count = count_processes([&](const std::string& folder) { return content_of(folder + "/cmdline") == line; });
    if (count == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return count;
}

}  // namespace hipvault::test
