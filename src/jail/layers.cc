// What stands between a candidate and the machine, as found here.

#include "jail/seal.h"
#include "jail/start.h"

namespace hipvault::jail {

std::vector<Layer> layers() {
  const NamespaceProbe& probe = namespace_probe();
  std::vector<Layer> list;
  list.push_back({"process", true, "a child process a job, killed at its deadline, never reused"});
  list.push_back({"namespaces", probe.live,
                  probe.live ? "own users, processes, mounts and an empty network, by bubblewrap" : probe.reason});
  list.push_back({"seccomp", can_seal(),
                  can_seal() ? "no files, sockets, processes or signals to others after the start"
                             : "this kernel has no seccomp filters: workers will not start"});
  list.push_back({"limits", true, "address space, processor time, output size, descriptors, no core files"});
  list.push_back({"environment", true, "nothing of ours is passed on"});
  return list;
}

}  // namespace hipvault::jail
