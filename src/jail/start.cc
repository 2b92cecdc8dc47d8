#include "jail/start.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <filesystem>
#include <future>

#include "base/check.h"
#include "base/subprocess.h"
#include "jail/zygote.h"

namespace hipvault::jail {
namespace {

std::atomic<bool> own_program{false};
constexpr int kGoodbyeMilliseconds = 200;  // for a zygote to end by itself; one that still warms up is killed
constexpr const char* kProgramInside = "/run/hipvault";  // where bubblewrap shows our program

std::string own_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

// The namespaces and the files seen inside: system folders read-only, nothing of /etc, /home, /root, /var.
std::vector<std::string> bwrap_arguments(const std::string& bwrap) {
  std::vector<std::string> argv = {bwrap,   "--unshare-all", "--die-with-parent", "--new-session", "--uid",     "65534",
                                   "--gid", "65534",         "--cap-drop",        "ALL",           "--ro-bind", "/usr",
                                   "/usr"};
  for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"}) {
    argv.insert(argv.end(), {"--ro-bind-try", folder, folder});
  }
  argv.insert(argv.end(), {"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/run", "--chdir", "/tmp"});
  return argv;
}

NamespaceProbe probe_namespaces() {
  NamespaceProbe probe;
  for (const char* path : {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"}) {
    if (probe.bwrap.empty() && ::access(path, X_OK) == 0) probe.bwrap = path;
  }
  if (probe.bwrap.empty()) {
    probe.reason = "bubblewrap is not installed: apt-get install bubblewrap";
    return probe;
  }
  SubprocessRequest request;
  request.argv = bwrap_arguments(probe.bwrap);
  request.argv.push_back("/bin/true");
  request.environment = {"LANG=C"};
  request.deadline_s = 20;
  Result<SubprocessResult> result = run_subprocess(request);
  probe.live = result && result->end == SubprocessEnd::exited && result->code == 0;
  if (!probe.live) {
    std::string said = result ? result->errors.substr(0, result->errors.find('\n')) : result.error().message;
    probe.reason = "bubblewrap cannot make namespaces here (" + said + "); in a container, allow user namespaces";
  }
  return probe;
}

struct Launch {
  std::vector<std::string> strings;  // empty: fork only
  std::vector<char*> argv;
  bool namespaced = false;
};

Launch make_launch(const Kind& kind) {
  Launch launch;
  if (!own_program) return launch;
  const NamespaceProbe& probe = namespace_probe();
  std::string program = own_path();
  launch.namespaced = probe.live;
  if (probe.live) {
    launch.strings = bwrap_arguments(probe.bwrap);
    launch.strings.insert(launch.strings.end(), {"--ro-bind", program, kProgramInside, "--", kProgramInside});
  } else {
    launch.strings = {program};
  }
  launch.strings.insert(launch.strings.end(), {"__zygote", kind.name, probe.live ? "namespaced" : "plain"});
  for (std::string& text : launch.strings) launch.argv.push_back(text.data());
  launch.argv.push_back(nullptr);
  return launch;
}

// In the new process: descriptors 0 nothing, 1 and 2 the error file, 3 the control socket, no other.
[[noreturn]] void become_zygote(const Kind& kind, const Launch& launch, int control, int errors) {
  static const char* const kEnvironment[] = {"LANG=C", "PATH=/usr/bin:/bin", nullptr};
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  control = ::fcntl(control, F_DUPFD, 64);
  errors = ::fcntl(errors, F_DUPFD, 64);
  int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(errors, 1) < 0 || ::dup2(errors, 2) < 0 ||
      ::dup2(control, kControlFd) < 0)
    ::_exit(127);
  ::syscall(SYS_close_range, 4u, ~0u, 0u);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (launch.argv.empty()) ::_exit(serve_jobs(kind, kControlFd, false));
  ::execve(launch.argv[0], launch.argv.data(), const_cast<char* const*>(kEnvironment));
  ::_exit(127);
}

tl::unexpected<Diagnostic> no_worker(const char* what, int error) {
  return fail("jail.no-worker", std::string("cannot start a worker process: ") + what + ": " + std::strerror(error));
}

}  // namespace

void use_own_program() { own_program = true; }

int zygote_main(int argc, char** argv, std::span<const Kind> kinds) {
  for (const Kind& kind : kinds) {
    if (argc == 4 && kind.name == argv[2]) return serve_jobs(kind, kControlFd, std::strcmp(argv[3], "namespaced") == 0);
  }
  std::fprintf(stderr, "hipvault __zygote is started by hipvault itself\n");
  return 2;
}

const NamespaceProbe& namespace_probe() {
  static const NamespaceProbe probe = probe_namespaces();
  return probe;
}

Result<std::unique_ptr<ZygoteProcess>> ZygoteProcess::start(const Kind& kind) {
  Launch launch = make_launch(kind);
  std::unique_ptr<ZygoteProcess> process(new ZygoteProcess);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return no_worker("socketpair", errno);
  process->control_.reset(ends[0]);
  UniqueFd theirs(ends[1]);
  process->errors_.reset(::memfd_create("zygote-errors", MFD_CLOEXEC));
  if (!process->errors_) return no_worker("memfd_create", errno);

  std::promise<pid_t> started;
  std::future<pid_t> pid = started.get_future();
  int errors = process->errors_.get(), control = theirs.get();
  process->keeper_ =
      std::thread([&kind, launch = std::move(launch), errors, control, promise = std::move(started)]() mutable {
        pid_t child = ::fork();
        if (child == 0) become_zygote(kind, launch, control, errors);
        int error = errno;
        promise.set_value(child > 0 ? child : -error);
        if (child > 0) wait_for(child);
      });
  pid_t child = pid.get();
  if (child < 0) return no_worker("fork", -child);
  process->pid_ = child;
  process->process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  return process;
}

void ZygoteProcess::kill() {
  // Through the pidfd, which cannot hit a stranger that got the number later.
  if (process_) ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
}

ZygoteProcess::~ZygoteProcess() {
  control_.reset();
  if (pid_ > 0 && process_) {
    pollfd ended{process_.get(), POLLIN, 0};
    int ready;
    do {
      ready = ::poll(&ended, 1, kGoodbyeMilliseconds);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) kill();
  }
  if (keeper_.joinable()) keeper_.join();
}

std::string ZygoteProcess::errors() const {
  std::string text(4096, '\0');
  ssize_t got = ::pread(errors_.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

std::vector<std::string> confined(std::vector<std::string> argv, std::span<const std::string> folders) {
  const NamespaceProbe& probe = namespace_probe();
  if (!probe.live) return argv;
  std::vector<std::string> wrapped = bwrap_arguments(probe.bwrap);
  for (const std::string& folder : folders) wrapped.insert(wrapped.end(), {"--ro-bind", folder, folder});
  wrapped.push_back("--");
  wrapped.insert(wrapped.end(), argv.begin(), argv.end());
  return wrapped;
}

}  // namespace hipvault::jail
