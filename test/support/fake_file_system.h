#pragma once
// A FileSystem in memory, which a test can fill up or damage.

#include <map>
#include <mutex>

#include "base/file_system.h"

namespace hipvault::test {

class FakeFileSystem : public FileSystem {
 public:
  std::map<std::string, std::string> files;
  bool full = false;  // every write fails as a full disk does
  int writes = 0;

  Result<std::string> read(const std::string& path) override {
    std::lock_guard<std::mutex> lock(mutex_);
    auto file = files.find(path);
    if (file == files.end()) return fail("io", "cannot read " + path + ": No such file or directory");
    return file->second;
  }
  Status write(const std::string& path, std::string_view content) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (full) return fail("io", "cannot write " + path + ": No space left on device", "free some space");
    ++writes;
    files[path] = std::string(content);
    return {};
  }
  Status make_directories(const std::string& path) override { return {}; }
  bool exists(const std::string& path) override {
    std::lock_guard<std::mutex> lock(mutex_);
    return files.contains(path);
  }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [path, content] : files) {
      if (path.starts_with(directory + "/")) names.push_back(path.substr(directory.size() + 1));
    }
    return names;
  }
  Status remove(const std::string& path) override {
    std::lock_guard<std::mutex> lock(mutex_);
    files.erase(path);
    return {};
  }

 private:
  std::mutex mutex_;
};

}  // namespace hipvault::test
