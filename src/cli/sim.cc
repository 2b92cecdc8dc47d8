#include "cli/commands.h"
#include "report/coverage.h"

namespace hipvault::cli {

int run_sim(const Arguments& arguments, Io& io) {
  Parser parser("sim", "Says what the simulated GPU can execute: `hipvault sim coverage` counts instructions by arch.");
  std::string what, arch;
  parser.app().add_option("what", what, "coverage")->required();
  parser.app().add_option("--arch", arch, "one arch instead of all");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  if (what != "coverage")
    return report_error({"usage", "there is no `sim " + what + "`", "known: sim coverage", {}}, parser.json, io);
  Result<report::CoverageReport> coverage = report::simulator_coverage(arch);
  if (!coverage) return report_error(coverage.error(), parser.json, io);
  return finish(Json{{"coverage", coverage->json}}, coverage->text, parser.json, kPass, io);
}

}  // namespace hipvault::cli
