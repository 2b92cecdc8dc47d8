#pragma once
// What main() of a program that compiles or runs candidates calls before anything else, and what `doctor` shows.
//
//   if (std::optional<int> status = engine::serve_as_worker(argc, argv)) return *status;
//
// Programs that do not call it (unit tests) still work: their workers are plain forks, without namespaces.

#include <optional>
#include <string>
#include <vector>

namespace hipvault::engine {

// A status if this process was started as a worker and its work is done. Else nothing, and from now on workers of this
// process are started as `<this program> __zygote …`, in namespaces where the machine allows them.
std::optional<int> serve_as_worker(int argc, char** argv);

// One line of `hipvault doctor`: the compiler (tried on a kernel), the layers of the jail, the devices.
struct SystemFact {
  std::string group;  // "compiler", "jail", "device"
  std::string name;   // "clang 22.1.8 (built in)", "namespaces", "sim"
  bool good = false;
  std::string detail;  // what it is, or what is missing and the fix
};
std::vector<SystemFact> examine_system();

}  // namespace hipvault::engine
