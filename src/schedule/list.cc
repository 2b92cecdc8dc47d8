// The sketches, and the mechanism common to all: a schedule is checked decision by decision against the questions that
// its sketch asks, so that what is refused is refused with the sketch's own reason.

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/suggest.h"
#include "schedule/sketch.h"

namespace hipvault::schedule {
namespace {

// In order of preference: the first that matches is the default.
constexpr std::array kSketches = {&kContract, &kRowReduce, &kTranspose, &kPointwise, &kNaive};

const Sketch* find_sketch(const std::string& name) {
  for (const Sketch* sketch : kSketches)
    if (name == sketch->name) return sketch;
  return nullptr;
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string values(const Question& question) {
  std::vector<std::string> words;
  for (const Choice& choice : question.choices) words.push_back(choice.value);
  return join(words);
}

Question ask_sketch(const Task& task) {
  Question question{"sketch", {}, ""};
  for (const Sketch* sketch : kSketches) {
    std::string reason = sketch->why_not(task);
    if (question.preferred.empty() && reason.empty()) question.preferred = sketch->name;
    question.choices.push_back({sketch->name, reason.empty(), reason});
  }
  return question;
}

Question ask(const Task& task, const Sketch* sketch, const Made& made) {
  return sketch == nullptr ? ask_sketch(task) : sketch->next(task, made);
}

Status check_answer(const Question& question, const Decision& decision) {
  if (question.name.empty())
    return fail("schedule.unknown", "the schedule is complete before `" + decision.name + "`",
                "remove the line `" + decision.name + " " + decision.value + "`");
  if (decision.name != question.name && !nearest_word(decision.name, {question.name}).empty())
    return fail("schedule.unknown",
                "`" + decision.name + "` is no decision here; did you mean `" + question.name + "`?",
                "write `" + question.name + " VALUE`, with one of " + values(question));
  if (decision.name != question.name)
    return fail("schedule.order", "`" + question.name + "` is decided here, but `" + decision.name + "` was found",
                "decisions have a fixed order; put `" + question.name + "` (one of " + values(question) + ") first");
  for (const Choice& choice : question.choices)
    if (choice.value == decision.value)
      return choice.legal ? Status{}
                          : fail("schedule.illegal", decision.name + " " + decision.value + ": " + choice.reason,
                                 "legal here: " + legal_values(question));
  return fail("schedule.value", "`" + decision.name + "` is one of " + values(question) + ", not " + decision.value);
}

// What a prefix of decisions leads to.
struct State {
  const Sketch* sketch = nullptr;
  Made made;
};

Result<State> follow(const Task& task, const Schedule& prefix) {
  State state;
  for (const Decision& decision : prefix) {
    Status fine = check_answer(ask(task, state.sketch, state.made), decision);
    if (!fine) return fail(fine.error());
    if (state.sketch == nullptr)
      state.sketch = find_sketch(decision.value);
    else
      state.made[decision.name] = decision.value;
  }
  return state;
}

// Asks until nothing is left, answering with what each question prefers.
Result<Schedule> complete_schedule(const Task& task, Schedule schedule) {
  Result<State> state = follow(task, schedule);
  if (!state) return fail(state.error());
  for (;;) {
    Question question = ask(task, state->sketch, state->made);
    if (question.name.empty()) return schedule;
    if (question.preferred.empty()) {
      std::string reason = question.choices.empty() ? "" : question.choices.front().reason;
      return fail("schedule.stuck", "no value of `" + question.name + "` is legal: " + reason);
    }
    schedule.push_back({question.name, question.preferred});
    if (state->sketch == nullptr)
      state->sketch = find_sketch(question.preferred);
    else
      state->made[question.name] = question.preferred;
  }
}

}  // namespace

std::string legal_values(const Question& question) {
  std::vector<std::string> words;
  for (const Choice& choice : question.choices)
    if (choice.legal) words.push_back(choice.value);
  return words.empty() ? "nothing" : join(words);
}

int64_t number_of(const Made& made, const std::string& name) {
  auto found = made.find(name);
  CHECK(found != made.end()) << "no decision " << name;
  return std::stoll(found->second);
}

Choice legal(int64_t value) { return {std::to_string(value), true, ""}; }
Choice illegal(int64_t value, std::string reason) { return {std::to_string(value), false, std::move(reason)}; }
Choice allow_if(bool condition, int64_t value, std::string reason) {
  return condition ? legal(value) : illegal(value, std::move(reason));
}

std::string prefer(const std::vector<Choice>& choices, const std::string& wanted) {
  std::string before, any;
  bool passed = false;
  for (const Choice& choice : choices) {
    if (choice.legal && !passed) before = choice.value;
    if (choice.legal && any.empty()) any = choice.value;
    if (choice.value == wanted) passed = true;
  }
  return before.empty() ? any : before;
}

Result<Question> next_question(const Task& task, const Schedule& prefix) {
  Result<State> state = follow(task, prefix);
  if (!state) return fail(state.error());
  return ask(task, state->sketch, state->made);
}

Result<Lowered> lower(const Task& task, const Schedule& schedule, bool complete) {
  Schedule full = schedule;
  if (complete) {
    Result<Schedule> completed = complete_schedule(task, schedule);
    if (!completed) return fail(completed.error());
    full = *completed;
  }
  Result<State> state = follow(task, full);
  if (!state) return fail(state.error());
  Question open = ask(task, state->sketch, state->made);
  if (!open.name.empty())
    return fail("schedule.incomplete", "the decision `" + open.name + "` is missing",
                "add `" + open.name + " VALUE` with one of " + legal_values(open));
  Result<Lowered> lowered = state->sketch->build(task, state->made);
  if (!lowered) return lowered;
  lowered->schedule = full;
  lowered->family = state->sketch->name;
  return lowered;
}

Result<Schedule> default_schedule(const Task& task, const std::string& sketch) {
  if (sketch.empty()) return complete_schedule(task, {});
  return complete_schedule(task, {{"sketch", sketch}});
}

std::vector<std::string> sketch_names() {
  std::vector<std::string> names;
  for (const Sketch* sketch : kSketches) names.push_back(sketch->name);
  return names;
}

}  // namespace hipvault::schedule
