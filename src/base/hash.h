#pragma once
// Content hashes: XXH3 with 128 bits, as 32 hex digits. They name content in caches and in the vault; they are no
// defence against somebody who builds collisions, so no verdict depends on them.

#include <cstdint>
#include <string>
#include <string_view>

namespace hipvault {

std::string hash_hex(std::string_view bytes);
uint64_t hash64(std::string_view bytes, uint64_t seed = 0);

}  // namespace hipvault
