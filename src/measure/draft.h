#pragma once
// Draft: the time of a launch, estimated from what a few of its work-groups executed.
//
// A cycle model replays every wave; a search cannot pay for that on thousands of candidates. Most of them differ in
// things that counters show: fewer passes over memory, wider loads, more waves in flight. So the counters of sampled
// work-groups are scaled to the launch, turned into one time per resource, and combined. It must *rank* candidates; its
// absolute error is not validated (Timing::model_error stays 0).
//
//   scale  = groups / groups_run            per_cu = launch total / min(groups, CUs) × quantisation
//   memory = unique bytes / achievable      read-only or mixed rate of the gpu; last-level rate for what an earlier
//   launch of
//                                           the same plan left there. Bytes are distinct 128-byte lines, at most the
//                                           bytes of the buffers the launch can reach (work-groups may share lines)
//   l2     = lines moved × 128 / L2 rate
//   l1     = per CU: the largest of bytes / 64 per clk, 4 clk an instruction, 2 clk a line
//   valu   = per SIMD: 4 clk an instruction, 16 transcendental, 8 of 64 bits; mfma: cycles of the target's table
//   lds    = per CU: bytes / 128 per clk + conflict cycles
//   latency= rounds × (exposed waits × memory latency + LDS waits × 64 clk + barriers × 40 clk + a wave's own issue
//   time)
//            rounds = waves / (CUs × SIMDs × occupancy), at least 1: Little's law, said as time: with W waves in
//            flight, each with b bytes outstanding, the rate is at most W·b / latency
//   time   = (Σ t^4)^(1/4) + launch         the largest bound, rounded where two are close: resources overlap, not
//   perfectly
//
// Sources of the constants (64 B/clk L1, 4/16 clk issue, 128 B/clk LDS, barrier 40, LDS wait 64): AMD ISA and profiler
// documents, gpu-benches, published traces. Occupancy, clocks, rates and latency come from the target.
// Rejected: bytes over bandwidth alone, which ranks a kernel of one wave beside one of thousands.

#include <map>
#include <string>

#include "record/run.h"
#include "target/target.h"

namespace hipvault::measure {

struct LaunchLimits {
  double readable_bytes = 0, writable_bytes = 0;  // of the buffers and workspace the launch can reach
  double warm_bytes = 0;                          // of the readable: left in the last-level cache by an earlier launch
  bool first = true;                              // of the plan: pays the full launch cost
};

struct LaunchDraft {
  double time_us = 0;
  double launch_us = 0;                    // part of time_us
  std::string bound;                       // key of the largest term, or "launch"
  std::map<std::string, double> terms_us;  // memory, l2, l1, valu, mfma, lds, latency
};

LaunchDraft draft_launch(const LaunchProfile& profile, const LaunchLimits& limits, const target::Gpu& gpu);

}  // namespace hipvault::measure
