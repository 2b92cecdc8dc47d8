#pragma once
// Any legal schedule of a sketch, each answer as likely as the others: what a search may propose.

#include "base/random.h"
#include "schedule/schedule.h"

namespace hipvault::library {

inline Result<schedule::Schedule> random_schedule(const schedule::Task& task, const std::string& sketch,
                                                  Random& random) {
  schedule::Schedule made = {{"sketch", sketch}};
  for (;;) {
    Result<schedule::Question> question = schedule::next_question(task, made);
    if (!question) return fail(question.error());
    if (question->name.empty()) return made;
    std::vector<std::string> legal;
    for (const schedule::Choice& choice : question->choices)
      if (choice.legal) legal.push_back(choice.value);
    if (legal.empty()) return fail("schedule.stuck", "no value of `" + question->name + "` is legal");
    made.push_back({question->name, legal[random.below(legal.size())]});
  }
}

}  // namespace hipvault::library
