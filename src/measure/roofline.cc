#include "measure/roofline.h"

#include <algorithm>

namespace hipvault::measure {

double achievable_bandwidth(const target::Gpu& gpu, double bytes_read, double bytes_written) {
  return bytes_written <= 0.05 * (bytes_read + bytes_written) ? gpu.achievable_read : gpu.achievable_copy;
}

double matrix_peak(const target::Gpu& gpu, DType dtype) {
  const target::Arch& arch = target::arch_of(gpu);
  double best = 0;
  for (const target::MatrixOp& op : arch.matrix_ops) {
    if (op.a != dtype || op.cycles <= 0) continue;
    best = std::max(best, 2.0 * op.m * op.n * op.k / op.cycles);
  }
  return best * arch.simds_per_cu * gpu.cus * gpu.clock_mhz * 1e6;
}

double roofline_us(const Work& work, const target::Gpu& gpu) {
  double bandwidth = achievable_bandwidth(gpu, work.bytes_read, work.bytes_written);
  double memory = bandwidth > 0 ? (work.bytes_read + work.bytes_written) / bandwidth : 0;
  double peak = matrix_peak(gpu, work.matrix_dtype);
  double matrix = work.flops > 0 && peak > 0 ? work.flops / peak : 0;
  return 1e6 * std::max(memory, matrix);
}

}  // namespace hipvault::measure
