#include "verify/user_text.h"

#include <regex>
#include <sstream>
#include <vector>

namespace hipvault::verify {
namespace {

constexpr const char* kMacro = "HIPVAULT_DEVICE_ONLY";

// The source with comments and literals blanked, and continued lines joined into their first.
std::vector<std::string> plain_lines(const std::string& source) {
  std::string text = std::regex_replace(source, std::regex(R"(\\\r?\n)"), " ");
  enum { code, line_comment, block_comment, literal } state = code;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char now = text[at], next = at + 1 < text.size() ? text[at + 1] : 0;
    if (state == code && now == '/' && (next == '/' || next == '*')) {
      state = next == '/' ? line_comment : block_comment;
      text[at] = text[at + 1] = ' ';
      ++at;
    } else if (state == code &&
               (now == '"' || (now == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])))))) {
      state = literal, quote = now;
    } else if (state == line_comment && now == '\n') {
      state = code;
    } else if (state == block_comment && now == '*' && next == '/') {
      text[at] = text[at + 1] = ' ';
      ++at, state = code;
    } else if (state == literal && now == '\\') {
      text[at] = ' ';
      if (next != '\n' && at + 1 < text.size()) text[++at] = ' ';
    } else if (state == literal && (now == quote || now == '\n')) {
      state = code;
    } else if (state != code && now != '\n') {
      text[at] = ' ';
    }
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool blank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }
bool matches(const std::string& line, const char* pattern) { return std::regex_match(line, std::regex(pattern)); }

constexpr const char* kInclude = R"(\s*#\s*include\b.*)";
constexpr const char* kAttribute =
    R"(\s*#\s*define\s+__(global|device|shared)__\s+__attribute__\(\((global|device|shared)\)\)\s*)";

class Reader {
 public:
  explicit Reader(const std::string& source) : lines_(plain_lines(source)) {
    for (size_t at = 0; at < lines_.size(); ++at) {
      bool define = matches(lines_[at], R"(\s*#.*)");
      if (!define && lines_[at].find("__global__") != std::string::npos) last_kernel_ = at;
    }
  }

  Status check() {
    for (size_t at = 0; at < lines_.size(); ++at) {
      Status done = matches(lines_[at], R"(\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b.*)") ? directive(at) : plain(at);
      if (!done) return done;
    }
    return {};
  }

 private:
  enum class Side { both, users, judge };

  Status wrong(size_t at, const std::string& what) const {
    return fail("verify.user-text", "line " + std::to_string(at + 1) + ": " + what,
                "what is judged must be what users compile: keep conditions on " + std::string(kMacro) +
                    " to the #include of the HIP headers and the launcher after the kernels");
  }

  // The side of a condition's first branch; both if it does not mention the macro.
  Result<Side> side_of(size_t at) const {
    const std::string& line = lines_[at];
    if (line.find(kMacro) == std::string::npos) return Side::both;
    if (matches(line, R"(\s*#\s*(if\s+defined\s*\(?\s*HIPVAULT_DEVICE_ONLY\s*\)?|ifdef\s+HIPVAULT_DEVICE_ONLY)\s*)"))
      return Side::judge;
    if (matches(line,
                R"(\s*#\s*(if\s+!\s*defined\s*\(?\s*HIPVAULT_DEVICE_ONLY\s*\)?|ifndef\s+HIPVAULT_DEVICE_ONLY)\s*)"))
      return Side::users;
    Status refused = wrong(at, "a condition on " + std::string(kMacro) + " together with others");
    return fail(refused.error());
  }

  Status directive(size_t at) {
    const std::string& line = lines_[at];
    if (matches(line, R"(\s*#\s*endif\b.*)")) {
      if (!stack_.empty()) stack_.pop_back();
      return {};
    }
    if (matches(line, R"(\s*#\s*else\b.*)")) {
      if (!stack_.empty() && stack_.back() != Side::both)
        stack_.back() = stack_.back() == Side::users ? Side::judge : Side::users;
      return {};
    }
    Result<Side> side = side_of(at);
    if (!side) return fail(side.error());
    if (*side != Side::both && depth_ != 0) return wrong(at, "a condition on the macro inside of brackets");
    bool elif = matches(line, R"(\s*#\s*elif\b.*)");
    if (elif && !stack_.empty() && (*side != Side::both || stack_.back() != Side::both))
      return wrong(at, "#elif beside a condition on the macro");
    if (!elif) stack_.push_back(*side);
    return {};
  }

  Side now() const {
    for (Side side : stack_) {
      if (side != Side::both) return side;
    }
    return Side::both;
  }

  Status plain(size_t at) {
    const std::string& line = lines_[at];
    bool names_macro = line.find(kMacro) != std::string::npos;
    if (names_macro) return wrong(at, std::string(kMacro) + " is used outside of #if");
    Side side = now();
    if (side == Side::both) {
      for (char c : line) depth_ += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
      return {};
    }
    if (blank(line) || matches(line, kInclude)) return {};
    if (side == Side::judge && matches(line, kAttribute)) return {};
    if (side == Side::judge) return wrong(at, "text that is judged but not compiled by users");
    if (at < last_kernel_) return wrong(at, "text before the last kernel that users compile but that was not judged");
    if (line.find("__device__") != std::string::npos || line.find("__constant__") != std::string::npos)
      return wrong(at, "device code that users compile but that was not judged");
    return {};
  }

  std::vector<std::string> lines_;
  std::vector<Side> stack_;
  size_t last_kernel_ = 0;
  int depth_ = 0;
};

}  // namespace

Status same_for_users(const std::string& source) { return Reader(source).check(); }

}  // namespace hipvault::verify
