#pragma once
// parallel_for over a fixed number of threads: work items are taken from one counter, so unequal items balance. The
// body must not throw. With threads <= 1 everything runs on the caller, in order.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace hipvault {

inline void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& body) {
  if (threads <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads && t < count; ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

inline int hardware_threads() {
  unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

}  // namespace hipvault
