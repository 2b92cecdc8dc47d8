#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/task_options.h"
#include "report/table.h"
#include "search/optimize.h"

namespace hipvault::cli {
namespace {

constexpr const char* kDefaultBudget = "45s";

report::FunnelRow funnel_row(const std::string& family, const search::Funnel& funnel) {
  return {family, funnel.proposed, funnel.legal, funnel.compiled, funnel.correct, funnel.timed};
}

void add_search(const search::CampaignResult& campaign, report::Report& report) {
  for (const auto& [family, funnel] : campaign.board.families()) report.families.push_back(funnel_row(family, funnel));
  report.total = funnel_row("all", campaign.board.total());
  report.twins = campaign.board.twins();
  report.reasons = campaign.board.reasons(8);
  for (const search::Trial& trial : campaign.board.trials())
    if (trial.twin == 0)
      report.points.push_back({static_cast<int64_t>(report.points.size()) + 1, trial.agent, trial.family,
                               corpus::name(trial.reached), trial.time_us});
  report.search_seconds = campaign.search_seconds;
  report.campaign = campaign.campaign;
}

Baseline baseline_of(const engine::Candidate& candidate) {
  Baseline baseline{"default_schedule", "default " + candidate.family, 0, outcome_of(candidate)};
  if (candidate.timing) baseline.time_us = candidate.timing->time_us;
  return baseline;
}

report::Report make_report(const search::OptimizeResult& result) {
  const search::CampaignResult& campaign = result.campaign;
  const engine::Candidate none;
  const engine::Candidate& best = campaign.winner           ? *campaign.winner
                                  : campaign.fallen.empty() ? none
                                                            : campaign.fallen.front();
  report::Report report = report_of(result.task, best, result.work);
  if (!campaign.winner && campaign.fallen.empty()) {
    report.verdict = "none";
    report.message = campaign.board.reasons(1).empty()
                         ? "no candidate was tried"
                         : "no candidate was timed; most often: " + campaign.board.reasons(1)[0].first;
  }
  report.device = result.device;
  report.toolchain = result.toolchain;
  report.generator = result.generator;
  report.agent = campaign.winner_agent;
  report.attempt = campaign.winner_attempt;
  report.seconds = result.seconds;
  if (campaign.baseline) report.baseline = baseline_of(*campaign.baseline);
  add_search(campaign, report);
  return report;
}

}  // namespace

int run_optimize(const Arguments& arguments, Io& io) {
  Parser parser("optimize",
                "Searches for a fast kernel of an op, judges the best in full, and writes it with its report.");
  search::OptimizeOptions options;
  options.vault = default_vault();
  std::string budget = kDefaultBudget, out;
  std::vector<std::string> fixes;
  CLI::App& app = parser.app();
  add_task_options(app, options.task, true);
  add_tool_options(app, options.tools, options.threads);
  app.add_option("--budget", budget, "60s, 2m, 200trials, or both: 60s,200trials")->capture_default_str();
  app.add_option("--fix", fixes, "pin a decision: --fix waves=4")->expected(1)->take_all()->allow_extra_args(false);
  app.add_option("--out", out, "folder of the results; default: out/OP.CASE.GPU");
  app.add_option("--vault", options.vault, "database of all attempts")->capture_default_str();
  app.add_option("--seed", options.seed, "of the agents; default: a fresh one");
  if (std::optional<int> code = parser.parse(arguments, io)) return *code;
  Result<engine::Budget> parsed = engine::parse_budget(budget);
  if (!parsed) return report_error(parsed.error(), parser.json, io);
  options.budget = *parsed;
  Result<std::map<std::string, std::string>> pins = parse_pairs(fixes, "--fix");
  if (!pins) return report_error(pins.error(), parser.json, io);
  options.pins = *pins;
  Result<engine::LoadedTask> task = engine::load_task(options.task, *io.files);
  if (!task) return report_error(task.error(), parser.json, io);
  std::string folder = output_folder(out, *task);
  Status usable = check_output_folder(folder, *io.files);
  if (!usable) return report_error(usable.error(), parser.json, io);
  ProgressLine line(io, *parsed);
  options.progress = [&](const search::Progress& progress) { line.show(progress); };
  watch_interrupts();
  options.stop = &interrupted();

  Result<search::OptimizeResult> result = search::optimize(options, *io.files);
  line.end();
  if (!result) return report_error(result.error(), parser.json, io);
  report::Report report = make_report(*result);
  const engine::Candidate* winner = result->campaign.winner ? &*result->campaign.winner : nullptr;
  Status written = write_outputs(folder, winner, report, *io.files);
  if (!written) return report_error(written.error(), parser.json, io);
  std::string text = report::summary_text(report) + "written to " + folder + "/\n";
  return finish(report::summary_json(report), text, parser.json, report.verdict == "pass" ? kPass : kNotPass, io);
}

}  // namespace hipvault::cli
