#include "base/suggest.h"

#include <algorithm>
#include <cstdlib>

namespace hipvault {
namespace {

// Levenshtein distance, with a swap of neighbours counting one.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      int substitute = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  int limit = std::clamp(static_cast<int>(word.size()) / 3, 1, 3);
  std::string best;
  for (const std::string& candidate : candidates) {
    if (std::abs(static_cast<int>(candidate.size()) - static_cast<int>(word.size())) > limit) continue;
    int distance = edit_distance(word, candidate);
    if (distance > limit || (distance == limit && !best.empty())) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

}  // namespace hipvault
