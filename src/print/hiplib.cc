#include "print/hiplib.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/check.h"

// The library's files are string literals: an #include keeps them where build systems and compiler caches see them
// change, which #embed does not.
namespace hipvault::print {
namespace {

constexpr char kTypes[] =
#include "hiplib/types.h"
    ;
constexpr char kArith[] =
#include "hiplib/arith.h"
    ;
constexpr char kConvert[] =
#include "hiplib/convert.h"
    ;
constexpr char kMath[] =
#include "hiplib/math.h"
    ;
constexpr char kMemory[] =
#include "hiplib/memory.h"
    ;
constexpr char kCross[] =
#include "hiplib/cross.h"
    ;
constexpr char kNvptx[] =
#include "hiplib/nvptx.h"
    ;
constexpr char kPreamble[] =
#include "hiplib/preamble.h"
    ;

struct Snippet {
  std::vector<std::string> names;
  std::string text;
  bool is_type = false;  // stands outside the namespace
  bool over = false;     // has taken the place of another
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  for (char c : line + " ") {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

void cut(const std::string& file, bool is_type, std::vector<Snippet>& snippets) {
  size_t at = file.find("//@");
  while (at != std::string::npos) {
    size_t line_end = file.find('\n', at), next = file.find("//@", line_end);
    Snippet snippet;
    snippet.names = words_of(file.substr(at + 3, line_end - at - 3));
    snippet.text = file.substr(line_end + 1, next == std::string::npos ? std::string::npos : next - line_end - 1);
    snippet.is_type = is_type;
    snippets.push_back(std::move(snippet));
    at = next;
  }
}

// Each snippet of `file` in the place of the first that has its name; one without such a place goes before the next.
void put_over(const std::string& file, std::vector<Snippet>& snippets) {
  std::vector<Snippet> others, waiting;
  cut(file, false, others);
  for (Snippet& other : others) {
    auto first = std::find_if(snippets.begin(), snippets.end(),
                              [&](const Snippet& known) { return known.names == other.names && !known.over; });
    other.over = true;
    if (first == snippets.end()) {
      waiting.push_back(std::move(other));
      continue;
    }
    *first = std::move(other);
    snippets.insert(first, waiting.begin(), waiting.end());
    waiting.clear();
  }
  CHECK(waiting.empty()) << "a snippet of hiplib without a place: " << waiting[0].names[0];
}

std::vector<Snippet> all_snippets(const std::string& library) {
  std::vector<Snippet> made;
  cut(kTypes, true, made);
  for (const char* file : {kConvert, kArith, kMath, kMemory, kCross}) cut(file, false, made);
  if (library == "nvptx") put_over(kNvptx, made);
  return made;
}

const std::vector<Snippet>& snippets(const std::string& library) {
  static const std::vector<Snippet> amdgcn = all_snippets("amdgcn"), nvptx = all_snippets("nvptx");
  return library == "nvptx" ? nvptx : amdgcn;
}

// Identifiers of `text`; for kernels only those after `hv::` count as functions.
std::set<std::string> library_names(const std::string& text) {
  std::set<std::string> names;
  for (size_t at = text.find("hv::"); at != std::string::npos; at = text.find("hv::", at + 4)) {
    size_t end = at + 4;
    while (end < text.size() && is_word(text[end])) ++end;
    names.insert(text.substr(at + 4, end - at - 4));
  }
  return names;
}

std::string pasted(const std::vector<Snippet>& all, const std::vector<bool>& wanted) {
  std::string types, functions;
  for (size_t s = 0; s < wanted.size(); ++s)
    if (wanted[s]) (all[s].is_type ? types : functions) += all[s].text;
  return types + (functions.empty() ? "" : "\nnamespace hv {\n" + functions + "}  // namespace hv\n");
}

}  // namespace

bool uses_identifier(const std::string& text, const std::string& identifier) {
  for (size_t at = text.find(identifier); at != std::string::npos; at = text.find(identifier, at + 1)) {
    size_t end = at + identifier.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string hiplib_for(const std::string& text, const std::string& library) {
  const std::vector<Snippet>& all = snippets(library);
  std::set<std::string> functions = library_names(text), words;
  for (const std::string& word : words_of(text)) words.insert(word);
  std::vector<bool> wanted(all.size(), false);
  // Later snippets use earlier ones only, so one walk from the end finds everything that is needed.
  for (size_t s = all.size(); s-- > 0;) {
    const std::set<std::string>& used = all[s].is_type ? words : functions;
    for (const std::string& name : all[s].names) wanted[s] = wanted[s] || used.contains(name);
    if (!wanted[s]) continue;
    for (const std::string& word : words_of(all[s].text)) {
      functions.insert(word);
      words.insert(word);
    }
  }
  return pasted(all, wanted);
}

std::string whole_hiplib(const std::string& library) {
  const std::vector<Snippet>& all = snippets(library);
  return pasted(all, std::vector<bool>(all.size(), true));
}

std::string device_preamble() { return kPreamble; }

}  // namespace hipvault::print
