#pragma once
// What the sweep found: one row a judged schedule, the table of counts, and the comparison with what is known to fail.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace hipvault::library {

struct Row {
  std::string op, types, sketch, which, schedule, state, message;  // which: "default", "random 3"
  size_t cases = 0;
  int64_t elements = 0;
  double worst = 0, seconds = 0;  // worst: largest error, in units of its tolerance
  bool passed() const { return state == "pass"; }
};

// "op sketch" -> reason, from a file of lines "op sketch: reason".
Result<std::map<std::string, std::string>> known_failures(const std::string& path);
// Prints what is not as the list says; 0 if nothing, 1 otherwise.
int report(const std::string& list, const std::vector<Row>& rows, const std::map<std::string, std::string>& known);
void print_table(const std::vector<Row>& rows);  // counts per sketch and dtypes
void write_json(const std::string& path, const std::vector<Row>& rows);

}  // namespace hipvault::library
