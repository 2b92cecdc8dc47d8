#pragma once
// A list of byte strings as one: a count, then each with its length before it (64 bits, little endian). Reading checks
// every length against what is there.

#include <string>
#include <string_view>
#include <vector>

namespace hipvault::compile {

std::string pack(const std::vector<std::string>& parts);
bool unpack(std::string_view bytes, std::vector<std::string>& parts);

}  // namespace hipvault::compile
