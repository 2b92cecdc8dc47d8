#include "report/coverage.h"

#include <fmt/format.h>

#include "isa/coverage.h"
#include "report/table.h"

namespace hipvault::report {
namespace {

Json json_of(const isa::Coverage& coverage) {
  Json missing = Json::array();
  for (const isa::MissingMnemonic& one : coverage.missing)
    missing.push_back(Json{{"mnemonic", one.mnemonic}, {"example", one.example}, {"why", one.why}});
  return Json{{"arch", coverage.arch},
              {"wave_sizes", coverage.wave_sizes},
              {"encodings", coverage.encodings},
              {"mnemonics", coverage.mnemonics},
              {"modelled", coverage.modelled},
              {"out_of_scope", coverage.out_of_scope},
              {"missing", missing}};
}

}  // namespace

Result<CoverageReport> simulator_coverage(const std::string& arch) {
  std::vector<isa::Coverage> all;
  if (arch.empty()) {
    Result<std::vector<isa::Coverage>> every = isa::coverage_of_all();
    if (!every) return fail(every.error());
    all = std::move(*every);
  } else {
    Result<isa::Coverage> one = isa::coverage_of(arch);
    if (!one) return fail(one.error());
    all.push_back(std::move(*one));
  }
  CoverageReport report;
  report.json = Json::array();
  Table table({"arch", "encodings", "mnemonics", "modelled", "out of scope", "missing"});
  std::string details;
  for (const isa::Coverage& coverage : all) {
    report.json.push_back(json_of(coverage));
    table.add({coverage.arch, fmt::format("{}", coverage.encodings), fmt::format("{}", coverage.mnemonics),
               fmt::format("{}", coverage.modelled), fmt::format("{}", coverage.out_of_scope),
               fmt::format("{}", coverage.missing.size())});
    for (const isa::MissingMnemonic& one : coverage.missing)
      details += fmt::format("{}  {}  ({})\n", coverage.arch, one.mnemonic, one.why);
  }
  report.text = table.text() + (details.empty() ? "" : "\nmissing:\n" + details);
  return report;
}

}  // namespace hipvault::report
