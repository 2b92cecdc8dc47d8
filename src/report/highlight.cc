#include "report/highlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/svg.h"

namespace hipvault::report {
namespace {

constexpr std::array<std::string_view, 42> kKeywords = {
    "auto",    "bool",       "break",      "case",       "char",         "const",    "constexpr", "continue", "do",
    "double",  "else",       "extern",     "false",      "float",        "for",      "if",        "inline",   "int",
    "int32_t", "int64_t",    "long",       "namespace",  "return",       "short",    "size_t",    "static",   "struct",
    "switch",  "template",   "true",       "typedef",    "typename",     "uint32_t", "unsigned",  "using",    "void",
    "while",   "__global__", "__device__", "__shared__", "__restrict__", "_Float16"};

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Painter {
 public:
  explicit Painter(const std::string& line) : line_(line) {}

  std::string paint(bool& in_comment) {
    while (at_ < line_.size()) {
      if (in_comment || starts("/*"))
        block_comment(in_comment);
      else if (starts("//"))
        emit("c", line_.size());
      else if (line_[at_] == '#' && line_.find_first_not_of(' ') == at_)
        emit("p", line_.size());
      else if (line_[at_] == '"')
        emit("s", end_of_string());
      else if (is_word(line_[at_]))
        word();
      else
        emit("", at_ + 1);
    }
    return html_;
  }

 private:
  bool starts(const char* text) const { return line_.compare(at_, 2, text) == 0; }
  size_t end_of_string() const {
    size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != '"') end += line_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, line_.size());
  }
  void block_comment(bool& in_comment) {
    size_t end = line_.find("*/", in_comment ? at_ : at_ + 2);
    in_comment = end == std::string::npos;
    emit("c", in_comment ? line_.size() : end + 2);
  }
  void word() {
    size_t end = at_;
    bool number = line_[at_] >= '0' && line_[at_] <= '9';
    while (end < line_.size() && (is_word(line_[end]) || (number && line_[end] == '.'))) ++end;
    std::string_view text(line_.data() + at_, end - at_);
    bool keyword = std::find(kKeywords.begin(), kKeywords.end(), text) != kKeywords.end();
    emit(number ? "n" : keyword ? "k" : "", end);
  }
  void emit(const char* kind, size_t end) {
    std::string text = escape(line_.substr(at_, end - at_));
    html_ += *kind == '\0' ? text : fmt::format("<i class={}>{}</i>", kind, text);
    at_ = end;
  }

  const std::string& line_;
  std::string html_;
  size_t at_ = 0;
};

}  // namespace

std::string highlight(const std::string& source) {
  std::string html;
  bool in_comment = false;
  int number = 0;
  for (size_t begin = 0; begin < source.size();) {
    size_t end = std::min(source.find('\n', begin), source.size());
    std::string line = source.substr(begin, end - begin);
    html += fmt::format("<b>{:4}</b>  {}\n", ++number, Painter(line).paint(in_comment));
    begin = end + 1;
  }
  return html;
}

}  // namespace hipvault::report
