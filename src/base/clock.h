#pragma once
// Clock: real in the product, ticked by hand in tests.

#include <chrono>
#include <cstdint>
#include <string>

namespace hipvault {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double seconds() = 0;             // monotonic, arbitrary origin
  virtual int64_t unix_microseconds() = 0;  // wall clock, for records only
};

Clock& real_clock();

}  // namespace hipvault
