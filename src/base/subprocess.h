#pragma once
// Runs a program: bytes in on stdin, stdout and stderr back with caps, an end by a deadline. The child is a process
// group of its own, and the group is killed when the child ends or the deadline passes, so that nothing of it stays
// behind. A program that must not be trusted goes through jail/, which also keeps it from leaving its group.

#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault {

struct SubprocessRequest {
  std::vector<std::string> argv;           // argv[0] is a path, or a name that is looked up in PATH
  std::string input;                       // the child's stdin
  std::vector<std::string> environment;    // "NAME=value", the whole of it; nothing is inherited
  std::string directory;                   // to run in; empty: ours
  int64_t output_cap = int64_t{64} << 20;  // bytes of each stream kept; the rest is read and thrown away
  double deadline_s = 60;
};

enum class SubprocessEnd { exited, signalled, deadline };

struct SubprocessResult {
  SubprocessEnd end = SubprocessEnd::exited;
  int code = 0;  // exit status, or the signal's number
  std::string output, errors;
  bool truncated = false;  // a stream was longer than the cap
  double seconds = 0;      // wall clock
};

// The Diagnostic is for a program that could not be started at all ("subprocess.start", with the system's reason).
Result<SubprocessResult> run_subprocess(const SubprocessRequest& request);

// The environment a tool usually needs: PATH, HOME, LANG=C, nothing else.
std::vector<std::string> tool_environment();

}  // namespace hipvault
