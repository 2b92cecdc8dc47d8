#pragma once
// A sketch: one way to turn a family of tensor programs into tile programs and a plan. Adding one is a file
// sketch_NAME.cc that defines a `Sketch` and a row in list.cc.
//
// A sketch answers three things: why it does not match a task (empty: it does), which decision comes next after those
// made, with a reason for every alternative that is not legal, and what a complete list of decisions builds.

#include <map>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace hipvault::schedule {

// The decisions made so far, without `sketch`.
using Made = std::map<std::string, std::string>;

struct Sketch {
  const char* name;
  std::string (*why_not)(const Task&);
  Question (*next)(const Task&, const Made&);  // an empty name: complete
  Result<Lowered> (*build)(const Task&, const Made&);
};

extern const Sketch kContract, kNaive, kPointwise, kRowReduce, kTranspose;

std::string legal_values(const Question& question);  // "1, 2, 4"
// Numbers as decisions.
int64_t number_of(const Made& made, const std::string& name);
Choice legal(int64_t value);
Choice illegal(int64_t value, std::string reason);
Choice allow_if(bool condition, int64_t value, std::string reason);
// `wanted` if that is a legal choice, else the nearest legal one before it in the list, else any legal one.
std::string prefer(const std::vector<Choice>& choices, const std::string& wanted);

}  // namespace hipvault::schedule
