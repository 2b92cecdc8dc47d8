#pragma once
// Light colouring of HIP source for the page: comments, keywords, numbers, strings, with line numbers.

#include <string>

namespace hipvault::report {

std::string highlight(const std::string& source);  // HTML, escaped

}  // namespace hipvault::report
