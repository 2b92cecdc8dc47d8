#include "corpus/vault.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/task_options.h"
#include "engine/record.h"
#include "engine/suggest.h"
#include "report/table.h"

namespace hipvault::cli {
namespace {

struct VaultOptions {
  std::string path = default_vault();
  corpus::Filter filter;
  std::string reached, out, format = "jsonl";
  int64_t id = 0, limit = 20;
  bool source = false, lineage = false, fastest = false;
  engine::ToolOptions tools;
  int threads = 1;
};

void add_filter(CLI::App& app, VaultOptions& options) {
  app.add_option("--op", options.filter.op, "only this op");
  app.add_option("--gpu", options.filter.gpu, "only this gpu");
  app.add_option("--case", options.filter.case_name, "only this case");
  app.add_option("--agent", options.filter.agent, "only of this agent");
  app.add_option("--family", options.filter.family, "only of this sketch");
  app.add_option("--verdict", options.filter.outcome, "only with this verdict");
  app.add_option("--reached", options.reached,
                 "only what came at least so far: proposed, legal, compiled, correct, timed");
}

Result<std::unique_ptr<corpus::Vault>> open_vault(const VaultOptions& options, FileSystem& files) {
  if (!files.exists(options.path))
    return fail("vault.none", "there is no vault at " + options.path,
                "`hipvault optimize` makes one; another is named with --vault FILE");
  return corpus::Vault::open(options.path);
}

Status set_reached(VaultOptions& options) {
  if (options.reached.empty()) return {};
  options.filter.reached = corpus::reached_by_name(options.reached);
  if (!options.filter.reached)
    return fail("usage", "--reached \"" + options.reached + "\" is no stage",
                engine::known_words(options.reached, {"proposed", "legal", "compiled", "correct", "timed"}));
  return {};
}

// A quick pass is a search's filter and no claim about the kernel, so it never reads like a full one.
std::string verdict_text(const corpus::Attempt& a) {
  if (a.outcome.empty()) return "-";
  return a.outcome == "pass" && a.depth == "quick" ? "pass (quick)" : a.outcome;
}

// What made the attempt: a search, a single build, or the judging of a kernel from elsewhere.
std::string kind_of(const corpus::Attempt& a) {
  if (a.agent == "verify" || a.agent == "build") return a.agent;
  return a.campaign != 0 ? "search" : "other";
}

Json row_json(const corpus::Attempt& a) {
  return Json{{"id", a.id},
              {"op", a.op},
              {"case", a.case_name},
              {"gpu", a.gpu},
              {"agent", a.agent},
              {"family", a.family},
              {"reached", corpus::name(a.reached)},
              {"kind", kind_of(a)},
              {"verdict", a.outcome},
              {"verdict_depth", a.depth},
              {"time_us", a.time_us ? Json(*a.time_us) : Json()},
              {"reason", a.reason},
              {"campaign", a.campaign}};
}

int list_attempts(corpus::Vault& vault, VaultOptions& options, bool json, Io& io) {
  options.filter.order_by_time = options.fastest;
  options.filter.limit = options.limit;
  Result<std::vector<corpus::Attempt>> attempts = vault.list(options.filter);
  if (!attempts) return report_error(attempts.error(), json, io);
  Json list = Json::array();
  report::Table table({"id", "kind", "op", "case", "gpu", "agent", "family", "reached", "verdict", "time", "reason"});
  for (const corpus::Attempt& a : *attempts) {
    list.push_back(row_json(a));
    table.add({fmt::format("{}", a.id), kind_of(a), a.op, a.case_name, a.gpu, a.agent, a.family,
               corpus::name(a.reached), verdict_text(a), report::time_text(a.time_us), a.reason.substr(0, 60)});
  }
  return finish(Json{{"attempts", list}}, table.empty() ? "no attempts\n" : table.text(), json, kPass, io);
}

int show_attempt(corpus::Vault& vault, const VaultOptions& options, bool json, Io& io) {
  Result<std::vector<corpus::Attempt>> line = vault.lineage(options.id);
  if (!line) return report_error(line.error(), json, io);
  const corpus::Attempt& a = line->front();
  if (options.source) return finish(Json{{"id", a.id}, {"source", a.source}}, a.source, json, kPass, io);
  Json object = corpus::to_json(a);
  object["lineage"] = Json::array();
  std::string text =
      fmt::format("attempt {}: {} {} on {}, by {}\nreached {}, verdict {}, time {}\n", a.id, a.op, a.case_name, a.gpu,
                  a.agent, corpus::name(a.reached), verdict_text(a), report::time_text(a.time_us));
  if (!a.reason.empty()) text += "reason: " + a.reason + "\n";
  text += "\n" + a.schedule + "\nlineage:\n";
  for (const corpus::Attempt& one : *line) {
    object["lineage"].push_back(row_json(one));
    text += fmt::format("  {} {} {}\n", one.id, one.agent, report::time_text(one.time_us));
  }
  return finish(object, text, json, kPass, io);
}

int replay_attempt(corpus::Vault& vault, const VaultOptions& options, bool json, Io& io) {
  Result<corpus::Attempt> attempt = vault.attempt(options.id);
  if (!attempt) return report_error(attempt.error(), json, io);
  if (kind_of(*attempt) == "verify")
    return report_error(
        {"vault.foreign",
         fmt::format("attempt {} is a kernel from elsewhere: it has no schedule to make it from", options.id),
         fmt::format("`hipvault vault show {} --source` prints it; judge that again with `hipvault verify`",
                     options.id),
         {}},
        json, io);
  engine::ReplayOptions replay_options{options.tools, nullptr};
  replay_options.tools.device = attempt->device;
  Result<engine::Replay> replay = engine::replay(*attempt, replay_options);
  if (!replay) return report_error(replay.error(), json, io);
  Json object{{"id", attempt->id},
              {"same", replay->same()},
              {"same_source", replay->same_source},
              {"same_code_object", replay->same_code_object},
              {"same_verdict", replay->same_verdict},
              {"fresh_seed_agrees", replay->fresh_seed_agrees},
              {"verdict", outcome_of(replay->candidate)},
              {"differences", replay->differences}};
  std::string text = fmt::format(
      "attempt {}: {}\n", attempt->id,
      replay->same() ? "the same source bytes, code object and verdict, and a fresh seed agrees" : "differs");
  for (const std::string& difference : replay->differences) text += "  " + difference + "\n";
  return finish(object, text, json, replay->same() ? kPass : kNotPass, io);
}

int export_attempts(corpus::Vault& vault, const VaultOptions& options, bool json, Io& io) {
  if (options.format != "jsonl")
    return report_error({"usage", "the format \"" + options.format + "\" is not known", "known: jsonl", {}}, json, io);
  std::string content;
  Result<int64_t> lines = vault.export_jsonl(options.filter, [&](const std::string& line) {
    if (!options.out.empty()) content += line;
    if (options.out.empty() && !(io.out << line)) return Status(fail("io", "cannot write the export to stdout"));
    return Status();
  });
  if (!lines) return report_error(lines.error(), json, io);
  if (options.out.empty()) return kPass;
  Status written = io.files->write(options.out, content);
  if (!written) return report_error(written.error(), json, io);
  return finish(Json{{"lines", *lines}, {"file", options.out}},
                fmt::format("{} attempts written to {}\n", *lines, options.out), json, kPass, io);
}

using Action = int (*)(corpus::Vault&, const VaultOptions&, bool, Io&);
int list_action(corpus::Vault& vault, const VaultOptions& options, bool json, Io& io) {
  VaultOptions copy = options;
  return list_attempts(vault, copy, json, io);
}

}  // namespace

int run_vault(const Arguments& arguments, Io& io) {
  const std::map<std::string, std::pair<const char*, Action>> actions = {
      {"ls", {"Lists attempts, newest first.", list_action}},
      {"show", {"Shows one attempt: decisions, verdict, lineage.", show_attempt}},
      {"replay", {"Makes the kernel of an attempt again: same source bytes, code object and verdict.", replay_attempt}},
      {"export", {"Writes one JSON line an attempt, with source text and recipe.", export_attempts}},
  };
  std::string name = arguments.empty() ? "" : arguments.front();
  bool asks_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  auto action = actions.find(name);
  if (name == "--help" || name == "-h") {
    std::string help;
    for (const auto& [word, what] : actions) help += fmt::format("hipvault vault {:<7} {}\n", word, what.first);
    return finish(Json{{"help", help}}, help, asks_json, kPass, io);
  }
  if (action == actions.end()) {
    std::string hint = engine::known_words(name, {"ls", "show", "replay", "export"});
    return report_error(
        {"usage", name.empty() ? "say what to do with the vault" : "the vault cannot \"" + name + "\"", hint, {}},
        asks_json, io);
  }
  Parser parser("vault " + name, action->second.first);
  VaultOptions options;
  CLI::App& app = parser.app();
  app.add_option("--vault", options.path, "the database")->capture_default_str();
  if (name == "show" || name == "replay") app.add_option("ID", options.id, "of the attempt")->required();
  if (name == "show") app.add_flag("--source", options.source, "only the source text");
  if (name == "replay") add_tool_options(app, options.tools, options.threads);
  if (name == "ls" || name == "export") add_filter(app, options);
  if (name == "ls") app.add_option("--limit", options.limit, "at most so many; 0: all")->capture_default_str();
  if (name == "ls") app.add_flag("--fastest", options.fastest, "fastest first");
  if (name == "export") app.add_option("--format", options.format, "jsonl")->capture_default_str();
  if (name == "export") app.add_option("--out", options.out, "file; default: the lines go to stdout, with --json too");
  if (std::optional<int> code = parser.parse(Arguments(arguments.begin() + 1, arguments.end()), io)) return *code;
  Status stage = set_reached(options);
  if (!stage) return report_error(stage.error(), parser.json, io);
  Result<std::unique_ptr<corpus::Vault>> vault = open_vault(options, *io.files);
  if (!vault) return report_error(vault.error(), parser.json, io);
  return action->second.second(**vault, options, parser.json, io);
}

}  // namespace hipvault::cli
