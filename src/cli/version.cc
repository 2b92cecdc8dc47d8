#include "cli/commands.h"
#include "engine/generator.h"

namespace hipvault::cli {

int run_version(const Arguments& arguments, Io& io) {
  Parser parser("version", "Prints the version of the program and of its kernel generator.");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  Json json{{"version", engine::product_version()}, {"generator", engine::generator_version()}};
  return finish(json, "hipvault " + engine::product_version() + ", generator " + engine::generator_version() + "\n",
                parser.json, kPass, io);
}

}  // namespace hipvault::cli
