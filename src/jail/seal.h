#pragma once
// What a sealed child may still ask of the kernel.

#include <string>

namespace hipvault::jail {

// No way back: no_new_privs, and a seccomp filter that allows memory, threads of this process, clocks, and reading and
// writing descriptors that are already open. Everything else fails with EPERM: files, sockets, processes, signals to
// others, executable memory, new limits. Must be called while the process has one thread. Returns 0 or errno.
int seal_process();

// Whether the kernel offers seccomp filters.
bool can_seal();

}  // namespace hipvault::jail
