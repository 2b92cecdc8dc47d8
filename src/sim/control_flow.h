#pragma once
// Where execution may go on after an instruction, for what is decided about a program before it runs.
//
// Calls go to any function of the code object, returns to behind any call: coarse, but compiled functions wait for all
// that is outstanding at their begin and before they return. Other jumps through registers are not followed.

#include <set>
#include <vector>

#include "isa/program.h"

namespace hipvault::sim {

class ControlFlow {
 public:
  explicit ControlFlow(const isa::Program& program);
  const std::vector<uint32_t>& entries() const { return entries_; }      // of kernels
  const std::vector<uint32_t>& functions() const { return functions_; }  // that are no kernels
  // True if a jump goes where only a run can say.
  bool unknown() const { return unknown_; }
  bool ends_block(uint32_t i) const { return i + 1 >= kinds_.size() || kinds_[i] != Kind::plain || leader_[i + 1]; }
  // Blocks that may run after the one which `i` ends.
  template <class Body>
  void for_next(uint32_t i, Body body) const {
    Kind kind = i < kinds_.size() ? kinds_[i] : Kind::end;
    bool falls = kind == Kind::plain || kind == Kind::conditional;
    if (falls && i + 1 < kinds_.size()) body(i + 1);
    if (kind == Kind::branch || kind == Kind::conditional) body(static_cast<uint32_t>(program_.instructions[i].target));
    if (kind == Kind::call)
      for (uint32_t function : functions_) body(function);
    if (kind == Kind::back)
      for (uint32_t after : after_calls_) body(after);
  }

  // The same without calls and returns, after any instruction.
  template <class Body>
  void for_local_next(uint32_t i, Body body) const {
    Kind kind = i < kinds_.size() ? kinds_[i] : Kind::end;
    if (kind != Kind::call && kind != Kind::back) for_next(i, body);
  }

 private:
  enum class Kind : uint8_t { plain, conditional, branch, call, back, end };
  Kind kind_of(const isa::Instruction& in);

  const isa::Program& program_;
  std::vector<Kind> kinds_;      // by instruction
  std::vector<uint8_t> leader_;  // a block begins here
  std::vector<uint32_t> entries_, functions_, after_calls_;
  bool unknown_ = false;
};

}  // namespace hipvault::sim
