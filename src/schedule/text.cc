// Schedule text: one decision a line, `name value`, `#` starts a comment.

#include <set>
#include <sstream>

#include "schedule/schedule.h"

namespace hipvault::schedule {

std::string text(const Schedule& schedule) {
  std::string out;
  for (const Decision& decision : schedule) out += decision.name + " " + decision.value + "\n";
  return out;
}

namespace {

tl::unexpected<Diagnostic> bad_line(const std::string& file, int number, const std::string& line, int column,
                                    const std::string& message, const std::string& hint) {
  Place place;
  place.file = file;
  place.line = number;
  place.column = column;
  place.line_text = line;
  return fail("schedule.syntax", message, hint, place);
}

// 1-based column of the n-th word, for the caret.
int column_of(const std::string& line, int word) {
  size_t at = line.find_first_not_of(" \t");
  for (int i = 0; i < word && at != std::string::npos; ++i)
    at = line.find_first_not_of(" \t", line.find_first_of(" \t", at));
  return at == std::string::npos ? 1 : static_cast<int>(at) + 1;
}

}  // namespace

Result<Schedule> parse_schedule(const std::string& text, const std::string& file_name) {
  Schedule schedule;
  std::set<std::string> seen;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, value, more;
    if (!(words >> name)) continue;
    if (!(words >> value))
      return bad_line(file_name, number, line, column_of(line, 0), "the decision `" + name + "` has no value",
                      "write `" + name + " VALUE`");
    if (words >> more)
      return bad_line(file_name, number, line, column_of(line, 2), "one decision a line, but `" + more + "` follows",
                      "put it on a line of its own, or after #");
    if (!seen.insert(name).second)
      return bad_line(file_name, number, line, column_of(line, 0), "the decision `" + name + "` is made twice",
                      "keep one of the two lines");
    schedule.push_back({name, value});
  }
  return schedule;
}

}  // namespace hipvault::schedule
