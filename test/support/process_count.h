#pragma once
// Counts that a leak test compares: our descriptors, our children (zombies too), and processes by command line.

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
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

// Whether /proc/PID is a child of this process, in any state.
inline bool is_child(const std::string& folder) {
  std::string stat = content_of(folder + "/stat"), parent = std::to_string(::getpid()) + " ";
  size_t name_end = stat.rfind(')');  // "pid (name) state ppid ..."
  return name_end != std::string::npos && stat.compare(name_end + 4, parent.size(), parent) == 0;
}

inline int child_processes() { return count_processes(is_child); }

// Whether PID, a child of a child ... of this process, is alive or a zombie. A count over the whole machine would see
// other tests that run at the same time. An orphan stays a descendant only of a process that adopts: call
// adopt_orphans() before the processes in question start.
inline void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

inline int parent_of(const std::string& pid) {
  std::string stat = content_of("/proc/" + pid + "/stat");
  size_t name_end = stat.rfind(')');
  return name_end == std::string::npos ? 0 : std::atoi(stat.c_str() + name_end + 4);
}

inline bool is_descendant(const std::string& folder) {
  int pid = parent_of(folder.substr(folder.rfind('/') + 1));
  while (pid > 1 && pid != ::getpid()) pid = parent_of(std::to_string(pid));
  return pid == ::getpid();
}

inline int descendants() { return count_processes(is_descendant); }

// The child with the largest process id; 0 if there is none.
inline int newest_child() {
  int newest = 0;
  count_processes([&](const std::string& folder) {
    if (is_child(folder)) newest = std::max(newest, std::stoi(folder.substr(folder.rfind('/') + 1)));
    return false;
  });
  return newest;
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
