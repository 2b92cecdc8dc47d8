#include "engine/show.h"

#include <fmt/format.h>

#include "engine/suggest.h"
#include "tile/passes.h"

namespace hipvault::engine {
namespace {

std::string decisions_text(const LoadedTask& task, const schedule::Schedule& schedule) {
  std::string text;
  for (const corpus::Step& step : steps_of(task.task, schedule)) {
    text += fmt::format("{} {}\n", step.name, step.value);
    for (const corpus::Alternative& other : step.alternatives)
      text += fmt::format("  {} {}{}\n", other.legal ? "+" : "-", other.value, other.legal ? "" : ": " + other.reason);
  }
  return text;
}

Result<std::string> kernel_text(const LoadedTask& task, const schedule::Schedule& schedule, const std::string& what) {
  std::string wanted_pass = what.starts_with("after:") ? what.substr(6) : "";
  std::vector<std::string> passes = tile::pass_names();
  if (!wanted_pass.empty() && std::find(passes.begin(), passes.end(), wanted_pass) == passes.end())
    return fail("show.unknown-pass", "there is no pass named \"" + wanted_pass + "\"",
                known_words(wanted_pass, passes));
  std::string shown;
  Candidate candidate = make_candidate(task, schedule, [&](const std::string& pass, const std::string& text) {
    bool wanted = what == "tile" ? pass.empty() : pass == wanted_pass && !pass.empty();
    if (wanted) shown += text + (text.ends_with('\n') ? "" : "\n");
  });
  if (what == "tile" || !wanted_pass.empty()) {
    if (shown.empty()) return fail("show.failed", candidate.reason);
    return shown;
  }
  if (candidate.reached < Reached::legal) return fail("show.failed", candidate.reason);
  return what == "plan" ? to_json(candidate.plan).dump(2) + "\n" : candidate.source;
}

}  // namespace

std::vector<std::string> things_to_show() {
  std::vector<std::string> things = {"op", "program", "normal", "schedule", "decisions", "tile", "plan", "source"};
  for (const std::string& pass : tile::pass_names()) things.push_back("after:" + pass);
  return things;
}

Result<schedule::Schedule> schedule_for(const LoadedTask& task, const std::string& text, const std::string& file) {
  if (!text.empty()) {
    Result<schedule::Schedule> given = schedule::parse_schedule(text, file);
    if (!given) return given;
    Result<schedule::Lowered> lowered = schedule::lower(task.task, *given, true);
    if (!lowered) return fail(lowered.error());
    return lowered->schedule;
  }
  Result<schedule::Question> question = schedule::next_question(task.task, {});
  if (!question) return fail(question.error());
  std::string sketch;
  for (const schedule::Choice& choice : question->choices)
    if (choice.legal && (sketch.empty() || sketch == "naive")) sketch = choice.value;
  return schedule::default_schedule(task.task, sketch);
}

Result<std::string> show(const LoadedTask& task, const ShowRequest& request) {
  const std::string& what = request.what;
  std::vector<std::string> known = things_to_show();
  bool pass = what.starts_with("after:");
  if (!pass && std::find(known.begin(), known.end(), what) == known.end())
    return fail("show.unknown", "there is no \"" + what + "\" to show", known_words(what, known));
  if (what == "op") return task.op_text;
  if (what == "program") return ir::text(task.task.program);
  if (what == "normal") return ir::text(task.task.normal);
  Result<schedule::Schedule> schedule = schedule_for(task, request.schedule, "schedule");
  if (!schedule) return fail(schedule.error());
  if (what == "schedule") return schedule::text(*schedule);
  if (what == "decisions") return decisions_text(task, *schedule);
  return kernel_text(task, *schedule, what);
}

}  // namespace hipvault::engine
