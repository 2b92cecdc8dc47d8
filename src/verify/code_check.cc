#include "verify/code_check.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>

namespace hipvault::verify {
namespace {

constexpr uint64_t kWrite = 1, kAlloc = 2;
constexpr uint32_t kProgBits = 1, kSymTab = 2, kNoBits = 8, kDynSym = 11;
// Filled by the loader and read-only afterwards, or padding.
constexpr std::string_view kHarmless[] = {".got", ".got.plt", ".data.rel.ro", ".relro_padding"};

class Elf {
 public:
  explicit Elf(const std::string& bytes) : bytes_(bytes) {
    if (bytes.size() < 64 || bytes.compare(0, 4,
                                           "\x7f"
                                           "ELF") != 0)
      return;
    uint64_t table = number(0x28, 8), size = number(0x3a, 2), count = number(0x3c, 2), names = number(0x3e, 2);
    for (uint64_t at = 0; at < count; ++at) sections_.push_back(read_section(table + at * size));
    if (names < sections_.size()) {
      uint64_t strings = sections_[names].offset;
      for (Section& section : sections_) section.name = text(strings + section.name_at);
    }
  }

  std::vector<Finding> findings() const {
    std::vector<Finding> found;
    std::vector<uint64_t> named(sections_.size(), 0);  // bytes
    for (const Section& section : sections_) {
      if (section.type == kSymTab || section.type == kDynSym) read_symbols(section, named, found);
    }
    for (size_t at = 0; at < sections_.size(); ++at) {
      const Section& section = sections_[at];
      bool harmless = std::find(std::begin(kHarmless), std::end(kHarmless), section.name) != std::end(kHarmless);
      // Alignment at most may lie beside what has a name.
      if (writable(section) && section.size > 16 * named[at] && !harmless)
        found.push_back(finding("the section " + section.name, section.size));
    }
    return found;
  }

 private:
  struct Section {
    uint64_t name_at = 0, flags = 0, offset = 0, size = 0, link = 0, entry = 0;
    uint32_t type = 0;
    std::string name;
  };

  static bool writable(const Section& section) {
    return (section.flags & kWrite) != 0 && (section.flags & kAlloc) != 0 &&
           (section.type == kProgBits || section.type == kNoBits);
  }

  static Finding finding(const std::string& what, uint64_t bytes) {
    Finding made;
    made.kind = "writable-global";
    made.message = what + " (" + std::to_string(bytes) + " bytes) is writable and keeps state between calls; " +
                   "use a workspace buffer of the plan";
    return made;
  }

  // clang itself adds one such byte to every HIP translation unit. A second one is the author's.
  bool is_unit_id(const std::string& name, uint64_t size, std::string& known) const {
    if (size != 1 || name.rfind("__hip_cuid_", 0) != 0 || (!known.empty() && known != name)) return false;
    known = name;
    return true;
  }

  void read_symbols(const Section& table, std::vector<uint64_t>& named, std::vector<Finding>& found) const {
    std::string unit_id;
    if (table.link >= sections_.size() || table.entry < 24) return;
    for (uint64_t at = table.offset; at + 24 <= table.offset + table.size && at + 24 <= bytes_.size();
         at += table.entry) {
      uint64_t type = number(at + 4, 1) & 15, section = number(at + 6, 2), size = number(at + 16, 8);
      if (type != 1 || section >= sections_.size() || size == 0 || !writable(sections_[section])) continue;
      named[section] += size;
      std::string name = text(sections_[table.link].offset + number(at, 4));
      if (is_unit_id(name, size, unit_id)) continue;
      Finding one = finding("the variable " + name, size);
      bool known = std::any_of(found.begin(), found.end(), [&](const Finding& f) { return f.message == one.message; });
      if (!known) found.push_back(one);
    }
  }

  Section read_section(uint64_t at) const {
    Section made;
    made.name_at = number(at, 4);
    made.type = static_cast<uint32_t>(number(at + 4, 4));
    made.flags = number(at + 8, 8);
    made.offset = number(at + 0x18, 8);
    made.size = number(at + 0x20, 8);
    made.link = number(at + 0x28, 4);
    made.entry = number(at + 0x38, 8);
    return made;
  }

  uint64_t number(uint64_t at, size_t bytes) const {
    uint64_t value = 0;
    if (at <= bytes_.size() && bytes <= bytes_.size() - at) std::memcpy(&value, bytes_.data() + at, bytes);
    return value;
  }
  std::string text(uint64_t at) const {
    return at < bytes_.size() ? std::string(bytes_.c_str() + at, strnlen(bytes_.c_str() + at, bytes_.size() - at)) : "";
  }

  const std::string& bytes_;
  std::vector<Section> sections_;
};

// `.global` variables of PTX text; `.const` ones cannot be written.
std::vector<Finding> globals_of_ptx(const std::string& text) {
  std::vector<Finding> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t at = line.find(".global .align ");
    if (at == std::string::npos || line.find(';') == std::string::npos) continue;
    Finding made;
    made.kind = "writable-global";
    made.message = "the variable `" + line.substr(at) +
                   "` is writable and keeps state between calls; use a workspace buffer of the plan";
    found.push_back(made);
  }
  return found;
}

}  // namespace

// By the first bytes: a code object could carry the words of PTX among its data.
std::vector<Finding> writable_globals(const std::string& code) {
  bool elf = code.rfind(
                 "\x7f"
                 "ELF",
                 0) == 0;
  return elf ? Elf(code).findings() : globals_of_ptx(code);
}

}  // namespace hipvault::verify
