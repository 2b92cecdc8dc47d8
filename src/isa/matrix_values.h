#pragma once
// The values in registers of matrix operands, one element number of all lanes at a time.

#include "isa/lanes.h"
#include "target/matrix.h"

namespace hipvault::isa {

// Bits [first_bit, first_bit + bits_of(type)) of each lane, as the number they stand for. `high` continues `low`: 6-bit
// values straddle registers. `is_signed` is of the iu types.
void read_floats(target::MatrixType type, const u32* low, const u32* high, int first_bit, f32* out);
void read_integers(target::MatrixType type, const u32* low, int first_bit, bool is_signed, i32* out);

// The exponent of the smallest normal number.
int lowest_exponent(target::MatrixType type);
// Denormals of `type` become +0.
void drop_denormals(target::MatrixType type, f32* values, int count);

u16 to_bfloat(f32 value);

}  // namespace hipvault::isa
