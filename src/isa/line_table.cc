#include "isa/line_table.h"

#include <algorithm>
#include <cstring>
#include <map>

// Only .debug_line of DWARF 5 is read, by this small bounded decoder: LLVM's own trusts its input (a flipped bit in a
// line table header crashed it), and a candidate's bytes must never end the process. Standard: DWARF 5, section 6.2.

namespace hipvault::isa {
namespace {

// Reads never pass the end: they give zeros and set `bad`.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool bad() const { return bad_; }
  bool at_end() const { return bad_ || at_ >= bytes_.size(); }
  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    if (size > 8 || size > bytes_.size() - at_) return bad_ = true, 0;
    std::memcpy(&value, bytes_.data() + at_, size);
    at_ += size;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint64_t byte = fixed(1);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    return bad_ = true, 0;
  }
  int64_t sleb() {
    int64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint64_t byte = fixed(1);
      value |= static_cast<int64_t>((byte & 127) << shift);
      if (byte >= 128) continue;
      if ((byte & 64) && shift + 7 < 64) value |= static_cast<int64_t>(~uint64_t{0} << (shift + 7));
      return value;
    }
    return bad_ = true, 0;
  }
  std::string_view take(uint64_t size) {
    if (bad_ || size > bytes_.size() - at_) return bad_ = true, std::string_view();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::string text() {
    size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) return bad_ = true, "";
    std::string found(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return found;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool bad_ = false;
};

std::string_view section(const DebugSections& sections, const std::string& name) {
  for (const auto& [known, bytes] : sections)
    if (known == name) return bytes;
  return {};
}

std::string text_at(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return "?";
  std::string_view rest = strings.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

enum Form : uint64_t {
  data2 = 0x05,
  data4 = 0x06,
  data8 = 0x07,
  string = 0x08,
  block = 0x09,
  data1 = 0x0b,
  strp = 0x0e,
  udata = 0x0f,
  data16 = 0x1e,
  line_strp = 0x1f
};
constexpr uint64_t kPath = 1;  // DW_LNCT_path

// One value of an entry; its text if it is one.
std::string read_form(Bytes& in, uint64_t form, const DebugSections& sections, bool& known) {
  switch (form) {
    case line_strp:
      return text_at(section(sections, "debug_line_str"), in.fixed(4));
    case strp:
      return text_at(section(sections, "debug_str"), in.fixed(4));
    case string:
      return in.text();
    case udata:
      return in.uleb(), "";
    case data1:
      return in.fixed(1), "";
    case data2:
      return in.fixed(2), "";
    case data4:
      return in.fixed(4), "";
    case data8:
      return in.fixed(8), "";
    case data16:
      return in.take(16), "";
    case block:
      return in.take(in.uleb()), "";
    default:
      known = false;
      return "";
  }
}

// The directory or the file list: a format, then entries. Gives the paths' base names.
std::vector<std::string> read_entries(Bytes& in, const DebugSections& sections, bool& known) {
  std::vector<std::pair<uint64_t, uint64_t>> format(in.fixed(1));
  for (auto& [content, form] : format) content = in.uleb(), form = in.uleb();
  std::vector<std::string> names;
  uint64_t count = in.uleb();
  for (uint64_t i = 0; i < count && known && !in.bad() && !format.empty(); ++i) {
    std::string path = "?";
    for (const auto& [content, form] : format) {
      std::string value = read_form(in, form, sections, known);
      if (content == kPath) path = value;
    }
    names.push_back(path.substr(path.rfind('/') + 1));
  }
  return names;
}

struct Header {
  uint64_t min_length = 1, line_range = 1, opcode_base = 1;
  int line_base = 0;
  std::vector<uint64_t> opcode_lengths;
  std::vector<uint32_t> files;  // index in CodeObject::files
};

bool read_header(Bytes& in, const DebugSections& sections, std::map<std::string, uint32_t>& known_files,
                 CodeObject& object, Header& h) {
  h.min_length = in.fixed(1);
  in.fixed(2);  // operations per instruction, default is_stmt
  h.line_base = static_cast<int8_t>(in.fixed(1));
  h.line_range = in.fixed(1);
  h.opcode_base = in.fixed(1);
  for (uint64_t i = 1; i < h.opcode_base; ++i) h.opcode_lengths.push_back(in.fixed(1));
  bool known = true;
  read_entries(in, sections, known);
  for (const std::string& name : read_entries(in, sections, known)) {
    auto [at, fresh] = known_files.try_emplace(name, static_cast<uint32_t>(object.files.size()));
    if (fresh) object.files.push_back(name);
    h.files.push_back(at->second);
  }
  return known && !in.bad() && h.line_range != 0 && h.opcode_base != 0;
}

// The state machine of section 6.2.2. Rows without a line lie between rows with one (the compiler merged code); they
// take the line before them, so that a finding there still points at something. The end of a sequence stays empty.
struct Machine {
  const Header& header;
  CodeObject& object;
  uint64_t address = 0, file = 1;
  int64_t line = 1;
  uint32_t last_file = 0, last_line = 0;

  void reset() { address = 0, file = 1, line = 1, last_file = last_line = 0; }
  void emit(bool end) {
    if (!end && line > 0 && file < header.files.size())
      last_file = header.files[file], last_line = static_cast<uint32_t>(line);
    if (address <= object.image.size()) object.lines.push_back({address, end ? 0 : last_file, end ? 0 : last_line});
    if (end) reset();
  }
  void special(uint64_t opcode, bool row) {
    uint64_t adjusted = opcode - header.opcode_base;
    address += adjusted / header.line_range * header.min_length;
    if (!row) return;
    line += header.line_base + static_cast<int64_t>(adjusted % header.line_range);
    emit(false);
  }
  void extended(Bytes& in) {
    uint64_t size = in.uleb();
    Bytes body(in.take(size));
    uint64_t opcode = body.fixed(1);
    if (opcode == 1) emit(true);
    if (opcode == 2) address = body.fixed(8);
  }
  void standard(uint64_t opcode, Bytes& in) {
    switch (opcode) {
      case 1:
        return emit(false);
      case 2:
        address += in.uleb() * header.min_length;
        return;
      case 3:
        line += in.sleb();
        return;
      case 4:
        file = in.uleb();
        return;
      case 8:
        return special(255, false);
      case 9:
        address += in.fixed(2);
        return;
      default:
        for (uint64_t i = 0; i < header.opcode_lengths[opcode - 1]; ++i) in.uleb();
    }
  }
  void run(Bytes& in) {
    while (!in.at_end()) {
      uint64_t opcode = in.fixed(1);
      if (opcode >= header.opcode_base)
        special(opcode, true);
      else if (opcode == 0)
        extended(in);
      else
        standard(opcode, in);
    }
  }
};

// By address; rows of one address stay in their order, of which the last counts.
void sort_rows(std::vector<LineRow>& rows) {
  std::vector<std::pair<LineRow, size_t>> ordered;
  for (const LineRow& row : rows) ordered.emplace_back(row, ordered.size());
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.address, a.second) < std::pair(b.first.address, b.second);
  });
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = ordered[i].first;
}

}  // namespace

void read_line_table(const DebugSections& sections, CodeObject& object) {
  std::map<std::string, uint32_t> known_files;
  Bytes all(section(sections, "debug_line"));
  while (!all.at_end()) {
    Bytes unit(all.take(all.fixed(4)));
    uint64_t version = unit.fixed(2);
    uint64_t address_size = unit.fixed(1);
    unit.fixed(1);
    if (version != 5 || address_size != 8) continue;
    uint64_t header_size = unit.fixed(4);
    Bytes head(unit.take(header_size));
    Header header;
    if (read_header(head, sections, known_files, object, header)) Machine{header, object}.run(unit);
  }
  sort_rows(object.lines);
}

}  // namespace hipvault::isa
