#pragma once
// What a search needs of the world, so that agents and the board can be tested on a made-up landscape: the questions a
// schedule answers, how a candidate is made and how it is tried.

#include <functional>
#include <string>
#include <vector>

#include "engine/evaluate.h"

namespace hipvault::search {

struct Laboratory {
  std::function<Result<schedule::Question>(const schedule::Schedule& prefix)> next_question;
  std::function<Result<schedule::Schedule>(const std::string& sketch)> default_schedule;
  // Up to the kernel text, with the decisions' alternatives. Any thread.
  std::function<engine::Candidate(const schedule::Schedule&)> make;
  // Compiles, judges and times; `worker` counts from 0 and no two calls share one.
  std::function<void(int worker, engine::Depth, engine::Candidate&)> try_out;
  // The record for the vault, without agent, parent and campaign.
  std::function<corpus::Attempt(const engine::Candidate&)> describe;
};

// The real one. All arguments must outlive it; one Tools a worker.
Laboratory make_laboratory(const engine::LoadedTask& task, const engine::Bench& bench,
                           std::vector<engine::Tools>& tools);

}  // namespace hipvault::search
