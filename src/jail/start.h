#pragma once
// Starting a zygote process, and knowing how confined it can be.

#include <memory>
#include <thread>

#include "jail/protocol.h"
#include "jail/workers.h"

namespace hipvault::jail {

// A running process and the thread that started it. That thread stays: the kernel ties "die with your parent" to the
// *thread* that forked, and a thread of a pool comes and goes. It reaps the process too.
class ZygoteProcess {
 public:
  // Forks and execs our program as a zygote of `kind` (or only forks, see use_own_program). Does not wait for its
  // hello.
  static Result<std::unique_ptr<ZygoteProcess>> start(const Kind& kind);
  ~ZygoteProcess();  // closes the control socket, on which the zygote ends; kills it if it does not

  int control() const { return control_.get(); }
  void kill();
  std::string errors() const;  // what it printed

 private:
  ZygoteProcess() = default;
  UniqueFd control_, errors_, process_;
  pid_t pid_ = -1;
  std::thread keeper_;
};

// Whether bubblewrap can make namespaces here, tried once; else the reason.
struct NamespaceProbe {
  bool live = false;
  std::string bwrap, reason;
};
const NamespaceProbe& namespace_probe();

}  // namespace hipvault::jail
