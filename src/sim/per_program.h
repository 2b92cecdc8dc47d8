#pragma once
// What is decided about a program once and kept as long as the program lives. Safe on all threads.

#include <map>
#include <memory>
#include <mutex>

#include "isa/program.h"

namespace hipvault::sim {

template <class T>
class PerProgram {
 public:
  template <class Make>
  std::shared_ptr<const T> get(const std::shared_ptr<const isa::Program>& program, Make make) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(known_, [](const auto& entry) { return entry.first.expired(); });
    std::shared_ptr<const T>& value = known_[program];
    if (!value) value = make(*program);
    return value;
  }

 private:
  using Key = std::weak_ptr<const isa::Program>;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const T>, std::owner_less<Key>> known_;
};

}  // namespace hipvault::sim
