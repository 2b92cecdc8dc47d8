#pragma once
// What kernels print: the records of the output buffer (device_library/output.cc) put together and formatted as the C
// library would.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hipvault::hipfront {

// Begin of the output buffer.
struct OutputHeader {
  uint32_t next_id, asserted;
  uint64_t used, capacity, barrier, heap_next, heap_end;
};

using PrintArgument = std::variant<uint64_t, std::string>;
std::string format_text(const std::string& format, const std::vector<PrintArgument>& arguments);

// The text of all printf calls in the order of their ids; records that are cut off end it.
std::string text_of_records(std::string_view records);

}  // namespace hipvault::hipfront
