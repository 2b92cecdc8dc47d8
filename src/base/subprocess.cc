// fork, exec, poll. The child's stdin is an anonymous file with the input, so that no pipe has to be fed while two
// others are drained. Between fork and exec only async-signal-safe calls are made: our process has threads.

#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/unique_fd.h"

namespace hipvault {
namespace {

struct Pipe {
  UniqueFd read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read.reset(ends[0]);
    write.reset(ends[1]);
    return true;
  }
};

struct Ends {
  UniqueFd input;
  Pipe output, errors, start;  // `start` closes on exec, or carries errno
};

tl::unexpected<Diagnostic> start_error(const std::string& program, int error) {
  return fail("subprocess.start", "cannot start " + program + ": " + std::strerror(error));
}

int open_ends(Ends& ends, const std::string& input) {
  ends.input.reset(::memfd_create("stdin", MFD_CLOEXEC));
  if (!ends.input || !ends.output.open() || !ends.errors.open() || !ends.start.open()) return errno;
  if (int error = write_fully(ends.input.get(), input)) return error;
  return ::lseek(ends.input.get(), 0, SEEK_SET) < 0 ? errno : 0;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// argv[0] with a folder: PATH is searched here, because execvpe may allocate.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    size_t colon = std::min(rest.find(':'), rest.size());
    std::string candidate = rest.substr(0, colon) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.erase(0, std::min(colon + 1, rest.size()));
  }
  return name;
}

[[noreturn]] void become(const char* program, char* const* argv, char* const* envp, const char* directory,
                         const Ends& ends) {
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  bool ready = ::dup2(ends.input.get(), 0) >= 0 && ::dup2(ends.output.write.get(), 1) >= 0 &&
               ::dup2(ends.errors.write.get(), 2) >= 0 && (*directory == 0 || ::chdir(directory) == 0);
  ::syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
  if (ready) ::execve(program, argv, envp);
  int error = errno;
  (void)!::write(ends.start.write.get(), &error, sizeof error);
  ::_exit(127);
}

// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string& into, int64_t cap, bool& truncated) {
  char block[1 << 16];
  ssize_t got = ::read(fd, block, sizeof block);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  int64_t room = std::max<int64_t>(cap - static_cast<int64_t>(into.size()), 0);
  if (got > room) truncated = true;
  into.append(block, static_cast<size_t>(std::min<int64_t>(got, room)));
  return got > 0;
}

// Both streams until they end, the child has ended, or the deadline; kills the group in each case.
void watch(Ends& ends, pid_t child, int child_fd, const SubprocessRequest& request, SubprocessResult& result) {
  double stop = real_clock().seconds() + request.deadline_s;
  bool running = true;
  for (;;) {
    double left = stop - real_clock().seconds();
    if (left <= 0 && running) result.end = SubprocessEnd::deadline;
    if (left <= 0) break;
    pollfd polls[3] = {
        {ends.output.read.get(), POLLIN, 0}, {ends.errors.read.get(), POLLIN, 0}, {running ? child_fd : -1, POLLIN, 0}};
    if (polls[0].fd < 0 && polls[1].fd < 0 && !running) break;
    int timeout = running ? static_cast<int>(std::min(left, 1e6) * 1000) + 1 : 0;
    int ready = ::poll(polls, 3, timeout);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0 && !running) break;
    if (ready <= 0) continue;
    if (polls[0].revents && !drain(polls[0].fd, result.output, request.output_cap, result.truncated))
      ends.output.read.reset();
    if (polls[1].revents && !drain(polls[1].fd, result.errors, request.output_cap, result.truncated))
      ends.errors.read.reset();
    if (polls[2].revents) {
      running = false;
      ::kill(-child, SIGKILL);  // whatever it left behind in its group
    }
  }
  ::kill(-child, SIGKILL);
}

}  // namespace

std::vector<std::string> tool_environment() {
  std::vector<std::string> environment = {"LANG=C"};
  for (const char* name : {"PATH", "HOME"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

Result<SubprocessResult> run_subprocess(const SubprocessRequest& request) {
  if (request.argv.empty()) return fail("subprocess.start", "no program was named");
  double begin = real_clock().seconds();
  Ends ends;
  if (int error = open_ends(ends, request.input)) return start_error(request.argv[0], error);
  std::string program = find_program(request.argv[0]);
  std::vector<char*> argv = pointers(request.argv), envp = pointers(request.environment);

  pid_t child = ::fork();
  if (child < 0) return start_error(program, errno);
  if (child == 0) become(program.c_str(), argv.data(), envp.data(), request.directory.c_str(), ends);
  ::setpgid(child, child);  // also here: the group exists before the first kill
  ends.output.write.reset();
  ends.errors.write.reset();
  ends.start.write.reset();

  int error = 0;
  if (read_fully(ends.start.read.get(), &error, sizeof error) == sizeof error) {
    wait_for(child);
    return start_error(program, error);
  }
  SubprocessResult result;
  UniqueFd child_fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  watch(ends, child, child_fd.get(), request, result);
  int status = wait_for(child);
  result.seconds = real_clock().seconds() - begin;
  if (result.end == SubprocessEnd::deadline) {
    result.code = SIGKILL;
  } else {
    result.end = WIFSIGNALED(status) ? SubprocessEnd::signalled : SubprocessEnd::exited;
    result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  return result;
}

}  // namespace hipvault
