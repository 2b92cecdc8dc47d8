// A campaign's owner is a process: its id and start time, so that a recycled id is not taken for a living owner.

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "search/campaign.h"

namespace hipvault::search {
namespace {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Field 22 of /proc/PID/stat; "" if there is no such process, or only its remains: a killed process whose parent is
// gone too can stay a zombie for good in a container. The name in field 2 may hold spaces and brackets.
std::string start_time(int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return "";
  std::istringstream rest(text.substr(bracket + 1));
  std::string field;
  rest >> field;
  if (field == "Z" || field == "X") return "";
  for (int i = 4; i <= 22; ++i) rest >> field;
  return field;
}

}  // namespace

std::string this_process() { return fmt::format("{}:{}@{}", ::getpid(), start_time(::getpid()), host_name()); }

bool owner_lives(const std::string& owner) {
  size_t colon = owner.find(':'), at = owner.find('@');
  if (colon == std::string::npos || at == std::string::npos) return false;
  if (owner.substr(at + 1) != host_name()) return true;
  std::string start = start_time(std::strtoll(owner.c_str(), nullptr, 10));
  return !start.empty() && start == owner.substr(colon + 1, at - colon - 1);
}

}  // namespace hipvault::search
