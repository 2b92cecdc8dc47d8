#pragma once
// Compile outputs by content: the key is a hash of everything that the output depends on.

#include <optional>
#include <string>

#include "base/file_system.h"
#include "compile/compiler.h"

namespace hipvault::compile {

class Cache {
 public:
  // An empty directory keeps nothing.
  Cache(FileSystem& files, std::string directory);
  // The output kept under `key`; nothing if there is none. A damaged entry is removed and counts as none.
  std::optional<CompileOutput> find(const std::string& key);
  // Error: the folder cannot be written (a full disk).
  Status store(const std::string& key, const CompileOutput& output);

 private:
  std::string path(const std::string& key) const;
  FileSystem& files_;
  std::string directory_;
};

// Of source, file name, arch, the words for the compiler, the toolchain and the form of the cache itself.
std::string cache_key(const CompileRequest& request, const std::vector<std::string>& words,
                      const std::string& toolchain);

}  // namespace hipvault::compile
