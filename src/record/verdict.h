#pragma once
// Verdict: what the judge says of a candidate, with the evidence. Typed, so that nothing ever parses words.

#include <string>
#include <vector>

#include "base/json.h"
#include "record/run.h"

namespace hipvault {

enum class Outcome {
  pass,
  wrong_value,       // outside the tolerance somewhere
  wrong_nan,         // NaN or infinity in the wrong place
  not_written,       // an output element still holds the poison
  input_changed,     // an argument that is not inout was written
  finding,           // a checker found a fault (race, out of bounds, …)
  not_reproducible,  // two runs differ although the op says order: fixed, or more than the tolerance
  not_run,           // the run did not complete: see `run_status`
  refused,           // the plan has no variant for the case
  not_judged,        // right wherever it ran, but a variant of the plan was reached by no judged case
  trivial_passes,    // a trivial candidate (zeros, copy, mean) passes this task: the task is not admitted
  compile_failed,
  plan_invalid,
};
const char* name(Outcome outcome);
Outcome outcome_by_name(const std::string& name);

// How thoroughly a verdict was made. A quick pass is a search's filter, never a claim about the kernel.
enum class VerdictDepth { quick, full };
const char* name(VerdictDepth depth);

// One judged case: a set of sizes with one distribution of inputs, strides and seed.
struct CaseVerdict {
  std::string name;  // "llama", "tail N=1021", "strided", …
  Outcome outcome = Outcome::pass;
  std::string message;   // one sentence with the evidence
  double max_error = 0;  // largest |candidate - reference| / tolerance is `worst`; this is the absolute error there
  double tolerance = 0;  // the absolute tolerance at that element
  double worst = 0;      // max_error / tolerance; > 1 fails
  std::string where;     // "y[3, 17]: got 0.25, expected 0.5"
  int64_t elements = 0;  // compared
  int64_t elements_total = 0;
  std::string inputs;   // distribution, seed, strides: enough to replay
  std::string variant;  // of the plan
  RunStatus run_status = RunStatus::completed;
  std::vector<Finding> findings;
  double seconds = 0;
};

struct Verdict {
  Outcome outcome = Outcome::pass;
  VerdictDepth depth = VerdictDepth::full;
  std::string message;
  std::vector<CaseVerdict> cases;
  std::map<std::string, std::vector<std::string>> fidelity;
  uint64_t seed = 0;  // the secret seed, stored after the verdict
  double seconds = 0;
  bool passed() const { return outcome == Outcome::pass; }
};

Json to_json(const CaseVerdict& verdict);
Json to_json(const Verdict& verdict);
Result<Verdict> verdict_from_json(const Json& json);

}  // namespace hipvault
