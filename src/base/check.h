#pragma once
// CHECK is for our own mistakes: a condition that no input can make false. It prints where and why, then aborts.
// What a user, an agent or a file can cause is a value instead (base/result.h).

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace hipvault {

class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition) {
    stream_ << file << ":" << line << ": CHECK(" << condition << ") failed: ";
  }
  [[noreturn]] ~CheckFailure() {
    std::fprintf(stderr, "%s\n", stream_.str().c_str());
    std::abort();
  }
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

}  // namespace hipvault

#define CHECK(condition) \
  if (condition)         \
    [[likely]];          \
  else                   \
    ::hipvault::CheckFailure(__FILE__, __LINE__, #condition).stream()
