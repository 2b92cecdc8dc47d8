#pragma once
// FileSystem: one of the few interfaces of the house, so that tests can fill the disk or kill a write. Every write goes
// to a temporary name first and is renamed, so a reader never sees half a file and a kill loses at most the new
// version.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hipvault {

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Status write(const std::string& path, std::string_view content) = 0;  // atomic: temporary name, then rename
  virtual Status make_directories(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(
      const std::string& directory) = 0;               // names, sorted, without "." and ".."
  virtual Status remove(const std::string& path) = 0;  // a file, or a folder with all in it
};

// The machine's own. Errors carry the path and the system's reason ("no space left on device").
FileSystem& real_file_system();

}  // namespace hipvault
