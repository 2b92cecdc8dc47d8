#pragma once
// Tables for terminals: columns as wide as their widest cell, numbers to the right. And the way numbers are written.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipvault::report {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string time_text(double us);                        // "12.3 us", "1.23 ms"
std::string time_text(const std::optional<double>& us);  // "-" for none
std::string bytes_text(double bytes);                    // "64.0 kB"
std::string percent_text(double fraction);               // "57 %"
std::string short_number(double value);                  // "1.2e-03", "0.25"

}  // namespace hipvault::report
