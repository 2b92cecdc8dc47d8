// An allow-list, not a list of dangerous calls: a sealed child computes, so the list of what it needs is short, and
// what a new kernel adds stays refused. The default answer is EPERM and not a kill: a library that probes for something
// optional (a config file, an affinity) goes on without it.

#include "jail/seal.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace hipvault::jail {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kAuditArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kAuditArch = AUDIT_ARCH_AARCH64;
#else
#error "the seccomp filter knows x86-64 and AArch64"
#endif

const int kAllowed[] = {
    // descriptors that are open already
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_ftruncate,
    SYS_dup,
    SYS_dup3,
    SYS_ppoll,
    SYS_memfd_create,
    // memory
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_membarrier,
    // threads and signals of this process
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    // clocks and facts
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrusage,
    SYS_times,
    SYS_uname,
    SYS_getcwd,
    SYS_sysinfo,
#if defined(__x86_64__)
    SYS_dup2,
    SYS_poll,
    SYS_time,
#endif
};

constexpr uint32_t kReturnAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kReturnRefuse = SECCOMP_RET_ERRNO | EPERM;

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    skip_unless(BPF_JEQ, kAuditArch, 1, true);  // equal: jump over the next
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }
  void allow(int call) { answer(call, kReturnAllow); }
  void answer(int call, uint32_t with) {
    skip_unless(BPF_JEQ, static_cast<uint32_t>(call), 1, false);
    give(with);
  }
  // Allows `call` if argument `index`, and-ed with `mask`, is `value`; refuses it otherwise. Only the low 32 bits are
  // compared, and the high ones must be zero.
  void allow_if(int call, int index, uint32_t mask, uint32_t value) {
    uint32_t low = static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(index));
    skip_unless(BPF_JEQ, static_cast<uint32_t>(call), 7, false);
    load(low + 4);
    skip_unless(BPF_JEQ, 0, 4, false);
    load(low);
    code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    skip_unless(BPF_JEQ, value, 1, false);
    give(kReturnAllow);
    give(kReturnRefuse);
  }
  int install() {
    give(kReturnRefuse);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
  }

 private:
  void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
  void give(uint32_t answer) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, answer)); }
  // Skips `count` instructions if the comparison fails (or, with `when_true`, if it holds).
  void skip_unless(uint16_t test, uint32_t value, uint8_t count, bool when_true) {
    uint8_t yes = when_true ? count : 0, no = when_true ? 0 : count;
    code_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, yes, no));
  }

  std::vector<sock_filter> code_;
};

}  // namespace

int seal_process() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  Filter filter;
  uint32_t self = static_cast<uint32_t>(::getpid());
  for (int call : kAllowed) filter.allow(call);
  filter.allow_if(SYS_mmap, 2, PROT_EXEC, 0);
  filter.allow_if(SYS_mprotect, 2, PROT_EXEC, 0);
  filter.allow_if(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
  filter.answer(SYS_clone3,
                SECCOMP_RET_ERRNO | ENOSYS);  // its flags are out of a filter's reach; libc falls back to clone
  filter.allow_if(SYS_tgkill, 0, ~0u, self);  // abort()
  filter.allow_if(SYS_prlimit64, 2, ~0u, 0);  // reading limits; a new limit has a pointer here
  return filter.install();
}

bool can_seal() {
  // The kernel looks at the null program only after it knows the mode.
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) != 0 && errno == EFAULT;
}

}  // namespace hipvault::jail
