#pragma once
// Disposable, confined child processes for work on material that nobody trusts: compiling a candidate, running it.
//
// The problem: a fresh process for every candidate is safe, but loading LLVM costs more than compiling a small kernel.
// So a kind of work has a *zygote*: our own program, started once inside bubblewrap (no network, own process ids,
// read-only files), with libraries loaded and warmed up, and with nothing else to do than to fork a child a job:
//
//   parent ──job (request, result, error files)──► zygote ──fork──► child: limits, seal, handle the request, die
//      ◄──────────────── how it ended ───────────────┘
//
// The child can allocate, compute, start threads and write its result, and nothing else: seccomp refuses files,
// sockets, processes and signals to others. Bytes travel through anonymous memory files, whose size is capped. A
// deadline is kept by the zygote with SIGKILL. Rejected: a pool of reused workers (state leaks from candidate to
// candidate), exec for every job (60 ms of dynamic linking before the first useful instruction).

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hipvault::jail {

// One kind of work. `handle` runs in a sealed child, `warm_up` once in the zygote, before anything untrusted is seen.
struct Kind {
  std::string name;  // "compile", "run"
  void (*warm_up)() = nullptr;
  std::string (*handle)(std::string_view request) = nullptr;
};

struct Limits {
  double deadline_s = 60;                   // wall clock
  double cpu_s = 0;                         // processor time over all threads; 0: 4 x deadline
  int64_t memory_bytes = int64_t{4} << 30;  // address space beyond what the zygote has mapped
  int64_t result_bytes = int64_t{1} << 30;  // of the result, and of what it prints
};

enum class End {
  finished,          // `result` holds what handle() returned
  deadline,          // killed at the deadline
  crashed,           // by a signal, see `signal`
  exited,            // handle() did not return but left by exit(), see `signal` for the status
  out_of_memory,     // beyond memory_bytes
  result_too_large,  // beyond result_bytes
};
const char* name(End end);

struct Outcome {
  End end = End::finished;
  int signal = 0;
  std::string result;
  std::string errors;      // what the child printed, the last 64 KiB
  double cpu_seconds = 0;  // user + system
};
// "killed at the deadline of 60 s", "crashed: Segmentation fault", …
std::string describe(const Outcome& outcome, const Limits& limits);

// The workers of one kind. Thread-safe: several jobs at once. Starts its zygote with the first job, again if it is
// lost.
class Workers {
 public:
  explicit Workers(Kind kind);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // The Diagnostic ("jail.no-worker") is for a zygote that cannot be started; how a job ends is an Outcome.
  Result<Outcome> run(std::string_view request, const Limits& limits);
  // Starts the zygote without waiting until it is ready, so that it warms up while the caller does something else. A
  // failure is told by the first job.
  void launch();
  // Starts the zygote and waits until it is ready.
  Status start();

 private:
  class Zygote;
  Result<std::shared_ptr<Zygote>> live_zygote();
  Result<std::shared_ptr<Zygote>> launched_zygote();
  void retire(const std::shared_ptr<Zygote>& zygote);

  Kind kind_;
  std::mutex mutex_;
  std::shared_ptr<Zygote> zygote_;
};

// main() of a program that can be its own zygote calls these two first. Without them a zygote is a plain fork of the
// process, without namespaces: what unit tests do.
//
//   if (argc > 1 && argv[1] == std::string("__zygote")) return jail::zygote_main(argc, argv, {kinds...});
//   jail::use_own_program();
int zygote_main(int argc, char** argv, std::span<const Kind> kinds);
void use_own_program();

// For handle(): ends the process as out of memory. Allocators that do not go through operator new call it.
[[noreturn]] void end_out_of_memory();

// One line a layer of confinement, for `doctor`.
struct Layer {
  std::string name;  // "namespaces"
  bool live = false;
  std::string detail;  // what it does, or why it is missing and what to do
};
std::vector<Layer> layers();

// argv wrapped so that the program runs confined (namespaces without network, read-only system folders and `folders`,
// empty /tmp), where that is available; else argv itself.
std::vector<std::string> confined(std::vector<std::string> argv, std::span<const std::string> folders);

}  // namespace hipvault::jail
