#pragma once
// What every subcommand has in common: where it writes, how it parses, how it ends.
//
// Exit codes: 0 pass, 1 the verdict is not pass, 2 bad usage or input, 3 missing toolchain.
// With --json exactly one object goes to stdout, errors included ({"error": {code, message, hint, …}}); everything for
// people goes to stderr.

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/json.h"
#include "base/result.h"

namespace hipvault::cli {

enum ExitCode { kPass = 0, kNotPass = 1, kBadInput = 2, kNoToolchain = 3 };

struct Io {
  std::ostream& out;
  std::ostream& err;
  bool terminal = false;  // err is one: progress may rewrite its line
  FileSystem* files = nullptr;
};

using Arguments = std::vector<std::string>;

struct Command {
  const char* name;
  const char* help;   // one line
  const char* needs;  // "nothing", "ops", "vault", "compiler", "device": what must be there
  int (*run)(const Arguments& arguments, Io& io);
};

// The parser of one subcommand, with --json.
class Parser {
 public:
  Parser(const std::string& name, const std::string& help);
  CLI::App& app() { return app_; }
  // nothing: go on. Else the exit code: usage was wrong (2, said on err) or help was asked for (0).
  std::optional<int> parse(const Arguments& arguments, Io& io);
  bool json = false;

 private:
  CLI::App app_;
};

int exit_code(const Diagnostic& diagnostic);
// Says it (as JSON if asked for) and gives the exit code.
int report_error(const Diagnostic& diagnostic, bool json, Io& io);
// Prints the object, or the text for people.
int finish(const Json& object, const std::string& text, bool json, int code, Io& io);

// "name=value" items of an option.
Result<std::map<std::string, std::string>> parse_pairs(const std::vector<std::string>& items,
                                                       const std::string& option);

std::string default_vault();  // .hipvault/vault.db
std::string default_cache();  // .hipvault/cache
int default_threads();

}  // namespace hipvault::cli
