#pragma once
// What is known of integer and boolean tiles along each axis: how long runs of consecutive values are (contiguity), how
// long runs of equal values are (constancy), and what power of two divides the first element of each run
// (divisibility). Runs are aligned: a run of length c starts at a multiple of c along its axis. From these come the
// vector width of memory accesses and the axis along which lanes should lie.
//
// Example, offsets of a row tile: row * stride + range(1024) with stride a multiple of 8
//   axis 1: contiguity 1024, constancy 1, divisibility 8   →   8 elements a lane may move at once.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tile/program.h"

namespace hipvault::tile {

struct AxisInfo {
  std::vector<int64_t> contiguity, constancy, divisibility;  // one an axis; scalars have one pseudo-axis
  std::optional<int64_t> constant;
};

class AxisAnalysis {
 public:
  AxisAnalysis(const Kernel& kernel, const std::map<std::string, int64_t>& multiple_of);
  const AxisInfo& of(ValueId value) const { return infos_[static_cast<size_t>(value)]; }

  // Elements along `axis` that one lane may move at once, by offsets, mask and the buffer's alignment; at most 16
  // bytes.
  int access_width(const Operation& access, int axis, int64_t buffer_alignment) const;

 private:
  void block(const Block& block);
  void operation(const Operation& op);
  AxisInfo compute(const Operation& op) const;
  AxisInfo unknown(const Type& type) const;

  const Kernel& kernel_;
  const std::map<std::string, int64_t>& multiple_of_;
  std::vector<AxisInfo> infos_;
};

}  // namespace hipvault::tile
