#include "jail/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>

#include "jail/seal.h"

namespace hipvault::jail {
namespace {

constexpr int kRequest = 3, kResult = 4;

// An address space limit and the shadow memory of the sanitizers exclude each other.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitAddressSpace = false;
#elif defined(__has_feature)
constexpr bool kLimitAddressSpace = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kLimitAddressSpace = true;
#endif

[[noreturn]] void end_not_sealed(const char* what) {
  std::fprintf(stderr, "the worker cannot be confined: %s: %s\n", what, std::strerror(errno));
  std::fflush(stderr);
  ::_exit(kExitNotSealed);
}

// 0 nothing, 1 and 2 the error file, 3 the request, 4 the result, no other.
void arrange_descriptors(std::span<UniqueFd> fds) {
  int request = ::fcntl(fds[kRequestFile].get(), F_DUPFD, 64), result = ::fcntl(fds[kResultFile].get(), F_DUPFD, 64);
  int errors = ::fcntl(fds[kErrorFile].get(), F_DUPFD, 64);
  for (UniqueFd& fd : fds) fd.release();
  if (::dup2(errors, 1) < 0 || ::dup2(errors, 2) < 0 || ::dup2(request, kRequest) < 0 || ::dup2(result, kResult) < 0 ||
      ::syscall(SYS_close_range, 5u, ~0u, 0u) != 0) {
    ::_exit(kExitNotSealed);
  }
}

void limit(int resource, int64_t value, const char* what) {
  rlim_t bound = static_cast<rlim_t>(value);
  rlimit limits{bound, bound};
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0) end_not_sealed(what);
}

void apply_limits(const JobMessage& message, int64_t mapped_bytes, bool namespaced) {
  if (kLimitAddressSpace) limit(RLIMIT_AS, mapped_bytes + message.memory_bytes, "RLIMIT_AS");
  limit(RLIMIT_CPU, static_cast<int64_t>(std::ceil(message.cpu_s)) + 1, "RLIMIT_CPU");
  limit(RLIMIT_FSIZE, message.result_bytes, "RLIMIT_FSIZE");
  limit(RLIMIT_CORE, 0, "RLIMIT_CORE");
  limit(RLIMIT_NOFILE, 64, "RLIMIT_NOFILE");
  if (namespaced) limit(RLIMIT_NPROC, 512, "RLIMIT_NPROC");  // elsewhere it would count the user's other processes
}

void reset_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails with EFBIG instead
}

std::string_view map_request() {
  struct stat status{};
  if (::fstat(kRequest, &status) != 0) end_not_sealed("the request");
  if (status.st_size == 0) return {};
  void* bytes = ::mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, kRequest, 0);
  if (bytes == MAP_FAILED) end_out_of_memory();
  return {static_cast<const char*>(bytes), static_cast<size_t>(status.st_size)};
}

}  // namespace

void end_out_of_memory() { ::_exit(kExitOutOfMemory); }

void run_sealed_child(const Kind& kind, const JobMessage& message, std::span<UniqueFd> fds, int64_t mapped_bytes,
                      bool namespaced) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == 1 && !namespaced) ::_exit(kExitNotSealed);  // the zygote died before the line above
  arrange_descriptors(fds);
  reset_signals();
  std::set_new_handler([] { end_out_of_memory(); });
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  apply_limits(message, mapped_bytes, namespaced);
  std::string_view request = map_request();
  if (seal_process() != 0) end_not_sealed("seccomp");

  std::string result = kind.handle(request);
  std::fflush(nullptr);
  int error = write_fully(kResult, result);
  ::_exit(error == 0 ? 0 : error == EFBIG ? kExitResultTooLarge : kExitOutOfMemory);
}

}  // namespace hipvault::jail
