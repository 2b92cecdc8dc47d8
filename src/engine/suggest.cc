#include "engine/suggest.h"

#include "base/suggest.h"

namespace hipvault::engine {

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  return nearest_word(word, candidates);
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string known_words(const std::string& word, const std::vector<std::string>& known) {
  std::string near = nearest(word, known);
  std::string list = known.empty() ? "none are known" : "known: " + join(known);
  return near.empty() ? list : "did you mean \"" + near + "\"? " + list;
}

}  // namespace hipvault::engine
