#pragma once
// Mutation operators: each plants one fault that people really make into the text of a HIP kernel.
//
// Operators are regular expressions over single lines of device code, so that they work on any source that reads like
// an expert's, ours or not. Host code, comments and the plan stay as they are: the launch is the judge's, not the
// candidate's.

#include <string>
#include <vector>

namespace hipvault::mutation {

struct Mutant {
  std::string fault;          // "missing barrier"
  int line = 0;               // 1-based
  std::string before, after;  // the line, trimmed
  std::string source;
};

// All mutants of `source`, at most `per_fault` of each fault, spread over the file.
std::vector<Mutant> make_mutants(const std::string& source, int per_fault);

std::vector<std::string> fault_names();

}  // namespace hipvault::mutation
