#include "compile/pack.h"

#include <cstdint>
#include <cstring>

namespace hipvault::compile {
namespace {

void append_number(std::string& bytes, uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool take_number(std::string_view& bytes, uint64_t& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

}  // namespace

std::string pack(const std::vector<std::string>& parts) {
  std::string bytes;
  append_number(bytes, parts.size());
  for (const std::string& part : parts) {
    append_number(bytes, part.size());
    bytes += part;
  }
  return bytes;
}

bool unpack(std::string_view bytes, std::vector<std::string>& parts) {
  uint64_t count = 0, size = 0;
  if (!take_number(bytes, count) || count > bytes.size() / sizeof size) return false;
  parts.clear();
  for (uint64_t i = 0; i < count; ++i) {
    if (!take_number(bytes, size) || size > bytes.size()) return false;
    parts.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return bytes.empty();
}

}  // namespace hipvault::compile
