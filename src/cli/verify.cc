#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/task_options.h"
#include "corpus/vault.h"
#include "engine/foreign.h"
#include "engine/record.h"
#include "report/table.h"

namespace hipvault::cli {
namespace {

Json cases_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const CaseVerdict& one : verdict.cases) {
    list.push_back(Json{{"name", one.name},
                        {"verdict", name(one.outcome)},
                        {"max_error", one.max_error},
                        {"tolerance", one.tolerance},
                        {"where", one.where},
                        {"elements", one.elements}});
    if (!one.message.empty()) list.back()["message"] = one.message;
  }
  return list;
}

std::string cases_text(const Verdict& verdict) {
  report::Table table({"case", "verdict", "max error", "tolerance", "elements", "where"});
  for (const CaseVerdict& one : verdict.cases)
    table.add({one.name, name(one.outcome), report::short_number(one.max_error), report::short_number(one.tolerance),
               fmt::format("{}", one.elements), one.outcome == Outcome::pass ? one.where : one.message});
  return verdict.cases.empty() ? "" : table.text();
}

// Every attempt is kept, those of others too; the id.
Result<int64_t> record(const engine::VerifyRequest& request, const engine::Verified& verified, const std::string& path,
                       FileSystem& files) {
  corpus::Attempt attempt = engine::attempt_of(verified.task, verified.candidate, {});
  attempt.agent = "verify";
  attempt.device = request.tools.device;
  attempt.toolchain = verified.candidate.compiled.toolchain;
  size_t slash = path.find_last_of('/');
  if (slash != std::string::npos && slash > 0) {
    Status made = files.make_directories(path.substr(0, slash));
    if (!made) return fail(made.error());
  }
  Result<std::unique_ptr<corpus::Vault>> vault = corpus::Vault::open(path);
  if (!vault) return fail(vault.error());
  return (*vault)->record(attempt);
}

}  // namespace

int run_verify(const Arguments& arguments, Io& io) {
  Parser parser("verify", "Judges a HIP kernel with a `// hv-plan:` block against an op.");
  engine::VerifyRequest request;
  std::string vault = default_vault();
  bool quick = false;
  CLI::App& app = parser.app();
  app.add_option("FILE", request.file, "the HIP source")->required();
  add_task_options(app, request.task, false);
  add_tool_options(app, request.tools, request.threads);
  app.add_option("--inputs", request.inputs, "a safetensors file with values for some inputs, by name");
  app.add_option("--seed", request.seed, "of the inputs; default: fresh and secret");
  app.add_option("--vault", vault, "database of all attempts")->capture_default_str();
  app.add_flag("--quick", quick, "small sizes only");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  request.depth = quick ? engine::Depth::quick : engine::Depth::full;
  if (!parser.json) request.progress = [&](const std::string& message) { io.err << message << "\n"; };
  Result<engine::Verified> verified = engine::verify_file(request, *io.files);
  if (!verified) return report_error(verified.error(), parser.json, io);
  Result<int64_t> attempt = record(request, *verified, vault, *io.files);
  const Verdict& verdict = *verified->candidate.verdict;
  Json findings = Json::array();
  std::string text;
  for (const Finding& finding : report::all_findings(verdict)) {
    findings.push_back(to_json(finding));
    text += fmt::format("finding    {}: {} ({} {})\n", finding.kind, finding.message, finding.kernel, finding.source);
  }
  Json json{{"verdict", name(verdict.outcome)},
            {"message", verdict.message},
            {"cases", cases_json(verdict)},
            {"findings", findings}};
  json["verdict_depth"] = name(verdict.depth);
  json["attempt"] = attempt ? Json(*attempt) : Json();
  if (!attempt) json["not_recorded"] = attempt.error().message;
  if (!attempt && !parser.json) io.err << "not recorded: " << render(attempt.error()) << "\n";
  json["seed"] = verdict.seed;
  json["time_us"] = verified->candidate.timing ? Json(verified->candidate.timing->time_us) : Json();
  std::string head = fmt::format("verdict    {}{}\n", report::verdict_text(verdict),
                                 verdict.message.empty() ? "" : ": " + verdict.message);
  if (verified->candidate.timing)
    text += fmt::format("time       {} predicted ({})\n", report::time_text(verified->candidate.timing->time_us),
                        verified->candidate.timing->kind);
  return finish(json, cases_text(verdict) + head + text, parser.json, verdict.passed() ? kPass : kNotPass, io);
}

}  // namespace hipvault::cli
