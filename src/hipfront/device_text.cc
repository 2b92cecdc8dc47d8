#include "hipfront/device_text.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <map>

namespace hipvault::hipfront {
namespace {

struct Record {
  uint32_t id;
  uint16_t kind, last;
  uint32_t bytes, zero;
};

template <class T>
std::string print_one(const std::string& spec, T value) {
  char text[512];
  int length = std::snprintf(text, sizeof text, spec.c_str(), value);
  if (length < static_cast<int>(sizeof text)) return std::string(text, static_cast<size_t>(std::max(length, 0)));
  std::string long_text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(long_text.data(), long_text.size(), spec.c_str(), value);
  long_text.pop_back();
  return long_text;
}

// The value as wide as the length modifier says, printed as long long.
long long narrowed(uint64_t value, const std::string& length, bool is_signed) {
  int bits = length == "hh" ? 8 : length == "h" ? 16 : length.empty() ? 32 : 64;
  if (bits == 64) return static_cast<long long>(value);
  uint64_t low = value & ((uint64_t{1} << bits) - 1);
  if (is_signed && low >> (bits - 1)) low |= ~uint64_t{0} << bits;
  return static_cast<long long>(low);
}

uint64_t number(const std::vector<PrintArgument>& arguments, size_t& next) {
  if (next >= arguments.size()) return 0;
  const uint64_t* value = std::get_if<uint64_t>(&arguments[next++]);
  return value ? *value : 0;
}

}  // namespace

std::string format_text(const std::string& format, const std::vector<PrintArgument>& arguments) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%', ++i;
      continue;
    }
    std::string spec = "%", length;
    for (++i; i < format.size() && std::strchr("-+ #0123456789.*", format[i]); ++i) {
      if (format[i] == '*')
        spec += std::to_string(static_cast<int>(number(arguments, next)));
      else
        spec += format[i];
    }
    while (i < format.size() && std::strchr("hljztL", format[i])) length += format[i++];
    if (i >= format.size()) break;
    char kind = format[i];
    if (kind == 's') {
      std::string text = "(null)";
      if (next < arguments.size())
        if (const std::string* given = std::get_if<std::string>(&arguments[next])) text = given->c_str();
      ++next;
      out += print_one(spec + "s", text.c_str());
    } else if (std::strchr("di", kind)) {
      out += print_one(spec + "ll" + kind, narrowed(number(arguments, next), length, true));
    } else if (std::strchr("uoxX", kind)) {
      out += print_one(spec + "ll" + kind, narrowed(number(arguments, next), length, false));
    } else if (kind == 'c') {
      out += print_one(spec + "c", static_cast<int>(number(arguments, next)));
    } else if (std::strchr("eEfFgGaA", kind)) {
      out += print_one(spec + kind, std::bit_cast<double>(number(arguments, next)));
    } else if (kind == 'p') {
      out += print_one(spec + "p", reinterpret_cast<void*>(number(arguments, next)));
    } else {
      out += spec + length + kind;
    }
  }
  return out;
}

std::string text_of_records(std::string_view records) {
  struct Call {
    std::string format;
    bool has_format = false;
    std::vector<PrintArgument> arguments;
  };
  std::map<uint32_t, Call> calls;
  while (records.size() >= sizeof(Record)) {
    Record record;
    std::memcpy(&record, records.data(), sizeof record);
    size_t padded = (size_t{record.bytes} + 7) / 8 * 8;
    if (records.size() < sizeof record + padded) break;
    std::string_view payload = records.substr(sizeof record, record.bytes);
    Call& call = calls[record.id];
    if (record.kind == 1) {
      std::string text(payload.substr(0, payload.find('\0')));
      if (!call.has_format)
        call.format = text, call.has_format = true;
      else
        call.arguments.emplace_back(text);
    } else {
      for (size_t at = 0; at + 8 <= payload.size(); at += 8) {
        uint64_t value;
        std::memcpy(&value, payload.data() + at, 8);
        call.arguments.emplace_back(value);
      }
    }
    records.remove_prefix(sizeof record + padded);
  }
  std::string out;
  for (const auto& [id, call] : calls) out += format_text(call.format, call.arguments);
  return out;
}

}  // namespace hipvault::hipfront
