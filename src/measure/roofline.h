#pragma once
// The floor: no kernel can be faster than moving the bytes that must move, or than the matrix units multiply.

#include "measure/measure.h"

namespace hipvault::measure {

// Microseconds. Bytes over what the best stream kernels reach (read-only or mixed), not over the data sheet's peak,
// which nothing reaches; flops over the peak of the arch's best matrix instruction for the dtype, 0 if it has none.
double roofline_us(const Work& work, const target::Gpu& gpu);

// Achievable bytes per second for a mix of reads and writes: the read rate if at most 5 % are writes, else the copy
// rate.
double achievable_bandwidth(const target::Gpu& gpu, double bytes_read, double bytes_written);

// Flops per second of all matrix units at the nominal clock; 0 if the arch has no instruction for the dtype.
double matrix_peak(const target::Gpu& gpu, DType dtype);

}  // namespace hipvault::measure
