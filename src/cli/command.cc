#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/thread_pool.h"

namespace hipvault::cli {

Parser::Parser(const std::string& name, const std::string& help) : app_(help, "hipvault " + name) {
  app_.add_flag("--json", json, "print one JSON object on stdout and nothing else there");
  app_.get_formatter()->column_width(34);
}

std::optional<int> Parser::parse(const Arguments& arguments, Io& io) {
  json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return finish(Json{{"help", app_.help()}}, app_.help(), json, kPass, io);
  } catch (const CLI::ParseError& error) {
    Diagnostic usage{"usage", error.what(), "`" + app_.get_name() + " --help` lists the options", {}};
    return report_error(usage, json, io);
  }
  return std::nullopt;
}

int exit_code(const Diagnostic& diagnostic) {
  bool missing = diagnostic.code.starts_with("toolchain.") || diagnostic.code == "compile.missing-clang" ||
                 diagnostic.code == "jail.no-worker";
  return missing ? kNoToolchain : kBadInput;
}

int report_error(const Diagnostic& diagnostic, bool json, Io& io) {
  int code = exit_code(diagnostic);
  if (!json) {
    io.err << render(diagnostic) << "\n";
    return code;
  }
  Json error{{"code", diagnostic.code}, {"message", diagnostic.message}, {"hint", diagnostic.hint}};
  if (!diagnostic.place.file.empty()) {
    error["file"] = diagnostic.place.file;
    error["line"] = diagnostic.place.line;
    error["column"] = diagnostic.place.column;
  }
  io.out << Json{{"error", error}}.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  return code;
}

int finish(const Json& object, const std::string& text, bool json, int code, Io& io) {
  if (json) io.out << object.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  if (!json) io.out << text;
  io.out.flush();
  return code;
}

Result<std::map<std::string, std::string>> parse_pairs(const std::vector<std::string>& items,
                                                       const std::string& option) {
  std::map<std::string, std::string> pairs;
  for (const std::string& item : items) {
    size_t equal = item.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == item.size())
      return fail("usage", option + " \"" + item + "\" is not NAME=VALUE", "for example " + option + " waves=4");
    pairs[item.substr(0, equal)] = item.substr(equal + 1);
  }
  return pairs;
}

std::string default_vault() { return ".hipvault/vault.db"; }
std::string default_cache() { return ".hipvault/cache"; }
int default_threads() { return std::clamp(hardware_threads(), 1, 16); }

}  // namespace hipvault::cli
