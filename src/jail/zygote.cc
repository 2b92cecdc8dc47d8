#include "jail/zygote.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <vector>

#include "base/clock.h"
#include "jail/child.h"

namespace hipvault::jail {
namespace {

struct RunningJob {
  pid_t pid = 0;
  UniqueFd socket;
  double stop = 0;  // on the real clock
  bool deadline = false;
};

class JobServer {
 public:
  JobServer(const Kind& kind, int control, bool namespaced) : kind_(kind), control_(control), namespaced_(namespaced) {
    sigset_t child_ends;
    ::sigemptyset(&child_ends);
    ::sigaddset(&child_ends, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_ends, nullptr);
    signals_.reset(::signalfd(-1, &child_ends, SFD_CLOEXEC | SFD_NONBLOCK));
    mapped_bytes_ = mapped_bytes();
  }

  void serve() {
    while (serve_once()) {
    }
    for (RunningJob& job : jobs_) ::kill(job.pid, SIGKILL);
    for (RunningJob& job : jobs_) wait_for(job.pid);
  }

 private:
  bool serve_once() {
    std::vector<pollfd> polls = {{control_, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    for (const RunningJob& job : jobs_) polls.push_back({job.socket.get(), 0, 0});  // only POLLHUP: cancelled
    if (::poll(polls.data(), polls.size(), time_to_deadline()) < 0 && errno != EINTR) return false;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (polls[i + 2].revents & (POLLHUP | POLLERR)) ::kill(jobs_[i].pid, SIGKILL);
    }
    kill_overdue();
    signalfd_siginfo information;
    while (::read(signals_.get(), &information, sizeof information) > 0) {
    }
    reap();
    return (polls[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || accept_job();
  }

  int time_to_deadline() const {
    double nearest = 1e9, now = real_clock().seconds();
    for (const RunningJob& job : jobs_) {
      if (!job.deadline) nearest = std::min(nearest, job.stop - now);
    }
    return nearest >= 1e6 ? -1 : static_cast<int>(std::max(std::ceil(nearest * 1000), 0.0));
  }

  void kill_overdue() {
    double now = real_clock().seconds();
    for (RunningJob& job : jobs_) {
      if (job.deadline || now < job.stop) continue;
      job.deadline = true;
      ::kill(job.pid, SIGKILL);
    }
  }

  void reap() {
    for (size_t i = 0; i < jobs_.size();) {
      EndReport report;
      rusage usage{};
      pid_t ended = ::wait4(jobs_[i].pid, &report.wait_status, WNOHANG, &usage);
      if (ended == 0 || (ended < 0 && errno == EINTR)) {
        ++i;
        continue;
      }
      auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
      };
      report.deadline = jobs_[i].deadline;
      report.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
      send_message(jobs_[i].socket.get(), &report, sizeof report, {});
      jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  // False when the parent is gone.
  bool accept_job() {
    JobMessage message;
    UniqueFd fds[kJobFdCount];
    ssize_t got = receive_message(control_, &message, sizeof message, fds);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return false;
    if (got != sizeof message || !fds[kErrorFile]) return true;
    pid_t child = ::fork();
    if (child == 0) run_sealed_child(kind_, message, fds, mapped_bytes_, namespaced_);
    if (child < 0) {
      EndReport report;
      report.start_errno = errno;
      send_message(fds[kJobSocket].get(), &report, sizeof report, {});
      return true;
    }
    jobs_.push_back({child, std::move(fds[kJobSocket]), real_clock().seconds() + message.deadline_s, false});
    return true;
  }

  // Address space in use after the warm-up; 1 GiB where /proc does not say.
  static int64_t mapped_bytes() {
    long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "re")) {
      if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    return pages > 0 ? pages * ::sysconf(_SC_PAGESIZE) : int64_t{1} << 30;
  }

  const Kind& kind_;
  int control_;
  bool namespaced_;
  UniqueFd signals_;
  int64_t mapped_bytes_ = 0;
  std::vector<RunningJob> jobs_;
};

}  // namespace

int serve_jobs(const Kind& kind, int control, bool namespaced) {
  ::signal(SIGPIPE, SIG_IGN);
  if (kind.warm_up) kind.warm_up();
  if (!send_message(control, &kHello, sizeof kHello, {})) return 1;
  JobServer(kind, control, namespaced).serve();
  return 0;
}

}  // namespace hipvault::jail
