#include "jail/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/clock.h"
#include "jail/protocol.h"
#include "jail/start.h"

namespace hipvault::jail {
namespace {

constexpr double kHelloSeconds = 60;  // a loaded machine, a debug build
constexpr double kGraceSeconds = 20;  // beyond a job's deadline, until the zygote itself counts as stuck

// Waits until `fd` can be read or is closed; false after `seconds`.
bool wait_readable(int fd, double seconds) {
  double stop = real_clock().seconds() + seconds;
  for (;;) {
    double left = std::max(stop - real_clock().seconds(), 0.0);
    pollfd poll_fd{fd, POLLIN, 0};
    int ready = ::poll(&poll_fd, 1, static_cast<int>(std::min(std::ceil(left * 1000), 1e9)));
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

std::string read_file(int fd, int64_t last_bytes) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return "";
  int64_t begin = std::max<int64_t>(status.st_size - last_bytes, 0);
  std::string bytes(static_cast<size_t>(status.st_size - begin), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = ::pread(fd, bytes.data() + done, bytes.size() - done, begin + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

struct Job {
  UniqueFd ours, theirs, request, result, errors;
};

int open_job(Job& job, std::string_view request) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  job.ours.reset(ends[0]);
  job.theirs.reset(ends[1]);
  job.request.reset(::memfd_create("request", MFD_CLOEXEC));
  job.result.reset(::memfd_create("result", MFD_CLOEXEC));
  job.errors.reset(::memfd_create("errors", MFD_CLOEXEC));
  if (!job.request || !job.result || !job.errors) return errno;
  return write_fully(job.request.get(), request);
}

Outcome make_outcome(const EndReport& report, const Job& job, const Limits& limits) {
  Outcome outcome;
  outcome.cpu_seconds = report.cpu_seconds;
  outcome.errors = read_file(job.errors.get(), 64 << 10);
  if (report.deadline) {
    outcome.end = End::deadline;
  } else if (WIFSIGNALED(report.wait_status)) {
    outcome.signal = WTERMSIG(report.wait_status);
    outcome.end = outcome.signal == SIGXCPU ? End::deadline : End::crashed;
  } else if (int status = WEXITSTATUS(report.wait_status)) {
    outcome.signal = status;
    outcome.end = status == kExitOutOfMemory      ? End::out_of_memory
                  : status == kExitResultTooLarge ? End::result_too_large
                                                  : End::exited;
  } else {
    outcome.result = read_file(job.result.get(), limits.result_bytes);
  }
  return outcome;
}

tl::unexpected<Diagnostic> no_worker(const std::string& why, const std::string& errors) {
  std::string said = errors.empty() ? "" : " (it said: " + errors.substr(0, errors.find_last_not_of('\n') + 1) + ")";
  return fail("jail.no-worker", "cannot start a worker process: " + why + said,
              "`hipvault doctor` shows what is missing");
}

}  // namespace

const char* name(End end) {
  static constexpr const char* kNames[] = {"finished", "deadline",      "crashed",
                                           "exited",   "out_of_memory", "result_too_large"};
  return kNames[static_cast<int>(end)];
}

std::string describe(const Outcome& outcome, const Limits& limits) {
  char number[32];
  std::snprintf(number, sizeof number, "%g", limits.deadline_s);
  switch (outcome.end) {
    case End::finished:
      return "finished";
    case End::deadline:
      return std::string("killed at the deadline of ") + number + " s";
    case End::crashed:
      return std::string("crashed: ") + ::strsignal(outcome.signal);
    case End::exited:
      return "ended itself with status " + std::to_string(outcome.signal);
    case End::out_of_memory:
      return "needed more than the " + std::to_string(limits.memory_bytes >> 20) + " MiB of memory allowed";
    case End::result_too_large:
      return "gave back more than the " + std::to_string(limits.result_bytes >> 20) + " MiB allowed";
  }
  return "";
}

class Workers::Zygote {
 public:
  static Result<std::shared_ptr<Zygote>> launch(const Kind& kind) {
    Result<std::unique_ptr<ZygoteProcess>> process = ZygoteProcess::start(kind);
    if (!process) return fail(process.error());
    std::shared_ptr<Zygote> zygote(new Zygote);
    zygote->process_ = std::move(*process);
    return zygote;
  }

  // Waits for the hello; several jobs may wait at once.
  Status await_ready() {
    std::lock_guard<std::mutex> lock(hello_mutex_);
    if (ready_) return {};
    uint32_t hello = 0;
    if (!wait_readable(process_->control(), kHelloSeconds)) {
      process_->kill();
      return no_worker("it did not get ready in time", process_->errors());
    }
    ready_ = receive_message(process_->control(), &hello, sizeof hello, {}) == sizeof hello && hello == kHello;
    if (!ready_) return no_worker("it ended while starting", process_->errors());
    return {};
  }

  // Nothing: the zygote is lost and the job may be tried with another.
  std::optional<Result<Outcome>> run(std::string_view request, const Limits& limits) {
    Job job;
    if (int error = open_job(job, request)) return no_worker(std::strerror(error), "");
    JobMessage message{limits.deadline_s, limits.cpu_s > 0 ? limits.cpu_s : 4 * limits.deadline_s, limits.memory_bytes,
                       limits.result_bytes};
    int fds[kJobFdCount] = {job.theirs.get(), job.request.get(), job.result.get(), job.errors.get()};
    if (!send_message(process_->control(), &message, sizeof message, fds)) return std::nullopt;
    job.theirs.reset();
    EndReport report;
    if (!wait_readable(job.ours.get(), limits.deadline_s + kGraceSeconds)) {
      process_->kill();
      return std::nullopt;
    }
    if (receive_message(job.ours.get(), &report, sizeof report, {}) != sizeof report) return std::nullopt;
    if (report.start_errno) return no_worker(std::string("fork: ") + std::strerror(report.start_errno), "");
    Outcome outcome = make_outcome(report, job, limits);
    if (outcome.end == End::exited && outcome.signal == kExitNotSealed)
      return no_worker("it cannot be confined", outcome.errors);
    return outcome;
  }

 private:
  Zygote() = default;
  std::unique_ptr<ZygoteProcess> process_;
  std::mutex hello_mutex_;
  bool ready_ = false;
};

Workers::Workers(Kind kind) : kind_(std::move(kind)) {}
Workers::~Workers() = default;

Result<std::shared_ptr<Workers::Zygote>> Workers::launched_zygote() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (zygote_) return zygote_;
  Result<std::shared_ptr<Zygote>> zygote = Zygote::launch(kind_);
  if (zygote) zygote_ = *zygote;
  return zygote;
}

Result<std::shared_ptr<Workers::Zygote>> Workers::live_zygote() {
  Result<std::shared_ptr<Zygote>> zygote = launched_zygote();
  if (!zygote) return zygote;
  if (Status ready = (*zygote)->await_ready(); !ready) {
    retire(*zygote);
    return fail(ready.error());
  }
  return zygote;
}

void Workers::launch() { (void)launched_zygote(); }

void Workers::retire(const std::shared_ptr<Zygote>& zygote) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (zygote_ == zygote) zygote_.reset();
}

Status Workers::start() {
  Result<std::shared_ptr<Zygote>> zygote = live_zygote();
  if (!zygote) return fail(zygote.error());
  return {};
}

Result<Outcome> Workers::run(std::string_view request, const Limits& limits) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<std::shared_ptr<Zygote>> zygote = live_zygote();
    if (!zygote) return fail(zygote.error());
    if (std::optional<Result<Outcome>> outcome = (*zygote)->run(request, limits)) return *outcome;
    retire(*zygote);
  }
  return no_worker("its zygote was lost twice", "");
}

}  // namespace hipvault::jail
