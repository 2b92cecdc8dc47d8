#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hipvault::report {
namespace {

// Columns are counted in code points: "µ" is one wide and two bytes long.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_number(const std::string& cell) {
  return !cell.empty() && (cell[0] == '-' || cell[0] == '.' || (cell[0] >= '0' && cell[0] <= '9'));
}

}  // namespace

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string& cell = rows_[r][i];
      std::string padding(widths[i] - width_of(cell), ' ');
      bool right = r > 0 ? is_number(cell) : rows_.size() > 1 && i < rows_[1].size() && is_number(rows_[1][i]);
      line += (i == 0 ? "" : "  ") + (right ? padding + cell : cell + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string time_text(double us) {
  if (us < 1000) return fmt::format("{:.{}f} us", us, us < 100 ? 2 : 1);
  if (us < 1e6) return fmt::format("{:.2f} ms", us / 1e3);
  return fmt::format("{:.2f} s", us / 1e6);
}
std::string time_text(const std::optional<double>& us) { return us ? time_text(*us) : "-"; }

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : bytes < 100 ? 1 : 0, units[unit]);
}

std::string percent_text(double fraction) { return fmt::format("{:.{}f} %", 100 * fraction, fraction < 0.1 ? 1 : 0); }

std::string short_number(double value) {
  double size = std::abs(value);
  if (value == 0 || (size >= 1e-2 && size < 1e5)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2e}", value);
}

}  // namespace hipvault::report
