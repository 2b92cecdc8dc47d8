#include "library/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/file_system.h"
#include "base/json.h"

namespace hipvault::library {

// "op sketch" -> reason.
Result<std::map<std::string, std::string>> known_failures(const std::string& path) {
  std::map<std::string, std::string> known;
  if (path.empty()) return known;
  Result<std::string> text = real_file_system().read(path);
  if (!text) return fail(text.error());
  std::stringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    size_t colon = line.find(": ");
    if (colon == std::string::npos)
      return fail("library.known", path + ": a line is `op sketch: reason`, not `" + line + "`");
    known[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return known;
}

// Rows that are not as the list says.
int report(const std::string& list, const std::vector<Row>& rows, const std::map<std::string, std::string>& known) {
  size_t passed = 0, expected = 0, surprises = 0;
  std::set<std::string> failing;  // under some dtype
  for (const Row& row : rows)
    if (!row.passed()) failing.insert(row.op + " " + row.sketch);
  for (const Row& row : rows) {
    std::string key = row.op + " " + row.sketch;
    bool listed = known.contains(key);
    passed += row.passed() ? 1 : 0;
    expected += !row.passed() && listed ? 1 : 0;
    if (row.passed() && listed && !failing.contains(key)) {
      ++surprises;
      fmt::print("{} passes now: remove it from {}\n", key, list);
    } else if (!row.passed() && !listed) {
      ++surprises;
      fmt::print("FAILED {} ({}, {}): {}: {}\n", key, row.types, row.which, row.state, row.message);
    }
  }
  fmt::print("{} of {} pass, {} known failures, {} surprises\n", passed, rows.size(), expected, surprises);
  return surprises == 0 ? 0 : 1;
}

void write_json(const std::string& path, const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back({{"op", row.op},
                    {"types", row.types},
                    {"sketch", row.sketch},
                    {"which", row.which},
                    {"schedule", row.schedule},
                    {"verdict", row.state},
                    {"message", row.message},
                    {"cases", row.cases},
                    {"elements", row.elements},
                    {"worst", row.worst},
                    {"seconds", row.seconds}});
  }
  std::ofstream(path) << list.dump(1) << "\n";
}

void print_table(const std::vector<Row>& rows) {
  struct Count {
    size_t passed = 0, judged = 0, cases = 0;
    int64_t elements = 0;
    double worst = 0;
    std::set<std::string> ops;
  };
  std::map<std::pair<std::string, std::string>, Count> counts;
  for (const Row& row : rows) {
    Count& count = counts[{row.sketch, row.types}];
    ++count.judged;
    count.passed += row.passed() ? 1 : 0;
    count.cases += row.cases;
    count.elements += row.elements;
    count.ops.insert(row.op);
    if (row.passed()) count.worst = std::max(count.worst, row.worst);
  }
  fmt::print("\n{:<11} {:<10} {:>4} {:>10} {:>7} {:>10} {:>9}  of the tolerance\n", "sketch", "dtypes", "ops",
             "schedules", "cases", "elements", "worst");
  for (const auto& [key, count] : counts)
    fmt::print("{:<11} {:<10} {:>4} {:>10} {:>7} {:>10} {:>9.3g}\n", key.first, key.second, count.ops.size(),
               fmt::format("{}/{}", count.passed, count.judged), count.cases, count.elements, count.worst);
  fmt::print("\n");
}

}  // namespace hipvault::library
