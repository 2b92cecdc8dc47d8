#pragma once
// Attempt: everything the vault keeps of one candidate, whatever became of it. A policy learns from the decisions *with
// the legal alternatives at every step*, so a failed attempt is worth as much as a good one.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace hipvault::corpus {

// How far a candidate came; each stage implies those before it.
enum class Reached : int { proposed = 0, legal = 1, compiled = 2, correct = 3, timed = 4 };
const char* name(Reached reached);
std::optional<Reached> reached_by_name(const std::string& name);

struct Alternative {
  std::string value;
  bool legal = true;
  std::string reason;  // why not
};
struct Step {
  std::string name, value;
  std::vector<Alternative> alternatives;
};

struct Attempt {
  int64_t id = 0;        // given by the vault
  int64_t campaign = 0;  // 0: none (a single build)
  std::string agent;     // "greedy", "evolution", "build", "default_schedule", "replay"
  int64_t parent = 0;    // the attempt it was derived from; 0: none
  std::string op, op_text, op_file;
  std::string standard;  // the text of std.hv that was in force: an attempt can be replayed from the vault alone
  std::map<std::string, std::string> types;  // type variable -> dtype
  std::map<std::string, int64_t> sizes;      // all of them
  std::string case_name, arch, gpu, device;
  int cus = 0;
  std::string toolchain, generator;
  std::string schedule, family;
  std::vector<Step> steps;
  Reached reached = Reached::proposed;
  std::string depth;                      // "quick", "full": of the judgement
  std::string reason;                     // why it went no further; "" for timed ones
  std::map<std::string, double> seconds;  // per stage
  std::map<std::string, uint64_t> seeds;  // "judge", "agent"
  Json verdict, timing;                   // null: not reached
  std::string outcome;                    // of the verdict
  std::optional<double> time_us;
  std::string source;       // "" if it was never printed
  std::string source_hash;  // filled by the vault
  std::string code_object_hash;
  int64_t created_us = 0;  // unix microseconds
};

Json to_json(const std::vector<Step>& steps);
Result<std::vector<Step>> steps_from_json(const Json& json);

// One flat object: the line of an export. `source` and `schedule` are whole texts.
Json to_json(const Attempt& attempt);

}  // namespace hipvault::corpus
