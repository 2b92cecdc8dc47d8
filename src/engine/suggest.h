#pragma once
// "did you mean": the known word nearest to a mistyped one.

#include <string>
#include <vector>

namespace hipvault::engine {

// The candidate within an edit distance of a third of the word (at least 1, at most 3); "" if none is that near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& words, const std::string& separator = ", ");

// "known: a, b, c" with "did you mean b?" in front when one is near.
std::string known_words(const std::string& word, const std::vector<std::string>& known);

}  // namespace hipvault::engine
