#pragma once
// Result<T>: a value or a Diagnostic. Everything that a user, an agent, a file or a candidate can cause comes back as
// one; nothing on the candidate road throws.
//
//   Result<Plan> plan = read_plan(text);
//   if (!plan) return fail(plan.error());

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace hipvault {

// A place in a text the user wrote. Lines and columns count from 1; 0 means "no place known".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;
  std::string line_text;  // the whole line, for the caret
};

// One problem, in words that say what was expected, what was found and what to do.
struct Diagnostic {
  std::string code;     // stable and short, `room.what`: "hv.syntax", "compile.missing-clang"
  std::string message;  // one sentence
  std::string hint;     // what to do; may be empty
  Place place;
};

template <class T>
using Result = tl::expected<T, Diagnostic>;
using Status = Result<void>;

inline tl::unexpected<Diagnostic> fail(Diagnostic diagnostic) {
  return tl::unexpected<Diagnostic>(std::move(diagnostic));
}
inline tl::unexpected<Diagnostic> fail(std::string code, std::string message, std::string hint = "", Place place = {}) {
  return fail(Diagnostic{std::move(code), std::move(message), std::move(hint), std::move(place)});
}

// "file:line:col: error: message [code]", the line and a caret under the place, then "hint: …". No trailing newline.
std::string render(const Diagnostic& diagnostic);

}  // namespace hipvault
