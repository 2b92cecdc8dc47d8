#pragma once
// A made-up space of schedules with a planted optimum, for tests of search: what a laboratory would say, without any
// kernel. Two sketches; `slow` is always at least twice as slow. Decisions interact: rows and vector only pay together.

#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "search/laboratory.h"

namespace hipvault::test {

struct Landscape {
  // The planted optimum has time 10; every step away from it costs.
  static std::map<std::string, std::string> optimum() {
    return {{"sketch", "fast"}, {"rows", "8"}, {"vector", "4"}, {"waves", "4"}, {"residency", "lds"}, {"split", "2"}};
  }

  std::set<std::string> broken;  // schedule texts that fail the full judgement
  bool refuse_all = false;       // nothing compiles
  std::mutex mutex;
  std::map<std::string, int> tried;  // schedule text -> times in try_out at quick depth
  int tries = 0;
  std::function<void(int)> after_try;  // called with `tries`

  static schedule::Question question(const schedule::Schedule& prefix) {
    auto values = [](std::vector<std::string> list) {
      std::vector<schedule::Choice> choices;
      for (std::string& value : list) choices.push_back({std::move(value), true, ""});
      return choices;
    };
    switch (prefix.size()) {
      case 0: {
        schedule::Question sketch{"sketch", values({"slow", "fast", "naive"}), ""};
        sketch.choices.push_back({"contract", false, "the op has no contraction"});
        return sketch;
      }
      case 1:
        return {"rows", values({"1", "2", "4", "8", "16", "32"}), ""};
      case 2: {
        schedule::Question vector{"vector", values({"1", "2", "4", "8", "16"}), ""};
        for (schedule::Choice& choice : vector.choices) {
          choice.legal = std::stoi(choice.value) * std::stoi(prefix[1].value) <= 128;
          if (!choice.legal) choice.reason = "too many registers";
        }
        return vector;
      }
      case 3:
        return {"waves", values({"1", "2", "4", "8", "16"}), ""};
      case 4:
        return {"residency", values({"registers", "lds", "reread"}), ""};
      case 5:
        return {"split", values({"1", "2", "4", "8"}), ""};
      default:
        return {};
    }
  }

  static double time_of(const schedule::Schedule& schedule) {
    std::map<std::string, std::string> at;
    for (const schedule::Decision& decision : schedule) at[decision.name] = decision.value;
    auto steps = [&](const char* name) {
      return std::abs(std::log2(std::stod(at[name])) - std::log2(std::stod(optimum()[name])));
    };
    double time = 10 * (1 + 0.3 * steps("rows") + 0.3 * steps("vector") + 0.4 * steps("rows") * steps("vector") +
                        0.2 * steps("waves") + 0.25 * steps("split") + (at["residency"] == "lds" ? 0 : 0.5));
    return at["sketch"] == "fast" ? time : 2 * time + 5;
  }

  search::Laboratory laboratory() {
    search::Laboratory lab;
    lab.next_question = [](const schedule::Schedule& prefix) -> Result<schedule::Question> { return question(prefix); };
    lab.default_schedule = [](const std::string& sketch) -> Result<schedule::Schedule> {
      return schedule::Schedule{{"sketch", sketch},         {"rows", "1"}, {"vector", "1"}, {"waves", "1"},
                                {"residency", "registers"}, {"split", "1"}};
    };
    lab.make = [](const schedule::Schedule& schedule) {
      engine::Candidate candidate;
      candidate.schedule = schedule;
      candidate.family = schedule.front().value;
      candidate.reached = corpus::Reached::legal;
      // waves 8 and 16 print the same kernel: the two are twins.
      std::string text = schedule::text(schedule);
      if (size_t at = text.find("waves 16"); at != std::string::npos) text.replace(at, 8, "waves 8");
      candidate.source = candidate.source_hash = text;
      return candidate;
    };
    lab.try_out = [this](int, engine::Depth depth, engine::Candidate& candidate) { try_out(depth, candidate); };
    lab.describe = [](const engine::Candidate& candidate) {
      corpus::Attempt attempt;
      attempt.op = "landscape";
      attempt.op_text = "op landscape";
      attempt.schedule = schedule::text(candidate.schedule);
      attempt.family = candidate.family;
      attempt.reached = candidate.reached;
      attempt.reason = candidate.reason;
      attempt.depth = candidate.depth;
      attempt.source = candidate.source;
      attempt.source_hash = candidate.source_hash;
      attempt.outcome = candidate.verdict ? hipvault::name(candidate.verdict->outcome) : "";
      attempt.seconds = candidate.seconds;
      if (candidate.timing) attempt.time_us = candidate.timing->time_us;
      return attempt;
    };
    return lab;
  }

  void try_out(engine::Depth depth, engine::Candidate& candidate) {
    std::string text = schedule::text(candidate.schedule);
    int now = 0;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (depth == engine::Depth::quick) ++tried[text];
      if (depth == engine::Depth::quick) now = ++tries;
    }
    candidate.depth = depth == engine::Depth::quick ? "quick" : "full";
    if (refuse_all) candidate.reason = "does not compile: the compiler is on strike";
    if (refuse_all) return;
    candidate.reached = corpus::Reached::compiled;
    candidate.compiled.ok = true;
    candidate.verdict = Verdict{};
    bool wrong = text.find("split 8") != std::string::npos || (depth == engine::Depth::full && broken.contains(text));
    if (wrong) {
      candidate.verdict->outcome = Outcome::wrong_value;
      candidate.reason = "wrong_value: y[0] is off";
    } else {
      candidate.reached = corpus::Reached::timed;
      candidate.timing = Timing{};
      candidate.timing->time_us = time_of(candidate.schedule);
    }
    if (after_try && depth == engine::Depth::quick) after_try(now);
  }
};

}  // namespace hipvault::test
