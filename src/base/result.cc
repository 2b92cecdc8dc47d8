#include "base/result.h"

#include <fmt/format.h>

#include <algorithm>

namespace hipvault {
namespace {

constexpr size_t kMostColumns = 100;  // of a source line that is shown
constexpr size_t kMostMessage = 600;  // characters; messages quote what the user wrote

// Long messages keep their beginning and their end.
std::string shortened(const std::string& text) {
  if (text.size() <= kMostMessage) return text;
  return text.substr(0, kMostMessage * 2 / 3) + " … " + text.substr(text.size() - kMostMessage / 3);
}

// What a terminal can show: control characters (of a binary file, say) become '?'.
std::string printable(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 32 && c != '\t' && c != '\n') || c == 127) c = '?';
  return text;
}

// The line around the place with carets under it; of a very long line only a window.
std::string excerpt(const Place& place) {
  size_t column = place.column > 0 ? place.column - 1 : 0;
  size_t first = column < kMostColumns * 3 / 4 ? 0 : column - kMostColumns / 2;
  if (place.line_text.size() <= kMostColumns) first = 0;
  first = std::min(first, place.line_text.size());
  std::string before = first > 0 ? "… " : "", line = printable(place.line_text.substr(first, kMostColumns));
  std::string after = first + kMostColumns < place.line_text.size() ? " …" : "";
  size_t carets = std::clamp<size_t>(place.length > 0 ? place.length : 1, 1, kMostColumns);
  std::string indent(column - std::min(first, column) + (first > 0 ? 2 : 0), ' ');
  return "\n  " + before + line + after + "\n  " + indent + std::string(carets, '^');
}

}  // namespace

std::string render(const Diagnostic& diagnostic) {
  const Place& place = diagnostic.place;
  std::string text;
  if (!place.file.empty())
    text += place.line > 0 ? fmt::format("{}:{}:{}: ", place.file, place.line, place.column) : place.file + ": ";
  text += fmt::format("error: {}", printable(shortened(diagnostic.message)));
  if (!diagnostic.code.empty()) text += fmt::format(" [{}]", diagnostic.code);
  if (place.line > 0 && !place.line_text.empty()) text += excerpt(place);
  if (!diagnostic.hint.empty()) text += "\nhint: " + printable(shortened(diagnostic.hint));
  return text;
}

}  // namespace hipvault
