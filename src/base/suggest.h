#pragma once
// "did you mean": the known word nearest to a mistyped one.

#include <string>
#include <vector>

namespace hipvault {

// The candidate within an edit distance of a third of the word (at least 1, at most 3); "" if none is that near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace hipvault
