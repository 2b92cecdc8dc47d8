#include "base/result.h"

#include <fmt/format.h>

namespace hipvault {

std::string render(const Diagnostic& diagnostic) {
  const Place& place = diagnostic.place;
  std::string text;
  if (!place.file.empty())
    text += place.line > 0 ? fmt::format("{}:{}:{}: ", place.file, place.line, place.column) : place.file + ": ";
  text += fmt::format("error: {}", diagnostic.message);
  if (!diagnostic.code.empty()) text += fmt::format(" [{}]", diagnostic.code);
  if (place.line > 0 && !place.line_text.empty()) {
    std::string carets(place.length > 0 ? place.length : 1, '^');
    text += fmt::format("\n  {}\n  {}{}", place.line_text, std::string(place.column > 0 ? place.column - 1 : 0, ' '),
                        carets);
  }
  if (!diagnostic.hint.empty()) text += "\nhint: " + diagnostic.hint;
  return text;
}

}  // namespace hipvault
