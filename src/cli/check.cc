// `hipvault check`: a HIP program under all checkers. The program's own process writes the findings to a file when it
// ends; this one reads them, prints them and makes them the exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "cli/program.h"

namespace hipvault::cli {
namespace {

std::string place(const Json& f) {
  std::string source = f.value("source", ""), kernel = f.value("kernel", "");
  if (kernel.empty()) return "";
  return fmt::format("  in {}{}, instruction `{}`\n", kernel, source.empty() ? "" : " at " + source,
                     f.value("instruction", ""));
}

// A leak has no place on the device, and a hazard is every wave's.
std::string who(const Json& f) {
  if (f.value("kernel", "").empty() || f.value("lanes", uint64_t{0}) == 0) return "";
  std::vector<int64_t> group = f.value("group", std::vector<int64_t>{0, 0, 0});
  std::string text = fmt::format("  group ({}), wave {}, lanes {:#x}\n", fmt::join(group, ", "), f.value("wave", 0),
                                 f.value("lanes", uint64_t{0}));
  return text;
}

std::string other_side(const Json& f) {
  std::string source = f.value("other_source", "");
  int wave = f.value("other_wave", -1);
  if (source.empty() && wave < 0) return "";
  return fmt::format("  other side: {}{}{}\n", source, !source.empty() && wave >= 0 ? ", " : "",
                     wave >= 0 ? fmt::format("wave {}", wave) : "");
}

std::string text_of(const Json& f) {
  int64_t count = f.value("count", int64_t{1});
  return fmt::format("{}: {}{}\n{}{}{}", f.value("kind", ""), f.value("message", ""),
                     count > 1 ? fmt::format(" [{} times]", count) : "", place(f), who(f), other_side(f));
}

Result<Json> read_report(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  if (text.str().empty()) return fail("check.report", "the program ended without a report");
  return parse_json(text.str(), "report");
}

// A file for the report, removed at the end, where the user named none.
struct Report {
  explicit Report(const std::string& wanted) : path(wanted) {
    if (!wanted.empty()) return;
    path = (std::filesystem::temp_directory_path() / "hipvault-check-XXXXXX").string();
    int file = ::mkstemp(path.data());
    if (file >= 0) ::close(file);
    temporary = true;
  }
  ~Report() {
    std::error_code error;
    if (temporary) std::filesystem::remove(path, error);
  }
  std::string path;
  bool temporary = false;
};

}  // namespace

int run_check(const Arguments& arguments, Io& io) {
  ProgramCommand command;
  CLI::App app(
      "Runs a HIP program on the simulated GPU with all checkers and prints what they find. The exit code is the "
      "program's own if that is nothing, else 73; 70 it cannot be started, 71 files beside hipvault are missing, 72 no "
      "such gpu, 128 + n it ended by signal n.",
      "check");
  if (std::optional<int> code =
          read_program(app, arguments, "hipvault check [--gpu G] [--json FILE] ./prog [args]", command, io))
    return *code;
  Report report(command.options.json);
  command.options.json = report.path;
  command.options.leaks = true;
  int code = run_program(command, io);
  Result<Json> read = read_report(report.path);
  if (!read) {
    if (code < kCannotStart) io.err << "hipvault check: the program used no GPU, or ended without its exit handlers\n";
    return code;
  }
  const Json& findings = (*read)["findings"];
  for (const Json& finding : findings) io.err << text_of(finding);
  io.err << fmt::format("hipvault check: {} finding{}\n", findings.size(), findings.size() == 1 ? "" : "s");
  return findings.empty() ? code : kHasFindings;
}

}  // namespace hipvault::cli
