#include "base/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace hipvault {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Diagnostic> io_error(const std::string& doing, const std::string& path, int error) {
  std::string hint = error == ENOSPC ? "free some space, or choose another folder with --out or --vault" : "";
  return fail("io", "cannot " + doing + " " + path + ": " + std::strerror(error), hint);
}

// Only regular files of a bounded size are read: a device has no end, and a pipe may never begin.
constexpr off_t kMostBytes = off_t{16} << 20;

Status check_readable(int fd, const std::string& path) {
  struct stat facts{};
  if (::fstat(fd, &facts) != 0) return io_error("read", path, errno);
  if (S_ISDIR(facts.st_mode)) return io_error("read", path, EISDIR);
  if (!S_ISREG(facts.st_mode))
    return fail("io", "cannot read " + path + ": it is a device or a pipe, not a file", "copy what it gives to a file");
  if (facts.st_size > kMostBytes)
    return fail("io",
                "cannot read " + path + ": it has " + std::to_string(facts.st_size >> 20) + " MiB, and at most " +
                    std::to_string(kMostBytes >> 20) + " MiB are read",
                "check that this is the file you meant");
  return {};
}

// Writes all bytes and syncs; returns 0 or errno.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

class RealFileSystem : public FileSystem {
 public:
  Result<std::string> read(const std::string& path) override {
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe must not wait either
    if (fd < 0) return io_error("read", path, errno);
    if (Status readable = check_readable(fd, path); !readable) {
      ::close(fd);
      return fail(readable.error());
    }
    std::string content;
    char block[1 << 16];
    for (;;) {
      ssize_t got = ::read(fd, block, sizeof block);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        int error = errno;
        ::close(fd);
        return io_error("read", path, error);
      }
      if (got == 0) break;
      content.append(block, static_cast<size_t>(got));
    }
    ::close(fd);
    return content;
  }

  Status write(const std::string& path, std::string_view content) override {
    static std::atomic<uint64_t> counter{0};
    std::string temporary = path + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(counter++);
    int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return io_error("write", path, errno);
    int error = write_all(fd, content);
    if (::close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) {
      ::unlink(temporary.c_str());
      return io_error("write", path, error);
    }
    return {};
  }

  Status make_directories(const std::string& path) override {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return io_error("make the folder", path, error.value());
    return {};
  }

  bool exists(const std::string& path) override {
    std::error_code error;
    return fs::exists(path, error);
  }

  Result<std::vector<std::string>> list(const std::string& directory) override {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
      names.push_back(it->path().filename());
    if (error) return io_error("list", directory, error.value());
    std::sort(names.begin(), names.end());
    return names;
  }

  Status remove(const std::string& path) override {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return io_error("remove", path, error.value());
    return {};
  }
};

}  // namespace

FileSystem& real_file_system() {
  static RealFileSystem file_system;
  return file_system;
}

}  // namespace hipvault
